#include <getopt.h>
#include <stdio.h>

#include "cmd.h"
#include "cmd_agent.h"
#include "cmd_option.h"
#include "iw_exit.h"
#include "iw_option.h"
#include "iw_rping.h"
#include "iw_serve.h"

struct settings {
    struct iw_serve_config serve;
    struct cmd_address listen;
    struct cmd_sctp sctp;
    struct cmd_agent agent; /* address and token of the agent */
};

static int serve_agent(const struct iw_usage *usage, const struct iw_option *option, void *user) {
    struct settings *settings = user;

    settings->serve.agent_host = settings->agent.host;
    return iw_option_address_or_port(optarg, "127.0.0.1", settings->agent.host, sizeof settings->agent.host,
               &settings->serve.agent_port)
               ? 0
               : iw_option_refuse(usage, option, "[HOST:]PORT");
}

static int serve_take_region(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    uint64_t *octets = at;

    if (iw_option_read_octets(optarg, UINT64_C(1) << 40, octets) && *octets > 0)
        return 0;
    return iw_option_refuse(usage, option, "a number of octets from 1 to 1024G, optionally with K, M or G");
}

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {"listen", "HOST:PORT", 'l', "where to listen [127.0.0.1:20100]; port 0 lets the system choose",
        cmd_option_address, AT(listen)},
    {CMD_OPTION_SCTP,
        "also accept associations for DDP over SCTP (RFC 5043): in IP, which\n"
        "needs raw sockets; with udp:, in UDP at port 9899 (RFC 6951); with\n"
        "udp/PORT:, at that UDP port; port 0 lets the system choose",
        cmd_option_sctp_listen, AT(sctp)},
    {CMD_OPTION_AGENT,
        "also be the agent of this device for a suite ('help agent'); port 0\n"
        "lets the system choose; HOST defaults to 127.0.0.1",
        .take = serve_agent},
    {CMD_OPTION_TOKEN_FILE,
        "file whose first line is the agent's token. If other hosts can reach\n"
        "the agent, it needs this, --tls-psk or --tls-ca",
        cmd_agent_token, AT(agent)},
    CMD_AGENT_TLS_OPTIONS(struct settings, agent),
    {CMD_OPTION_DEFECT, "have a defect (see 'list defects')", cmd_option_defect, AT(serve.defect),
        .lists = "defects"},
    {"region", "OCTETS", 0,
        "size of the offered memory region, up to 1024G; K, M or G may follow, such\n"
        "as 64K [65536, or that of --file]",
        serve_take_region, AT(serve.region_octets)},
    {"file", "FILE", 0,
        "the medium of the region: a Flush writes to it, and it keeps what was\n"
        "flushed when the program ends; created or extended if necessary",
        iw_option_text, AT(serve.file)},
    {"echo", NULL, 0, "answer each Send with a Send of the same octets", iw_option_flag, AT(serve.echo)},
    {"rping", NULL, 0, "behave like 'rping -s -P' of rdma-core", iw_option_flag, AT(serve.rping)},
    {"rping-size", "OCTETS", 0, "size of the buffers of --rping, as -S of rping [64]",
        IW_OPTION_NUMBER(struct settings, serve.rping_octets, IW_RPING_SIZE, IW_RPING_SIZE_MAX),
        .takes = "a number of octets from 64 to 65535"},
    {CMD_OPTION_NO_CRC, iw_option_flag, AT(serve.no_crc)},
    {"bulk", NULL, 0, "send FPDUs as large as TCP segments, several per write", iw_option_flag,
        AT(serve.bulk)},
    {CMD_OPTION_EXTENSIONS,
        "documents in force, as for 'check': the responder accepts them, and both\n"
        "sides are judged by them [default]",
        cmd_option_extensions, AT(serve.extensions)},
    {CMD_OPTION_RECORD, iw_option_text, AT(serve.record)},
    {CMD_OPTION_QUIET, "do not print connections", iw_option_flag, AT(serve.quiet)},
};

static const struct iw_usage usage = {
    .command = "serve",
    .arguments = "[OPTION...]",
    .instead = "--listen",
    .summary = "Runs the reference endpoint as a responder: accepts iWARP connections until interrupted.",
    .detail =
        "It offers one memory region for every operation, and prints its STag, TO, size and hash. It\n"
        "accepts any number of Sends, and prints every startup frame and FPDU with its findings. By\n"
        "default only this host can reach it; see --listen. A startup times out after ten seconds; when\n"
        "more than 1024 are in progress, the oldest is reset.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck serve\n"
                "  warpcheck serve --listen 0.0.0.0:20100 --record served.pcapng\n"
                "  warpcheck serve --agent 20101\n"
                "  warpcheck serve --file region.bin\n"
                "  warpcheck serve --sctp udp:127.0.0.1:20100\n"
                "  warpcheck serve --defect terminate-swallowed\n",
    .exits = "  0  ended by SIGINT or SIGTERM\n"
             "  3  usage; the port is in use; a file cannot be read or written\n",
    .see = "warpcheck-agent-protocol(7)",
};

/* Rejects options that exclude each other. */
static int serve_check_settings(const struct iw_serve_config *serve) {
    if (serve->echo && serve->rping)
        return iw_option_error(&usage, "--echo and --rping exclude each other");
    if (serve->rping_octets > 0 && !serve->rping)
        return iw_option_error(&usage, "--rping-size goes with --rping");
    return 0;
}

int cmd_serve(int argc, char **argv) {
    struct settings settings = {.listen = {.host = "127.0.0.1", .port = 20100},
        .serve = {.extensions = IW_EXT_DEFAULT, .out = stdout, .err = stderr}};
    enum iw_status status;
    char error[512];
    int code = iw_option_all(&usage, argc, argv, &settings);

    settings.serve.token = settings.agent.agent.token;
    if (code != IW_OPTION_DONE || (code = serve_check_settings(&settings.serve)) != 0 ||
        (code = cmd_agent_serve(&usage, &settings.agent, settings.serve.agent_host)) != 0)
        return code;
    settings.serve.tls = settings.agent.context;
    settings.serve.host = settings.listen.host;
    settings.serve.port = settings.listen.port;
    settings.serve.sctp = settings.sctp.where;
    status = iw_serve(&settings.serve, error, sizeof error);
    cmd_agent_dispose(&settings.agent);
    if (status == IW_OK)
        return IW_EXIT_CONFORMS;
    return error[0] == '\0' ? IW_EXIT_ENVIRONMENT : cmd_fail(IW_EXIT_ENVIRONMENT, "%s", error);
}
