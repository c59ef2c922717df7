#include "iw_outcome_test.h"

#include "iw_grade.h"

/* Requirements of these tests: RFC5044-4.4-11 (MUST), RFC5040-5.3-05 and RFC5041-5.2-04. The catalogue has
 * two cases about them, one of which needs a claim. */

struct grade_test {
    struct outcome_test files;
    struct iw_catalogue catalogue;
    struct iw_case cases[2];
    struct iw_grade_policy policy;
};

static const struct iw_requirement *requirement(const char *id) {
    const struct iw_requirement *found = iw_requirement_find(id);

    assert_non_null(found);
    return found;
}

static int begin_grade(void **state) {
    struct grade_test *test = calloc(1, sizeof *test);

    outcome_begin(&test->files);
    test->cases[0] = (struct iw_case){
        .id = "one", .title = "one", .requirement_count = 1, .requirements = {requirement("RFC5044-4.4-11")}};
    test->cases[1] = (struct iw_case){.id = "two",
        .title = "two",
        .requirement_count = 1,
        .requirements = {requirement("RFC5040-5.3-05")},
        .claim_count = 1,
        .claims = {"markers"}};
    test->catalogue = (struct iw_catalogue){.cases = test->cases, .count = 2, .digest = "aa"};
    test->policy = (struct iw_grade_policy){
        .name = "test", .title = "all", .has_level = true, .level = IW_SEVERITY_NOTE};
    *state = test;
    return 0;
}

static int end_grade(void **state) {
    struct grade_test *test = *state;

    outcome_end(&test->files);
    free(test);
    return 0;
}

#define RUN "{\"type\":\"run\",\"catalogue\":\"aa\"}\n"
#define RUN_OTHER "{\"type\":\"run\",\"catalogue\":\"bb\"}\n"
#define RUN_WITHOUT "{\"type\":\"run\",\"catalogue\":\"aa\",\"without\":[\"markers\"]}\n"
#define CASE(id, requirement, verdict, more)                                                                 \
    "{\"type\":\"case\",\"case\":\"" id "\",\"title\":\"t\",\"requirements\":[\"" requirement                \
    "\"],\"role\":\"responder\",\"verdict\":\"" verdict "\"" more "}\n"
#define ONE(verdict) CASE("one", "RFC5044-4.4-11", verdict, ",\"message\":\"why\"")
#define TWO(verdict) CASE("two", "RFC5040-5.3-05", verdict, ",\"message\":\"why\"")
#define SUMMARY "{\"type\":\"summary\",\"cases\":2,\"exit\":0}\n"

/* Grades results, and compares exit code and states of the two requirements. */
static void check_grade(struct grade_test *test, const char *text, enum iw_exit exit, enum iw_grade_state one,
    enum iw_grade_state two) {
    struct iw_grade *grade = calloc(1, sizeof *grade);
    struct iw_outcome_run run;

    outcome_run(&test->files, &run, "run", text);
    iw_grade_run(&test->policy, &run, &test->catalogue, grade);
    assert_int_equal(grade->states[requirement("RFC5044-4.4-11") - iw_requirements], one);
    assert_int_equal(grade->states[requirement("RFC5040-5.3-05") - iw_requirements], two);
    assert_int_equal(grade->exit, exit);
    iw_outcome_clear(&run);
    free(grade);
}

static void what_passed_is_met(void **state) {
    check_grade(*state, RUN ONE("pass") TWO("pass") SUMMARY, IW_EXIT_CONFORMS, IW_GRADE_MET, IW_GRADE_MET);
}

static void what_was_not_tested_is_missing(void **state) {
    check_grade(
        *state, RUN ONE("pass") TWO("not tested") SUMMARY, IW_EXIT_UNJUDGED, IW_GRADE_MET, IW_GRADE_MISSING);
    check_grade(*state, RUN ONE("pass") TWO("inconclusive") SUMMARY, IW_EXIT_UNJUDGED, IW_GRADE_MET,
        IW_GRADE_MISSING);
}

/* As after --only, or after a case was removed from the results. */
static void a_case_without_a_result_is_missing(void **state) {
    check_grade(*state, RUN ONE("pass") SUMMARY, IW_EXIT_UNJUDGED, IW_GRADE_MET, IW_GRADE_MISSING);
    check_grade(*state, RUN_WITHOUT ONE("pass") SUMMARY, IW_EXIT_CONFORMS, IW_GRADE_MET, IW_GRADE_NOT_NEEDED);
}

static void what_is_not_claimed_is_not_needed(void **state) {
    check_grade(*state, RUN_WITHOUT ONE("pass") TWO("not applicable") SUMMARY, IW_EXIT_CONFORMS, IW_GRADE_MET,
        IW_GRADE_NOT_NEEDED);
}

static void a_failure_fails(void **state) {
    check_grade(*state,
        RUN ONE("pass") CASE("two", "RFC5040-5.3-05", "fail", ",\"script\":\"two.lua\"") SUMMARY,
        IW_EXIT_VIOLATIONS, IW_GRADE_MET, IW_GRADE_FAILED);
}

/* The case fails, but only by what the monitor found about another requirement. */
static void a_finding_fails_its_requirement(void **state) {
    check_grade(*state,
        RUN ONE("pass") CASE("two", "RFC5040-5.3-05", "fail",
            "") "{\"type\":\"finding\",\"case\":\"two\",\"requirement\":\"RFC5044-4.4-11\"}\n" SUMMARY,
        IW_EXIT_VIOLATIONS, IW_GRADE_FAILED, IW_GRADE_MET);
}

static void a_wrong_claim_fails(void **state) {
    check_grade(*state, RUN ONE("pass") TWO("pass") "{\"type\":\"claim\",\"claim\":\"markers\"}\n" SUMMARY,
        IW_EXIT_VIOLATIONS, IW_GRADE_MET, IW_GRADE_MET);
}

