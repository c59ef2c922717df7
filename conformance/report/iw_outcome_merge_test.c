#include "iw_outcome.h"
#include "iw_outcome_test.h"

#define SHARD(number, of, catalogue)                                                                         \
    "{\"type\":\"run\",\"shard\":" number ",\"shards\":" of ",\"selected\":3,\"catalogue\":\"" catalogue     \
    "\"}\n"
#define END "{\"type\":\"summary\",\"exit\":0}\n"
#define ONE SHARD("1", "2", "aa") OUTCOME_PASS OUTCOME_NA "{\"type\":\"summary\",\"exit\":0}\n"
#define TWO SHARD("2", "2", "aa") OUTCOME_FAIL "{\"type\":\"summary\",\"exit\":1}\n"

/* Merges, and compares the diagnostic after the path of the folder; NULL: no diagnostic. */
static enum iw_exit merge(
    struct outcome_test *test, const char *first, const char *second, const char *said) {
    struct iw_outcome_run runs[2];
    size_t count = second != NULL ? 2 : 1, octets;
    char *text = NULL, out[TEMPORARY_FILE], wanted[2048];
    FILE *diagnostics = open_memstream(&text, &octets);
    enum iw_exit exit;

    outcome_write(test, "s1/mpa-crc-001.pcapng", "");
    assert_int_equal(
        outcome_read(test, &runs[0], outcome_write(test, "s1/results.jsonl", first), NULL), IW_OK);
    if (second != NULL)
        assert_int_equal(
            outcome_read(test, &runs[1], outcome_write(test, "s2/results.jsonl", second), NULL), IW_OK);
    snprintf(out, sizeof out, "%s/whole.jsonl", test->folder);
    exit = iw_outcome_merge(out, runs, count, diagnostics);
    fclose(diagnostics);
    snprintf(wanted, sizeof wanted, "%s/%s\n", test->folder, said != NULL ? said : "");
    assert_string_equal(text, said != NULL ? wanted : "");
    free(text);
    for (size_t i = 0; i < count; i++)
        iw_outcome_clear(&runs[i]);
    return exit;
}

/* The number of lines of the merged file that contain `words`. */
static unsigned count_in(const struct outcome_test *test, const char *words) {
    char path[TEMPORARY_FILE], line[4096];
    unsigned count = 0;
    FILE *in;

    snprintf(path, sizeof path, "%s/whole.jsonl", test->folder);
    in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in) != NULL)
        count += strstr(line, words) != NULL;
    fclose(in);
    return count;
}

/* The counts in each shard are for that shard only. */
static void violations_are_recounted(void **state) {
    static const char one[] = SHARD("1", "2", "aa") OUTCOME_PASS OUTCOME_NA
        "{\"type\":\"violation\",\"requirement\":\"RFC5044-4.4-11\",\"cases\":7}\n" END;
    static const char two[] = SHARD("2", "2", "aa") OUTCOME_FAIL
        "{\"type\":\"violation\",\"requirement\":\"RFC5044-4.4-11\",\"cases\":8}\n" END;
    struct outcome_test test;

    (void)state;
    outcome_begin(&test);
    merge(&test, one, two, NULL);
    assert_int_equal(count_in(&test, "\"violation\""), 1);
    assert_int_equal(count_in(&test, "\"cases\":1,\"frames\":1,\"first\":\"rdma-send-001\",\"frame\":9}"), 1);
    outcome_end(&test);
}

static void shards_are_merged_in_turn(void **state) {
    struct outcome_test test;
    struct iw_outcome_run run;
    char path[TEMPORARY_FILE];

    (void)state;
    outcome_begin(&test);
    assert_int_equal(merge(&test, ONE, TWO, NULL), IW_EXIT_VIOLATIONS);
    snprintf(path, sizeof path, "%s/whole.jsonl", test.folder);
    assert_int_equal(outcome_read(&test, &run, path, NULL), IW_OK);
    assert_int_equal(run.count, 3);
    assert_string_equal(run.cases[0].id, "mpa-crc-001");
    assert_string_equal(run.cases[1].id, "rdma-send-001");
    assert_string_equal(run.cases[2].id, "mpa-marker-001");
    assert_int_equal(json_array_size(run.cases[1].findings), 1);
    /* captures stay in the folders of the shards */
    assert_non_null(run.cases[0].capture);
    assert_non_null(strstr(run.cases[0].capture, "/s1/mpa-crc-001.pcapng"));
    assert_null(json_object_get(run.header, "shard"));
    assert_int_equal(iw_outcome_number(run.summary, "cases"), 3);
    assert_int_equal(iw_outcome_number(run.summary, "fail"), 1);
    assert_int_equal(iw_outcome_number(run.summary, "wrong_closes"), 1);
    assert_int_equal(iw_outcome_number(run.summary, "exit"), 1);
    iw_outcome_clear(&run);
    /* an existing file is not overwritten */
    assert_int_equal(merge(&test, ONE, TWO, "whole.jsonl: File exists"), IW_EXIT_ENVIRONMENT);
    outcome_end(&test);
}

