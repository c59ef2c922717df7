#include "iw_expect_test.h"

/* Expects this state of rdma-send-001 with that verdict, and this exit code of the run. */
static void assert_state(
    const char *line, const char *verdict, enum iw_expect_state state, enum iw_exit exit) {
    struct outcome_test test;
    struct iw_outcome_run run;
    struct iw_expect expect;
    const struct iw_expect_line *found;
    char text[512];

    outcome_begin(&test);
    snprintf(text, sizeof text,
        "{\"type\":\"case\",\"case\":\"rdma-send-001\",\"requirements\":[\"RFC5040-5.3-05\"],"
        "\"verdict\":\"%s\"}\n" OUTCOME_SUMMARY,
        verdict);
    outcome_run(&test, &run, "a", text);
    read_expect(&test, &expect, line, NULL);
    assert_int_equal(iw_expect_judge(&expect, &run.cases[0], &found), state);
    assert_int_equal(iw_expect_exit(&expect, &run), exit);
    iw_expect_use(&expect, &run);
    if (expect.count > 0)
        assert_int_equal(expect.list[0].used, found != NULL);
    iw_expect_clear(&expect);
    iw_outcome_clear(&run);
    outcome_end(&test);
}

static void lines_are_found_among_many(void **state) {
    enum { LINES = 50000, LINE_OCTETS = 80 };
    char *text = malloc((size_t)LINES * LINE_OCTETS), *at = text;
    struct iw_outcome_case one = {.verdict = IW_VERDICT_FAIL, .requirement_count = 1};
    const struct iw_expect_line *found;
    struct outcome_test test;
    struct iw_expect expect;
    char id[16];

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < LINES; i++)
        at += sprintf(at, "a-%d verdict=fail clause=\"RFC 5040 5.3\" reason=\"b\"\n", i);
    outcome_begin(&test);
    read_expect(&test, &expect, text, NULL);
    one.known[0] = iw_requirement_find("RFC5040-5.3-05");
    one.id = id;
    for (int i = 0; i <= LINES; i++) {
        snprintf(id, sizeof id, "a-%d", i);
        iw_expect_judge(&expect, &one, &found);
        assert_int_equal(found != NULL ? found->line : 0, i < LINES ? i + 1 : 0);
    }
    iw_expect_clear(&expect);
    outcome_end(&test);
    free(text);
}

static void a_case_is_expected_new_regressed_or_fixed(void **state) {
    (void)state;
    assert_state(KNOWN, "fail", IW_EXPECT_KNOWN, IW_EXIT_CONFORMS);
    assert_state(KNOWN, "error", IW_EXPECT_REGRESSED, IW_EXIT_INTERNAL);
    assert_state(KNOWN, "warning", IW_EXPECT_BETTER, IW_EXIT_CONFORMS);
    assert_state(KNOWN, "pass", IW_EXPECT_FIXED, IW_EXIT_CONFORMS);
    assert_state("# nothing\n", "fail", IW_EXPECT_NEW, IW_EXIT_VIOLATIONS);
    assert_state("# nothing\n", "inconclusive", IW_EXPECT_NEW, IW_EXIT_UNJUDGED);
    assert_state("# nothing\n", "not applicable", IW_EXPECT_NOT_APPLICABLE, IW_EXIT_CONFORMS);
    assert_state(NOT_CLAIMED, "not applicable", IW_EXPECT_KNOWN, IW_EXIT_CONFORMS);
    assert_state(NOT_CLAIMED, "pass", IW_EXPECT_FIXED, IW_EXIT_CONFORMS);
    assert_state(NOT_CLAIMED, "fail", IW_EXPECT_REGRESSED, IW_EXIT_VIOLATIONS);
    assert_state(KNOWN, "not applicable", IW_EXPECT_BETTER, IW_EXIT_CONFORMS);
    assert_state("# nothing\n", "not tested", IW_EXPECT_NOT_TESTED, IW_EXIT_UNJUDGED);
    assert_state(KNOWN, "not tested", IW_EXPECT_NOT_TESTED, IW_EXIT_UNJUDGED);
    assert_state("# nothing\n", "pass", IW_EXPECT_PASS, IW_EXIT_CONFORMS);
    /* the clause may be a document alone; a line with a different document does not apply */
    assert_state("rdma-send-001 clause=\"RFC 5040\" verdict=fail reason=x\n", "fail", IW_EXPECT_KNOWN,
        IW_EXIT_CONFORMS);
    assert_state("rdma-send-001 clause=\"RFC 5041\" verdict=fail reason=x\n", "fail", IW_EXPECT_NEW,
        IW_EXIT_VIOLATIONS);
    assert_state(
        "mpa-crc-001 clause=\"RFC 5044\" verdict=fail reason=x\n", "fail", IW_EXPECT_NEW, IW_EXIT_VIOLATIONS);
}

