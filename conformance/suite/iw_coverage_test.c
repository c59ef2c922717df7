#include "iw_coverage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "iw_trial_result.h"

static void add(struct iw_coverage *coverage, enum iw_requirement_id id, enum iw_verdict verdict,
    unsigned repeat, const char *reason) {
    const struct iw_requirement *of[] = {&iw_requirements[id], NULL};

    iw_coverage_add(coverage, &(struct iw_coverage_result){.id = "a-001",
                                  .requirements = of,
                                  .count = 2,
                                  .verdict = verdict,
                                  .checks_failed = true,
                                  .repeat = repeat,
                                  .reason = reason});
}

static void assert_prints(const struct iw_coverage *coverage,
    void (*print)(FILE *, const struct iw_coverage *), const char *wanted) {
    char *text = NULL;
    size_t octets = 0;
    FILE *out = open_memstream(&text, &octets);

    print(out, coverage);
    fclose(out);
    assert_string_equal(text, wanted);
    free(text);
}

static void assert_state_is(
    const struct iw_coverage *coverage, enum iw_requirement_id id, enum iw_coverage_state state) {
    assert_int_equal(iw_coverage_state(coverage, &iw_requirements[id]), state);
}

/* One case that was tested shows something about its requirement, whatever happened to the others. */
static void the_strongest_statement_counts(void **state) {
    struct iw_coverage coverage = {0};

    (void)state;
    assert_state_is(&coverage, IW_REQ_RFC5040_5_3_05, IW_COVERAGE_ABSENT);
    add(&coverage, IW_REQ_RFC5040_5_3_05, IW_VERDICT_NOT_APPLICABLE, 0, "no claim");
    assert_state_is(&coverage, IW_REQ_RFC5040_5_3_05, IW_COVERAGE_NOT_CLAIMED);
    add(&coverage, IW_REQ_RFC5040_5_3_05, IW_VERDICT_NOT_TESTED, 0, "no agent");
    assert_state_is(&coverage, IW_REQ_RFC5040_5_3_05, IW_COVERAGE_NOT_TESTED);
    assert_string_equal(coverage.reason[IW_REQ_RFC5040_5_3_05], "no agent");
    add(&coverage, IW_REQ_RFC5040_5_3_05, IW_VERDICT_INCONCLUSIVE, 0, "");
    assert_state_is(&coverage, IW_REQ_RFC5040_5_3_05, IW_COVERAGE_INCONCLUSIVE);
    add(&coverage, IW_REQ_RFC5040_5_3_05, IW_VERDICT_PASS, 0, "");
    assert_state_is(&coverage, IW_REQ_RFC5040_5_3_05, IW_COVERAGE_PASSED);
    add(&coverage, IW_REQ_RFC5040_5_3_05, IW_VERDICT_WARNING, 0, "");
    assert_state_is(&coverage, IW_REQ_RFC5040_5_3_05, IW_COVERAGE_FAILED);
}

/* What the monitor finds in a case need not be about the case's own requirements. */
static void a_finding_fails_its_own_requirement(void **state) {
    const struct iw_requirement *of[] = {&iw_requirements[IW_REQ_RFC5040_5_3_05]};
    const struct iw_coverage_result result = {
        .id = "b-001", .requirements = of, .count = 1, .verdict = IW_VERDICT_FAIL};
    struct iw_coverage coverage = {0};

    (void)state;
    iw_coverage_add(&coverage, &result);
    iw_coverage_add_finding(&coverage, &iw_requirements[IW_REQ_RFC5044_4_4_11], "b-001");
    assert_state_is(&coverage, IW_REQ_RFC5040_5_3_05, IW_COVERAGE_PASSED);
    assert_state_is(&coverage, IW_REQ_RFC5044_4_4_11, IW_COVERAGE_FAILED);
    assert_string_equal(coverage.failed[IW_REQ_RFC5044_4_4_11], "b-001");
    assert_string_equal(coverage.failed[IW_REQ_RFC5040_5_3_05], "");
    iw_coverage_add_finding(&coverage, of[0], "b-002");
    assert_state_is(&coverage, IW_REQ_RFC5040_5_3_05, IW_COVERAGE_FAILED);
    assert_string_equal(coverage.failed[IW_REQ_RFC5040_5_3_05], "b-002");
}

/* A failed SHOULD says nothing about the MUSTs of its case. */
static void a_failed_should_fails_no_must(void **state) {
    const struct iw_requirement *of[] = {
        &iw_requirements[IW_REQ_RFC5044_4_4_13], &iw_requirements[IW_REQ_RFC5040_6_2_1_01]};
    const struct iw_coverage_result result = {.id = "a",
        .requirements = of,
        .count = 2,
        .verdict = IW_VERDICT_WARNING,
        .checks_failed = true,
        .should = true};
    struct iw_coverage coverage = {0};

    (void)state;
    iw_coverage_add(&coverage, &result);
    assert_state_is(&coverage, IW_REQ_RFC5044_4_4_13, IW_COVERAGE_PASSED);
    assert_state_is(&coverage, IW_REQ_RFC5040_6_2_1_01, IW_COVERAGE_FAILED);
}

