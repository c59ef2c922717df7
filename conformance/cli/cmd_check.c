#include <ctype.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "iw_extensions.h"
#include "iw_option.h"
#include "iw_check_report.h"

enum { FORMAT, DECODE, FIELDS, EXTENSIONS, THREADS };

static const struct iw_option options[] = {
    [FORMAT] = {"format", "text|jsonl", 'f', "how to report [text]"},
    [DECODE] = {"decode", NULL, 'd',
        "a line per startup frame, FPDU, loss and close instead, findings below"},
    [FIELDS] = {"fields", NULL, 0,
        "a row per frame instead: frame number and the columns of 'list fields',\n"
        "as tshark -T fields prints them with the plugin; the rows are kept in memory until the\n"
        "file ends"},
    [EXTENSIONS] = {"extensions", "LIST", 'x',
        "what is in force beside RFC 5040: none, or of 7306, talpey (or\n"
        "talpey5: its 5-bit opcode in every message) and storm, with\n"
        "commas; or all: 7306,talpey,storm [all]"},
    [THREADS] = {"threads", "N", 'j', "judge several connections at a time on N processors [all there are]"},
};

static const struct iw_usage usage = {
    .command = "check",
    .arguments = "[OPTION...] FILE...",
    .operand = "file",
    .operands = true,
    .summary = "Judges recorded captures (pcap or pcapng) of iWARP over TCP, on any port.",
    .detail =
        "Every MUST that a side breaks is an error, a SHOULD is a warning, a MAY a note. Only errors\n"
        "count as violations. What the capture does not hold is not judged, and said to be so.\n"
        "\n"
        "With --format jsonl each line is one object with a \"type\": \"finding\" (file, stream, frame,\n"
        "time, side, requirement, level, message, ...), \"stream\" for each connection, and at the end\n"
        "\"summary\". \"stream\" numbers TCP connections as Wireshark's tcp.stream does.\n"
        "--decode leaves out fields that have the value they nearly always have: reserved bits of 0,\n"
        "versions 1, the T of the opcode, a good CRC.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = "  warpcheck check interop.pcap\n"
                "  warpcheck check --decode interop.pcap | less\n"
                "  warpcheck check --format jsonl *.pcapng | jq 'select(.type == \"finding\")'\n"
                "  warpcheck check --extensions none old-adapter.pcap\n",
    .exits = "  0  conforms\n"
             "  1  at least one error\n"
             "  2  no error, but something could not be judged\n"
             "  3  usage; a file that cannot be read to its end; no iWARP stream in a file\n"
             "  4  internal error\n",
};

struct settings {
    const struct iw_check_report_form *form; /* NULL: none was asked for */
    unsigned extensions;
    unsigned threads; /* 0: as many as there are processors */
    bool two_forms;
};

static bool take_threads(struct settings *settings, const char *text) {
    char *end;
    unsigned long threads = strtoul(text, &end, 10);

    settings->threads = (unsigned)threads;
    return isdigit((unsigned char)*text) && *end == '\0' && threads >= 1 && threads <= 1024;
}

static void take_form(struct settings *settings, const struct iw_check_report_form *form) {
    settings->two_forms |= settings->form != NULL && settings->form != form;
    settings->form = form;
}

static bool is_taken(struct settings *settings, int option) {
    switch (option) {
    case FORMAT:
        if (strcmp(optarg, "text") != 0 && strcmp(optarg, "jsonl") != 0)
            return false;
        take_form(settings, iw_check_report_form_find(optarg));
        return true;
    case DECODE:
        take_form(settings, &iw_check_report_decode);
        return true;
    case FIELDS:
        take_form(settings, &iw_check_report_fields);
        return true;
    case THREADS:
        return take_threads(settings, optarg);
    default:
        return iw_extensions_parse(optarg, &settings->extensions);
    }
}

static int take_option(void *settings, int option) {
    if (is_taken(settings, option))
        return 0;
    return iw_option_error(&usage, "--%s cannot be %s", options[option].name, optarg);
}

int cmd_check(int argc, char **argv) {
    struct settings settings = {.extensions = IW_EXT_ALL};
    struct iw_check_report report = {.out = stdout};
    enum iw_exit code = IW_EXIT_CONFORMS;
    int usage_code = iw_option_all(&usage, argc, argv, take_option, &settings);

    if (usage_code != IW_OPTION_DONE)
        return usage_code;
    if (settings.two_forms)
        return iw_option_error(&usage, "--format, --decode and --fields are three ways to report: give one");
    if (settings.form == NULL)
        settings.form = &iw_check_report_text;
    report.threads = settings.threads;
    report.many = argc - optind > 1;
    for (int i = optind; i < argc; i++)
        code = iw_exit_join(code, iw_check_report_file(&report, settings.form, argv[i], settings.extensions));
    return (int)iw_check_report_end(&report, settings.form, code);
}
