#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "cmd_confine.h"
#include "cmd_option.h"
#include "iw_option.h"
#include "iw_check_group.h"
#include "iw_check_origin.h"
#include "iw_check_report.h"
#include "iw_explain.h"
#include "iw_shard.h"

struct settings {
    enum iw_check_grouping grouping;
    const char *waivers; /* path of the file of --waive; NULL: not given */
    struct iw_check_report report;
    bool two_forms;
    enum cmd_confining confining;
    bool explains;
    bool folder_made; /* that of --extract, which is removed at the end if it is empty */
};

static void check_take_form(struct settings *settings, const struct iw_check_report_form *form) {
    settings->two_forms |= settings->report.form != NULL && settings->report.form != form;
    settings->report.form = form;
}

static int check_format(const struct iw_usage *usage, const struct iw_option *option, void *settings) {
    const struct iw_check_report_form *form = iw_check_report_form_find(optarg);

    if (form == NULL)
        return cmd_option_not_listed(usage, option);
    check_take_form(settings, form);
    return 0;
}

static int check_take_other_form(
    const struct iw_usage *usage, const struct iw_option *option, void *settings) {
    (void)usage;
    check_take_form(
        settings, strcmp(option->name, "decode") == 0 ? &iw_check_report_decode : &iw_check_report_fields);
    return 0;
}

static int check_take_shard(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct iw_check_shard *shard = at;
    struct iw_shard read;

    if (!iw_shard_read(optarg, &read))
        return iw_option_refuse(usage, option, "I/N, with I from 1 to N");
    *shard = (struct iw_check_shard){read.number, read.count};
    return 0;
}