static void a_wrong_reaction_fails_the_requirements_of_its_case(void **state) {
    json_t *object = json_pack("{s:s, s:s, s:s, s:[s], s:s, s:s}", "type", "case", "case", "a", "verdict",
        "fail", "requirements", "RFC5044-4.4-13", "level", "MUST", "reaction", "wrong");
    struct iw_coverage coverage = {0};

    (void)state;
    iw_coverage_take(&coverage, object);
    assert_state_is(&coverage, IW_REQ_RFC5044_4_4_13, IW_COVERAGE_FAILED);
    json_decref(object);
}

/* A result that is live, and the object that the results file has of it, mean the same. */
static void both_forms_of_a_result_agree(void **state) {
    static const struct iw_case one = {
        .id = "b-001", .requirement_count = 1, .requirements = {&iw_requirements[IW_REQ_RFC5040_5_3_05]}};
    static const struct {
        const char *script, *crash, *unresponsive, *reaction;
        enum iw_coverage_state wanted;
    } rows[] = {{"", "", "", "", IW_COVERAGE_PASSED}, {"b.lua:7", "", "", "", IW_COVERAGE_FAILED},
        {"", "BUG", "", "", IW_COVERAGE_FAILED}, {"", "", "exit code 1", "", IW_COVERAGE_FAILED},
        {"", "", "", "wrong", IW_COVERAGE_FAILED}};
    struct iw_trial_result *trial = calloc(1, sizeof *trial);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iw_coverage live = {0}, read = {0};
        json_t *object = json_pack("{s:s, s:s, s:[s], s:s, s:s, s:s, s:s, s:s}", "type", "case", "case",
            "b-001", "requirements", "RFC5040-5.3-05", "verdict", "fail", "script", rows[i].script, "crash",
            rows[i].crash, "unresponsive", rows[i].unresponsive, "reaction", rows[i].reaction);

        *trial = (struct iw_trial_result){.one = &one, .verdict = IW_VERDICT_FAIL};
        snprintf(trial->reason.script, sizeof trial->reason.script, "%s", rows[i].script);
        snprintf(trial->device.crash, sizeof trial->device.crash, "%s", rows[i].crash);
        snprintf(trial->device.unresponsive, sizeof trial->device.unresponsive, "%s", rows[i].unresponsive);
        trial->reason.reaction = rows[i].reaction[0] != '\0';
        iw_coverage_add_trial(&live, trial);
        iw_coverage_take(&read, object);
        assert_state_is(&live, IW_REQ_RFC5040_5_3_05, rows[i].wanted);
        assert_state_is(&read, IW_REQ_RFC5040_5_3_05, rows[i].wanted);
        json_decref(object);
    }
    free(trial);
}

/* The finding fails its own requirement; what the case is about stays not claimed. */
static void a_finding_tests_no_requirement_of_its_case(void **state) {
    static const char *const lines[] = {
        "{\"type\":\"case\",\"case\":\"a-001\",\"verdict\":\"fail\",\"checks\":\"not applicable\","
        "\"checks_message\":\"no Markers\",\"requirements\":[\"RFC5044-4.2-02\"]}",
        "{\"type\":\"finding\",\"case\":\"a-001\",\"requirement\":\"RFC5044-4.4-11\"}"};
    struct iw_coverage coverage = {0};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        json_t *object = json_loads(lines[i], 0, NULL);

        iw_coverage_take(&coverage, object);
        json_decref(object);
    }
    assert_state_is(&coverage, IW_REQ_RFC5044_4_2_02, IW_COVERAGE_NOT_CLAIMED);
    assert_string_equal(coverage.reason[IW_REQ_RFC5044_4_2_02], "no Markers");
    assert_state_is(&coverage, IW_REQ_RFC5044_4_4_11, IW_COVERAGE_FAILED);
}

static void headline_tells_what_was_not_tested(void **state) {
    struct iw_coverage coverage = {.selected_cases = 6, .available_cases = 6};

    (void)state;
    add(&coverage, IW_REQ_RFC5040_5_3_05, IW_VERDICT_PASS, 0, "");
    add(&coverage, IW_REQ_RFC5041_5_2_04, IW_VERDICT_FAIL, 1, "");
    add(&coverage, IW_REQ_RFC5041_5_2_04, IW_VERDICT_FAIL, 2, ""); /* a repeat is no other case */
    add(&coverage, IW_REQ_RFC5044_4_5_05, IW_VERDICT_NOT_TESTED, 0, "no agent");
    add(&coverage, IW_REQ_RFC5044_5_1_05, IW_VERDICT_NOT_APPLICABLE, 0, "no claim");
    assert_prints(
        &coverage, iw_coverage_print, "requirements: 2 of 3 tested, 1 pass; cases: 2 of 5 that apply tested");
}

