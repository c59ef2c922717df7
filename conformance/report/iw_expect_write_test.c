#include "iw_expect_test.h"

/* The line with several verdicts is kept while the case has one of them, even a pass; otherwise the new
 * verdict replaces them. */
static void varying_verdicts_are_written(void **state) {
    static const char *const rows[][2] = {
        {"pass", "rdma-send-001 verdict=pass|fail clause=\"RFC 5040 5.3\" reason=\"a race\"\n"},
        {"fail",
            "rdma-send-001 verdict=pass|fail clause=\"RFC 5040 5.3\" close=\"none\" reason=\"a race\"\n"},
        {"error", "rdma-send-001 verdict=error clause=\"RFC 5040 5.3\" reason=\"a race\"\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome_test test;
        struct iw_outcome_run run;
        struct iw_expect known;
        char *text = NULL, results[256];
        size_t octets;
        FILE *out = open_memstream(&text, &octets);

        outcome_begin(&test);
        snprintf(results, sizeof results,
            "{\"type\":\"case\",\"case\":\"rdma-send-001\",\"requirements\":[\"RFC5040-5.3-05\"],"
            "\"verdict\":\"%s\"}\n",
            rows[i][0]);
        outcome_run(&test, &run, "a", results);
        read_expect(&test, &known, BY_CHANCE, NULL);
        iw_expect_write(out, &run, 1, &known);
        fclose(out);
        assert_string_equal(strchr(text, '\n') + 1, rows[i][1]);
        free(text);
        iw_expect_clear(&known);
        iw_outcome_clear(&run);
        outcome_end(&test);
    }
}

/* A line keeps its fault and reason if it fits all results; otherwise it gets the faults of all, and no
 * reason. A line that states no fault gets one, and keeps the reason. */
static void faults_are_written(void **state) {
    static const struct {
        const char *line, *wanted;
    } rows[] = {
        {"rdma-send-001 verdict=fail clause=\"RFC 5040\" close=\"rst|terminate+fin\" "
         "terminate=\"1/2/01|none\" "
         "violates=RFC5044-4.4-11 reason=\"a race\"\n",
            "rdma-send-001 verdict=fail clause=\"RFC 5040\" terminate=\"1/2/01|none\" "
            "close=\"rst|terminate+fin\" "
            "violates=\"RFC5044-4.4-11\" reason=\"a race\"\n"},
        {"rdma-send-001 verdict=fail clause=\"RFC 5040\" close=fin reason=\"a race\"\n",
            "rdma-send-001 verdict=fail clause=\"RFC 5040\" terminate=\"1/2/01|none\" "
            "close=\"terminate+fin|rst\" "
            "violates=\"RFC5044-4.4-11\" reason=\"unknown\"\n"},
        {"rdma-send-001 verdict=fail clause=\"RFC 5040\" reason=old\n",
            "rdma-send-001 verdict=fail clause=\"RFC 5040\" terminate=\"1/2/01|none\" "
            "close=\"terminate+fin|rst\" "
            "violates=\"RFC5044-4.4-11\" reason=\"old\"\n"},
    };
    struct outcome_test test;
    struct iw_outcome_run runs[2];

    (void)state;
    outcome_begin(&test);
    read_fault(&test, &runs[0], "a", TERMINATE ",\"close\":\"terminate+fin\"", "RFC5044-4.4-11");
    read_fault(&test, &runs[1], "b", ",\"close\":\"rst\"", "RFC5044-4.4-11");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iw_expect known;
        char *text = NULL;
        size_t octets;
        FILE *out = open_memstream(&text, &octets);

        read_expect(&test, &known, rows[i].line, NULL);
        iw_expect_write(out, runs, 2, &known);
        fclose(out);
        assert_string_equal(strchr(text, '\n') + 1, rows[i].wanted);
        free(text);
        iw_expect_clear(&known);
    }
    iw_outcome_clear(&runs[0]);
    iw_outcome_clear(&runs[1]);
    outcome_end(&test);
}

/* Writes each case that did not pass, with its worst verdict. Known reasons are kept, others are empty. */
static void cases_that_did_not_pass_are_written(void **state) {
    struct outcome_test test;
    struct iw_outcome_run runs[2];
    struct iw_expect known;
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);

    (void)state;
    outcome_begin(&test);
    outcome_run(&test, &runs[0], "a", OUTCOME_WHOLE);
    outcome_run(&test, &runs[1], "b",
        "{\"type\":\"case\",\"case\":\"mpa-crc-001\",\"requirements\":[\"RFC5044-4.4-13\"],"
        "\"verdict\":\"warning\"}\n"
        "{\"type\":\"case\",\"case\":\"rdma-send-001\",\"requirements\":[\"RFC5040-5.3-05\"],"
        "\"verdict\":\"inconclusive\"}\n");
    read_expect(&test, &known, KNOWN, NULL);
    iw_expect_write(out, runs, 2, &known);
    fclose(out);
    assert_string_equal(strchr(text, '\n') + 1,
        "rdma-send-001 verdict=fail clause=\"RFC 5040 5.3\" close=\"rst\" violates=\"RFC5044-4.4-11\" "
        "step=\"ask\" reason=\"firmware 3\" owner=\"bob\"\n"
        "mpa-crc-001 verdict=warning clause=\"RFC 5044 4.4\" close=\"none\" reason=\"unknown\"\n");
    free(text);
    iw_expect_clear(&known);
    iw_outcome_clear(&runs[0]);
    iw_outcome_clear(&runs[1]);
    outcome_end(&test);
}

