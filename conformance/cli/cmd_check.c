#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "cmd_option.h"
#include "iw_diagnostics.h"
#include "iw_extensions.h"
#include "iw_option.h"
#include "iw_check_group.h"
#include "iw_check_report.h"

enum { FORMAT, DECODE, FIELDS, EXTENSIONS, THREADS, MAX_LEVEL, WAIVE, CHAIN, EXTRACT };

static const char formats[] =
#define IW_FORMAT(name) "|" #name
#define IW_FORMAT_OF_RUNS(name)
#include "iw_format.def"
    ;

static const struct iw_option options[] = {
    [FORMAT] = {"format", formats + 1, 'f', "format of the report [text]"},
    [DECODE] = {"decode", NULL, 'd',
        "instead, a line per startup frame, FPDU, loss and close, with findings"},
    [FIELDS] = {"fields", NULL, 0,
        "instead, a row per frame: frame number and the columns of 'list fields',\n"
        "as printed by tshark -T fields with the plugin; keeps the rows in memory\n"
        "until the end of the file"},
    [EXTENSIONS] = {CMD_OPTION_EXTENSIONS,
        "documents in force besides RFC 5040: none; or some of 7306, talpey\n"
        "(talpey5: 5-bit opcodes in every message) and storm, separated\n"
        "by commas; all: 7306,talpey,storm; default: 7306, and talpey with\n"
        "a note at its first message in a connection [default]"},
    [THREADS] = {"threads", "N", 'j', "judge several connections in parallel on N processors [all]"},
    [MAX_LEVEL] = {"max-level", "LEVEL", 'l',
        "findings down to this level are violations: error; warning (and\n"
        "error); note (and both) [error]"},
    [CHAIN] = {"chain", "auto|all|none", 'c',
        "which files are parts of one capture, judged as one in order of time:\n"
        "auto: by their names (tcpdump -C and -W, ring buffers of dumpcap);\n"
        "all; or none [auto]"},
    [EXTRACT] = {"extract", "DIR", 'e',
        "write a small capture of each violating connection, with findings as\n"
        "packet comments; overwrites no file"},
    [WAIVE] = {"waive", "FILE", 'w', "known findings, which do not count; see above"},
};

static const struct iw_usage usage = {
    .command = "check",
    .arguments = "[OPTION...] FILE...",
    .operand = "file",
    .operands = true,
    .summary = "Judges recorded captures (pcap or pcapng) of iWARP over TCP or SCTP, on any port.",
    .detail =
        "A violated MUST is an error, as is a violated demand without such a word (IMPLIED); a violated\n"
        "SHOULD is a warning, a MAY a note. Only errors count as violations, unless --max-level includes\n"
        "warnings or notes. The report counts what could not be judged, because the capture does not\n"
        "show it, and gives the reason. Requests without a response at the end are listed as\n"
        "outstanding, which is not a violation.\n"
        "\n"
        "Files may be compressed by gzip, bzip2, xz, zstd or LZ4. FILE - is standard input. Packets in\n"
        "VLANs, tunnels (MPLS, PPPoE, GRE, VXLAN, Geneve, GTP-U, IP in IP) and IP fragments are read;\n"
        "encrypted ones (ESP, WireGuard, MACsec) are counted. docs/guide.md lists what is read.\n"
        "\n"
        "With --format jsonl each line is one object with a \"type\": \"finding\" (file, stream, frame,\n"
        "time, side, requirement, level, message, ...), \"stream\" for each connection, and at the end\n"
        "\"summary\". With --format junit each connection is a test suite, and each violated requirement\n"
        "a test case. \"stream\" numbers TCP connections as Wireshark's tcp.stream does.\n"
        "--decode omits fields with their usual value: reserved bits of 0, version 1, the opcode's T,\n"
        "a good CRC.\n"
        "\n"
        "The file of --waive has a line for each known finding: its requirement, or a shell pattern, and\n"
        "KEY=VALUE: clause, reason and owner (required), and side (initiator or responder), peer\n"
        "(ADDRESS:PORT of the violating side) and file, which restrict it:\n"
        "  RFC5044-4.4-11 clause=\"RFC 5044 4.4\" reason=\"firmware 3\" owner=bob side=responder\n"
        "Lines that waived no finding are named at the end.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = "  warpcheck check interop.pcap\n"
                "  warpcheck check --decode interop.pcap | less\n"
                "  warpcheck check --format jsonl *.pcapng | jq 'select(.type == \"finding\")'\n"
                "  warpcheck check --format junit --waive known.txt *.pcapng >check.xml\n"
                "  warpcheck check --extensions none old-adapter.pcap\n",
    .exits = "  0  conforms\n"
             "  1  at least one violation\n"
             "  2  no violation, but something could not be judged\n"
             "  3  usage; a file that cannot be read to its end; no iWARP stream in a file\n"
             "  4  internal error\n",
};

struct settings {
    const struct iw_check_report_form *form; /* NULL: default */
    unsigned extensions;
    enum iw_check_grouping grouping;
    const char *waivers; /* path of the file, or NULL */
    struct iw_check_report report;
    bool two_forms;
};

static bool take_threads(struct settings *settings, const char *text) {
    unsigned long threads;

    if (!iw_option_number(text, 1, 1024, &threads))
        return false;
    settings->report.threads = (unsigned)threads;
    return true;
}

static void take_form(struct settings *settings, const struct iw_check_report_form *form) {
    settings->two_forms |= settings->form != NULL && settings->form != form;
    settings->form = form;
}

