#include "iw_outcome_report_test.h"

/* The cases that have no result are in no list: they must not look as if they had never been selected. */
static void each_form_tells_that_the_run_ended_early(void **state) {
    static const struct {
        const char *summary, *junit, *tap, *html;
    } rows[] = {
        {"{\"type\":\"summary\",\"cases\":1,\"not_begun\":2,\"exit\":2}\n",
            "<skipped message=\"2 cases were not begun within the budget\"/>",
            "\nok 2 - all selected cases were run # SKIP 2 cases were not begun within the budget\n",
            "<b>Incomplete:</b> 2 cases were not begun within the budget.</p>"},
        {"{\"type\":\"summary\",\"cases\":1,\"not_run\":2,\"exit\":2}\n",
            "<error type=\"environment\" message=\"the run was interrupted: 2 cases were not run\"/>",
            "\nBail out! a was cut short\n",
            "<b>Incomplete:</b> the run was interrupted: 2 cases were not run.</p>"},
        {"", "<error type=\"environment\" message=\"the run was cut short: it has no summary\"/>",
            "\nBail out! a was cut short\n",
            "<b>Incomplete:</b> the run was cut short: it has no summary.</p>"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reported *reported = reported_begin(1, NULL);
        char lines[1024];

        snprintf(lines, sizeof lines, "%s%s%s",
            "{\"type\":\"run\",\"selected\":3,\"available\":3,\"requirements\":"
            "[\"RFC5044-4.4-13\",\"RFC5040-5.3-05\"]}\n",
            OUTCOME_PASS, rows[i].summary);
        iw_outcome_clear(&reported->runs[0]);
        outcome_run(&reported->test, &reported->runs[0], "a", lines);
        reported_put(reported, "text");
        reported_has(reported, "\na: requirements: 1 of 2 tested, 1 pass; cases: 1 of 3 that apply tested\n");
        reported_has(reported, "\n  not tested         1  the run ended before its cases\n");
        reported_put(reported, "junit");
        reported_has(reported, "tests=\"2\"");
        reported_has(reported, rows[i].junit);
        reported_put(reported, "tap");
        reported_has(reported, rows[i].tap);
        reported_title(reported, "not fully judged");
        reported_has(reported, rows[i].html);
        reported_end(reported);
    }
}

/* Results without a case: of --budget, which tested nothing, whatever the run accepts; and of a shard whose
 * siblings have all the cases. */
static void each_form_tells_why_no_case_has_a_result(void **state) {
    static const struct {
        const char *lines, *text, *junit, *tap, *title, *html;
        enum iw_exit exit;
    } rows[] = {
        {"{\"type\":\"run\",\"selected\":2,\"available\":2,\"accept_untested\":true}\n"
         "{\"type\":\"summary\",\"cases\":0,\"not_begun\":2,\"exit\":2}\n",
            "\na: 0 cases: 0 pass, 0 fail; 2 not begun within the budget\n",
            "<skipped message=\"2 cases were not begun within the budget\"/>",
            "1..1\nok 1 - all selected cases were run # SKIP 2 cases were not begun within the budget\n",
            "not fully judged", "<b>Incomplete:</b> 2 cases were not begun within the budget.</p>",
            IW_EXIT_UNJUDGED},
        {"{\"type\":\"run\",\"selected\":1,\"available\":2,\"shard\":2,\"shards\":2}\n"
         "{\"type\":\"summary\",\"cases\":0,\"exit\":0}\n",
            "\na: 0 cases: 0 pass, 0 fail; part 2 of 2 has none of the selected cases: 1 in all\n",
            "<skipped message=\"part 2 of 2 has none of the selected cases: 1 in all\"/>",
            "1..0 # SKIP part 2 of 2 has none of the selected cases: 1 in all\n", "no cases in this part",
            "<b>No cases:</b> part 2 of 2 has none of the selected cases: 1 in all.</p>", IW_EXIT_CONFORMS},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reported *reported = reported_begin(1, NULL);

        iw_outcome_clear(&reported->runs[0]);
        outcome_run(&reported->test, &reported->runs[0], "a", rows[i].lines);
        reported_put(reported, "text");
        reported_has(reported, rows[i].text);
        reported_put(reported, "junit");
        reported_has(reported, " tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\" ");
        reported_has(reported, rows[i].junit);
        reported_put(reported, "tap");
        reported_has(reported, rows[i].tap);
        reported_title(reported, rows[i].title);
        reported_has(reported, rows[i].html);
        reported_has(reported, "<p class=\"verdict unjudged\">");
        assert_int_equal(iw_outcome_report_exit(&reported->report), rows[i].exit);
        reported_end(reported);
    }
}

/* What was tested, by which program, when and where: in each form, and not only in results.jsonl. A name in
 * results is untrusted: a line of it must not become a line of the report. */
static void each_form_has_the_facts_of_the_run(void **state) {
    static const struct {
        const char *name, *value;
    } facts[] = {{"device", "RNIC 9 Bail out!"}, {"firmware", "3.1"}, {"serial", "0815"}, {"lab", "our lab"},
        {"peer", "192.0.2.7:20100"}, {"profile", "base"}, {"version", "1.2.3"}, {"build", "00c0ffee"},
        {"started", "2026-01-31T12:00:00Z"}, {"ended", "2026-01-31T12:07:00Z"}, {"host", "tester"},
        {"kernel", "Linux 6.1 x86_64"}, {"nic", "eth2 mlx5_core 15b3:1019"},
        {"options", "--only ^mpa --lab "}};
    static const struct {
        const char *form, *pattern;
    } forms[] = {{"text", "\n  %-10s  %s"}, {"tap", "\n# %-10s  %s"}, {"matrix", "%s %s"},
        {"junit", "<property name=\"%s\" value=\"%s"}, {"html", "<div><dt>%s</dt><dd class=\"path\">%s"},
        {"rfc", "<div><dt>%s</dt><dd class=\"path\">%s"}};
    struct reported *reported = reported_begin(1, NULL);
    char wanted[256];

    (void)state;
    iw_outcome_clear(&reported->runs[0]);
    outcome_run(&reported->test, &reported->runs[0], "a",
        "{\"type\":\"run\",\"version\":\"1.2.3\",\"build\":\"00c0ffee\",\"device\":\"RNIC 9\\nBail out!\","
        "\"firmware\":\"3.1\",\"serial\":\"0815\",\"lab\":\"our lab\",\"started\":\"2026-01-31T12:00:00Z\","
        "\"host\":\"tester\",\"kernel\":\"Linux 6.1 x86_64\",\"peer\":\"192.0.2.7:20100\","
        "\"nic\":\"eth2 mlx5_core 15b3:1019\",\"profile\":{\"profile\":\"base\",\"claims\":[]},"
        "\"options\":[\"--only\",\"^mpa\",\"--lab\",\"our "
        "lab\"],\"selected\":1,\"available\":1}\n" OUTCOME_PASS
        "{\"type\":\"summary\",\"cases\":1,\"ended\":\"2026-01-31T12:07:00Z\",\"exit\":0}\n");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        reported_put(reported, forms[i].form);
        for (size_t j = 0; j < sizeof facts / sizeof *facts; j++) {
            snprintf(wanted, sizeof wanted, forms[i].pattern, facts[j].name, facts[j].value);
            reported_has(reported, wanted);
        }
        assert_null(strstr(reported->text, "\nBail out!"));
    }
    reported_put(reported, "text");
    reported_has(reported, "\n  options     --only ^mpa --lab 'our lab'\n");
    reported_end(reported);
}

/* Results of earlier versions lack most facts: what is not known is not there. */
static void unknown_facts_are_left_out(void **state) {
    struct reported *reported = reported_begin(1, NULL);

    (void)state;
    reported_put(reported, "text");
    reported_has(
        reported, "rnic:\n  profile     rnic\n  version     1.0\n  catalogue   aa\n\nrnic: by document");
    reported_put(reported, "junit");
    assert_null(strstr(reported->text, "name=\"ended\""));
    reported_put(reported, "matrix");
    reported_has(reported, "\nrnic: profile rnic; version 1.0; catalogue aa\n");
    reported_end(reported);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_tells_that_the_run_ended_early),
        cmocka_unit_test(each_form_tells_why_no_case_has_a_result),
        cmocka_unit_test(each_form_has_the_facts_of_the_run),
        cmocka_unit_test(unknown_facts_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