static void a_line_may_expect_several_verdicts(void **state) {
    (void)state;
    assert_state(BY_CHANCE, "pass", IW_EXPECT_KNOWN, IW_EXIT_CONFORMS);
    assert_state(BY_CHANCE, "fail", IW_EXPECT_KNOWN, IW_EXIT_CONFORMS);
    assert_state(BY_CHANCE, "warning", IW_EXPECT_BETTER, IW_EXIT_CONFORMS);
    assert_state(BY_CHANCE, "error", IW_EXPECT_REGRESSED, IW_EXIT_INTERNAL);
    assert_state("rdma-send-001 verdict=note|warning clause=\"RFC 5040 5.3\" reason=x\n", "pass",
        IW_EXPECT_FIXED, IW_EXIT_CONFORMS);
    assert_state("rdma-send-001 verdict=note|warning clause=\"RFC 5040 5.3\" reason=x\n", "fail",
        IW_EXPECT_REGRESSED, IW_EXIT_VIOLATIONS);
}

#define FAULT                                                                                                \
    "rdma-send-001 verdict=fail clause=\"RFC 5040 5.3\" terminate=1/2/01 close=terminate+fin "               \
    "violates=\"RFC5040-4.8-03,RFC5044-4.4-11\" crash=\"Oops: # [##]\" step=\"send a 'Send'\" reason=x\n"

/* Expects this difference from the line, and the state that it makes. */
static void assert_difference(const char *line, const char *members, const char *second, const char *said) {
    struct outcome_test test;
    struct iw_outcome_run run;
    struct iw_expect expect;
    const struct iw_expect_line *found;
    char difference[IW_EXPECT_DIFFERENCE_OCTETS];

    outcome_begin(&test);
    read_fault(&test, &run, "a", members, second);
    read_expect(&test, &expect, line, NULL);
    assert_int_equal(
        iw_expect_judge(&expect, &run.cases[0], &found), said[0] != '\0' ? IW_EXPECT_NEW : IW_EXPECT_KNOWN);
    assert_int_equal(iw_expect_exit(&expect, &run), said[0] != '\0' ? IW_EXIT_VIOLATIONS : IW_EXIT_CONFORMS);
    iw_expect_difference(&expect, found, &run.cases[0], difference);
    assert_string_equal(difference, said);
    iw_expect_clear(&expect);
    iw_outcome_clear(&run);
    outcome_end(&test);
}

static void a_different_fault_is_new(void **state) {
    (void)state;
    assert_difference(FAULT, SAME TERMINATE, "RFC5040-4.8-03", "");
    assert_difference(KNOWN, SAME TERMINATE, "RFC5040-4.8-03", "");
    assert_difference(
        FAULT, SAME ",\"terminate\":\"1/2/02\"", "RFC5040-4.8-03", "terminate 1/2/02, expected 1/2/01");
    assert_difference(FAULT, SAME, "RFC5040-4.8-03", "terminate none, expected 1/2/01");
    assert_difference(FAULT, SAME TERMINATE, "RFC5044-4.4-11",
        "violates RFC5044-4.4-11, expected RFC5040-4.8-03,RFC5044-4.4-11");
    /* a line with a fault has all of it */
    assert_difference("rdma-send-001 verdict=pass|fail clause=\"RFC 5040\" close=\"fin|terminate+fin\" "
                      "violates=RFC5044-4.4-11 step=\"x|send a 'Send'\" reason=x\n",
        SAME, "RFC5044-4.4-11", "crash Oops: # [##], expected none");
    assert_difference("rdma-send-001 verdict=fail clause=\"RFC 5040\" close=fin violates=RFC5044-4.4-11 "
                      "crash=unresponsive reason=x\n",
        ",\"close\":\"rst\",\"unresponsive\":\"exit code 1\"", "RFC5044-4.4-11", "close rst, expected fin");
}

