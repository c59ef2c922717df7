#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "cmd.h"
#include "cmd_option.h"
#include "iw_argument.h"
#include "iw_synth.h"

struct settings {
    struct iw_synth_options synth;
    struct iw_arguments arguments;
};

/* Reads a 32-bit number in C notation, followed by `end`. Sets *rest to the text after `end`. */
static bool synth_read_isn(const char *text, char end, uint32_t *isn, const char **rest) {
    char *stop;
    unsigned long value = strtoul(text, &stop, 0);

    if (stop == text || *stop != end || text[0] == '-' || value > UINT32_MAX)
        return false;
    *isn = (uint32_t)value;
    *rest = stop + 1;
    return true;
}

static int synth_take_isn(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct iw_synth_options *synth = at;
    const char *rest = optarg;

    if (!synth_read_isn(rest, ',', &synth->isn[0], &rest) ||
        !synth_read_isn(rest, '\0', &synth->isn[1], &rest))
        return iw_option_refuse(usage, option, "two numbers with a comma between them");
    synth->has_isn = true;
    return 0;
}

static int synth_take_impairment(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct iw_impairment_plan *plan = at;
    char error[IW_IMPAIRMENT_TEXT_OCTETS];

    *plan = (struct iw_impairment_plan){0};
    return iw_impairment_parse(optarg, plan, error) ? 0
                                                    : iw_option_error(usage, "--%s: %s", option->name, error);
}

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {"output", "FILE", 'o', "the capture to be written (pcapng)", iw_option_text, AT(synth.output)},
    {"peer-script", "SCRIPT", 0, "a script for the other side [the reference endpoint]", iw_option_text,
        AT(synth.peer)},
    {CMD_OPTION_ARG, "argument of both scripts: args.NAME; repeatable", cmd_option_arg, AT(arguments)},
    {"seed", "NUMBER", 's', "seed of math.random and of the random choices of --impairment [1]",
        IW_OPTION_NUMBER(struct settings, synth.seed, 1, ULONG_MAX), .takes = "a number from 1 on"},
    {"impairment", "LIST", 0, "faults of the capture, see above [none]", synth_take_impairment,
        AT(synth.impairment)},
    {"hardship", "LIST", 0, NULL, synth_take_impairment, AT(synth.impairment)},
    {"sctp", NULL, 0, "show the conversation as DDP over SCTP (RFC 5043)", iw_option_flag, AT(synth.sctp)},
    {"isn", "A,B", 0, "the initial sequence numbers, or TSNs, of the opener and of the other side",
        synth_take_isn, AT(synth)},
    {CMD_OPTION_EXTENSIONS,
        "documents in force, as for 'check': the connections accept them, and both\n"
        "sides are judged by them [default]",
        cmd_option_extensions, AT(synth.extensions)},
    {CMD_OPTION_QUIET, "only errors", iw_option_flag, AT(synth.quiet)},
    {CMD_OPTION_TRUST, "scripts may use all Lua libraries, including files and processes", iw_option_flag,
        AT(synth.trust)},
};

static const struct iw_usage usage = {
    .command = "synth",
    .arguments = "[OPTION...] SCRIPT -o FILE",
    .operand = "script",
    .summary = "Runs a script in memory and writes the conversation as a capture; no network, no waiting.",
    .detail =
        "The same script and seed give the same file, octet for octet. Findings are printed, but are not\n"
        "a failure: a script may violate a requirement on purpose.\n\n"
        "--impairment does not change the conversation, only its capture:\n"
        "  loss=1%                   packets that arrived are missing in the capture\n"
        "  retransmit=1%             packets are lost on the way and retransmitted later\n"
        "  reorder=5%                packets come after later ones\n"
        "  duplicate=2%              packets come twice\n"
        "  overlap=1%                packets repeat octets of earlier ones\n"
        "  acks=50%                  packets get a pure acknowledgement; without acks none does\n"
        "  resets=5%                 RSTs that the receiver ignores come before packets\n"
        "  cross=5%                  packets come after the next packet of the other side\n"
        "  segment=1..1448           payload octets per packet: packets are split and joined; at most 65000\n"
        "  wrap, wrap=100            sequence numbers wrap after this number of octets\n"
        "  vlan=7, ipv6              packets are in a VLAN; packets use IPv6\n"
        "  snaplen=96                packets are truncated after this number of octets\n"
        "  midstream, midstream=1000 the capture begins after the handshake, or after this number of octets\n"
        "  reuse                     an earlier connection between the ports ends, and no handshake follows\n"
        "  direction=initiator       the capture has only what one side sends\n"
        "Give each at most once, separated by commas. --sctp does not allow acks, cross,\n"
        "overlap, resets, reuse, segment or wrap.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck synth generator/examples/send_write_read.lua -o tour.pcapng\n"
                "  warpcheck synth wrap.lua --isn 0xfffffff0,1 -o wrap.pcapng\n"
                "  warpcheck synth tour.lua --impairment reorder=5%,segment=1..100 --seed 7 -o hard.pcapng\n",
    .exits = "  0  written\n"
             "  1  a script failed; what crossed the wire until then is written\n"
             "  2  written, but not everything could be judged: a limit was reached or memory ran out\n"
             "  3  usage; a mistake in a script; files that cannot be read or written\n"
             "  4  internal error\n",
    .see = "warpcheck-scripts(7)",
};

int cmd_synth(int argc, char **argv) {
    struct settings settings = {.synth = {.has_extensions = true, .extensions = IW_EXT_DEFAULT}};
    int code = iw_option_all(&usage, argc, argv, &settings);

    if (code != IW_OPTION_DONE)
        return code;
    if (!settings.synth.output)
        return iw_option_error(&usage, "no -o FILE given");
    if (settings.synth.has_isn && settings.synth.impairment.wrap)
        return iw_option_error(
            &usage, "--impairment wrap chooses the sequence numbers itself: leave out --isn");
    if (settings.synth.sctp && iw_impairment_of_tcp(&settings.synth.impairment) != NULL)
        return iw_option_error(&usage, "--impairment %s is for TCP only, not for --sctp",
            iw_impairment_of_tcp(&settings.synth.impairment));
    settings.synth.script = argv[optind];
    settings.synth.arguments = settings.arguments.list;
    settings.synth.argument_count = settings.arguments.count;
    return (int)iw_synth(&settings.synth);
}
