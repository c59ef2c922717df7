#include "iw_outcome_test.h"

static void a_run_is_read_with_its_cases_and_evidence(void **state) {
    struct outcome_test test;
    struct iw_outcome_run run;
    const struct iw_outcome_case *one;
    char clause[IW_OUTCOME_CLAUSE_OCTETS];
    bool cut;
    char *log;

    (void)state;
    outcome_begin(&test);
    outcome_write(&test, "a/rdma-send-001.log", "1  the log\n");
    outcome_write(&test, "a/rdma-send-001.pcapng", "");
    outcome_write(&test, "a/results.jsonl", OUTCOME_WHOLE);
    *strrchr(test.path, '/') = '\0';
    assert_int_equal(outcome_read(&test, &run, test.path, NULL), IW_OK);
    assert_string_equal(run.name, "a");
    assert_int_equal(run.count, 3);
    assert_int_equal(run.counts[IW_VERDICT_PASS], 1);
    assert_int_equal(run.counts[IW_VERDICT_FAIL], 1);
    assert_int_equal(run.counts[IW_VERDICT_NOT_APPLICABLE], 1);
    assert_int_equal(run.wrong_closes, 1);
    assert_int_equal(iw_outcome_exit(&run), IW_EXIT_VIOLATIONS);
    one = iw_outcome_find(&run, "rdma-send-001", 0);
    assert_non_null(one);
    assert_string_equal(one->expected, "a <Send>");
    assert_int_equal(one->line, 7);
    assert_int_equal(json_array_size(one->findings), 1);
    assert_ptr_equal(one->known[1], &iw_requirements[IW_REQ_RFC5041_5_2_04]);
    iw_outcome_clause(one, clause);
    assert_string_equal(clause, "RFC 5040 5.3");
    log = iw_outcome_log(one, &cut);
    assert_string_equal(log, "1  the log\n");
    assert_false(cut);
    free(log);
    one = iw_outcome_find(&run, "mpa-crc-001", 0);
    assert_null(one->log);
    assert_null(iw_outcome_log(one, &cut));
    assert_null(iw_outcome_find(&run, "mpa-crc-001", 1));
    iw_outcome_clear(&run);
    outcome_end(&test);
}

static void a_run_is_named_explicitly_or_by_its_folder(void **state) {
    struct outcome_test test;
    struct iw_outcome_run run;
    char operand[TEMPORARY_FILE + 64];

    (void)state;
    outcome_begin(&test);
    snprintf(operand, sizeof operand, "fw 3=%s", outcome_write(&test, "fw4/results.jsonl", OUTCOME_PASS));
    assert_int_equal(outcome_read(&test, &run, operand, NULL), IW_OK);
    assert_string_equal(run.name, "fw 3");
    iw_outcome_clear(&run);
    assert_int_equal(outcome_read(&test, &run, test.path, NULL), IW_OK);
    assert_string_equal(run.name, "fw4");
    iw_outcome_clear(&run);
    outcome_end(&test);
}

/* Logs are searched for only in the results folder and below it, whatever path the results contain. */
static void evidence_outside_the_folder_is_ignored(void **state) {
    struct outcome_test test;
    struct iw_outcome_run run;
    char link[TEMPORARY_FILE];
    bool cut;

    (void)state;
    outcome_begin(&test);
    outcome_write(&test, "secret.log", "secret");
    outcome_write(&test, "a/results.jsonl",
        "{\"type\":\"case\",\"case\":\"a-001\",\"requirements\":[],\"verdict\":\"fail\",\"file\":\"../"
        "secret.pcapng\"}\n"
        "{\"type\":\"case\",\"case\":\"a-002\",\"requirements\":[],\"verdict\":\"fail\",\"file\":\"a/"
        "link.pcapng\"}\n");
    snprintf(link, sizeof link, "%s/a/link.log", test.folder);
    assert_int_equal(symlink("../secret.log", link), 0);
    assert_int_equal(outcome_read(&test, &run, test.path, NULL), IW_OK);
    assert_null(iw_outcome_log(&run.cases[0], &cut));
    assert_null(iw_outcome_log(&run.cases[1], &cut));
    iw_outcome_clear(&run);
    outcome_end(&test);
}

static void a_log_is_read_up_to_a_limit(void **state) {
    struct outcome_test test;
    struct iw_outcome_run run;
    char *text = malloc(IW_OUTCOME_LOG_MAX + 2);
    bool cut;

    (void)state;
    memset(text, 'x', IW_OUTCOME_LOG_MAX + 1);
    text[IW_OUTCOME_LOG_MAX + 1] = '\0';
    outcome_begin(&test);
    outcome_write(&test, "a/mpa-crc-001.log", text);
    free(text);
    assert_int_equal(
        outcome_read(&test, &run, outcome_write(&test, "a/results.jsonl", OUTCOME_PASS), NULL), IW_OK);
    text = iw_outcome_log(&run.cases[0], &cut);
    assert_int_equal(strlen(text), IW_OUTCOME_LOG_MAX);
    assert_true(cut);
    free(text);
    iw_outcome_clear(&run);
    outcome_end(&test);
}

static void a_run_killed_before_its_first_case_is_cut_short(void **state) {
    struct outcome_test test;
    struct iw_outcome_run run;

    (void)state;
    outcome_begin(&test);
    outcome_write(&test, "results.jsonl", "{\"type\":\"run\",\"version\":\"0.1.0\"}\n");
    assert_int_equal(outcome_read(&test, &run, test.path, NULL), IW_OK);
    assert_int_equal(iw_outcome_exit(&run), IW_EXIT_UNJUDGED);
    iw_outcome_clear(&run);
    outcome_end(&test);
}