static void many_failures_of_one_root_need_one_line(void **state) {
    struct outcome_test test;
    struct iw_outcome_run run;
    struct iw_expect expect;
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);

    (void)state;
    outcome_begin(&test);
    outcome_run(&test, &run, "run", waived_results);
    assert_true(iw_expect_write(out, &run, 1, NULL));
    fclose(out);
    assert_non_null(strchr(text, '\n'));
    assert_string_equal(strchr(text, '\n') + 1, "RFC5044-4.4-11 clause=\"RFC 5044 4.4\" reason=\"CRC is "
                                                "wrong (2 cases, first rdma-send-002, frame 9)\"\n"
                                                "rdma-send-001 verdict=fail clause=\"RFC 5040 5.3\" "
                                                "close=\"fin\" step=\"ask\" reason=\"expected an answer; "
                                                "actual silence\"\n");
    /* what is written is complete, and expects all */
    read_expect(&test, &expect, text, NULL);
    assert_int_equal(iw_expect_exit(&expect, &run), IW_EXIT_CONFORMS);
    free(text);
    iw_expect_clear(&expect);
    iw_outcome_clear(&run);
    outcome_end(&test);
}

/* Which cases need a line: those neither applicable nor tested do not, but keep a line that fits. */
static void what_was_left_out_needs_no_line(void **state) {
    static const struct {
        const char *verdict, *known, *wanted;
    } rows[] = {
        {"not applicable", "# nothing\n", ""},
        {"not tested", "# nothing\n", ""},
        {"not applicable", NOT_CLAIMED, NOT_CLAIMED},
        {"not applicable", KNOWN, ""},
        {"not tested", KNOWN, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome_test test;
        struct iw_outcome_run run;
        struct iw_expect known;
        char *text = NULL, results[256];
        size_t octets;
        FILE *out = open_memstream(&text, &octets);

        outcome_begin(&test);
        snprintf(results, sizeof results,
            "{\"type\":\"case\",\"case\":\"rdma-send-001\",\"requirements\":[\"RFC5040-5.3-05\"],"
            "\"verdict\":\"%s\",\"message\":\"needs an agent\"}\n" OUTCOME_SUMMARY,
            rows[i].verdict);
        outcome_run(&test, &run, "a", results);
        read_expect(&test, &known, rows[i].known, NULL);
        assert_true(iw_expect_write(out, &run, 1, &known));
        fclose(out);
        assert_string_equal(strchr(text, '\n') + 1, rows[i].wanted);
        free(text);
        iw_expect_clear(&known);
        iw_outcome_clear(&run);
        outcome_end(&test);
    }
}

static void what_follows_from_a_violation_needs_no_line_of_its_own(void **state) {
    static const struct {
        const char *results, *wanted;
    } rows[] = {
        {STREAM_CASE(",\"follows\":1", ""), "RFC5044-4.4-11 clause=\"RFC 5044 4.4\" reason=\"CRC is wrong "
                                            "(1 case, first rdma-send-001, frame 9)\"\n"},
        {STREAM_CASE("", ""),
            "rdma-send-001 verdict=fail clause=\"RFC 5040 5.3\" close=\"fin\" violates=\"RFC5044-4.4-11\" "
            "step=\"ask\" reason=\"expected an answer; actual close\"\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome_test test;
        struct iw_outcome_run run;
        struct iw_expect expect;
        char *text = NULL;
        size_t octets;
        FILE *out = open_memstream(&text, &octets);

        outcome_begin(&test);
        outcome_run(&test, &run, "run", rows[i].results);
        assert_true(iw_expect_write(out, &run, 1, NULL));
        fclose(out);
        assert_string_equal(strchr(text, '\n') + 1, rows[i].wanted);
        read_expect(&test, &expect, text, NULL);
        assert_int_equal(iw_expect_exit(&expect, &run), IW_EXIT_CONFORMS);
        free(text);
        iw_expect_clear(&expect);
        iw_outcome_clear(&run);
        outcome_end(&test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varying_verdicts_are_written),
        cmocka_unit_test(faults_are_written),
        cmocka_unit_test(cases_that_did_not_pass_are_written),
        cmocka_unit_test(many_failures_of_one_root_need_one_line),
        cmocka_unit_test(what_was_left_out_needs_no_line),
        cmocka_unit_test(what_follows_from_a_violation_needs_no_line_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