/* The lowest severity that counts as a violation. */
static bool take_level(struct settings *settings, const char *name) {
    for (int severity = IW_SEVERITY_NOTE; severity <= IW_SEVERITY_ERROR; severity++)
        if (strcmp(name, iw_severity_name((enum iw_severity)severity)) == 0) {
            settings->report.stricter = (uint8_t)(IW_SEVERITY_ERROR - severity);
            return true;
        }
    return false;
}

static bool take_grouping(struct settings *settings, const char *name) {
    static const char *const names[] = {
        [IW_CHECK_GROUP_AUTO] = "auto", [IW_CHECK_GROUP_ALL] = "all", [IW_CHECK_GROUP_NONE] = "none"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            settings->grouping = (enum iw_check_grouping)i;
            return true;
        }
    return false;
}

static bool check_option_set(struct settings *settings, int option) {
    const struct iw_check_report_form *form;

    switch (option) {
    case FORMAT:
        form = iw_check_report_form_find(optarg);
        if (form != NULL)
            take_form(settings, form);
        return form != NULL;
    case DECODE:
        take_form(settings, &iw_check_report_decode);
        return true;
    case FIELDS:
        take_form(settings, &iw_check_report_fields);
        return true;
    case THREADS:
        return take_threads(settings, optarg);
    case MAX_LEVEL:
        return take_level(settings, optarg);
    case EXTRACT:
        settings->report.extract.directory = optarg;
        return true;
    case CHAIN:
        return take_grouping(settings, optarg);
    case WAIVE:
        settings->waivers = optarg;
        return true;
    default:
        return iw_extensions_parse(optarg, &settings->extensions);
    }
}

static int check_option(void *settings, int option) {
    static const char *const takes[] = {[EXTENSIONS] = IW_EXTENSIONS_TAKES,
        [THREADS] = "a number from 1 to 1024",
        [MAX_LEVEL] = "error, warning or note",
        [CHAIN] = "auto, all or none"};

    if (check_option_set(settings, option))
        return 0;
    if (option == FORMAT)
        return cmd_option_not_listed(&usage, option);
    return iw_option_error(&usage, "--%s takes %s, not %s", options[option].name, takes[option], optarg);
}

/* Returns false after reporting the errors on stderr. */
static bool read_waivers(struct iw_waivers *waivers, const char *path) {
    struct iw_diagnostics diagnostics;
    bool good;

    iw_diagnostics_open(&diagnostics);
    good = diagnostics.out != NULL && iw_waivers_read(waivers, path, diagnostics.out) == IW_OK;
    return iw_diagnostics_tell(&diagnostics) && good;
}

static enum iw_exit refuse_pipe(const char *path, const char *option) {
    fprintf(stderr, "warpcheck: %s: not a regular file, but %s has to read it twice\n",
        strcmp(path, "-") == 0 ? "standard input" : path, option);
    return IW_EXIT_ENVIRONMENT;
}

/* Refuses an input that can be read only once but has to be read twice. */
static enum iw_exit look_for_pipes(
    const struct settings *settings, const struct iw_check_groups *groups, size_t count) {
    if (groups->pipe != NULL)
        return refuse_pipe(groups->pipe, "--chain");
    for (size_t i = 0; settings->report.extract.directory != NULL && i < count; i++)
        if (iw_check_reads_once(groups->paths[i]))
            return refuse_pipe(groups->paths[i], "--extract");
    return IW_EXIT_CONFORMS;
}

static enum iw_exit check_files(struct settings *settings, char *const *paths, size_t count) {
    struct iw_check_report *report = &settings->report;
    enum iw_exit code = IW_EXIT_CONFORMS;
    struct iw_check_groups groups;
    size_t begin = 0;

    report->many = count > 1;
    if (!iw_check_groups_make(&groups, paths, count, settings->grouping)) {
        fputs("warpcheck: out of memory\n", stderr);
        code = IW_EXIT_ENVIRONMENT;
    } else if ((code = look_for_pipes(settings, &groups, count)) != IW_EXIT_CONFORMS) {
        iw_check_groups_clear(&groups);
        return code;
    }
    for (size_t i = 0; i < groups.group_count; begin = groups.group_end[i++])
        code = iw_exit_join(code, iw_check_report_files(report, settings->form, groups.paths + begin,
                                      groups.group_end[i] - begin, settings->extensions));
    code = iw_check_report_end(report, settings->form, code);
    iw_check_groups_clear(&groups);
    return code;
}

int cmd_check(int argc, char **argv) {
    struct settings settings = {.extensions = IW_EXT_DEFAULT, .report = {.out = stdout}};
    struct iw_waivers waivers = {0};
    enum iw_exit code = IW_EXIT_ENVIRONMENT;
    int usage_code = iw_option_all(&usage, argc, argv, check_option, &settings);

    if (usage_code != IW_OPTION_DONE)
        return usage_code;
    if (settings.two_forms)
        return iw_option_error(&usage, "--format, --decode and --fields exclude each other");
    if (settings.form == NULL)
        settings.form = &iw_check_report_text;
    settings.report.progress.out = isatty(STDERR_FILENO) ? stderr : NULL;
    settings.report.waivers = settings.waivers == NULL ? NULL : &waivers;
    if (settings.waivers == NULL || read_waivers(&waivers, settings.waivers))
        code = check_files(&settings, argv + optind, (size_t)(argc - optind));
    iw_waivers_clear(&waivers);
    return (int)code;
}
