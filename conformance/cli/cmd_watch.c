#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "cmd_confine.h"
#include "cmd_option.h"
#include "iw_check_report.h"
#include "iw_explain.h"
#include "iw_json.h"
#include "iw_live_device.h"
#include "iw_live_ring.h"
#include "iw_live_screen.h"
#include "iw_live_source.h"

enum { NAMES_OCTETS = 512, BUFFER_MIB = 64, SECONDS_MAX = 30 * 24 * 3600 };

struct settings {
    const char *names[IW_LIVE_SOURCES];  /* `source.count` of them */
    struct iw_live_source_config source; /* without `names` */
    uint32_t buffer;                     /* MiB */
    struct iw_check_report report;
    const char *waivers; /* path; NULL: not given */
    bool explains;
    struct iw_live_ring_config ring; /* octets 0: record nothing */
    enum cmd_confining confining;
};

static int watch_take_interface(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct settings *settings = at;

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

#define AT(member) .at = offsetof(struct settings, member)
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
        IW_OPTION_NUMBER(struct settings, buffer, 1, 2047)},
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
    {CMD_OPTION_CONFINE, AT(confining)},
};

static const struct iw_usage usage = {
    .command = "watch",
    .arguments = "-i NAME [OPTION...]",
    .summary = "Judges the iWARP connections of a network as they happen, by the rules of 'check'.",
    .detail =
        "The peers need not know of it. Reports a connection when it ends, and with --format decode or "
        "jsonl\n"
        "each finding at once. On a terminal it shows a table of all connections instead, and the report at\n"
        "the end; ? shows its keys. Ends with SIGINT or SIGTERM, after --duration, or when the writer of a "
        "pipe\n"
        "ends; connections that are still open are then reported as they are. A connection that was open\n"
        "before is judged from the first packet on that shows an FPDU.\n"
        "\n"
        "Packets that the system drops, because this program or the interface is too slow, are counted; the\n"
        "verdict is then that not everything could be judged, and what the octets around them prove.\n"
        "\n"
        "Needs the right to capture: root, or CAP_NET_RAW ('warpcheck doctor' says how), which it gives up\n"
        "once the interfaces are open.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck watch -i eth0\n"
                "  warpcheck watch -i eth0 --ring 100M,20 --keep-on finding --out findings\n"
                "  warpcheck watch -i eth0 -i eth1 --filter 'tcp port 20049' --format decode\n"
                "  warpcheck watch -i any --format jsonl | jq 'select(.type == \"finding\")'\n"
                "  ssh lab tcpdump -U -w - -i eth0 tcp | warpcheck watch -i -\n",
    .exits = "  0  conforms\n"
             "  1  at least one violation\n"
             "  2  no violation, but something could not be judged\n"
             "  3  usage; an interface that cannot be opened, or fails; no iWARP stream seen;\n"
             "     packets that cannot be recorded\n"
             "  4  internal error\n",
    .see = "warpcheck-waivers(5), pcap-filter(7)",
};

static struct iw_live_source *watch_source;
static volatile sig_atomic_t watch_interrupted;

