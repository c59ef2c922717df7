#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_prior_run.h"
#include "iw_results.h"
#include "iw_temporary_test.h"

#define RUN "{\"type\":\"run\",\"catalogue\":\"c0\"}\n"
#define PASS(id) "{\"type\":\"case\",\"case\":\"" id "\",\"verdict\":\"pass\"}\n"
#define FAIL(id) "{\"type\":\"case\",\"case\":\"" id "\",\"verdict\":\"fail\",\"close_verdict\":\"wrong\"}\n"
#define FINDING "{\"type\":\"finding\"}\n"
#define SUMMARY "{\"type\":\"summary\"}\n"

static enum iw_status read_text(struct iw_prior_run *prior, const char *text, char error[512]) {
    char folder[TEMPORARY_PATH], path[TEMPORARY_FILE];
    enum iw_status status;
    FILE *out;

    assert_non_null(mkdtemp(temporary_path(folder, "iw_prior_run_test")));
    snprintf(path, sizeof path, "%s/results.jsonl", folder);
    out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
    status = iw_prior_run_read(prior, path, error, 512);
    unlink(path);
    rmdir(folder);
    return status;
}

static void check_kept(const char *text, const char *kept, size_t count, bool torn) {
    struct iw_prior_run prior;
    char error[512];

    assert_int_equal(read_text(&prior, text, error), IW_OK);
    assert_int_equal(prior.count, count);
    assert_int_equal(prior.torn, torn);
    assert_int_equal(prior.kept_octets, strlen(kept));
    assert_memory_equal(prior.kept, kept, strlen(kept));
    iw_prior_run_dispose(&prior);
}

static void finished_cases_keep_their_findings(void **state) {
    (void)state;
    check_kept(
        RUN FAIL("a") FINDING FINDING PASS("b") SUMMARY, RUN FAIL("a") FINDING FINDING PASS("b"), 2, false);
    check_kept(RUN SUMMARY, RUN, 0, false);
}

#define CRC(id) "{\"type\":\"finding\",\"case\":\"" id "\",\"requirement\":\"RFC5044-4.4-11\",\"frame\":7}\n"

/* The last case of a killed run is dropped, and so are its violations. */
static void finished_cases_keep_their_violations(void **state) {
    static struct iw_violations violations;
    static struct iw_coverage coverage;
    const struct iw_requirement *order[IW_REQUIREMENT_COUNT];
    struct iw_prior_run prior;
    char error[512];

    (void)state;
    assert_int_equal(
        read_text(&prior, RUN FAIL("a") CRC("a") PASS("b") FAIL("c") CRC("c") FAIL("d") CRC("d"), error),
        IW_OK);
    iw_prior_run_count(&prior, &violations, &coverage);
    assert_int_equal(iw_violations_order(&violations, order), 1);
    assert_string_equal(order[0]->id, "RFC5044-4.4-11");
    assert_int_equal(iw_violations_of(&violations, order[0])->cases, 2);
    assert_string_equal(iw_violations_of(&violations, order[0])->first, "a");
    assert_int_equal(coverage.cases[IW_VERDICT_FAIL] + coverage.cases[IW_VERDICT_PASS], 3);
    iw_prior_run_dispose(&prior);
}

static void unfinished_cases_are_dropped(void **state) {
    (void)state;
    check_kept(RUN
        "{\"type\":\"case\",\"case\":\"a\",\"verdict\":\"inconclusive\",\"unfinished\":true}\n" FINDING PASS(
            "b") SUMMARY,
        RUN PASS("b"), 1, false);
}

/* The run was killed. */
static void missing_summary_drops_last_case(void **state) {
    (void)state;
    check_kept(RUN PASS("a") FAIL("b") FINDING, RUN PASS("a"), 1, false);
    check_kept(RUN PASS("a") FAIL("b") "{\"type\":\"find", RUN PASS("a"), 1, true);
    check_kept(RUN "{\"type\":\"case\",\"case\":\"a\",", RUN, 0, true);
    check_kept(RUN PASS("a"), RUN, 0, false);
}

