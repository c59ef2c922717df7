#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_results.h"

#include <jansson.h>

static const struct iw_case one = {
    .id = "a-001",
    .title = "A title",
    .file = "a.lua",
    .requirements = {&iw_requirements[IW_REQ_RFC5044_4_4_11]},
    .requirement_count = 1,
};

static struct iw_trial_result failed(void) {
    struct iw_trial_result result = {.one = &one,
        .verdict = IW_VERDICT_FAIL,
        .severity = IW_SEVERITY_ERROR,
        .close.how = "terminate+rst",
        .close.verdict = IW_CLOSE_TOLERATED,
        .close.outstanding = "1 request without",
        .close.terminate = "2/0/02",
        .reason.message = "something else came",
        .reason.expected = "a Reply",
        .reason.actual = "silence",
        .reason.script = "a.lua",
        .reason.line = 7,
        .reason.step = "ask",
        .capture = "results/a-001.pcapng",
        .findings.kept_count = 1};

    result.findings.kept[0] = (struct iw_finding){.requirement = &iw_requirements[IW_REQ_RFC5044_4_4_11],
        .role = IW_ROLE_RESPONDER,
        .frame = 9,
        .message = "the CRC is wrong"};
    result.findings.connections[0] = 2;
    return result;
}

static void failure_prints_all_details(void **state) {
    struct iw_trial_result result = failed();
    char *text = NULL;
    size_t octets = 0;
    FILE *out = open_memstream(&text, &octets);

    (void)state;
    iw_results_print(out, &result, false);
    fclose(out);
    assert_memory_equal(text, "FAIL      a-001 ", 16);
    assert_non_null(strstr(text, "A title"));
    assert_non_null(strstr(text, "  terminate+rst (tolerated)\n"));
    assert_non_null(strstr(text, "expected  a Reply\n"));
    assert_non_null(strstr(text, "actual    silence\n"));
    assert_non_null(
        strstr(text, "violates  RFC5044-4.4-11 (RFC 5044 4.4, MUST) in frame 9: the CRC is wrong\n"));
    assert_non_null(strstr(text, "waiting   1 request without\n"));
    assert_non_null(strstr(text, "at        a.lua:7\n"));
    assert_non_null(strstr(text, "requires  RFC5044-4.4-11 (MUST)\n"));
    assert_non_null(strstr(text, "capture   results/a-001.pcapng\n"));
    free(text);
}

static void pass_prints_one_line(void **state) {
    struct iw_trial_result result = {.one = &one, .close.how = "fin"};
    char *text = NULL;
    size_t octets = 0;
    FILE *out = open_memstream(&text, &octets);

    (void)state;
    iw_results_print(out, &result, false);
    fclose(out);
    assert_ptr_equal(strchr(text, '\n'), text + octets - 1);
    assert_memory_equal(text, "pass ", 5);
    free(text);
}

static void json_has_case_before_findings(void **state) {
    struct iw_trial_result result = failed();
    char *text = NULL, *second;
    size_t octets = 0;
    FILE *out = open_memstream(&text, &octets);
    json_t *object;

    (void)state;
    iw_results_json(out, &result);
    fclose(out);
    second = strchr(text, '\n') + 1;
    object = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
    assert_string_equal(json_string_value(json_object_get(object, "type")), "case");
    assert_string_equal(json_string_value(json_object_get(object, "verdict")), "fail");
    assert_string_equal(json_string_value(json_object_get(object, "level")), "MUST");
    assert_string_equal(json_string_value(json_object_get(object, "close")), "terminate+rst");
    assert_string_equal(json_string_value(json_object_get(object, "close_verdict")), "tolerated");
    assert_int_equal(json_integer_value(json_object_get(object, "line")), 7);
    assert_string_equal(json_string_value(json_object_get(object, "outstanding")), "1 request without");
    json_decref(object);
    object = json_loads(second, JSON_DISABLE_EOF_CHECK, NULL);
    assert_string_equal(json_string_value(json_object_get(object, "type")), "finding");
    assert_string_equal(json_string_value(json_object_get(object, "case")), "a-001");
    assert_string_equal(json_string_value(json_object_get(object, "file")), "results/a-001.pcapng");
    assert_int_equal(json_integer_value(json_object_get(object, "stream")), 1); /* the second connection */
    assert_int_equal(json_integer_value(json_object_get(object, "frame")), 9);
    json_decref(object);
    free(text);
}

#define NOTHING_TESTED "requirements: 0 of 0 tested, 0 pass; cases: 0 of 0 that apply tested\n"

