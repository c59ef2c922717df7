#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "cmd.h"
#include "cmd_option.h"
#include "iw_argument.h"
#include "iw_exit.h"
#include "iw_play.h"

struct settings {
    struct iw_play_options play;
    struct iw_arguments arguments;
    struct cmd_address peer;
    const struct iw_defect *defect; /* NULL: not given */
    bool *deviated;                 /* set to true when the defect takes effect */
};

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {CMD_OPTION_PEER, "the peer: the script's global 'peer', and what connect{} connects to",
        cmd_option_address, AT(peer)},
    {CMD_OPTION_ARG, "argument of the script: args.NAME; repeatable", cmd_option_arg, AT(arguments)},
    {CMD_OPTION_RECORD, iw_option_text, AT(play.record)},
    {"live", "DEVICE", 0, "record the real packets on this network device; needs permission", iw_option_text,
        AT(play.live)},
    {"timeout", "SECONDS", 't', "timeout of each wait that sets none itself [5]", cmd_option_seconds,
        AT(play.timeout_ms)},
    {"deadline", "SECONDS", 0, "time limit of the whole conversation [none]", cmd_option_seconds,
        AT(play.deadline_ms)},
    {CMD_OPTION_EXTENSIONS,
        "documents in force, as for 'check': the script's connections accept them,\n"
        "and both sides are judged by them [default]",
        cmd_option_extensions, AT(play.extensions)},
    {CMD_OPTION_DEFECT, "give the script's sides a defect (see 'list defects')", cmd_option_defect,
        AT(defect), .lists = "defects"},
    {CMD_OPTION_QUIET, "only errors and the verdict", iw_option_flag, AT(play.quiet)},
    {CMD_OPTION_TRUST, "the script may use all Lua libraries, including files and processes", iw_option_flag,
        AT(play.trust)},
};

static const struct iw_usage usage = {
    .command = "play",
    .arguments = "[OPTION...] SCRIPT",
    .operand = "script",
    .summary = "Plays one scripted conversation with a peer over TCP.",
    .detail =
        "The script is Lua 5.4 in a sandbox; it connects or listens, sends valid or invalid octets, and\n"
        "states what it expects. The monitor watches both sides.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck play generator/examples/send_write_read.lua\n"
                "  warpcheck play rping_client.lua --peer 127.0.0.1:20100 --record rping.pcapng\n"
                "  warpcheck play rping_client.lua --peer 127.0.0.1:20100 --live lo --record wire.pcapng\n"
                "  warpcheck play rdma_read.lua --defect read-short\n"
                "  warpcheck play probe.lua --peer 192.0.2.7:20100 --arg size=4096\n",
    .exits = "  0  the peer did what the script expects, and violated no MUST\n"
             "  1  it did not\n"
             "  2  it did, but not everything could be judged; or the command was interrupted\n"
             "  3  usage; a mistake in the script; the peer cannot be reached; files\n"
             "  4  internal error\n",
    .see = "warpcheck-scripts(7)",
};

static void play_configure(const void *user, struct iw_endpoint_config *config) {
    const struct settings *settings = user;

    iw_defect_configure(settings->defect, NULL, config);
    config->policy.deviated = settings->deviated;
}

static void play_tell_idle(const struct settings *settings, enum iw_exit code) {
    bool played = code == IW_EXIT_CONFORMS || code == IW_EXIT_VIOLATIONS || code == IW_EXIT_UNJUDGED;

    if (played && settings->defect && iw_defect_sets_deviated(settings->defect) && !*settings->deviated)
        fprintf(stderr, "warpcheck: the defect %s had no effect: there was nothing for it to change\n",
            settings->defect->name);
}

int cmd_play(int argc, char **argv) {
    bool deviated = false;
    struct settings settings = {
        .play = {.has_extensions = true, .extensions = IW_EXT_DEFAULT}, .deviated = &deviated};
    enum iw_exit played;
    int code = iw_option_all(&usage, argc, argv, &settings);

    if (code != IW_OPTION_DONE)
        return code;
    if (settings.play.live != NULL && settings.play.record == NULL)
        return iw_option_error(&usage, "--live goes with --record FILE");
    settings.play.host = settings.peer.host;
    settings.play.port = settings.peer.port;
    if (settings.defect) {
        settings.play.configure = play_configure;
        settings.play.configure_user = &settings;
    }
    settings.play.script = argv[optind];
    settings.play.arguments = settings.arguments.list;
    settings.play.argument_count = settings.arguments.count;
    played = iw_play(&settings.play);
    fflush(stdout);
    play_tell_idle(&settings, played);
    return (int)played;
}
