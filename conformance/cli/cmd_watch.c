#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cmd_option.h"
#include "cmd_watch.h"
#include "iw_explain.h"
#include "iw_live_screen.h"

enum { BUFFER_MIB = 64, SECONDS_MAX = 30 * 24 * 3600 };

static int watch_take_interface(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct cmd_watch *settings = at;

    (void)option;
    if (settings->source.count == IW_LIVE_SOURCES)
        return iw_option_error(usage, "at most %d interfaces", IW_LIVE_SOURCES);
    settings->names[settings->source.count++] = optarg;
    return 0;
}

static int watch_take_format(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    static const struct {
        const char *name;
        const struct iw_check_report_form *form;
    } forms[] = {{"screen", &iw_live_screen_form}, {"text", &iw_check_report_text},
        {"decode", &iw_check_report_decode}, {"jsonl", &iw_check_report_jsonl}};
    const struct iw_check_report_form **form = at;

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(optarg, forms[i].name) == 0) {
            *form = forms[i].form;
            return 0;
        }
    return cmd_option_not_listed(usage, option);
}

/* SIZE,N */
static int watch_take_ring(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct iw_live_ring_config *ring = at;
    const char *comma = strchr(optarg, ',');
    char *size = comma != NULL ? strndup(optarg, (size_t)(comma - optarg)) : NULL;
    unsigned long files = 0;
    bool valid = size != NULL && iw_option_read_octets(size, UINT64_C(1) << 40, &ring->octets) &&
                 ring->octets >= IW_LIVE_RING_OCTETS_MIN &&
                 iw_option_read_number(comma + 1, IW_LIVE_RING_FILES_MIN, IW_LIVE_RING_FILES_MAX, &files);

    free(size);
    ring->files = (unsigned)files;
    return valid ? 0
                 : iw_option_refuse(usage, option,
                       "a size from 4K to 1024G and a number of files from 2 to 10000, such as 100M,20");
}

static int watch_take_http(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    unsigned long port;
    int *http = at;

    if (!iw_option_read_number(optarg, 0, UINT16_MAX, &port))
        return iw_option_refuse(usage, option, "a port from 0 (any) to 65535");
    *http = (int)port;
    return 0;
}

static int watch_take_keep_on(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    bool *findings_only = at;

    *findings_only = strcmp(optarg, "finding") == 0;
    return *findings_only ? 0 : cmd_option_not_listed(usage, option);
}

static int watch_take_duration(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    return iw_option_read_seconds(optarg, SECONDS_MAX, at)
               ? 0
               : iw_option_refuse(usage, option, "seconds from 0.001 to 2592000");
}

#define AT(member) .at = offsetof(struct cmd_watch, member)
static const struct iw_option options[] = {
    {"interface", "NAME", 'i',
        "network interface (any: all of them); or - for standard input, or the path\n"
        "of a FIFO, into which another program writes a capture; may be repeated",
        watch_take_interface, .at = 0},
    {"filter", "EXPRESSION", 0, "only packets of this filter of libpcap (see pcap-filter(7)) [all]",
        iw_option_text, AT(source.filter)},
    {"format", "screen|text|decode|jsonl", 'f',
        "a table of all connections, with keys; a paragraph for each connection that has\n"
        "ended; a line for each startup frame, FPDU, loss and close; or one JSON object\n"
        "a line [screen on a terminal, else text]",
        watch_take_format, AT(report.form)},
    {"duration", "SECONDS", 't', "end after this time [SIGINT or SIGTERM]", watch_take_duration,
        AT(source.duration_ms)},
    {"buffer", "MIB", 0, "memory of each interface for packets that wait for this program [64]",
        IW_OPTION_NUMBER(struct cmd_watch, buffer, 1, 2047)},
    {CMD_OPTION_EXTENSIONS, "documents in force besides RFC 5040, as for 'check' [default]",
        cmd_option_extensions, AT(report.extensions)},
    {"memory", "OCTETS", 'm',
        "memory for connections that are open at once, as for 'check'\n"
        "[a quarter of this machine's memory]",
        cmd_option_memory, AT(report.memory)},
    {CMD_OPTION_MAX_LEVEL, "lowest level of findings that count as violations [error]", cmd_option_max_level,
        AT(report.stricter)},
    {CMD_OPTION_UPPER, "what to do about the protocols above iWARP, as for 'check' [off]", cmd_option_upper,
        AT(report.upper)},
    {"waive", "FILE", 'w', "known findings, which do not count, as for 'check'", iw_option_text, AT(waivers)},
    {"explain", NULL, 0, "tell for each connection also why it failed, hung or was slow", iw_option_flag,
        AT(explains)},
    {"ring", "SIZE,N", 0,
        "record all packets in pcapng files of SIZE octets (K, M, G: KiB, MiB, GiB), at\n"
        "most N of them: the oldest is removed. Packets with findings have them as\n"
        "packet comments",
        watch_take_ring, AT(ring)},
    {"out", "DIR", 'o', "folder for the files of --ring; created if necessary", iw_option_text,
        AT(ring.folder)},
    {"keep-on", "finding", 0, "keep only the files of --ring that have a finding, and the file before each",
        watch_take_keep_on, AT(ring.findings_only)},
    {"http", "PORT", 0,
        "show the connections, and findings as they come, on a web page: only to this\n"
        "machine, at http://127.0.0.1:PORT/; 0: any port, which it prints",
        watch_take_http, AT(http)},
    {CMD_OPTION_CONFINE, AT(confining)},
};