/* The first signal ends the watch with its report, a second one the program. */
static void watch_interrupt(int number) {
    if (watch_interrupted) {
        iw_live_screen_abandon();
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    watch_interrupted = true;
    iw_live_source_stop(watch_source);
}

static void watch_take_signals(struct iw_live_source *source) {
    struct sigaction action = {.sa_handler = watch_interrupt};

    watch_source = source;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* What libpcap reads to know the drops of an interface. */
static int watch_confine(const struct settings *settings) {
    struct iw_confine confine;

    iw_confine_begin(&confine);
    confine.receives = true;
    confine.terminal = settings->report.form == &iw_live_screen_form;
    iw_confine_read(&confine, "/sys/class/net");
    iw_confine_read(&confine, "/sys/devices");
    if (settings->waivers != NULL)
        iw_confine_read(&confine, settings->waivers);
    if (settings->ring.octets > 0)
        iw_confine_write(&confine, settings->ring.folder);
    for (size_t i = 0; i < settings->source.count; i++)
        if (strchr(settings->names[i], '/') != NULL)
            iw_confine_read(&confine, settings->names[i]);
    return cmd_confine(settings->confining, &confine);
}

/* Names all interfaces as one capture: "eth0, eth1". */
static void watch_name(const struct settings *settings, char name[NAMES_OCTETS]) {
    size_t used = 0;

    for (size_t i = 0; i < settings->source.count && used < NAMES_OCTETS; i++)
        used += (size_t)snprintf(name + used, NAMES_OCTETS - used, "%s%s", i > 0 ? ", " : "",
            strcmp(settings->names[i], "-") == 0 ? "standard input" : settings->names[i]);
}

/* From now on no packet is missed: a script may start its peers. */
static void watch_say_begin(const struct iw_check_report *report, const char *name) {
    if (report->form == &iw_live_screen_form)
        return;
    if (report->form == &iw_check_report_jsonl)
        iw_json_line(report->out, json_pack("{ss ss}", "type", "watch", "file", name));
    else
        fprintf(report->out, "watching %s\n", name);
    fflush(report->out);
}

/* `ring` may be NULL. */
static enum iw_exit watch_judge(struct settings *settings, struct iw_live_source *source, const char *name,
    struct iw_live_ring *ring) {
    struct iw_waivers waivers = {0};
    struct iw_check_source check;
    struct iw_check_observer observer;
    enum iw_exit code = IW_EXIT_ENVIRONMENT;

    iw_live_source_init(source, &check);
    if (ring != NULL) {
        iw_live_ring_attach(ring, &check, &observer);
        settings->report.observer = &observer;
    }
    if (settings->report.form == &iw_live_screen_form)
        iw_live_screen_wrap(settings->report.state, &check);
    settings->report.waivers = settings->waivers == NULL ? NULL : &waivers;
    watch_say_begin(&settings->report, name);
    if (settings->waivers == NULL || cmd_read_waivers(&waivers, settings->waivers)) {
        code = iw_check_report_source(&settings->report, name, &check);
        if (!iw_live_ring_close(ring))
            code = iw_exit_join(code, IW_EXIT_ENVIRONMENT);
        code = iw_check_report_end(&settings->report, code);
    } else {
        iw_live_ring_close(ring);
    }
    iw_waivers_clear(&waivers);
    return code;
}

static void watch_cannot_record(void *user, const char *line) {
    (void)user;
    cmd_fail(0, "%s", line);
}

static int watch_check_ring(const struct settings *settings) {
    if (settings->ring.octets == 0 && settings->ring.folder != NULL)
        return iw_option_error(&usage, "--out needs --ring SIZE,N");
    if (settings->ring.octets == 0 && settings->ring.findings_only)
        return iw_option_error(&usage, "--keep-on needs --ring SIZE,N");
    if (settings->ring.octets > 0 && settings->ring.folder == NULL)
        return iw_option_error(&usage, "--ring needs --out DIR");
    return 0;
}

/* Without --format: on a terminal that can do it, the table. */
static bool watch_wants_screen(const struct settings *settings) {
    const char *type = getenv("TERM");

    if (settings->report.form != NULL)
        return settings->report.form == &iw_live_screen_form;
    return iw_live_screen_built() && isatty(STDOUT_FILENO) && type != NULL && strcmp(type, "dumb") != 0;
}

/* Sets settings->report.form, and the screen of that form. Without --format, `text` does for a terminal that
 * cannot show the table. Returns 0, or the exit code. */
static int watch_open_form(struct settings *settings, struct iw_live_source *source, const char *name,
    struct iw_live_screen **screen) {
    bool asked = settings->report.form != NULL, wanted = watch_wants_screen(settings);
    char text[IW_LIVE_SOURCE_TEXT_OCTETS];

    *screen = wanted ? iw_live_screen_open(source, name, text) : NULL;
    if (wanted && *screen == NULL && asked)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "--format screen: %s", text);
    if (*screen != NULL) {
        settings->report.form = &iw_live_screen_form;
        settings->report.state = *screen;
    } else if (!asked) {
        settings->report.form = &iw_check_report_text;
    }
    return 0;
}

/* The folder of the ring must exist before the process is confined. */
static int watch_run(struct settings *settings, struct iw_live_source *source) {
    struct iw_live_screen *screen = NULL;
    struct iw_live_ring *ring = NULL;
    char name[NAMES_OCTETS], text[IW_LIVE_RING_TEXT_OCTETS];
    int code;

    settings->ring.trouble = watch_cannot_record;
    if (settings->ring.octets > 0 && (ring = iw_live_ring_open(&settings->ring, source, text)) == NULL)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", text);
    watch_name(settings, name);
    code = watch_open_form(settings, source, name, &screen);
    if (code == 0 && (code = watch_confine(settings)) == 0)
        code = (int)watch_judge(settings, source, name, ring);
    else
        iw_live_ring_close(ring);
    iw_live_screen_close(screen);
    return code;
}

int cmd_watch(int argc, char **argv) {
    struct settings settings = {
        .buffer = BUFFER_MIB, .report = {.out = stdout, .extensions = IW_EXT_DEFAULT}};
    struct iw_live_source *source;
    char text[IW_LIVE_SOURCE_TEXT_OCTETS];
    int code = iw_option_all(&usage, argc, argv, &settings);

    if (code != IW_OPTION_DONE)
        return code;
    if (settings.source.count == 0)
        return iw_option_error(&usage, "no interface given: -i NAME");
    if ((code = watch_check_ring(&settings)) != 0)
        return code;
    settings.source.names = settings.names;
    settings.source.buffer = settings.buffer << 20;
    settings.report.teller = settings.explains ? &iw_explain_teller : NULL;
    source = iw_live_source_open(&settings.source, text);
    if (source == NULL)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", text);
    watch_take_signals(source);
    if (!iw_live_device_drop_rights())
        code = cmd_fail(IW_EXIT_ENVIRONMENT, "the right to capture cannot be given up");
    else
        code = watch_run(&settings, source);
    iw_live_source_close(source);
    return code;
}
