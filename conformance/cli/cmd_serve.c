#include <getopt.h>
#include <stdio.h>

#include "cmd.h"
#include "cmd_option.h"
#include "iw_agent_token.h"
#include "iw_exit.h"
#include "iw_extensions.h"
#include "iw_option.h"
#include "iw_serve.h"

enum {
    LISTEN,
    SCTP,
    AGENT,
    TOKEN_FILE,
    DEFECT,
    REGION,
    ECHO,
    RPING,
    NO_CRC,
    BULK,
    EXTENSIONS,
    RECORD,
    QUIET
};

enum { REGION_OCTETS = 65536 };

static const struct iw_option options[] = {
    [LISTEN] = {"listen", "HOST:PORT", 'l',
        "where to listen [127.0.0.1:20100]; port 0 lets the system choose"},
    [SCTP] = {CMD_OPTION_SCTP, "also accept associations for DDP over SCTP (RFC 5043): in IP, which\n"
                               "needs raw sockets; with udp:, in UDP at port 9899 (RFC 6951); with\n"
                               "udp/PORT:, at another UDP port; port 0 lets the system choose"},
    [AGENT] = {CMD_OPTION_AGENT, "also be the agent of this device for a suite (docs/agent.md); port 0\n"
                                 "lets the system choose; HOST defaults to 127.0.0.1"},
    [TOKEN_FILE] = {CMD_OPTION_TOKEN_FILE,
        "file whose first line is the agent's token; required if other hosts\n"
        "can reach the agent"},
    [DEFECT] = {CMD_OPTION_DEFECT, "have a defect (see 'list defects')"},
    [REGION] = {"region", "OCTETS", 0, "size of the offered memory region [65536]"},
    [ECHO] = {"echo", NULL, 0, "answer each Send with a Send of the same octets"},
    [RPING] = {"rping", NULL, 0, "behave like 'rping -s -P' of rdma-core"},
    [NO_CRC] = {CMD_OPTION_NO_CRC},
    [BULK] = {"bulk", NULL, 0, "send FPDUs as large as TCP segments, several per write"},
    [EXTENSIONS] = {CMD_OPTION_EXTENSIONS,
        "documents in force, as for 'check': the responder accepts them, and both\n"
        "sides are judged by them [default]"},
    [RECORD] = {CMD_OPTION_RECORD},
    [QUIET] = {CMD_OPTION_QUIET, "do not print connections"},
};

static const struct iw_usage usage = {
    .command = "serve",
    .arguments = "[OPTION...]",
    .summary = "Runs the reference responder: accepts any number of iWARP connections until interrupted.",
    .detail =
        "It offers one memory region for every operation, and prints its STag, TO, size and hash. It\n"
        "accepts any number of Sends, and prints every startup frame and FPDU with its findings. By\n"
        "default only this host can reach it; see --listen. A startup times out after ten seconds; when\n"
        "more than 1024 are in progress, the oldest is reset.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = "  warpcheck serve\n"
                "  warpcheck serve --listen 0.0.0.0:7174 --record served.pcapng\n"
                "  warpcheck serve --agent 20101\n"
                "  warpcheck serve --sctp udp:127.0.0.1:20100\n"
                "  warpcheck serve --defect terminate-swallowed\n",
    .exits = "  0  ended by SIGINT or SIGTERM\n"
             "  3  usage; the port is in use; the capture cannot be written\n",
};

struct settings {
    struct iw_serve_config serve;
    char host[256];
    char sctp_host[256];
    char agent_host[256];
    char token[IW_AGENT_TOKEN_MAX];
};

static int serve_token(struct settings *settings) {
    char error[512];

    if (iw_agent_token_read(optarg, settings->token, error, sizeof error) != IW_OK)
        return iw_option_error(&usage, "--token-file: %s", error);
    settings->serve.token = settings->token;
    return 0;
}

static int serve_option(void *user, int option) {
    struct settings *settings = user;
    struct iw_serve_config *serve = &settings->serve;
    unsigned long number;

    switch (option) {
    case LISTEN:
        return cmd_option_address(
            &usage, option, settings->host, sizeof settings->host, &serve->port, &serve->host);
    case SCTP:
        return cmd_option_sctp(&usage, &serve->sctp, settings->sctp_host, sizeof settings->sctp_host, true);
    case AGENT:
        if (!iw_option_address_or_port(
                optarg, "127.0.0.1", settings->agent_host, sizeof settings->agent_host, &serve->agent_port))
            return iw_option_error(&usage, "--agent takes [HOST:]PORT, not %s", optarg);
        serve->agent_host = settings->agent_host;
        return 0;
    case TOKEN_FILE:
        return serve_token(settings);
    case DEFECT:
        return cmd_option_defect(&usage, &serve->defect);
    case REGION:
        if (!iw_option_number(optarg, 1, UINT64_C(1) << 40, &number))
            return iw_option_error(&usage, "--region takes a number of octets, not %s", optarg);
        serve->region_octets = number;
        return 0;
    case ECHO:
        serve->echo = true;
        return 0;
    case RPING:
        serve->rping = true;
        return 0;
    case NO_CRC:
        serve->no_crc = true;
        return 0;
    case BULK:
        serve->bulk = true;
        return 0;
    case EXTENSIONS:
        return cmd_option_extensions(&usage, &serve->extensions);
    case RECORD:
        serve->record = optarg;
        return 0;
    default:
        serve->quiet = true;
        return 0;
    }
}

/* An agent lets its clients open connections and allocate memory. */
static int serve_check_settings(const struct iw_serve_config *serve) {
    if (serve->echo && serve->rping)
        return iw_option_error(&usage, "--echo and --rping exclude each other");
    if (serve->token && !serve->agent_host)
        return iw_option_error(&usage, "--token-file goes with --agent");
    if (serve->agent_host && !serve->token && !iw_agent_is_loopback(serve->agent_host))
        return iw_option_error(
            &usage, "--agent at %s, which others can reach, needs --token-file", serve->agent_host);
    return 0;
}

int cmd_serve(int argc, char **argv) {
    struct settings settings = {.serve = {.host = "127.0.0.1",
                                    .port = 20100,
                                    .region_octets = REGION_OCTETS,
                                    .extensions = IW_EXT_DEFAULT,
                                    .out = stdout,
                                    .err = stderr}};
    char error[512];
    int code = iw_option_all(&usage, argc, argv, serve_option, &settings);

    if (code != IW_OPTION_DONE || (code = serve_check_settings(&settings.serve)) != 0)
        return code;
    if (iw_serve(&settings.serve, error, sizeof error) == IW_OK)
        return IW_EXIT_CONFORMS;
    if (error[0] != '\0')
        fprintf(stderr, "warpcheck: %s\n", error);
    return IW_EXIT_ENVIRONMENT;
}
