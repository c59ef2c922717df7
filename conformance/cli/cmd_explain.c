#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "cmd_confine.h"
#include "cmd_option.h"
#include "iw_check_group.h"
#include "iw_explain.h"
#include "iw_option.h"

struct settings {
    enum iw_check_grouping grouping;
    struct iw_explain explain;
    enum cmd_confining confining;
};

static int explain_take_format(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    enum iw_explain_form *form = at;

    static const char *const forms[] = {
        [IW_EXPLAIN_TEXT] = "text", [IW_EXPLAIN_JSONL] = "jsonl", [IW_EXPLAIN_HTML] = "html"};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(optarg, forms[i]) == 0) {
            *form = (enum iw_explain_form)i;
            return 0;
        }
    return cmd_option_not_listed(usage, option);
}

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {"format", "text|jsonl|html", 'f', "lines for people, one JSON object a connection, or a page [text]",
        explain_take_format, AT(explain.form)},
    {CMD_OPTION_EXTENSIONS, "documents in force besides RFC 5040, as for 'check' [default]",
        cmd_option_extensions, AT(explain.extensions)},
    {"threads", "N", 'j', "read several connections in parallel on N processors [all]",
        IW_OPTION_NUMBER(struct settings, explain.threads, 1, 1024)},
    {"memory", "OCTETS", 'm',
        "memory for TCP connections that are open at once, as for 'check'\n"
        "[a quarter of this machine's memory]",
        cmd_option_memory, AT(explain.memory)},
    {"chain", "auto|all|none", 'c', "which files are parts of one capture, as for 'check' [auto]",
        cmd_option_grouping, AT(grouping)},
    {CMD_OPTION_CONFINE, AT(confining)},
};

static const struct iw_usage usage = {
    .command = "explain",
    .arguments = "[OPTION...] FILE...",
    .operand = "file",
    .operands = true,
    .summary = "Tells why connections of a capture died, hung or were slow.",
    .detail =
        "Explains each connection: the most probable causes, how it ended, what a Terminate says and\n"
        "whether the capture confirms it, which requests wait, what was sent, and where the time went. The\n"
        "worst connection of each capture comes first. A cause has a confidence (certain, likely, "
        "possible),\n"
        "the frames that show it, and what to look at next. If the capture does not show a cause, the\n"
        "explanation says so.\n"
        "'warpcheck list causes' has all causes; 'warpcheck help debug' shows how to use this command.\n"
        "\n"
        "'check' judges whether a connection conforms; a connection can conform and fail. Reads the same\n"
        "files as 'check'. With --format jsonl each line is one object: \"type\": \"explanation\" for each\n"
        "connection, and \"summary\" at the end.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck explain hang.pcap\n"
                "  warpcheck explain --format jsonl *.pcapng | jq -r '.causes[]?.cause' | sort | uniq -c\n",
    .exits = "  0  nothing wrong seen\n"
             "  1  at least one connection has a cause or violations\n"
             "  2  none has, but one failed for a reason that is not known, or was not captured as a whole\n"
             "  3  usage; a file that cannot be read to its end; no iWARP stream in a file\n"
             "  4  internal error\n",
};

static enum iw_exit explain_all(struct settings *settings, char *const *paths, size_t count) {
    struct iw_check_groups groups;
    enum iw_exit code = IW_EXIT_CONFORMS;
    size_t begin = 0;

    if (!iw_check_groups_make(&groups, paths, count, settings->grouping)) {
        iw_check_groups_clear(&groups);
        return (enum iw_exit)cmd_fail(IW_EXIT_INTERNAL, "out of memory");
    }
    for (size_t i = 0; i < groups.group_count; begin = groups.group_end[i++])
        code = iw_exit_join(
            code, iw_explain_files(&settings->explain, groups.paths + begin, groups.group_end[i] - begin));
    code = iw_explain_end(&settings->explain, code);
    iw_check_groups_clear(&groups);
    return code;
}

int cmd_explain(int argc, char **argv) {
    struct settings settings = {.explain = {.out = stdout, .extensions = IW_EXT_DEFAULT}};
    int code = iw_option_all(&usage, argc, argv, &settings);
    struct iw_confine confine;
    size_t count;

    if (code != IW_OPTION_DONE)
        return code;
    count = (size_t)(argc - optind);
    settings.explain.progress.out = isatty(STDERR_FILENO) ? stderr : NULL;
    iw_confine_begin(&confine);
    for (size_t i = 0; i < count; i++)
        iw_confine_read(&confine, argv[(size_t)optind + i]);
    code = cmd_confine(settings.confining, &confine);
    return code == 0 ? (int)explain_all(&settings, argv + optind, count) : code;
}