/* The run was cut short: what its other cases are about must not drop out of the counts. */
static void cases_that_were_not_run_are_not_tested(void **state) {
    struct iw_coverage coverage = {.selected_cases = 3, .available_cases = 9};

    (void)state;
    coverage.selected[IW_REQ_RFC5040_5_3_05] = coverage.selected[IW_REQ_RFC5041_5_2_04] = true;
    assert_int_equal(iw_coverage_not_run(&coverage), 3);
    add(&coverage, IW_REQ_RFC5040_5_3_05, IW_VERDICT_PASS, 0, "");
    assert_int_equal(iw_coverage_not_run(&coverage), 2);
    assert_state_is(&coverage, IW_REQ_RFC5040_5_3_05, IW_COVERAGE_PASSED);
    assert_state_is(&coverage, IW_REQ_RFC5041_5_2_04, IW_COVERAGE_NOT_TESTED);
    assert_string_equal(iw_coverage_reason(&coverage, &iw_requirements[IW_REQ_RFC5041_5_2_04]),
        "the run ended before its cases");
    assert_state_is(&coverage, IW_REQ_RFC5044_4_5_05, IW_COVERAGE_ABSENT);
    assert_prints(&coverage, iw_coverage_print,
        "requirements: 1 of 2 tested, 1 pass; cases: 1 of 3 that apply tested; 3 of 9 cases selected");
}

/* A complete shard: the cases of other shards are about the other requirement. */
static void requirements_of_other_shards_are_not_counted(void **state) {
    struct iw_coverage coverage = {.selected_cases = 1};

    (void)state;
    coverage.selected[IW_REQ_RFC5040_5_3_05] = coverage.selected[IW_REQ_RFC5041_5_2_04] = true;
    add(&coverage, IW_REQ_RFC5040_5_3_05, IW_VERDICT_PASS, 0, "");
    assert_state_is(&coverage, IW_REQ_RFC5041_5_2_04, IW_COVERAGE_ABSENT);
}

static void states_have_reasons(void **state) {
    struct iw_coverage coverage = {0};
    unsigned counts[IW_COVERAGE_COUNT], testable = 0;
    char wanted[1024];

    (void)state;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        testable += iw_requirements[i].visibility == IW_VISIBILITY_WIRE ||
                    iw_requirements[i].visibility == IW_VISIBILITY_ACTIVE;
    add(&coverage, IW_REQ_RFC5040_5_3_05, IW_VERDICT_NOT_TESTED, 0, "no agent");
    add(&coverage, IW_REQ_RFC5041_5_2_04, IW_VERDICT_NOT_TESTED, 0, "no rping");
    add(&coverage, IW_REQ_RFC5044_4_5_05, IW_VERDICT_NOT_TESTED, 0, "no agent");
    add(&coverage, IW_REQ_RFC5044_5_1_05, IW_VERDICT_NOT_APPLICABLE, 0, "no claim");
    iw_coverage_count(&coverage, counts);
    assert_int_equal(counts[IW_COVERAGE_NOT_TESTED], 3);
    snprintf(wanted, sizeof wanted,
        "Requirements:\n"
        "  failed             0\n"
        "  passed             0\n"
        "  inconclusive       0\n"
        "  not tested         2  no agent\n"
        "  not tested         1  no rping\n"
        "  not claimed        1  no claim\n"
        "  not tested     %5u  no case in this run\n"
        "  not testable   %5u  the wire does not show them\n",
        testable - 4, (unsigned)IW_REQUIREMENT_COUNT - testable);
    assert_prints(&coverage, iw_coverage_print_states, wanted);
}

/* results.jsonl may come from anywhere. */
static void hostile_objects_are_harmless(void **state) {
    static const char *const lines[] = {
        "{\"type\":\"case\",\"verdict\":\"pass\",\"requirements\":[\"RFC5040-5.3-05\",7,\"no such\"]}",
        "{\"type\":\"case\",\"verdict\":\"pass\",\"requirements\":\"RFC5040-5.3-05\"}",
        "{\"type\":\"case\",\"verdict\":\"fine\",\"requirements\":[\"RFC5040-5.3-05\"]}",
        "{\"type\":\"finding\",\"verdict\":\"fail\",\"requirements\":[\"RFC5040-5.3-05\"]}",
        "{\"type\":\"finding\",\"requirement\":7}",
        "[]",
    };
    struct iw_coverage coverage = {0};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        json_t *object = json_loads(lines[i], 0, NULL);

        assert_non_null(object);
        iw_coverage_take(&coverage, object);
        json_decref(object);
    }
    assert_state_is(&coverage, IW_REQ_RFC5040_5_3_05, IW_COVERAGE_PASSED);
    assert_int_equal(coverage.cases[IW_VERDICT_PASS], 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_strongest_statement_counts),
        cmocka_unit_test(a_finding_fails_its_own_requirement),
        cmocka_unit_test(a_failed_should_fails_no_must),
        cmocka_unit_test(a_wrong_reaction_fails_the_requirements_of_its_case),
        cmocka_unit_test(both_forms_of_a_result_agree),
        cmocka_unit_test(a_finding_tests_no_requirement_of_its_case),
        cmocka_unit_test(headline_tells_what_was_not_tested),
        cmocka_unit_test(cases_that_were_not_run_are_not_tested),
        cmocka_unit_test(requirements_of_other_shards_are_not_counted),
        cmocka_unit_test(states_have_reasons),
        cmocka_unit_test(hostile_objects_are_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
