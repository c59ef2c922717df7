#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cmd_option.h"
#include "iw_doctor.h"
#include "iw_json.h"
#include "iw_option.h"
#include "iw_pattern.h"
#include "iw_plural.h"
#include "iw_sctp_stack.h"

struct settings {
    struct iw_pattern *only, *skip;
    bool jsonl;
};

static int doctor_take_format(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    bool *jsonl = at;

    *jsonl = strcmp(optarg, "jsonl") == 0;
    return *jsonl || strcmp(optarg, "text") == 0 ? 0 : cmd_option_not_listed(usage, option);
}

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {"format", "text|jsonl", 'f', "lines for people, or one JSON object per line [text]", doctor_take_format,
        AT(jsonl)},
    {"only", "REGEX", 0, "only checks whose name matches", cmd_option_pattern, AT(only), .lists = "checks"},
    {"skip", "REGEX", 0, "skip the checks that match", cmd_option_pattern, AT(skip), .lists = "checks"},
};

static const struct iw_usage usage = {
    .command = "doctor",
    .arguments = "[OPTION...]",
    .instead = "--only",
    .summary = "Checks what this machine has for each part of the kit, and says what to do.",
    .detail =
        "Each check has one line: ok; missing: a part of the kit cannot be used here, others can; wrong:\n"
        "parts contradict each other, such as a plugin for a different Wireshark, or results would be\n"
        "wrong. The line below says what to do. Nothing is changed.\n"
        "\n"
        "With --format jsonl each line is one object: \"type\": \"check\" with \"check\" (its name), "
        "\"about\"\n"
        "(what needs it), \"status\", \"text\" and, unless ok, \"advice\"; at the end \"type\": "
        "\"summary\".\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck doctor\n"
                "  warpcheck doctor --only '^(tshark|plugin)$'\n"
                "  warpcheck doctor --format jsonl --skip 'rdma|siw|memlock'\n",
    .exits = "  0  all checks are ok\n"
             "  2  something is missing, nothing is wrong\n"
             "  3  something is wrong; usage; no check selected\n"
             "  4  internal error\n",
};

static void doctor_print(const struct iw_doctor_check *check, const struct iw_doctor_finding *finding) {
    printf("%-8s %-10s %s\n", iw_doctor_status_name(finding->status), check->name, finding->text);
    if (finding->advice[0] != '\0')
        printf("%-19s for %s: %s\n", "", check->about, finding->advice);
}

static void doctor_print_json(const struct iw_doctor_check *check, const struct iw_doctor_finding *finding) {
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", "check", "check", check->name, "about",
        check->about, "status", iw_doctor_status_name(finding->status), "text", finding->text);

    if (finding->advice[0] != '\0')
        json_object_set_new(object, "advice", json_string(finding->advice));
    iw_json_line(stdout, object);
}

static int doctor_end(const struct settings *settings, const int counts[]) {
    int all = counts[IW_DOCTOR_OK] + counts[IW_DOCTOR_MISSING] + counts[IW_DOCTOR_WRONG];

    if (all == 0)
        return iw_option_error(&usage, "no check selected");
    if (settings->jsonl)
        iw_json_line(stdout, json_pack("{s:s, s:i, s:i, s:i}", "type", "summary", "ok", counts[IW_DOCTOR_OK],
                                 "missing", counts[IW_DOCTOR_MISSING], "wrong", counts[IW_DOCTOR_WRONG]));
    else
        printf("%d check%s: %d ok, %d missing, %d wrong\n", all, iw_plural((uint64_t)all),
            counts[IW_DOCTOR_OK], counts[IW_DOCTOR_MISSING], counts[IW_DOCTOR_WRONG]);
    return counts[IW_DOCTOR_WRONG] > 0     ? IW_EXIT_ENVIRONMENT
           : counts[IW_DOCTOR_MISSING] > 0 ? IW_EXIT_UNJUDGED
                                           : IW_EXIT_CONFORMS;
}

static int doctor_check(const struct settings *settings) {
    const struct iw_doctor_place place = {.root = "", .sctp = iw_sctp_stack_available()};
    int counts[IW_DOCTOR_WRONG + 1] = {0};

    for (size_t i = 0; i < iw_doctor_check_count; i++) {
        const struct iw_doctor_check *check = &iw_doctor_checks[i];
        struct iw_doctor_finding finding;

        if ((settings->only != NULL && !iw_pattern_found(settings->only, check->name)) ||
            (settings->skip != NULL && iw_pattern_found(settings->skip, check->name)))
            continue;
        check->look(&place, &finding);
        counts[finding.status]++;
        (settings->jsonl ? doctor_print_json : doctor_print)(check, &finding);
    }
    return doctor_end(settings, counts);
}

int cmd_doctor(int argc, char **argv) {
    struct settings settings = {.jsonl = false};
    int code = iw_option_all(&usage, argc, argv, &settings);

    if (code == IW_OPTION_DONE)
        code = doctor_check(&settings);
    iw_pattern_free(settings.only);
    iw_pattern_free(settings.skip);
    return code;
}