static const char formats[] =
#define IW_FORMAT_OF_CAPTURES(name) "|" #name
#include "iw_format.def"
    ;

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {"format", formats + 1, 'f', "format of the report [text]", .take = check_format},
    {"decode", NULL, 'd', "instead, a line per startup frame, FPDU, loss and close, with findings",
        .take = check_take_other_form},
    {"fields", NULL, 0,
        "instead, a row per frame: frame number and the columns of 'list fields',\n"
        "as printed by tshark -T fields with the plugin; keeps the rows in memory\n"
        "until the end of the file",
        .take = check_take_other_form},
    {CMD_OPTION_EXTENSIONS,
        "documents in force besides RFC 5040: none; or some of 7306, talpey\n"
        "(talpey5: 5-bit opcodes in every message) and storm, separated\n"
        "by commas; all: 7306,talpey,storm; default: 7306, and talpey with\n"
        "a note at its first message in a connection [default]",
        cmd_option_extensions, AT(report.extensions)},
    {"threads", "N", 'j', "judge several connections in parallel on N processors [all]",
        IW_OPTION_NUMBER(struct settings, report.threads, 1, 1024)},
    {"memory", "OCTETS", 'm',
        "memory for TCP connections that are open at once, with K, M or G; a\n"
        "connection takes 12K, or 2K if it is not iWARP, and the octets kept\n"
        "of incomplete FPDUs and of searches; what exceeds it is counted, but\n"
        "not read; as much again for SCTP associations, which take 32K each\n"
        "[a quarter of this machine's memory]",
        cmd_option_memory, AT(report.memory)},
    {CMD_OPTION_MAX_LEVEL,
        "lowest level of findings that count as violations: note, warning or\n"
        "error [error]",
        cmd_option_max_level, AT(report.stricter)},
    {CMD_OPTION_UPPER,
        "what to do about the protocols above iWARP (RPC-over-RDMA, iSER, NVMe,\n"
        "SMB Direct, rping): nothing; report findings, or let them count, by the\n"
        "rules of 'list upper' [off]",
        cmd_option_upper, AT(report.upper)},
    {"waive", "FILE", 'w', "known findings, which do not count; see above", iw_option_text, AT(waivers)},
    {"chain", "auto|all|none", 'c',
        "which files are parts of one capture, judged as one in order of time:\n"
        "auto: by their names (tcpdump -C and -W, ring buffers of dumpcap);\n"
        "all; or none [auto]",
        cmd_option_grouping, AT(grouping)},
    {"extract", "DIR", 'e',
        "write a small capture of each violating connection, with findings as\n"
        "packet comments; overwrites no file",
        iw_option_text, AT(report.extract.directory)},
    {"explain", NULL, 0,
        "tell for each connection also why it failed, hung or was slow, as 'explain'\n"
        "does; with --format text or jsonl",
        iw_option_flag, AT(explains)},
    {"shard", "I/N", 0,
        "judge only the connections of the Ith of N parts; 'report --merge' makes\n"
        "one result of all parts; with --format jsonl",
        check_take_shard, AT(report.shard)},
    {CMD_OPTION_CONFINE, AT(confining)},
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
        "encrypted ones (ESP, WireGuard, MACsec) are counted. See 'warpcheck help captures'\n"
        "and 'warpcheck help packets'.\n"
        "\n"
        "With --format jsonl each line is one object with a \"type\": \"finding\" (file, stream, frame,\n"
        "time, side, requirement, level, message, ...), \"stream\" for each connection, and at the end\n"
        "\"summary\". With --format junit each connection is a test suite, and each violated requirement\n"
        "a test case. \"stream\" numbers TCP connections as Wireshark's tcp.stream does.\n"
        "--decode omits fields with their usual value: reserved bits of 0, version 1, the opcode's T,\n"
        "a good CRC.\n"
        "\n"
        "The file of --waive has a line for each known finding: its requirement or rule of 'list upper',\n"
        "or a shell pattern, and KEY=VALUE: clause and reason (required), owner, issue, until, and side\n"
        "(initiator or responder), peer (ADDRESS:PORT of the violating side) and file, which restrict it:\n"
        "  RFC5044-4.4-11 clause=\"RFC 5044 4.4\" reason=\"firmware 3\" owner=bob side=responder\n"
        "Lines that waived no finding are named at the end.\n"
        "\n"
        "To check a large capture on several processors or machines, run each part with --shard, or each\n"
        "file that 'split' has written, with --format jsonl; then merge the results ('report --merge').\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck check interop.pcap\n"
                "  warpcheck check --decode interop.pcap | less\n"
                "  warpcheck check --format jsonl *.pcapng | jq 'select(.type == \"finding\")'\n"
                "  warpcheck check --format junit --waive known.txt *.pcapng >check.xml\n"
                "  warpcheck check --extensions none old-adapter.pcap\n"
                "  warpcheck check --format jsonl --shard 3/8 day.pcapng >3.jsonl\n",
    .exits = "  0  conforms\n"
             "  1  at least one violation\n"
             "  2  no violation, but something could not be judged\n"
             "  3  usage; a file that cannot be read to its end; no iWARP stream in a file\n"
             "  4  internal error\n",
    .see = "warpcheck-waivers(5)",
};

/* Rejects an input such as a pipe, if --chain or --extract must read it twice. */
static int check_look_for_pipes(
    const struct settings *settings, const struct iw_check_groups *groups, size_t count) {
    const char *pipe = groups->pipe;

    for (size_t i = 0; pipe == NULL && settings->report.extract.directory != NULL && i < count; i++)
        if (iw_check_reads_once(groups->paths[i]))
            pipe = groups->paths[i];
    if (pipe == NULL)
        return IW_EXIT_CONFORMS;
    return cmd_fail(IW_EXIT_ENVIRONMENT, "%s: not a regular file, but %s has to read it twice",
        strcmp(pipe, "-") == 0 ? "standard input" : pipe, groups->pipe != NULL ? "--chain" : "--extract");
}

/* Rejects a file of `split` among other files, and with an option that a shard does not allow. */
static int check_look_for_shards(
    const struct settings *settings, const struct iw_check_groups *groups, size_t count) {
    struct iw_check_shard shard = settings->report.shard;
    const char *path = NULL;
    uint64_t files;

    for (size_t i = 0; path == NULL && i < count; i++)
        if (iw_check_origin_find(groups->paths[i], &shard, &files))
            path = groups->paths[i];
    if (path == NULL)
        return IW_EXIT_CONFORMS;
    if (count > 1)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s: a shard: check each alone, and merge the results", path);
    if (settings->report.shard.count > 0)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s: a shard already: check it without --shard", path);
    if (settings->report.extract.directory != NULL)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s: a shard: --extract reads the original capture", path);
    return IW_EXIT_CONFORMS;
}