static void every_wrong_line_is_reported(void **state) {
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"a-001\n", "1: no verdict given"},
        {"\n# x\na-001 verdict=fail reason=x\n", "3: no clause given"},
        {"a-001 verdict=fail clause=\"RFC 5040\"\n", "1: no reason given"},
        {"a-001 verdict=fail clause=\"RFC 5040\" reason=\"\"\n", "1: reason is empty"},
        {"a-001 verdict=pass\n", "1: verdict takes at least one verdict other than pass, not pass"},
        {"a-001 verdict=pass|pass\n", "1: verdict takes at least one verdict other than pass, not pass"},
        {"a-001 verdict=fail|failed\n", "1: unknown verdict failed"},
        {"a-001 verdict=fail verdict=fail\n", "1: verdict is given twice"},
        {"a-001 verdict=fail clause=\"RFC 9999\" reason=x\n", "1: RFC 9999 has no requirement"},
        {"a-001 verdict=fail because=x\n", "1: unknown key because"},
        {"a-001 fail\n", "1: no verdict given"},
        {KNOWN KNOWN, "2: rdma-send-001 is also in line 1"},
    };
    struct outcome_test test;

    (void)state;
    outcome_begin(&test);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iw_expect expect;

        read_expect(&test, &expect, rows[i].text, rows[i].said);
        iw_expect_clear(&expect);
    }
    outcome_end(&test);
}

static void check_states(const char *known, const char *const states[3], enum iw_exit exit) {
    struct outcome_test test;
    struct iw_outcome_run run;
    struct iw_expect expect;
    const struct iw_expect_line *line;

    outcome_begin(&test);
    outcome_run(&test, &run, "run", waived_results);
    read_expect(&test, &expect, known, NULL);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(iw_expect_state_name(iw_expect_judge(&expect, &run.cases[i], &line)), states[i]);
    assert_int_equal(iw_expect_exit(&expect, &run), exit);
    iw_expect_clear(&expect);
    iw_outcome_clear(&run);
    outcome_end(&test);
}

#define REQUIREMENT_LINE "RFC5044-4.4-* clause=\"RFC 5044 4.4\" reason=r"
#define CASE_LINE "rdma-send-001 verdict=fail clause=\"RFC 5040\" close=fin step=ask reason=r"

static void a_line_may_be_about_a_requirement(void **state) {
    (void)state;
    check_states(REQUIREMENT_LINE "\n", (const char *[]){"new", "expected", "expected"}, IW_EXIT_VIOLATIONS);
    check_states(REQUIREMENT_LINE "\n" CASE_LINE "\n", (const char *[]){"expected", "expected", "expected"},
        IW_EXIT_CONFORMS);
    check_states(
        REQUIREMENT_LINE " side=initiator\n", (const char *[]){"new", "new", "new"}, IW_EXIT_VIOLATIONS);
}

static void a_line_may_have_a_pattern(void **state) {
    (void)state;
    check_states("rdma-send-* verdict=fail clause=\"RFC 5040\" reason=r\n",
        (const char *[]){"expected", "expected", "new"}, IW_EXIT_VIOLATIONS);
    /* the very id precedes the pattern */
    check_states("rdma-* verdict=fail clause=\"RFC 5040\" reason=r\n"
                 "rdma-read-001 verdict=fail clause=\"RFC 5040\" close=rst reason=r\n",
        (const char *[]){"expected", "expected", "new"}, IW_EXIT_VIOLATIONS);
}