static const struct iw_usage usage = {
    .command = "watch",
    .arguments = "-i NAME [OPTION...]",
    .summary = "Judges the iWARP connections of a network as they happen, by the rules of 'check'.",
    .detail =
        "It needs only the packets, not the peers. It reports a connection when it ends; with --format\n"
        "decode or jsonl, each finding at once. On a terminal it shows a table of all connections, with ?\n"
        "for its keys, and reports at the end. SIGINT, SIGTERM, --duration or the end of a pipe end it, and\n"
        "it reports the connections that are still open as they are. It judges a connection that was open\n"
        "before from the first packet on that shows an FPDU.\n"
        "\n"
        "It counts the packets that the system drops because this program or the interface is too slow. The\n"
        "verdict then says that not everything could be judged; violations in what arrived still count.\n"
        "\n"
        "It needs the right to capture: root, or CAP_NET_RAW ('doctor' says how). It gives up this right\n"
        "once the interfaces are open.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck watch -i eth0\n"
                "  warpcheck watch -i eth0 --http 8080 --explain\n"
                "  warpcheck watch -i eth0 --ring 100M,20 --keep-on finding --out findings\n"
                "  warpcheck watch -i eth0 -i eth1 --filter 'tcp port 20049' --format decode\n"
                "  warpcheck watch -i any --format jsonl | jq 'select(.type == \"finding\")'\n"
                "  ssh lab tcpdump -U -w - -i eth0 tcp | warpcheck watch -i -\n",
    .exits = "  0  conforms\n"
             "  1  at least one violation\n"
             "  2  no violation, but something could not be judged\n"
             "  3  usage; an interface that cannot be opened, or fails; no iWARP stream seen;\n"
             "     packets that cannot be recorded; a port of --http that is not free\n"
             "  4  internal error\n",
    .see = "warpcheck-waivers(5), pcap-filter(7)",
};

static int watch_check_options(const struct cmd_watch *watch) {
    if (watch->ring.octets == 0 && watch->ring.folder != NULL)
        return iw_option_error(&usage, "--out needs --ring SIZE,N");
    if (watch->ring.octets == 0 && watch->ring.findings_only)
        return iw_option_error(&usage, "--keep-on needs --ring SIZE,N");
    if (watch->ring.octets > 0 && watch->ring.folder == NULL)
        return iw_option_error(&usage, "--ring needs --out DIR");
    if (watch->http != CMD_WATCH_NO_HTTP && watch->report.form != NULL &&
        watch->report.form != &iw_check_report_text && watch->report.form != &iw_check_report_decode)
        return iw_option_error(&usage, "--http goes with --format text or decode");
    return 0;
}

int cmd_watch(int argc, char **argv) {
    struct cmd_watch watch = {.buffer = BUFFER_MIB,
        .http = CMD_WATCH_NO_HTTP,
        .report = {.out = stdout, .extensions = IW_EXT_DEFAULT}};
    int code = iw_option_all(&usage, argc, argv, &watch);

    if (code != IW_OPTION_DONE)
        return code;
    if (watch.source.count == 0)
        return iw_option_error(&usage, "no interface given: -i NAME");
    if ((code = watch_check_options(&watch)) != 0)
        return code;
    watch.source.names = watch.names;
    watch.source.buffer = watch.buffer << 20;
    watch.report.teller = watch.explains ? &iw_explain_teller : NULL;
    return cmd_watch_run(&watch);
}
