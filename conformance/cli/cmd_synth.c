#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "iw_argument.h"
#include "iw_exit.h"
#include "iw_option.h"
#include "iw_synth.h"

enum { OUTPUT, PEER_SCRIPT, ARG, ISN, QUIET, TRUST };

static const struct iw_option options[] = {
    [OUTPUT] = {"output", "FILE", 'o', "the capture to be written (pcapng)"},
    [PEER_SCRIPT] = {"peer-script", "SCRIPT", 0, "a script for the other side [the reference responder]"},
    [ARG] = {"arg", "NAME=VALUE", 'a', "an argument of both scripts: args.NAME; may be given again"},
    [ISN] = {"isn", "A,B", 0, "the initial sequence numbers of the opener and of the other side"},
    [QUIET] = {"quiet", NULL, 'q', "only errors"},
    [TRUST] = {"trust", NULL, 0, "scripts may use all libraries of Lua, files and processes too"},
};

static const struct iw_usage usage = {
    .command = "synth",
    .arguments = "[OPTION...] SCRIPT -o FILE",
    .operand = "script",
    .summary = "Runs a script in memory and writes the conversation as a capture; no network, no waiting.",
    .detail =
        "The same script gives the same file, octet for octet. Findings are printed but are no failure: a\n"
        "script may well be meant to violate.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = "  warpcheck synth generator/examples/send_write_read.lua -o tour.pcapng\n"
                "  warpcheck synth wrap.lua --isn 0xfffffff0,1 -o wrap.pcapng\n",
    .exits = "  0  written\n"
             "  1  a script failed; what crossed the wire until then is written\n"
             "  3  usage; a mistake in a script; files that cannot be read or written\n"
             "  4  internal error\n",
};

struct settings {
    struct iw_synth_options synth;
    struct iw_arguments arguments;
};

/* Decimal, or hexadecimal behind 0x, of 32 bits. */
static bool read_isn(const char *text, char end, uint32_t *isn, const char **rest) {
    char *stop;
    unsigned long value = strtoul(text, &stop, 0);

    if (stop == text || *stop != end || text[0] == '-' || value > UINT32_MAX)
        return false;
    *isn = (uint32_t)value;
    *rest = stop + 1;
    return true;
}

static int take_isn(struct iw_synth_options *synth) {
    const char *rest = optarg;

    if (!read_isn(rest, ',', &synth->isn[0], &rest) || !read_isn(rest, '\0', &synth->isn[1], &rest))
        return iw_option_error(&usage, "--isn takes two numbers with a comma between them, not %s", optarg);
    synth->has_isn = true;
    return 0;
}

static int take_option(void *user, int option) {
    struct settings *settings = user;

    switch (option) {
    case OUTPUT:
        settings->synth.output = optarg;
        return 0;
    case PEER_SCRIPT:
        settings->synth.peer = optarg;
        return 0;
    case ARG:
        return iw_arguments_add(&settings->arguments, optarg)
                   ? 0
                   : iw_option_error(&usage, "%s", settings->arguments.error);
    case ISN:
        return take_isn(&settings->synth);
    case QUIET:
        settings->synth.quiet = true;
        return 0;
    default:
        settings->synth.trust = true;
        return 0;
    }
}

int cmd_synth(int argc, char **argv) {
    struct settings settings = {0};
    int code = iw_option_all(&usage, argc, argv, take_option, &settings);

    if (code != IW_OPTION_DONE)
        return code;
    if (!settings.synth.output)
        return iw_option_error(&usage, "no -o FILE given");
    settings.synth.script = argv[optind];
    settings.synth.arguments = settings.arguments.list;
    settings.synth.argument_count = settings.arguments.count;
    return (int)iw_synth(&settings.synth);
}