static enum iw_exit check_files(struct settings *settings, char *const *paths, size_t count) {
    struct iw_check_report *report = &settings->report;
    enum iw_exit code;
    struct iw_check_groups groups;
    size_t begin = 0;

    report->many = count > 1;
    if (!iw_check_groups_make(&groups, paths, count, settings->grouping)) {
        code = (enum iw_exit)cmd_fail(IW_EXIT_ENVIRONMENT, "out of memory");
    } else if ((code = (enum iw_exit)check_look_for_pipes(settings, &groups, count)) != IW_EXIT_CONFORMS) {
        iw_check_groups_clear(&groups);
        return code;
    } else if ((code = (enum iw_exit)check_look_for_shards(settings, &groups, count)) != IW_EXIT_CONFORMS) {
        iw_check_groups_clear(&groups);
        return code;
    }
    for (size_t i = 0; i < groups.group_count; begin = groups.group_end[i++])
        code = iw_exit_join(
            code, iw_check_report_files(report, groups.paths + begin, groups.group_end[i] - begin));
    code = iw_check_report_end(report, code);
    iw_check_groups_clear(&groups);
    return code;
}

/* From here on only the captures and the waivers can be read. */
static int check_confine(struct settings *settings, char *const *paths, size_t count) {
    const char *folder = settings->report.extract.directory;
    struct iw_confine confine;

    iw_confine_begin(&confine);
    for (size_t i = 0; i < count; i++)
        iw_confine_read(&confine, paths[i]);
    if (settings->waivers != NULL)
        iw_confine_read(&confine, settings->waivers);
    if (folder != NULL)
        settings->folder_made = cmd_confine_write_folder(&confine, settings->confining, folder);
    return cmd_confine(settings->confining, &confine);
}

int cmd_check(int argc, char **argv) {
    struct settings settings = {.report = {.out = stdout, .extensions = IW_EXT_DEFAULT}};
    struct iw_waivers waivers = {0};
    enum iw_exit code = IW_EXIT_ENVIRONMENT;
    int usage_code = iw_option_all(&usage, argc, argv, &settings);

    if (usage_code != IW_OPTION_DONE)
        return usage_code;
    if (settings.two_forms)
        return iw_option_error(&usage, "--format, --decode and --fields exclude each other");
    if (settings.report.shard.count > 0 && settings.report.form != &iw_check_report_jsonl)
        return iw_option_error(&usage, "--shard needs --format jsonl");
    if (settings.report.shard.count > 0 && settings.report.extract.directory != NULL)
        return iw_option_error(&usage, "--shard and --extract exclude each other");
    if (settings.explains && settings.report.shard.count > 0)
        return iw_option_error(&usage, "--shard and --explain exclude each other");
    if (settings.report.form == NULL)
        settings.report.form = &iw_check_report_text;
    if (settings.explains && settings.report.form != &iw_check_report_text &&
        settings.report.form != &iw_check_report_jsonl)
        return iw_option_error(
            &usage, "--explain needs --format text or jsonl, without --decode or --fields");
    settings.report.teller = settings.explains ? &iw_explain_teller : NULL;
    settings.report.progress.out = isatty(STDERR_FILENO) ? stderr : NULL;
    settings.report.waivers = settings.waivers == NULL ? NULL : &waivers;
    usage_code = check_confine(&settings, argv + optind, (size_t)(argc - optind));
    if (usage_code != 0)
        code = (enum iw_exit)usage_code;
    else if (settings.waivers == NULL || cmd_read_waivers(&waivers, settings.waivers))
        code = check_files(&settings, argv + optind, (size_t)(argc - optind));
    if (settings.folder_made)
        rmdir(settings.report.extract.directory);
    iw_waivers_clear(&waivers);
    return (int)code;
}
