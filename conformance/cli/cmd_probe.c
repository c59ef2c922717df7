#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cmd_agent.h"
#include "cmd_sctp.h"
#include "iw_probe.h"

enum { PEER, SCTP, AGENT, TOKEN_FILE, OWN_HOST, OUT };

static const struct iw_option options[] = {
    [PEER] = {"peer", "HOST:PORT", 'p', "the device [the embedded reference, in memory]"},
    [SCTP] = {"sctp", "[udp:]HOST:PORT", 0,
        "where it takes associations for DDP over SCTP: in IP, or in UDP at\n"
        "9899, or with udp/PORT: at another UDP port"},
    [AGENT] = {"agent", "[HOST:]PORT", 0, "the agent that tells it what to do (docs/agent.md)"},
    [TOKEN_FILE] = {"token-file", "FILE", 0, "its first line is the token that the agent asks for"},
    [OWN_HOST] = {"own-host", "HOST", 0,
        "address of this host that the device connects to\n"
        "[the one that the agent sees]"},
    [OUT] = {"out", "FILE", 'o', "where the profile goes [standard output]"},
};

static const struct iw_usage usage = {
    .command = "probe",
    .arguments = "[OPTION...]",
    .summary = "Finds out what a device does, and writes the profile for 'run --profile'.",
    .detail =
        "It looks at how the device answers Requests of both revisions, and tries each operation on a\n"
        "connection of its own: one that the device knows is answered, or refused for its STag and not\n"
        "for its OpCode. With an agent there is memory to try it on, and the device is tried as\n"
        "initiator; without one it is taken for a responder, and any hash of Verify for known. What is\n"
        "found says nothing of whether it is right.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = "  warpcheck probe --peer 192.0.2.7:7174 --out rnic.lua\n"
                "  warpcheck probe --peer 192.0.2.7:7174 --agent 7175 --token-file token\n",
    .exits = "  0  the profile is written\n"
             "  2  the device did not let it be found out\n"
             "  3  usage; the device cannot be reached; the file cannot be written\n",
};

struct settings {
    struct iw_probe_config probe;
    struct cmd_agent agent;
    char host[256];
    char sctp_host[256];
    const char *out;
};

static int probe_option(void *user, int option) {
    struct settings *settings = user;

    switch (option) {
    case PEER:
        if (!iw_option_address(optarg, settings->host, sizeof settings->host, &settings->probe.port))
            return iw_option_error(&usage, "--peer takes HOST:PORT, not %s", optarg);
        settings->probe.host = settings->host;
        return 0;
    case SCTP:
        return cmd_sctp(
            &usage, &settings->probe.sctp, settings->sctp_host, sizeof settings->sctp_host, false);
    case AGENT:
        settings->agent.text = optarg;
        return 0;
    case TOKEN_FILE:
        return cmd_agent_token(&usage, &settings->agent, optarg);
    case OWN_HOST:
        settings->agent.agent.own_host = optarg;
        return 0;
    default:
        settings->out = optarg;
        return 0;
    }
}

static int write_profile(const char *path, const char *text) {
    FILE *file = path ? fopen(path, "w") : stdout;

    if (file && fputs(text, file) >= 0 && (!path || fclose(file) == 0))
        return IW_EXIT_CONFORMS;
    fprintf(stderr, "warpcheck: %s: %s\n", path ? path : "standard output", strerror(errno));
    return IW_EXIT_ENVIRONMENT;
}

static int probe_run(const struct settings *settings) {
    char error[512];
    enum iw_exit code;
    char *text = iw_probe(&settings->probe, &code, error, sizeof error);
    int written;

    if (!text) {
        fprintf(stderr, "warpcheck: %s\n", error);
        return (int)code;
    }
    written = write_profile(settings->out, text);
    free(text);
    return written;
}

int cmd_probe(int argc, char **argv) {
    struct settings settings = {0};
    int code = iw_option_all(&usage, argc, argv, probe_option, &settings);

    if (code == IW_OPTION_DONE)
        code = cmd_agent_find(&usage, &settings.agent, settings.probe.host, false, &settings.probe.agent);
    else
        return code;
    return code == 0 ? probe_run(&settings) : code;
}
