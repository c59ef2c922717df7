#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "cmd_agent.h"
#include "cmd_option.h"
#include "cmd_starter.h"
#include "iw_probe.h"
#include "iw_whole_file.h"

struct settings {
    struct iw_probe_config probe;
    struct cmd_agent agent;
    struct cmd_address peer;
    struct cmd_sctp sctp;
    struct cmd_starter starter;
    const char *out;
};

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {CMD_OPTION_PEER, "the device [the embedded peer, in memory]", cmd_option_address, AT(peer)},
    {CMD_OPTION_SCTP,
        "where the device accepts associations for DDP over SCTP: in IP; with\n"
        "udp:, in UDP at port 9899; with udp/PORT:, at that UDP port",
        cmd_option_sctp, AT(sctp)},
    {CMD_OPTION_AGENT, "the agent that controls the device ('help agent')", iw_option_text, AT(agent.text)},
    {CMD_OPTION_TOKEN_FILE, "file whose first line is the agent's token", cmd_agent_token, AT(agent)},
    {CMD_OPTION_INITIATOR,
        "makes a device without agent connect to {host} and {port}, as for 'run';\n"
        "finds what it does as initiator. A device that is only an initiator\n"
        "needs no --peer, but --own-host",
        iw_option_text, AT(starter.starter.command)},
    CMD_AGENT_TLS_OPTIONS(struct settings, agent),
    {CMD_OPTION_OWN_HOST,
        "address of this host that the device connects to\n"
        "[the one that the agent sees; with --initiator, the one that reaches\n"
        "--peer]",
        iw_option_text, AT(agent.agent.own_host)},
    {"startup-limit", "SECONDS", 0,
        "how long to wait for the device to give up a startup; 0: do not find\n"
        "its startup timeout [15]",
        IW_OPTION_NUMBER(struct settings, probe.startup_limit_s, 0, IW_PROBE_STARTUP_LIMIT_MAX_S)},
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
        "assumes that the device supports every hash of Verify. With --initiator, the command runs up to\n"
        "20 times: the probe reads the Request of the device, and finds which Replies it accepts. At the\n"
        "end, it waits for the startup timeout of the device; see --startup-limit. The profile does not\n"
        "show whether the device conforms.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck probe --peer 192.0.2.7:20100 --out rnic.lua\n"
                "  warpcheck probe --peer 192.0.2.7:20100 --agent 20101 --tls-psk key\n"
                "  warpcheck probe --own-host 192.0.2.1 --out client.lua \\\n"
                "      --initiator 'ssh rnic rping -c -a {host} -p {port} -C 1'\n",
    .exits = "  0  the profile is written\n"
             "  2  the answers of the device were inconclusive, or it does not react to messages\n"
             "  3  usage; the device cannot be reached, or does not connect; the file cannot be written\n",
    .see = "warpcheck-profile(5) warpcheck-agent-protocol(7)",
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

/* Sets the device. One that only connects has no address: that of this host then names it, with port 0. */
static int probe_find_target(struct settings *settings) {
    struct iw_dut_target *target = &settings->probe.target;
    const char *own_host = settings->agent.agent.own_host;
    bool connects = settings->starter.starter.command != NULL;
    int code;

    if (connects && settings->agent.text)
        return iw_option_error(&usage, "--initiator is for a device without --agent");
    target->host = settings->peer.host ? settings->peer.host : cmd_agent_host(&settings->agent);
    target->port = settings->peer.port;
    target->sctp = settings->sctp.where;
    if (connects && !target->host)
        target->host = own_host;
    if (connects && !target->host)
        return iw_option_error(&usage, "--initiator goes with --peer or --own-host");
    code = cmd_agent_find(&usage, &settings->agent, target->host, connects, &target->agent);
    if (code == 0)
        code = cmd_starter_find(&usage, &settings->starter, target->host, own_host, &target->starter);
    return code;
}

int cmd_probe(int argc, char **argv) {
    struct settings settings = {.probe.startup_limit_s = IW_PROBE_STARTUP_LIMIT_S};
    int code = iw_option_all(&usage, argc, argv, &settings);
    enum iw_exit failed;
    char error[512], *text;

    if (code != IW_OPTION_DONE)
        return code;
    code = probe_find_target(&settings);
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
