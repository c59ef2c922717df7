#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cmd_option.h"
#include "iw_check_report.h"
#include "iw_doctor.h"
#include "iw_exit.h"
#include "iw_listing.h"
#include "iw_listing_suite.h"
#include "iw_matrix_scenario.h"
#include "iw_option.h"
#include "iw_suggest.h"

static int list_format(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    return iw_listing_format_find(optarg, at) ? 0 : cmd_option_not_listed(usage, option);
}

/* TOPIC(name, blanks, text): the topics, in the order of the help text. */
#define LIST_TOPICS(TOPIC)                                                                                   \
    TOPIC("cases", "         ", "the cases of the suite")                                                    \
    TOPIC("defects", "       ", "faults that the reference endpoint can be given")                           \
    TOPIC("variants", "      ", "different conforming behaviours that it can be given")                      \
    TOPIC("profiles", "      ", "what a device may claim, for 'run --profile'")                              \
    TOPIC("networks", "      ", "networks with loss, delay, a small MTU, ..., for 'run --network'")          \
    TOPIC("scenarios", "     ", "what the pairs of a 'matrix' do")                                           \
    TOPIC("causes", "        ", "why connections die, hang or are slow, for 'explain'")                      \
    TOPIC("checks", "        ", "what 'doctor' checks")                                                      \
    TOPIC("requirements", "  ", "what the specifications demand and the kit judges or tests")                \
    TOPIC("layouts", "       ", "headers and their fields: names in scripts, filters in Wireshark")          \
    TOPIC("fields", "        ", "the columns of 'check --fields', one filter name per line")                 \
    TOPIC("opcodes", "       ", "RDMA Messages")                                                             \
    TOPIC("errors", "        ", "errors in Terminate Messages, as layer/etype/code")                         \
    TOPIC("upper", "         ", "rules of the protocols above iWARP, for 'check --upper'")
#define LIST_DETAIL(name, blanks, text) "  " name blanks text "\n"
#define LIST_CHOICE(name, blanks, text) "|" name
#define LIST_NAME(name, blanks, text) name,

static const struct iw_option options[] = {
    {"format", "text|jsonl|markdown", 'f',
        "columns for people, one JSON object per line, or a Markdown table [text]", .take = list_format},
};

static const struct iw_usage usage = {
    .command = "list",
    .arguments = "[OPTION...] TOPIC",
    .operand = "topic",
    .choices = LIST_TOPICS(LIST_CHOICE),
    .summary = "Prints what the kit knows.",
    .detail = "Topics:\n" LIST_TOPICS(
        LIST_DETAIL) "\n"
                     "The columns of requirements are: id, level, role that has to fulfil it, visibility, "
                     "Terminate\n"
                     "that reports a violation, rule that judges it, number of cases that test it, and its "
                     "text, with\n"
                     "a reason in parentheses if it is not judged. Visibility is wire: any capture can show "
                     "a\n"
                     "violation; active: a violation has to be provoked; internal or outside: traffic cannot "
                     "show a\n"
                     "violation. Level IMPLIED: the document demands it without a word of RFC 2119.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck list requirements | grep RFC5044-7\n"
                "  warpcheck list errors --format jsonl\n"
                "  tshark -r FILE -Y iwarp -T fields $(warpcheck list fields | sed 's/^/-e /')\n",
    .exits = "  0  printed\n"
             "  3  usage or environment\n",
};

static int list_check_rows(const struct iw_listing_printer *printer) {
    for (size_t i = 0; i < iw_doctor_check_count; i++)
        iw_listing_add(printer,
            json_pack("{ss ss}", "check", iw_doctor_checks[i].name, "about", iw_doctor_checks[i].about));
    return 0;
}

static const struct iw_listing list_checks = {
    .topic = "checks",
    .columns = (const struct iw_listing_column[]){{"check", 10}, {"about", 0}, {0}},
    .rows = list_check_rows,
};

static const struct iw_listing *const listings[] = {
    &iw_listing_cases,
    &iw_listing_defects,
    &iw_listing_variants,
    &iw_listing_profiles,
    &iw_listing_networks,
    &iw_listing_scenarios,
    &iw_listing_causes,
    &list_checks,
    &iw_listing_requirements,
    &iw_listing_layouts,
    &iw_listing_opcodes,
    &iw_listing_errors,
    &iw_listing_upper,
};

static int list_unknown(const char *topic) {
    static const char *const names[] = {LIST_TOPICS(LIST_NAME)};
    struct iw_suggest suggest;

    iw_suggest_init(&suggest, topic);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        iw_suggest_consider(&suggest, names[i]);
    if (suggest.name != NULL)
        return iw_option_error(&usage, "unknown topic %s (did you mean %s?)", topic, suggest.name);
    return iw_option_error(&usage, "unknown topic %s (see warpcheck list --help)", topic);
}

static int list_topic(const char *topic, enum iw_listing_format format) {
    if (strcmp(topic, "fields") == 0) {
        iw_check_report_fields_list(stdout, format == IW_LISTING_JSONL ? "{\"filter\":\"" : "",
            format == IW_LISTING_JSONL ? "\"}" : "");
        return IW_EXIT_CONFORMS;
    }
    for (size_t i = 0; i < sizeof listings / sizeof *listings; i++)
        if (strcmp(listings[i]->topic, topic) == 0)
            return iw_listing_print(listings[i], format, stdout) == 0 ? IW_EXIT_CONFORMS
                                                                      : IW_EXIT_ENVIRONMENT;
    return list_unknown(topic);
}

int cmd_list(int argc, char **argv) {
    enum iw_listing_format format = IW_LISTING_TEXT;
    int code = iw_option_all(&usage, argc, argv, &format);

    return code == IW_OPTION_DONE ? list_topic(argv[optind], format) : code;
}
