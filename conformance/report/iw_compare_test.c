#include "iw_outcome_test.h"

#include "iw_compare.h"

#define CASE(id, verdict, more)                                                                              \
    "{\"type\":\"case\",\"case\":\"" id "\",\"title\":\"t\",\"requirements\":[\"RFC5044-4.4-11\"],"          \
    "\"role\":\"responder\",\"verdict\":\"" verdict "\"" more "}\n"
#define SUMMARY "{\"type\":\"summary\",\"cases\":2,\"exit\":0}\n"

static int begin_compare(void **state) {
    struct outcome_test *test = calloc(1, sizeof *test);

    outcome_begin(test);
    *state = test;
    return 0;
}

static int end_compare(void **state) {
    outcome_end(*state);
    free(*state);
    return 0;
}

/* Compares results of one case. */
static void check_change(struct outcome_test *test, const char *before, const char *after,
    enum iw_change change, enum iw_exit exit) {
    struct iw_outcome_run runs[2];
    struct iw_compare compare;
    char text[2][2048];

    snprintf(text[0], sizeof text[0], "%s%s", before, SUMMARY);
    snprintf(text[1], sizeof text[1], "%s%s", after, SUMMARY);
    outcome_run(test, &runs[0], "old", text[0]);
    outcome_run(test, &runs[1], "new", text[1]);
    assert_true(iw_compare_init(&compare, &runs[0], &runs[1]));
    assert_int_equal(compare.count, 1);
    assert_string_equal(iw_change_name(compare.list[0].change), iw_change_name(change));
    assert_int_equal(compare.counts[change], 1);
    assert_int_equal(iw_compare_exit(&compare), exit);
    iw_compare_clear(&compare);
    iw_outcome_clear(&runs[0]);
    iw_outcome_clear(&runs[1]);
}

static void each_change_has_its_name_and_exit_code(void **state) {
#define PASS CASE("a", "pass", "")
#define FAIL CASE("a", "fail", ",\"step\":\"s\"")
#define UNTESTED CASE("a", "not tested", "")
    check_change(*state, PASS, PASS, IW_CHANGE_NONE, IW_EXIT_CONFORMS);
    check_change(*state, PASS, FAIL, IW_CHANGE_REGRESSED, IW_EXIT_VIOLATIONS);
    check_change(*state, FAIL, PASS, IW_CHANGE_FIXED, IW_EXIT_CONFORMS);
    check_change(*state, FAIL, FAIL, IW_CHANGE_FAILING, IW_EXIT_CONFORMS);
    check_change(*state, FAIL, CASE("a", "fail", ",\"step\":\"other\""), IW_CHANGE_OTHER, IW_EXIT_VIOLATIONS);
    check_change(*state, FAIL, CASE("a", "inconclusive", ""), IW_CHANGE_OTHER, IW_EXIT_VIOLATIONS);
    check_change(*state, "", FAIL, IW_CHANGE_NEW, IW_EXIT_VIOLATIONS);
    check_change(*state, UNTESTED, FAIL, IW_CHANGE_NEW, IW_EXIT_VIOLATIONS);
    check_change(*state, UNTESTED, PASS, IW_CHANGE_ADDED, IW_EXIT_CONFORMS);
    check_change(*state, PASS, UNTESTED, IW_CHANGE_UNTESTED, IW_EXIT_UNJUDGED);
    check_change(*state, PASS, "", IW_CHANGE_UNTESTED, IW_EXIT_UNJUDGED);
    check_change(*state, UNTESTED, CASE("a", "not applicable", ""), IW_CHANGE_NONE, IW_EXIT_CONFORMS);
}

static void repeats_that_differ_are_flaky(void **state) {
    check_change(*state, PASS, CASE("a", "pass", ",\"repeat\":1") CASE("a", "fail", ",\"repeat\":2"),
        IW_CHANGE_FLAKY, IW_EXIT_UNJUDGED);
    check_change(*state, PASS, CASE("a", "fail", ",\"repeat\":1") CASE("a", "fail", ",\"repeat\":2"),
        IW_CHANGE_REGRESSED, IW_EXIT_VIOLATIONS);
}

static void text_groups_what_is_no_longer_tested(void **state) {
    struct iw_outcome_run runs[2];
    struct iw_compare compare;
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);

    outcome_run(
        *state, &runs[0], "old", CASE("a", "pass", "") CASE("b", "pass", "") CASE("c", "pass", "") SUMMARY);
    outcome_run(*state, &runs[1], "new", CASE("c", "fail", ",\"actual\":\"silence\"") SUMMARY);
    assert_true(iw_compare_init(&compare, &runs[0], &runs[1]));
    iw_compare_put(out, &compare);
    fclose(out);
    assert_string_equal(text,
        "regressed          c                       pass -> fail: t; silence\n"
        "no longer tested   2 cases, the first a: no result in this run\n"
        "old -> new: 1 regressed, 0 new failure, 2 no longer tested, 0 flaky, 0 fails differently, "
        "0 still failing, 0 fixed, 0 newly tested, 0 the same\n");
    free(text);
    iw_compare_clear(&compare);
    iw_outcome_clear(&runs[0]);
    iw_outcome_clear(&runs[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_change_has_its_name_and_exit_code, begin_compare, end_compare),
        cmocka_unit_test_setup_teardown(repeats_that_differ_are_flaky, begin_compare, end_compare),
        cmocka_unit_test_setup_teardown(text_groups_what_is_no_longer_tested, begin_compare, end_compare),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