/* Each shard alone conforms, because others may have tested something. */
static void shards_without_any_test_do_not_conform(void **state) {
    static const char header[] = "{\"type\":\"run\",\"shard\":%d,\"shards\":2,\"selected\":1}\n%s" END;
    struct outcome_test test;
    struct iw_outcome_run run;
    char one[1024], two[1024], path[TEMPORARY_FILE];

    (void)state;
    outcome_begin(&test);
    snprintf(one, sizeof one, header, 1, OUTCOME_NA);
    snprintf(two, sizeof two, header, 2, "");
    assert_int_equal(merge(&test, one, two, NULL), IW_EXIT_UNJUDGED);
    snprintf(path, sizeof path, "%s/whole.jsonl", test.folder);
    assert_int_equal(outcome_read(&test, &run, path, NULL), IW_OK);
    assert_int_equal(iw_outcome_number(run.summary, "exit"), 2);
    assert_int_equal(iw_outcome_exit(&run), IW_EXIT_UNJUDGED);
    iw_outcome_clear(&run);
    assert_int_equal(
        outcome_read(&test, &run, strcat(strcpy(path, test.folder), "/s1/results.jsonl"), NULL), IW_OK);
    assert_int_equal(iw_outcome_exit(&run), IW_EXIT_CONFORMS);
    iw_outcome_clear(&run);
    outcome_end(&test);
}

static void inconsistent_shards_are_rejected(void **state) {
    struct outcome_test test;

    (void)state;
    outcome_begin(&test);
    assert_int_equal(merge(&test, ONE, NULL, "whole.jsonl: shard 2 of 2 is missing"), IW_EXIT_ENVIRONMENT);
    assert_int_equal(
        merge(&test, ONE, ONE, "s2/results.jsonl: shard 1 of 2 is a duplicate"), IW_EXIT_ENVIRONMENT);
    assert_int_equal(merge(&test, OUTCOME_WHOLE, NULL, "s1/results.jsonl: not the results of a shard"),
        IW_EXIT_ENVIRONMENT);
    assert_int_equal(merge(&test, SHARD("3", "2", "aa") OUTCOME_PASS END, NULL,
                         "s1/results.jsonl: not the results of a shard"),
        IW_EXIT_ENVIRONMENT);
    assert_int_equal(
        merge(&test, ONE, SHARD("2", "2", "aa") OUTCOME_FAIL, "s2/results.jsonl: the shard was cut short"),
        IW_EXIT_ENVIRONMENT);
    assert_int_equal(merge(&test, SHARD("1", "2", "aa") OUTCOME_PASS END, TWO,
                         "s1/results.jsonl: the shards have 2 cases, but 3 were selected"),
        IW_EXIT_ENVIRONMENT);
    outcome_end(&test);
}

/* The diagnostic names both files. */
static void shards_of_different_runs_are_rejected(void **state) {
    static const struct {
        const char *second, *said, *rest;
    } rows[] = {
        {SHARD("2", "2", "bb") OUTCOME_FAIL END, "\"catalogue\" differs from that of",
            ": shards of different runs"},
        {SHARD("2", "3", "aa") OUTCOME_FAIL END, "\"shards\" differs from that of",
            ": shards of different runs"},
        {SHARD("2", "2", "aa") OUTCOME_PASS END, "case mpa-crc-001 is also in", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome_test test;
        struct iw_outcome_run runs[2];
        char *text = NULL, wanted[2048];
        size_t octets;
        FILE *diagnostics = open_memstream(&text, &octets);

        outcome_begin(&test);
        outcome_read(&test, &runs[0], outcome_write(&test, "s1/results.jsonl", ONE), NULL);
        outcome_read(&test, &runs[1], outcome_write(&test, "s2/results.jsonl", rows[i].second), NULL);
        assert_int_equal(iw_outcome_merge("never-written.jsonl", runs, 2, diagnostics), IW_EXIT_ENVIRONMENT);
        fclose(diagnostics);
        snprintf(wanted, sizeof wanted, "%s/s2/results.jsonl: %s %s/s1/results.jsonl%s\n", test.folder,
            rows[i].said, test.folder, rows[i].rest);
        assert_string_equal(text, wanted);
        assert_int_equal(access("never-written.jsonl", F_OK), -1);
        free(text);
        iw_outcome_clear(&runs[0]);
        iw_outcome_clear(&runs[1]);
        outcome_end(&test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_are_merged_in_turn),
        cmocka_unit_test(violations_are_recounted),
        cmocka_unit_test(shards_without_any_test_do_not_conform),
        cmocka_unit_test(inconsistent_shards_are_rejected),
        cmocka_unit_test(shards_of_different_runs_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