static void error_is_one_line_with_line_number(void **state) {
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"", "results.jsonl:1: no run in this file"},
        {"{\"type\":\"run\"", "results.jsonl:1: no run in this file"},
        {PASS("a"), "results.jsonl:1: not the first line of the results of a run"},
        {RUN "[]\n", "results.jsonl:2: no JSON object"},
        {RUN PASS("a") "nonsense\n", "results.jsonl:3: no JSON object"},
        {RUN RUN, "results.jsonl:2: a second run begins here"},
        {RUN "{\"type\":\"case\",\"case\":\"a\",\"verdict\":\"passed\"}\n",
            "results.jsonl:2: a case without"},
        {RUN "{\"type\":\"case\",\"case\":\"a\",\"verdict\":\"pass\",\"repeat\":0}\n",
            "results.jsonl:2: a case without"},
        {RUN "{\"type\":\"case\",\"verdict\":\"pass\"}\n", "results.jsonl:2: a case without"},
    };
    struct iw_prior_run prior;
    char error[512];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(read_text(&prior, rows[i].text, error), IW_ERR_FORMAT);
        assert_non_null(strstr(error, rows[i].words));
    }
    assert_int_equal(iw_prior_run_read(&prior, "/nowhere/results.jsonl", error, sizeof error), IW_ERR_IO);
    assert_string_equal(error, "/nowhere/results.jsonl: No such file or directory");
}

/* The file may be foreign, and a line of it endless. */
static void a_line_longer_than_the_limit_is_refused(void **state) {
    static const char run[] = RUN;
    char *text = malloc(sizeof run + IW_RESULTS_LINE_MAX + 1);
    struct iw_prior_run prior;
    char error[512];

    (void)state;
    assert_non_null(text);
    memcpy(text, run, sizeof run - 1);
    memset(text + sizeof run - 1, ' ', IW_RESULTS_LINE_MAX + 1);
    text[sizeof run + IW_RESULTS_LINE_MAX] = '\0';
    assert_int_equal(read_text(&prior, text, error), IW_ERR_FORMAT);
    assert_non_null(strstr(error, "results.jsonl:2: longer than 4194304 octets"));
    free(text);
}

static void cases_are_found_in_catalogue(void **state) {
    struct iw_case cases[] = {{.id = "a"}, {.id = "b"}, {.id = "c"}};
    struct iw_catalogue catalogue = {.cases = cases, .count = 3, .digest = "c0"};
    struct iw_prior_run prior;
    char error[512];

    (void)state;
    assert_int_equal(read_text(&prior, RUN PASS("c") FAIL("a") SUMMARY, error), IW_OK);
    assert_int_equal(iw_prior_run_bind(&prior, &catalogue, error, sizeof error), IW_OK);
    assert_ptr_equal(prior.cases[0].one, &cases[2]);
    assert_int_equal(prior.cases[0].repeat, 1);
    assert_ptr_equal(prior.cases[1].one, &cases[0]);
    assert_int_equal(prior.cases[1].verdict, IW_VERDICT_FAIL);
    assert_true(prior.cases[1].wrong_close);
    strcpy(catalogue.digest, "c1");
    assert_int_equal(iw_prior_run_bind(&prior, &catalogue, error, sizeof error), IW_ERR_FORMAT);
    assert_string_equal(error, "the cases have changed since the run");
    iw_prior_run_dispose(&prior);
    strcpy(catalogue.digest, "c0");
    assert_int_equal(read_text(&prior, RUN PASS("d") SUMMARY, error), IW_OK);
    assert_int_equal(iw_prior_run_bind(&prior, &catalogue, error, sizeof error), IW_ERR_FORMAT);
    assert_string_equal(error, "there is no case d");
    iw_prior_run_dispose(&prior);
    assert_int_equal(read_text(&prior, RUN PASS("a") PASS("a") SUMMARY, error), IW_OK);
    assert_int_equal(iw_prior_run_bind(&prior, &catalogue, error, sizeof error), IW_ERR_FORMAT);
    assert_string_equal(error, "a case is duplicate, or has an invalid repeat");
    iw_prior_run_dispose(&prior);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finished_cases_keep_their_findings),
        cmocka_unit_test(finished_cases_keep_their_violations),
        cmocka_unit_test(unfinished_cases_are_dropped),
        cmocka_unit_test(missing_summary_drops_last_case),
        cmocka_unit_test(error_is_one_line_with_line_number),
        cmocka_unit_test(a_line_longer_than_the_limit_is_refused),
        cmocka_unit_test(cases_are_found_in_catalogue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
