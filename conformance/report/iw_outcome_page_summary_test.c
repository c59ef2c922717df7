#include "iw_outcome_report_test.h"

/* "passes" alone would be read as a statement about the whole suite, and about a device. */
static void the_page_says_what_passes(void **state) {
    static const struct {
        const char *header, *words;
    } rows[] = {
        {"{\"type\":\"run\",\"selected\":1,\"available\":1,\"shards\":1}\n", "passes"},
        {"{\"type\":\"run\",\"selected\":1,\"available\":9,\"shards\":1}\n", "passes what was tested"},
        {"{\"type\":\"run\",\"selected\":1,\"available\":1,\"shard\":1,\"shards\":2}\n",
            "passes what was tested"},
        {"{\"type\":\"run\",\"selected\":1,\"available\":1,\"peer\":\"embedded reference\"}\n", "passes"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reported *reported = reported_begin(1, NULL);
        char lines[1024];

        snprintf(lines, sizeof lines, "%s%s{\"type\":\"summary\",\"cases\":1,\"exit\":0}\n", rows[i].header,
            OUTCOME_PASS);
        iw_outcome_clear(&reported->runs[0]);
        outcome_run(&reported->test, &reported->runs[0], "a", lines);
        reported_title(reported, rows[i].words);
        assert_int_equal(
            strstr(reported->text, "The embedded peer was tested, not a device.") != NULL, i == 3);
        reported_end(reported);
    }
}

static void known_failures_are_no_pass(void **state) {
    struct reported *reported =
        reported_begin(1, "rdma-send-001 verdict=fail clause=\"RFC 5040\" reason=\"old\"\n"
                          "mpa-marker-001 verdict=not_applicable clause=\"RFC 5044\" reason=\"old\"\n");

    (void)state;
    reported_put(reported, "html");
    reported_has(reported, "<p class=\"verdict conforms\">as expected</p>");
    reported_end(reported);
}

/* Both runs have the case rdma-send-001: it fails in one, and passes in the other. */
static void counts_are_never_summed_over_runs(void **state) {
    struct reported *reported = reported_begin(2, NULL);

    (void)state;
    reported_put(reported, "text");
    reported_has(reported, "rnic: by document and section, cases and their verdicts:\n");
    reported_has(reported, "  RFC 5040 5.3                                   1  1 fail\n");
    reported_has(reported, "x/y: by document and section, cases and their verdicts:\n");
    reported_has(reported, "  RFC 5040 5.3                                   1  1 pass\n");
    reported_put(reported, "html");
    reported_has(reported, "RFC 5040 5.3</th><td class=\"tags\"><span class=\"short\">1 <span class=\"tag "
                           "violates\">fail</span></span> </td><td>1 case</td>");
    reported_has(reported, "value=\"fail\" checked> fail <span class=\"count\">1</span>");
    reported_has(reported, "value=\"pass\" checked> pass <span class=\"count\">2</span>");
    reported_end(reported);
}

static void wrong_claims_and_flakes_count(void **state) {
    struct reported *reported =
        reported_begin(1, "rdma-send-001 verdict=fail clause=\"RFC 5040\" reason=\"old\"\n"
                          "mpa-marker-001 verdict=not_applicable clause=\"RFC 5044\" reason=\"old\"\n");

    (void)state;
    assert_int_equal(iw_outcome_report_exit(&reported->report), IW_EXIT_CONFORMS);
    iw_outcome_clear(&reported->runs[0]);
    outcome_run(&reported->test, &reported->runs[0], "a",
        OUTCOME_PASS "{\"type\":\"flake\",\"case\":\"mpa-crc-001\",\"verdicts\":{\"pass\":3,\"fail\":1}}\n"
                     "{\"type\":\"summary\",\"exit\":2}\n");
    assert_int_equal(iw_outcome_report_exit(&reported->report), IW_EXIT_UNJUDGED);
    reported_put(reported, "text");
    reported_has(reported, "a: 1 case: 1 pass, 0 fail; 1 flaky\n");
    reported_has(reported, "  flake mpa-crc-001: pass 3, fail 1\n");
    reported_put(reported, "junit");
    reported_has(reported, "tests=\"2\" failures=\"0\" errors=\"1\"");
    reported_has(reported, "<testcase classname=\"repeats\" name=\"mpa-crc-001\" time=\"0\">");
    iw_outcome_clear(&reported->runs[0]);
    outcome_run(&reported->test, &reported->runs[0], "a",
        OUTCOME_PASS "{\"type\":\"claim\",\"claim\":\"markers\",\"case\":\"mpa-crc-001\",\"message\":\"asks "
                     "for Markers\"}\n"
                     "{\"type\":\"summary\",\"exit\":1}\n");
    assert_int_equal(iw_outcome_report_exit(&reported->report), IW_EXIT_VIOLATIONS);
    reported_put(reported, "text");
    reported_has(reported, "a: 1 case: 1 pass, 0 fail; 1 wrong claim\n");
    reported_has(reported, "  claim mpa-crc-001: claim markers, message asks for Markers\n");
    reported_put(reported, "junit");
    reported_has(reported, "tests=\"2\" failures=\"1\" errors=\"0\"");
    reported_put(reported, "html");
    reported_has(
        reported, "<p class=\"path\">claim mpa-crc-001: claim markers, message asks for Markers</p>");
    reported_end(reported);
}

/* Untrusted text is escaped, and violations in the wire log are marked. */
static void the_page_is_self_contained(void **state) {
    struct reported *reported = reported_begin(2, NULL);

    (void)state;
    reported_put(reported, "html");
    reported_has(reported, "<title>fails: 2 runs - warpcheck</title>");
    reported_has(reported, "A &lt;Send&gt; &amp; more");
    assert_null(strstr(reported->text, "<Send>"));
    reported_has(reported, "<a href=\"#d0-1\"><span class=\"tag violates\">fail</span></a>");
    reported_has(reported, "<mark>    ! error &lt;here&gt;</mark>\n");
    reported_has(reported, "No wire log.");
    assert_null(strstr(reported->text, "{{"));
    assert_null(strstr(reported->text, "http:"));
    reported_end(reported);
}

/* The wire logs exceed the limit. The last case failed, so its wire log is shown. */
static void the_page_prefers_logs_of_the_worst_verdicts(void **state) {
    enum { CASES = 70 };
    struct reported *reported = calloc(1, sizeof *reported);
    char *log = malloc(IW_OUTCOME_LOG_MAX + 1), *text = NULL, first[TEMPORARY_FILE], name[64];
    size_t octets;
    FILE *out = open_memstream(&text, &octets);

    (void)state;
    memset(log, 'x', IW_OUTCOME_LOG_MAX);
    log[IW_OUTCOME_LOG_MAX] = '\0';
    outcome_begin(&reported->test);
    snprintf(first, sizeof first, "%s", outcome_write(&reported->test, "a/c-0.log", log));
    for (int i = 0; i < CASES; i++) {
        fprintf(out,
            "{\"type\":\"case\",\"case\":\"c-%d\",\"requirements\":[],\"verdict\":\"%s\",\"file\":\"c-%d."
            "pcapng\"}\n",
            i, i == CASES - 1 ? "fail" : "pass", i);
        snprintf(reported->test.path, sizeof reported->test.path, "%s/a/c-%d.log", reported->test.folder, i);
        assert_true(i == 0 || link(first, reported->test.path) == 0);
    }
    fclose(out);
    assert_int_equal(outcome_read(&reported->test, &reported->runs[0],
                         outcome_write(&reported->test, "a/results.jsonl", text), NULL),
        IW_OK);
    reported->report = (struct iw_outcome_report){.runs = reported->runs, .count = 1};
    reported_put(reported, "html");
    for (int i = CASES - 8; i < CASES; i++) {
        snprintf(name, sizeof name, "/a/c-%d.log.</p>", i);
        assert_int_equal(strstr(reported->text, name) != NULL, i < CASES - 1 && i >= 63);
    }
    reported_has(reported, "Wire log not shown because of its size: see ");
    reported_end(reported);
    free(log);
    free(text);
}

#define REPEAT(number, rest)                                                                                 \
    "{\"type\":\"case\",\"case\":\"a-001\",\"repeat\":" number ",\"title\":\"A\",\"requirements\":[]," rest  \
    "}\n"

/* Repeat 2 failed in one run, and repeat 3 closed in a different way; the other repeats equal repeat 1. */
static void equal_repeats_are_not_listed(void **state) {
    struct reported *reported = reported_begin(2, NULL);

    (void)state;
    for (size_t i = 0; i < 2; i++)
        iw_outcome_clear(&reported->runs[i]);
    outcome_run(&reported->test, &reported->runs[0], "a",
        REPEAT("1", "\"verdict\":\"pass\",\"close\":\"fin\",\"duration_ms\":3")
            REPEAT("2", "\"verdict\":\"pass\",\"close\":\"fin\",\"duration_ms\":4")
                REPEAT("3", "\"verdict\":\"pass\",\"close\":\"rst\"")
                    REPEAT("4", "\"verdict\":\"pass\",\"close\":\"fin\""));
    outcome_run(&reported->test, &reported->runs[1], "b",
        REPEAT("1", "\"verdict\":\"pass\"") REPEAT("2", "\"verdict\":\"fail\"")
            REPEAT("4", "\"verdict\":\"pass\"") REPEAT("5", "\"verdict\":\"pass\""));
    reported_put(reported, "matrix");
    reported_has(reported, "\na-001 #2                    pass      FAIL      A\n"
                           "a-001 #3                    pass      -         A\n"
                           "1 case with the same verdict in every run: not listed\n"
                           "2 repeats that ended like the first: not listed\n");
    reported_has(reported, "\npass                        4         3       \n");
    reported_put(reported, "html");
    reported_has(reported, "<p class=\"beyond\">2 repeats that ended like the first: not listed.</p>");
    reported_has(reported, ">a-001 #3</a>");
    assert_null(strstr(reported->text, "a-001 #4"));
    reported_end(reported);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_says_what_passes),
        cmocka_unit_test(known_failures_are_no_pass),
        cmocka_unit_test(counts_are_never_summed_over_runs),
        cmocka_unit_test(wrong_claims_and_flakes_count),
        cmocka_unit_test(the_page_is_self_contained),
        cmocka_unit_test(the_page_prefers_logs_of_the_worst_verdicts),
        cmocka_unit_test(equal_repeats_are_not_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