static void another_catalogue_shows_nothing(void **state) {
    check_grade(
        *state, RUN_OTHER ONE("pass") TWO("pass") SUMMARY, IW_EXIT_UNJUDGED, IW_GRADE_MET, IW_GRADE_MET);
}

static void nothing_is_not_enough(void **state) {
    check_grade(*state, RUN_WITHOUT ONE("not applicable") TWO("not applicable") SUMMARY, IW_EXIT_UNJUDGED,
        IW_GRADE_NOT_NEEDED, IW_GRADE_NOT_NEEDED);
}

static void every_case_may_be_demanded(void **state) {
    struct grade_test *test = *state;

    check_grade(test,
        RUN ONE("pass") TWO("pass") CASE("three", "RFC5040-5.3-05", "not tested", ",\"message\":\"no\"")
            SUMMARY,
        IW_EXIT_CONFORMS, IW_GRADE_MET, IW_GRADE_MET);
    test->policy.every_case = true;
    check_grade(test,
        RUN ONE("pass") TWO("pass") CASE("three", "RFC5040-5.3-05", "not tested", ",\"message\":\"no\"")
            SUMMARY,
        IW_EXIT_UNJUDGED, IW_GRADE_MET, IW_GRADE_MISSING);
}

static void exceptions_are_not_needed(void **state) {
    struct grade_test *test = *state;

    test->policy.except = json_pack("{s:s}", "RFC5040-5.3-05", "why");
    check_grade(
        test, RUN ONE("pass") TWO("fail") SUMMARY, IW_EXIT_CONFORMS, IW_GRADE_MET, IW_GRADE_NOT_NEEDED);
    json_decref(test->policy.except);
}

#define ATTACK(id, level_of) CASE(id, level_of, "fail", ",\"script\":\"a.lua\"")

/* RFC5042-ATTACK-30 is IMPLIED; RFC5042-ATTACK-34 rests on a MUST. */
static void an_attack_without_a_key_word_fails_only_if_the_policy_says_so(void **state) {
    static const char implied[] = RUN ONE("pass") TWO("pass") ATTACK("three", "RFC5042-ATTACK-30") SUMMARY;
    static const char must[] = RUN ONE("pass") TWO("pass") ATTACK("three", "RFC5042-ATTACK-34") SUMMARY;
    static const char statement[] = RUN ONE("pass") TWO("pass") ATTACK("three", "RFC5042-6.2.1-01") SUMMARY;
    static const char advice[] = RUN ONE("pass") TWO("pass") ATTACK("three", "RFC5042-6.4.1-02") SUMMARY;
    struct grade_test *test = *state;

    test->policy.level = IW_SEVERITY_ERROR;
    check_grade(test, implied, IW_EXIT_CONFORMS, IW_GRADE_MET, IW_GRADE_MET);
    check_grade(test, advice, IW_EXIT_CONFORMS, IW_GRADE_MET, IW_GRADE_MET);
    check_grade(test, must, IW_EXIT_VIOLATIONS, IW_GRADE_MET, IW_GRADE_MET);
    check_grade(test, statement, IW_EXIT_VIOLATIONS, IW_GRADE_MET, IW_GRADE_MET);
    test->policy.attacks = true;
    check_grade(test, implied, IW_EXIT_VIOLATIONS, IW_GRADE_MET, IW_GRADE_MET);
}

static void the_text_names_what_is_missing(void **state) {
    struct grade_test *test = *state;
    struct iw_grade *grade = calloc(1, sizeof *grade);
    struct iw_outcome_run run;
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);

    outcome_run(&test->files, &run, "run", RUN_WITHOUT ONE("not tested") TWO("not applicable") SUMMARY);
    iw_grade_run(&test->policy, &run, &test->catalogue, grade);
    iw_grade_put(out, &test->policy, &run, grade);
    fclose(out);
    assert_string_equal(text,
        "run: policy test (all): not shown; of 1 requirements 0 met, 0 failed, 1 missing; 0 claims "
        "contradicted, 0 crashes between cases\n"
        "  missing   RFC5044-4.4-11      RFC 5044 4.4, MUST: why\n"
        "  not claimed, so not tested: markers\n");
    free(text);
    iw_outcome_clear(&run);
    free(grade);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_passed_is_met, begin_grade, end_grade),
        cmocka_unit_test_setup_teardown(what_was_not_tested_is_missing, begin_grade, end_grade),
        cmocka_unit_test_setup_teardown(a_case_without_a_result_is_missing, begin_grade, end_grade),
        cmocka_unit_test_setup_teardown(what_is_not_claimed_is_not_needed, begin_grade, end_grade),
        cmocka_unit_test_setup_teardown(a_failure_fails, begin_grade, end_grade),
        cmocka_unit_test_setup_teardown(a_finding_fails_its_requirement, begin_grade, end_grade),
        cmocka_unit_test_setup_teardown(a_wrong_claim_fails, begin_grade, end_grade),
        cmocka_unit_test_setup_teardown(another_catalogue_shows_nothing, begin_grade, end_grade),
        cmocka_unit_test_setup_teardown(nothing_is_not_enough, begin_grade, end_grade),
        cmocka_unit_test_setup_teardown(every_case_may_be_demanded, begin_grade, end_grade),
        cmocka_unit_test_setup_teardown(exceptions_are_not_needed, begin_grade, end_grade),
        cmocka_unit_test_setup_teardown(
            an_attack_without_a_key_word_fails_only_if_the_policy_says_so, begin_grade, end_grade),
        cmocka_unit_test_setup_teardown(the_text_names_what_is_missing, begin_grade, end_grade),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