/* A killed run may have written an incomplete line. */
static void an_incomplete_last_line_is_ignored(void **state) {
    struct outcome_test test;
    struct iw_outcome_run run;

    (void)state;
    outcome_begin(&test);
    outcome_write(&test, "results.jsonl", OUTCOME_PASS "{\"type\":\"case\",\"case\":\"rdma-se");
    assert_int_equal(outcome_read(&test, &run, test.path, NULL), IW_OK);
    assert_int_equal(run.count, 1);
    assert_int_equal(iw_outcome_exit(&run), IW_EXIT_UNJUDGED);
    iw_outcome_clear(&run);
    outcome_end(&test);
}

/* Empty lists take a hundred times as much memory as octets in the file. */
static void too_many_values_are_rejected(void **state) {
    enum { LISTS = 1 << 20 };
    static const char head[] = OUTCOME_PASS "{\"type\":\"x\",\"a\":[", more[] = "]}\n{\"type\":\"x\",\"a\":[";
    size_t octets = sizeof head + sizeof more + 6 * (size_t)LISTS;
    char *text = malloc(octets), *at = text;
    struct outcome_test test;
    struct iw_outcome_run run;

    (void)state;
    assert_non_null(text);
    for (int line = 0; line < 2; line++) {
        at = stpcpy(at, line == 0 ? head : more);
        for (int i = 0; i < LISTS; i++)
            at = stpcpy(at, i == 0 ? "[]" : ",[]");
    }
    stpcpy(at, "]}\n");
    outcome_begin(&test);
    outcome_write(&test, "results.jsonl", text);
    assert_int_equal(
        outcome_read(&test, &run, test.path, "results.jsonl:3: too many values for the results of a run"),
        IW_ERR_FORMAT);
    iw_outcome_clear(&run);
    outcome_end(&test);
    free(text);
}

static void errors_name_their_line(void **state) {
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"", "results.jsonl: not the results of a run"},
        {OUTCOME_PASS "[]\n", "results.jsonl:2: not a JSON object with a type"},
        {OUTCOME_PASS OUTCOME_PASS, "results.jsonl:2: case mpa-crc-001 is a duplicate"},
        {OUTCOME_RUN OUTCOME_RUN, "results.jsonl:2: a second \"run\""},
        {"{\"type\":\"case\",\"case\":\"a b\",\"verdict\":\"pass\",\"requirements\":[]}\n",
            "results.jsonl:1: case \"a b\" is not a valid id"},
        {"{\"type\":\"case\",\"case\":\"a\\nb\\u001b[2J\",\"verdict\":\"pass\",\"requirements\":[]}\n",
            "results.jsonl:1: case \"a b?[2J\" is not a valid id"},
        {"{\"type\":\"case\",\"case\":\"../a\",\"verdict\":\"pass\",\"requirements\":[]}\n",
            "results.jsonl:1: case \"../a\" is not a valid id"},
        {"{\"type\":\"case\",\"case\":\"a\",\"verdict\":\"passed\",\"requirements\":[]}\n",
            "results.jsonl:1: case a: unknown verdict \"passed\""},
        {"{\"type\":\"case\",\"case\":\"a\",\"verdict\":\"pass\",\"requirements\":[1]}\n",
            "results.jsonl:1: case a: requirements is not a list of at most 16 ids"},
        {OUTCOME_PASS "{\"type\":\"finding\",\"case\":\"b\"}\n",
            "results.jsonl:2: a finding of case \"b\" that does not follow the case"},
    };
    struct outcome_test test;
    struct iw_outcome_run run;
    char none[TEMPORARY_FILE];

    (void)state;
    outcome_begin(&test);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        outcome_write(&test, "results.jsonl", rows[i].text);
        assert_int_equal(outcome_read(&test, &run, test.path, rows[i].said), IW_ERR_FORMAT);
        iw_outcome_clear(&run);
    }
    snprintf(none, sizeof none, "%s/none.jsonl", test.folder);
    assert_int_equal(outcome_read(&test, &run, none, "none.jsonl: No such file or directory"), IW_ERR_IO);
    iw_outcome_clear(&run);
    outcome_end(&test);
}

static void the_length_of_a_results_line_is_limited(void **state) {
    struct outcome_test test;
    struct iw_outcome_run run;
    char *text = malloc(IW_RESULTS_LINE_MAX + 10);

    (void)state;
    memset(text, ' ', IW_RESULTS_LINE_MAX + 9);
    text[IW_RESULTS_LINE_MAX + 9] = '\0';
    outcome_begin(&test);
    outcome_write(&test, "results.jsonl", text);
    free(text);
    assert_int_equal(
        outcome_read(&test, &run, test.path, "results.jsonl:1: longer than 4194304 octets"), IW_ERR_FORMAT);
    iw_outcome_clear(&run);
    outcome_end(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_read_with_its_cases_and_evidence),
        cmocka_unit_test(a_run_is_named_explicitly_or_by_its_folder),
        cmocka_unit_test(evidence_outside_the_folder_is_ignored),
        cmocka_unit_test(a_log_is_read_up_to_a_limit),
        cmocka_unit_test(a_run_killed_before_its_first_case_is_cut_short),
        cmocka_unit_test(an_incomplete_last_line_is_ignored),
        cmocka_unit_test(too_many_values_are_rejected),
        cmocka_unit_test(errors_name_their_line),
        cmocka_unit_test(the_length_of_a_results_line_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
