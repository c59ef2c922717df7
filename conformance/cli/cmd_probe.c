#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "cmd_agent.h"
#include "cmd_option.h"
#include "iw_whole_file.h"
#include "iw_probe.h"

struct settings {
    struct iw_probe_config probe;
    struct cmd_agent agent;
    struct cmd_address peer;
    struct cmd_sctp sctp;
    const char *out;
};

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {CMD_OPTION_PEER, "the device [the embedded peer, in memory]", cmd_option_address, AT(peer)},
    {CMD_OPTION_SCTP,
        "where the device accepts associations for DDP over SCTP: in IP; with\n"
        "udp:, in UDP at port 9899; with udp/PORT:, at that UDP port",
        cmd_option_sctp, AT(sctp)},
    {CMD_OPTION_AGENT, "the agent that controls the device (docs/agent.md)", iw_option_text, AT(agent.text)},
    {CMD_OPTION_TOKEN_FILE, "file whose first line is the agent's token", cmd_agent_token, AT(agent)},
    CMD_AGENT_TLS_OPTIONS(struct settings, agent),
    {CMD_OPTION_OWN_HOST,
        "address of this host that the device connects to\n"
        "[the one that the agent sees]",
        iw_option_text, AT(agent.agent.own_host)},
    {"out", "FILE", 'o', "file for the profile [standard output]", iw_option_text, AT(out)},
};

static const struct iw_usage usage = {
    .command = "probe",
    .arguments = "[OPTION...]",
    .instead = "--peer",
    .summary = "Finds out what a device supports, and writes the profile for 'run --profile'.",
    .detail =
        "It sends Requests of both revisions, and tries each operation on its own connection: the device\n"
        "answers a supported operation, or rejects its STag and not its OpCode. With an agent, operations\n"
        "use registered memory, and the device is also tried as initiator; without one, the profile\n"
        "assumes a responder that supports every hash of Verify. The profile does not show whether the\n"
        "device conforms.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck probe --peer 192.0.2.7:20100 --out rnic.lua\n"
                "  warpcheck probe --peer 192.0.2.7:20100 --agent 20101 --tls-psk key\n",
    .exits = "  0  the profile is written\n"
             "  2  the answers of the device were inconclusive\n"
             "  3  usage; the device cannot be reached; the file cannot be written\n",
};

static int probe_write_profile(const char *path, const char *text) {
    struct iw_whole_file output = {.out = stdout};
    int error = path ? iw_whole_file_open(&output, path) : 0;

    if (error == 0)
        fputs(text, output.out);
    if (error == 0 && path)
        error = iw_whole_file_close(&output, true);
    return error == 0 ? IW_EXIT_CONFORMS : (int)cmd_cannot_write(path, error);
}

int cmd_probe(int argc, char **argv) {
    struct settings settings = {0};
    int code = iw_option_all(&usage, argc, argv, &settings);
    enum iw_exit failed;
    char error[512], *text;

    if (code != IW_OPTION_DONE)
        return code;
    settings.probe.target.host = settings.peer.host ? settings.peer.host : cmd_agent_host(&settings.agent);
    settings.probe.target.port = settings.peer.port;
    settings.probe.target.sctp = settings.sctp.where;
    code = cmd_agent_find(
        &usage, &settings.agent, settings.probe.target.host, false, &settings.probe.target.agent);
    if (code != 0)
        return code;
    text = iw_probe(&settings.probe, &failed, error, sizeof error);
    cmd_agent_dispose(&settings.agent);
    if (!text)
        return cmd_fail((int)failed, "%s", error);
    code = probe_write_profile(settings.out, text);
    free(text);
    return code;
}