static void summary_counts_verdicts(void **state) {
    struct iw_run_counts counts = {.cases = 1, .verdicts = {[IW_VERDICT_NOT_APPLICABLE] = 1}};
    char *text = NULL;
    size_t octets = 0;
    FILE *out = open_memstream(&text, &octets);
    const struct iw_coverage coverage = {.cases = {[IW_VERDICT_NOT_APPLICABLE] = 1}};
    char *ended;

    (void)state;
    iw_results_print_summary(out, &counts, &coverage);
    counts.wrong_closes = 2;
    iw_results_print_summary(out, &counts, &coverage);
    counts.verdicts[IW_VERDICT_WARNING] = 1;
    iw_results_print_summary(out, &counts, &coverage);
    counts.verdicts[IW_VERDICT_WARNING] = 0;
    iw_results_json_summary(out, &counts, IW_EXIT_CONFORMS);
    fclose(out);
    ended = strstr(text, "\"ended\":\"20");
    assert_non_null(ended);
    assert_int_equal(ended[sizeof "\"ended\":\"2026-01-31T12:00:00" - 1], 'Z');
    memmove(ended, strstr(ended, "\"exit\""), strlen(strstr(ended, "\"exit\"")) + 1);
    assert_string_equal(text,
        "\n1 case: 0 pass, 0 fail, 0 inconclusive, 1 not applicable, 0 error\n" NOTHING_TESTED
        "\n1 case: 0 pass, 0 fail, 0 inconclusive, 1 not applicable, 0 error; 2 wrong closes\n" NOTHING_TESTED
        "\n1 case: 0 pass, 0 fail, 1 warning, 0 inconclusive, 1 not applicable, 0 error; 2 wrong "
        "closes\n" NOTHING_TESTED
        "{\"type\":\"summary\",\"cases\":1,\"pass\":0,\"fail\":0,\"warning\":0,\"note\":0,\"inconclusive\":0,"
        "\"not_tested\":0,\"not_applicable\":1,"
        "\"error\":0,\"wrong_closes\":2,\"exit\":0}\n");
    free(text);
}

static void exit_code_is_the_worst(void **state) {
    struct iw_run_counts counts = {.selected = 9, .cases = 9, .verdicts = {[IW_VERDICT_PASS] = 9}};

    (void)state;
    assert_int_equal(iw_run_exit(&counts, false), IW_EXIT_CONFORMS);
    counts.verdicts[IW_VERDICT_NOT_APPLICABLE]++;
    counts.verdicts[IW_VERDICT_WARNING]++;
    counts.verdicts[IW_VERDICT_NOTE]++;
    assert_int_equal(iw_run_exit(&counts, false), IW_EXIT_CONFORMS);
    counts.verdicts[IW_VERDICT_INCONCLUSIVE]++;
    assert_int_equal(iw_run_exit(&counts, false), IW_EXIT_UNJUDGED);
    counts.verdicts[IW_VERDICT_FAIL]++;
    assert_int_equal(iw_run_exit(&counts, false), IW_EXIT_VIOLATIONS);
    counts.verdicts[IW_VERDICT_ERROR]++;
    assert_int_equal(iw_run_exit(&counts, false), IW_EXIT_INTERNAL);
}

/* Not tested is not conforming, unless the user accepts it; nothing tested at all is never conforming. */
static void untested_cases_are_unjudged(void **state) {
    struct iw_run_counts counts = {.selected = 9, .cases = 9, .verdicts = {[IW_VERDICT_PASS] = 8}};

    (void)state;
    counts.verdicts[IW_VERDICT_NOT_TESTED] = 1;
    assert_int_equal(iw_run_exit(&counts, false), IW_EXIT_UNJUDGED);
    assert_int_equal(iw_run_exit(&counts, true), IW_EXIT_CONFORMS);
    counts.verdicts[IW_VERDICT_NOT_TESTED] = 0;
    counts.not_started = 1; /* --budget */
    assert_int_equal(iw_run_exit(&counts, false), IW_EXIT_UNJUDGED);
    assert_int_equal(iw_run_exit(&counts, true), IW_EXIT_CONFORMS);
}

/* However many cases were left out, and for whatever reason: nothing tested is exit code 2, except for a
 * shard whose cases do not apply, or that has none. */
static void nothing_tested_does_not_conform(void **state) {
    static const struct {
        struct iw_run_counts counts;
        enum iw_exit exit;
    } rows[] = {
        {{.selected = 9, .cases = 9, .verdicts = {[IW_VERDICT_NOT_APPLICABLE] = 9}}, IW_EXIT_UNJUDGED},
        {{.selected = 9, .cases = 9, .verdicts = {[IW_VERDICT_NOT_TESTED] = 9}}, IW_EXIT_UNJUDGED},
        {{.selected = 9, .not_started = 9}, IW_EXIT_UNJUDGED},
        {{.selected = 9, .shard = 1, .shards = 1, .not_started = 9}, IW_EXIT_UNJUDGED},
        {{.selected = 9, .shard = 2, .shards = 3, .not_started = 3}, IW_EXIT_UNJUDGED},
        {{.selected = 9, .shard = 2, .shards = 3, .cases = 3, .verdicts = {[IW_VERDICT_NOT_TESTED] = 3}},
            IW_EXIT_UNJUDGED},
        {{.selected = 9, .shard = 2, .shards = 3, .cases = 6, .verdicts = {[IW_VERDICT_NOT_APPLICABLE] = 6}},
            IW_EXIT_CONFORMS},
        {{.selected = 1, .shard = 2, .shards = 2}, IW_EXIT_CONFORMS},
        {{.selected = 0, .shard = 2, .shards = 2}, IW_EXIT_ENVIRONMENT},
    };

    char text[IW_RUN_EMPTY_SHARD_OCTETS];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(iw_run_exit(&rows[i].counts, true), rows[i].exit);
        assert_int_equal(iw_run_exit(&rows[i].counts, false), rows[i].exit);
        assert_int_equal(iw_run_is_empty_shard(&rows[i].counts, text), i == 7);
        assert_string_equal(text, i == 7 ? "part 2 of 2 has none of the selected cases: 1 in all" : "");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failure_prints_all_details),
        cmocka_unit_test(pass_prints_one_line),
        cmocka_unit_test(json_has_case_before_findings),
        cmocka_unit_test(summary_counts_verdicts),
        cmocka_unit_test(exit_code_is_the_worst),
        cmocka_unit_test(untested_cases_are_unjudged),
        cmocka_unit_test(nothing_tested_does_not_conform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