static void an_expired_line_does_not_apply(void **state) {
    (void)state;
    check_states(REQUIREMENT_LINE " until=2001-01-01\n" CASE_LINE " until=9999-12-31\n",
        (const char *[]){"new", "new", "new"}, IW_EXIT_VIOLATIONS);
    check_states(REQUIREMENT_LINE " until=9999-12-31 issue=7\n" CASE_LINE " until=2001-01-01\n",
        (const char *[]){"new", "expected", "expected"}, IW_EXIT_VIOLATIONS);
}

/* A line about a requirement expects a failure that follows from its finding, and no other failure. */
static void a_requirement_line_expects_what_follows(void **state) {
    static const struct {
        const char *results, *known, *state, *reason;
        enum iw_exit exit;
    } rows[] = {
        {STREAM_CASE(",\"follows\":1", ""), REQUIREMENT_LINE "\n", "expected", "r", IW_EXIT_CONFORMS},
        {STREAM_CASE("", ""), REQUIREMENT_LINE "\n", "new", "r", IW_EXIT_VIOLATIONS},
        {STREAM_CASE(",\"follows\":1", ""), REQUIREMENT_LINE " side=initiator\n", "new", "",
            IW_EXIT_VIOLATIONS},
        {STREAM_CASE(",\"follows\":1", ""), REQUIREMENT_LINE " until=2001-01-01\n", "new", "",
            IW_EXIT_VIOLATIONS},
        {STREAM_CASE(",\"follows\":1,\"crash\":\"Oops\"", ""), REQUIREMENT_LINE "\n", "new", "r",
            IW_EXIT_VIOLATIONS},
        /* a second violation needs its own line */
        {STREAM_CASE(",\"follows\":1", SECOND_FINDING), REQUIREMENT_LINE "\n", "new", "r",
            IW_EXIT_VIOLATIONS},
        {STREAM_CASE(",\"follows\":1", SECOND_FINDING),
            REQUIREMENT_LINE "\nRFC5040-4.8-07 clause=\"RFC 5040 4.8\" reason=q\n", "expected", "r",
            IW_EXIT_CONFORMS},
        /* the failure follows from the violation that is not expected */
        {STREAM_CASE(",\"follows\":2", SECOND_FINDING), REQUIREMENT_LINE "\n", "new", "", IW_EXIT_VIOLATIONS},
        /* the line of the case precedes */
        {STREAM_CASE(",\"follows\":1", ""),
            REQUIREMENT_LINE "\nrdma-send-001 verdict=fail clause=\"RFC 5040\" close=rst reason=s\n", "new",
            "s", IW_EXIT_VIOLATIONS},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome_test test;
        struct iw_outcome_run run;
        struct iw_expect expect;
        const struct iw_expect_line *line;

        outcome_begin(&test);
        outcome_run(&test, &run, "run", rows[i].results);
        read_expect(&test, &expect, rows[i].known, NULL);
        assert_string_equal(
            iw_expect_state_name(iw_expect_judge(&expect, &run.cases[0], &line)), rows[i].state);
        assert_string_equal(iw_expect_reason(&expect, &run.cases[0], line), rows[i].reason);
        assert_int_equal(iw_expect_exit(&expect, &run), rows[i].exit);
        iw_expect_clear(&expect);
        iw_outcome_clear(&run);
        outcome_end(&test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_is_expected_new_regressed_or_fixed),
        cmocka_unit_test(lines_are_found_among_many),
        cmocka_unit_test(a_line_may_expect_several_verdicts),
        cmocka_unit_test(a_different_fault_is_new),
        cmocka_unit_test(every_wrong_line_is_reported),
        cmocka_unit_test(a_line_may_be_about_a_requirement),
        cmocka_unit_test(a_line_may_have_a_pattern),
        cmocka_unit_test(an_expired_line_does_not_apply),
        cmocka_unit_test(a_requirement_line_expects_what_follows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
