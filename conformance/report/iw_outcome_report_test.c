#include "iw_outcome_report.h"
#include "iw_json_member.h"
#include "iw_outcome_test.h"

/* A second run: the case that fails in the first one passes, and one case is missing. */
#define OTHER                                                                                                \
    "{\"type\":\"case\",\"case\":\"rdma-send-001\",\"title\":\"A <Send> & more\",\"requirements\":"          \
    "[\"RFC5040-5.3-05\",\"RFC5041-5.2-04\"],\"verdict\":\"pass\"}\n"                                        \
    "{\"type\":\"case\",\"case\":\"mpa-crc-001\",\"repeat\":2,\"title\":\"A CRC\",\"requirements\":"         \
    "[\"RFC5044-4.4-13\"],\"verdict\":\"warning\",\"message\":\"it was late\"}\n" OUTCOME_SUMMARY

struct reported {
    struct outcome_test test;
    struct iw_outcome_run runs[2];
    struct iw_expect expect;
    struct iw_outcome_report report;
    char *text;
};

static struct reported *begin(size_t count, const char *known) {
    struct reported *reported = calloc(1, sizeof *reported);

    outcome_begin(&reported->test);
    outcome_write(&reported->test, "rnic/rdma-send-001.log", "1  the log\n    ! error <here>\n2  more\n");
    assert_int_equal(outcome_read(&reported->test, &reported->runs[0],
                         outcome_write(&reported->test, "rnic/results.jsonl", OUTCOME_WHOLE), NULL),
        IW_OK);
    if (count > 1)
        outcome_run(&reported->test, &reported->runs[1], "x/y", OTHER);
    reported->report = (struct iw_outcome_report){.runs = reported->runs, .count = count};
    if (known != NULL) {
        assert_int_equal(
            iw_expect_read(&reported->expect, outcome_write(&reported->test, "known", known), stderr), IW_OK);
        for (size_t i = 0; i < count; i++)
            iw_expect_use(&reported->expect, &reported->runs[i]);
        reported->report.expect = &reported->expect;
    }
    return reported;
}

static void put(struct reported *reported, const char *form) {
    size_t octets;

    free(reported->text);
    reported->report.out = open_memstream(&reported->text, &octets);
    iw_outcome_form_find(form)(&reported->report);
    fclose(reported->report.out);
}

static void end(struct reported *reported) {
    for (size_t i = 0; i < reported->report.count; i++)
        iw_outcome_clear(&reported->runs[i]);
    iw_expect_clear(&reported->expect);
    outcome_end(&reported->test);
    free(reported->text);
    free(reported);
}

static void assert_has(const struct reported *reported, const char *text) {
    if (strstr(reported->text, text) == NULL)
        fail_msg("no '%s' in:\n%s", text, reported->text);
}

static void the_text_has_sections_and_failed_cases(void **state) {
    struct reported *reported = begin(1, NULL);

    (void)state;
    put(reported, "text");
    assert_has(reported, "  RFC 5044 4.4                                   1  1 pass\n");
    assert_has(reported, "  RFC 5040 5.3                                   1  1 fail\n");
    assert_has(reported, "  RFC 5041 5.2                                   1  1 fail\n");
    assert_has(reported, "\nrnic: 3 cases: 1 pass, 1 not applicable, 1 fail; 1 wrong close\n");
    assert_has(reported, "  fail rdma-send-001: A <Send> & more\n"
                         "    expected  a <Send>\n    actual    silence\n    because   something else came\n"
                         "    waiting   1 request of the <suite>\n"
                         "    step      ask\n    requires  RFC5040-5.3-05 (RFC 5040 5.3, MUST): ");
    assert_has(reported, "/rnic/rdma-send-001.log\n");
    assert_has(reported, "  not applicable: 1 case: needs what the device does not claim\n");
    assert_null(strstr(reported->text, "pass mpa-crc-001"));
    assert_int_equal(iw_outcome_report_exit(&reported->report), IW_EXIT_VIOLATIONS);
    end(reported);
}

/* A title with escape sequences, as C0 and as C1 control characters. */
static void control_characters_do_not_reach_a_terminal(void **state) {
    struct reported *reported = begin(1, NULL);

    (void)state;
    iw_outcome_clear(&reported->runs[0]);
    outcome_run(&reported->test, &reported->runs[0], "a",
        "{\"type\":\"case\",\"case\":\"a-001\",\"title\":\"x\\u001b[2Jy\\u009bz\\u007f\",\"requirements\":[],"
        "\"verdict\":\"fail\"}\n");
    put(reported, "text");
    assert_has(reported, "  fail a-001: x?[2Jy?z?\n");
    put(reported, "matrix");
    assert_has(reported, "x?[2Jy?z?\n");
    end(reported);
}

static void with_expectations_the_text_has_new_fixed_and_stale(void **state) {
    struct reported *reported =
        begin(1, "mpa-crc-001 verdict=fail clause=\"RFC 5044\" reason=\"firmware 3\"\n"
                 "rdma-send-001 verdict=warning clause=\"RFC 5040\" reason=\"firmware 3\"\n"
                 "rdma-send-999 verdict=fail clause=\"RFC 5040\" reason=\"gone\"\n");

    (void)state;
    put(reported, "text");
    assert_has(reported, "  pass mpa-crc-001: A CRC [fixed]\n");
    assert_has(reported, "  fail rdma-send-001: A <Send> & more [regressed]\n");
    assert_has(reported, "known:2: firmware 3\n");
    assert_null(strstr(reported->text, "mpa-marker-001")); /* that it does not apply needs no line */
    assert_has(
        reported, "/known: 0 expected, 0 new, 1 regressed, 0 better, 1 fixed, 0 not tested, 1 stale\n");
    assert_has(reported, "/known:3: stale: the results have no such case about RFC 5040\n");
    put(reported, "html");
    assert_has(reported, "</a> <span class=\"aside\">regressed</span></td>");
    assert_has(reported, " 0 expected, 0 new, 1 regressed, 0 better, 1 fixed, 0 not tested, 1 stale.</p>");
    assert_has(reported, "<p>stale: line 3, rdma-send-999: the results have no such case about RFC 5040</p>");
    assert_has(reported, "<div><dt>known</dt><dd>firmware 3</dd></div>");
    assert_has(reported, "<div><dt>requests outstanding</dt><dd>1 request of the &lt;suite&gt;</dd></div>");
    assert_int_equal(iw_outcome_report_exit(&reported->report), IW_EXIT_VIOLATIONS);
    end(reported);
}

static void the_matrix_has_cases_by_runs_and_pairs(void **state) {
    struct reported *reported = begin(2, NULL);

    (void)state;
    put(reported, "matrix");
    assert_has(reported, "case                        rnic      x/y       title\n");
    assert_has(reported, "\nmpa-crc-001                 pass      -         A CRC\n");
    assert_has(reported, "\nrdma-send-001               FAIL      pass      A <Send> & more\n");
    assert_has(reported, "\nmpa-crc-001 #2              -         WARNING   A CRC\n");
    assert_has(reported, "\npass                        1         1       \n");
    assert_has(reported, "/rnic/CASE.log\n");
    assert_has(reported, "\ninitiator, by responder     y       ");
    assert_has(reported, "\nx                           1/2     \n");
    end(reported);
}

static void json_is_that_of_the_run_and_its_name(void **state) {
    struct reported *reported = begin(2, "rdma-send-001 verdict=fail clause=\"RFC 5040\" reason=\"old\"\n");
    json_t *first;

    (void)state;
    put(reported, "jsonl");
    first = json_loads(reported->text, JSON_DISABLE_EOF_CHECK, NULL);
    assert_string_equal(iw_json_member_text(first, "type"), "run");
    assert_string_equal(iw_json_member_text(first, "run"), "rnic");
    json_decref(first);
    assert_has(reported, "\"state\":\"expected\",\"reason\":\"old\",\"run\":\"rnic\"}\n");
    assert_has(reported, "\"message\":\"CRC is wrong\",\"run\":\"rnic\"}\n");
    assert_has(reported, "\"state\":\"fixed\",\"reason\":\"old\",\"run\":\"x/y\"}\n");
    end(reported);
}

static void junit_has_a_suite_per_run_and_skips_with_reasons(void **state) {
    struct reported *reported = begin(2, NULL);

    (void)state;
    put(reported, "junit");
    assert_has(reported, "name=\"rnic\" timestamp=\"1970-01-01T00:00:00\" hostname=\"localhost\" tests=\"3\" "
                         "failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.502000\"");
    assert_has(reported, "<property name=\"catalogue\" value=\"aa\"/>");
    assert_has(
        reported, "<testcase classname=\"RFC 5044 4.4\" name=\"mpa-crc-001 A CRC\" time=\"0.002000\"/>");
    assert_has(reported, "<skipped message=\"not applicable: needs what the device does not claim\"/>");
    assert_has(reported, "<failure type=\"MUST\" message=\"expected a &lt;Send&gt;, actual silence\">"
                         "expected: a &lt;Send&gt;\nactual: silence\n");
    assert_has(reported, "requests outstanding: 1 request of the &lt;suite&gt;\n");
    assert_has(reported, "RFC5040-5.3-05 (RFC 5040 5.3, MUST): ");
    /* a case with a warning passes, and the report shows the warning */
    assert_has(reported, "warning mpa-crc-001: it was late\n");
    end(reported);
    reported = begin(1, "rdma-send-001 verdict=fail clause=\"RFC 5040\" reason=\"old\"\n");
    put(reported, "junit");
    assert_has(reported, "failures=\"0\" errors=\"0\" skipped=\"2\"");
    assert_has(reported, "<skipped message=\"fail as expected: old\"/>");
    end(reported);
}

/* The report counts violations by requirement, whatever the cases test. It computes them from the findings
 * and ignores "violation" lines, which are untrusted. */
static void each_form_reports_violations_by_the_device(void **state) {
    struct reported *reported = begin(2, NULL);

    (void)state;
    iw_outcome_clear(&reported->runs[1]);
    outcome_run(&reported->test, &reported->runs[1], "x/y",
        OUTCOME_FAIL
        "{\"type\":\"violation\",\"requirement\":\"RFC5044-4.4-11\",\"cases\":99}\n" OUTCOME_SUMMARY);
    put(reported, "text");
    assert_has(reported, "\nViolations by the device:\n"
                         "      1 case  RFC5044-4.4-11 (RFC 5044 4.4, MUST): The CRC is ");
    assert_has(reported, "\n               first in rdma-send-001, frame 9\n");
    put(reported, "jsonl");
    assert_has(reported,
        "{\"type\":\"violation\",\"requirement\":\"RFC5044-4.4-11\",\"document\":\"RFC 5044\","
        "\"section\":\"4.4\",\"level\":\"MUST\",\"words\":\"The CRC is ");
    assert_has(reported, "\"cases\":1,\"frames\":1,\"first\":\"rdma-send-001\",\"frame\":9,\"run\":\"x/y\"}");
    assert_null(strstr(reported->text, "\"cases\":99"));
    put(reported, "junit");
    assert_has(reported, "\nviolates: RFC5044-4.4-11 ");
    assert_has(reported, " in frame 9: CRC is wrong\n");
    assert_has(reported, "\nthe device violates RFC5044-4.4-11 (RFC 5044 4.4, MUST) in 1 case, first in "
                         "rdma-send-001: The CRC is ");
    put(reported, "html");
    assert_has(reported, "<li><a href=\"#violations\">Violations</a> <span class=\"count\">1</span></li>");
    assert_has(reported, "<td class=\"short\">x/y</td><th scope=\"row\" class=\"short\">RFC5044-4.4-11</th>"
                         "<td class=\"short\">RFC 5044 4.4</td><td>MUST</td>");
    assert_has(reported, "</td><td class=\"number\">1</td><td class=\"number\">1</td>"
                         "<td><a href=\"#c1\">rdma-send-001</a>, frame 9</td></tr>");
    end(reported);
}

static void a_conforming_device_has_no_list_of_violations(void **state) {
    struct reported *reported = begin(1, NULL);

    (void)state;
    iw_outcome_clear(&reported->runs[0]);
    outcome_run(&reported->test, &reported->runs[0], "a", OUTCOME_PASS OUTCOME_SUMMARY);
    for (size_t i = 0; i < 4; i++) {
        static const char *const forms[] = {"text", "jsonl", "junit", "html"};

        put(reported, forms[i]);
        assert_null(strstr(reported->text, "the device sent violates"));
        assert_null(strstr(reported->text, "\"violation\""));
        assert_null(strstr(reported->text, "#violations\""));
    }
    end(reported);
}

/* What was not tested must not look like a pass, in whatever form. */
static void each_form_tells_what_was_not_tested(void **state) {
    static const struct {
        const char *form, *headline, *reason, *by_requirement;
    } rows[] = {
        {"text", "\na: requirements: 1 of 2 tested, 1 pass; cases: 1 of 2 that apply tested\n",
            "\n  not tested: 1 case: needs an agent\n", "\n  not tested         1  needs an agent\n"},
        {"junit", "\nrequirements: 1 of 2 tested, 1 pass; cases: 1 of 2 that apply tested\n",
            "<skipped message=\"not tested: needs an agent\"/>",
            "\n  not tested         1  needs an agent\n"},
        {"tap", "\n# requirements: 1 of 2 tested, 1 pass; cases: 1 of 2 that apply tested\n",
            " # SKIP not tested: needs an agent\n", "\n#   not tested         1  needs an agent\n"},
        {"html", ">requirements: 1 of 2 tested, 1 pass; cases: 1 of 2 that apply tested</p>",
            "<li>1 case: needs an agent</li>", "<th scope=\"col\" class=\"number\">Not tested</th>"},
        {"jsonl", "\"cases_applicable\":2,\"cases_tested\":1", "\"verdict\":\"not tested\"",
            "{\"type\":\"requirement\",\"requirement\":\"RFC5040-5.3-05\""},
        {"matrix", "\na: requirements: 1 of 2 tested, 1 pass; cases: 1 of 2 that apply tested\n", "untested",
            "\nnot tested                  1"},
    };
    struct reported *reported = begin(1, NULL);

    (void)state;
    iw_outcome_clear(&reported->runs[0]);
    outcome_run(&reported->test, &reported->runs[0], "a",
        "{\"type\":\"run\",\"profile\":{\"profile\":\"ours.lua\",\"claims\":[\"markers\"]}}\n" OUTCOME_PASS
        "{\"type\":\"case\",\"case\":\"b-001\",\"title\":\"b\",\"requirements\":[\"RFC5040-5.3-05\"],"
        "\"verdict\":\"not tested\",\"message\":\"needs an agent\"}\n"
        "{\"type\":\"summary\",\"cases\":2,\"exit\":2}\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put(reported, rows[i].form);
        assert_has(reported, rows[i].headline);
        assert_has(reported, rows[i].reason);
        assert_has(reported, rows[i].by_requirement);
        if (strcmp(rows[i].form, "html") == 0) {
            assert_has(reported, "<title>not fully judged: a - warpcheck</title>");
            assert_has(reported, "<dt>profile</dt><dd class=\"path\">ours.lua</dd>");
        }
    }
    assert_int_equal(iw_outcome_report_exit(&reported->report), IW_EXIT_UNJUDGED);
    end(reported);
}

static void expect_title(struct reported *reported, const char *words) {
    char title[128];

    snprintf(title, sizeof title, "<title>%s: a - warpcheck</title>", words);
    put(reported, "html");
    assert_has(reported, title);
}

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
        struct reported *reported = begin(1, NULL);
        char lines[1024];

        snprintf(lines, sizeof lines, "%s%s%s",
            "{\"type\":\"run\",\"selected\":3,\"available\":3,\"requirements\":"
            "[\"RFC5044-4.4-13\",\"RFC5040-5.3-05\"]}\n",
            OUTCOME_PASS, rows[i].summary);
        iw_outcome_clear(&reported->runs[0]);
        outcome_run(&reported->test, &reported->runs[0], "a", lines);
        put(reported, "text");
        assert_has(reported, "\na: requirements: 1 of 2 tested, 1 pass; cases: 1 of 3 that apply tested\n");
        assert_has(reported, "\n  not tested         1  the run ended before its cases\n");
        put(reported, "junit");
        assert_has(reported, "tests=\"2\"");
        assert_has(reported, rows[i].junit);
        put(reported, "tap");
        assert_has(reported, rows[i].tap);
        expect_title(reported, "not fully judged");
        assert_has(reported, rows[i].html);
        end(reported);
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
        struct reported *reported = begin(1, NULL);

        iw_outcome_clear(&reported->runs[0]);
        outcome_run(&reported->test, &reported->runs[0], "a", rows[i].lines);
        put(reported, "text");
        assert_has(reported, rows[i].text);
        put(reported, "junit");
        assert_has(reported, " tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\" ");
        assert_has(reported, rows[i].junit);
        put(reported, "tap");
        assert_has(reported, rows[i].tap);
        expect_title(reported, rows[i].title);
        assert_has(reported, rows[i].html);
        assert_has(reported, "<p class=\"verdict unjudged\">");
        assert_int_equal(iw_outcome_report_exit(&reported->report), rows[i].exit);
        end(reported);
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
    struct reported *reported = begin(1, NULL);
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
        put(reported, forms[i].form);
        for (size_t j = 0; j < sizeof facts / sizeof *facts; j++) {
            snprintf(wanted, sizeof wanted, forms[i].pattern, facts[j].name, facts[j].value);
            assert_has(reported, wanted);
        }
        assert_null(strstr(reported->text, "\nBail out!"));
    }
    put(reported, "text");
    assert_has(reported, "\n  options     --only ^mpa --lab 'our lab'\n");
    end(reported);
}

/* Results of earlier versions lack most facts: what is not known is not there. */
static void unknown_facts_are_left_out(void **state) {
    struct reported *reported = begin(1, NULL);

    (void)state;
    put(reported, "text");
    assert_has(
        reported, "rnic:\n  profile     rnic\n  version     1.0\n  catalogue   aa\n\nrnic: by document");
    put(reported, "junit");
    assert_null(strstr(reported->text, "name=\"ended\""));
    put(reported, "matrix");
    assert_has(reported, "\nrnic: profile rnic; version 1.0; catalogue aa\n");
    end(reported);
}

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
        struct reported *reported = begin(1, NULL);
        char lines[1024];

        snprintf(lines, sizeof lines, "%s%s{\"type\":\"summary\",\"cases\":1,\"exit\":0}\n", rows[i].header,
            OUTCOME_PASS);
        iw_outcome_clear(&reported->runs[0]);
        outcome_run(&reported->test, &reported->runs[0], "a", lines);
        expect_title(reported, rows[i].words);
        assert_int_equal(
            strstr(reported->text, "The embedded peer was tested, not a device.") != NULL, i == 3);
        end(reported);
    }
}

static void known_failures_are_no_pass(void **state) {
    struct reported *reported =
        begin(1, "rdma-send-001 verdict=fail clause=\"RFC 5040\" reason=\"old\"\n"
                 "mpa-marker-001 verdict=not_applicable clause=\"RFC 5044\" reason=\"old\"\n");

    (void)state;
    put(reported, "html");
    assert_has(reported, "<p class=\"verdict conforms\">as expected</p>");
    end(reported);
}

/* Both runs have the case rdma-send-001: it fails in one, and passes in the other. */
static void counts_are_never_summed_over_runs(void **state) {
    struct reported *reported = begin(2, NULL);

    (void)state;
    put(reported, "text");
    assert_has(reported, "rnic: by document and section, cases and their verdicts:\n");
    assert_has(reported, "  RFC 5040 5.3                                   1  1 fail\n");
    assert_has(reported, "x/y: by document and section, cases and their verdicts:\n");
    assert_has(reported, "  RFC 5040 5.3                                   1  1 pass\n");
    put(reported, "html");
    assert_has(reported, "RFC 5040 5.3</th><td class=\"tags\"><span class=\"short\">1 <span class=\"tag "
                         "violates\">fail</span></span> </td><td>1 case</td>");
    assert_has(reported, "value=\"fail\" checked> fail <span class=\"count\">1</span>");
    assert_has(reported, "value=\"pass\" checked> pass <span class=\"count\">2</span>");
    end(reported);
}

static void wrong_claims_and_flakes_count(void **state) {
    struct reported *reported =
        begin(1, "rdma-send-001 verdict=fail clause=\"RFC 5040\" reason=\"old\"\n"
                 "mpa-marker-001 verdict=not_applicable clause=\"RFC 5044\" reason=\"old\"\n");

    (void)state;
    assert_int_equal(iw_outcome_report_exit(&reported->report), IW_EXIT_CONFORMS);
    iw_outcome_clear(&reported->runs[0]);
    outcome_run(&reported->test, &reported->runs[0], "a",
        OUTCOME_PASS "{\"type\":\"flake\",\"case\":\"mpa-crc-001\",\"verdicts\":{\"pass\":3,\"fail\":1}}\n"
                     "{\"type\":\"summary\",\"exit\":2}\n");
    assert_int_equal(iw_outcome_report_exit(&reported->report), IW_EXIT_UNJUDGED);
    put(reported, "text");
    assert_has(reported, "a: 1 case: 1 pass, 0 fail; 1 flaky\n");
    assert_has(reported, "  flake mpa-crc-001: pass 3, fail 1\n");
    put(reported, "junit");
    assert_has(reported, "tests=\"2\" failures=\"0\" errors=\"1\"");
    assert_has(reported, "<testcase classname=\"repeats\" name=\"mpa-crc-001\" time=\"0\">");
    iw_outcome_clear(&reported->runs[0]);
    outcome_run(&reported->test, &reported->runs[0], "a",
        OUTCOME_PASS "{\"type\":\"claim\",\"claim\":\"markers\",\"case\":\"mpa-crc-001\",\"message\":\"asks "
                     "for Markers\"}\n"
                     "{\"type\":\"summary\",\"exit\":1}\n");
    assert_int_equal(iw_outcome_report_exit(&reported->report), IW_EXIT_VIOLATIONS);
    put(reported, "text");
    assert_has(reported, "a: 1 case: 1 pass, 0 fail; 1 wrong claim\n");
    assert_has(reported, "  claim mpa-crc-001: claim markers, message asks for Markers\n");
    put(reported, "junit");
    assert_has(reported, "tests=\"2\" failures=\"1\" errors=\"0\"");
    put(reported, "html");
    assert_has(reported, "<p class=\"path\">claim mpa-crc-001: claim markers, message asks for Markers</p>");
    end(reported);
}

/* Untrusted text is escaped, and violations in the wire log are marked. */
static void the_page_is_self_contained(void **state) {
    struct reported *reported = begin(2, NULL);

    (void)state;
    put(reported, "html");
    assert_has(reported, "<title>fails: 2 runs - warpcheck</title>");
    assert_has(reported, "A &lt;Send&gt; &amp; more");
    assert_null(strstr(reported->text, "<Send>"));
    assert_has(reported, "<a href=\"#d0-1\"><span class=\"tag violates\">fail</span></a>");
    assert_has(reported, "<mark>    ! error &lt;here&gt;</mark>\n");
    assert_has(reported, "No wire log.");
    assert_null(strstr(reported->text, "{{"));
    assert_null(strstr(reported->text, "http:"));
    end(reported);
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
    put(reported, "html");
    for (int i = CASES - 8; i < CASES; i++) {
        snprintf(name, sizeof name, "/a/c-%d.log.</p>", i);
        assert_int_equal(strstr(reported->text, name) != NULL, i < CASES - 1 && i >= 63);
    }
    assert_has(reported, "Wire log not shown because of its size: see ");
    end(reported);
    free(log);
    free(text);
}

#define REPEAT(number, rest)                                                                                 \
    "{\"type\":\"case\",\"case\":\"a-001\",\"repeat\":" number ",\"title\":\"A\",\"requirements\":[]," rest  \
    "}\n"

/* Repeat 2 failed in one run, and repeat 3 closed in a different way; the other repeats equal repeat 1. */
static void equal_repeats_are_not_listed(void **state) {
    struct reported *reported = begin(2, NULL);

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
    put(reported, "matrix");
    assert_has(reported, "\na-001 #2                    pass      FAIL      A\n"
                         "a-001 #3                    pass      -         A\n"
                         "1 case with the same verdict in every run: not listed\n"
                         "2 repeats that ended like the first: not listed\n");
    assert_has(reported, "\npass                        4         3       \n");
    put(reported, "html");
    assert_has(reported, "<p class=\"beyond\">2 repeats that ended like the first: not listed.</p>");
    assert_has(reported, ">a-001 #3</a>");
    assert_null(strstr(reported->text, "a-001 #4"));
    end(reported);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_prefers_logs_of_the_worst_verdicts),
        cmocka_unit_test(the_text_has_sections_and_failed_cases),
        cmocka_unit_test(control_characters_do_not_reach_a_terminal),
        cmocka_unit_test(with_expectations_the_text_has_new_fixed_and_stale),
        cmocka_unit_test(the_matrix_has_cases_by_runs_and_pairs),
        cmocka_unit_test(json_is_that_of_the_run_and_its_name),
        cmocka_unit_test(junit_has_a_suite_per_run_and_skips_with_reasons),
        cmocka_unit_test(each_form_reports_violations_by_the_device),
        cmocka_unit_test(a_conforming_device_has_no_list_of_violations),
        cmocka_unit_test(each_form_tells_what_was_not_tested),
        cmocka_unit_test(each_form_tells_that_the_run_ended_early),
        cmocka_unit_test(each_form_tells_why_no_case_has_a_result),
        cmocka_unit_test(each_form_has_the_facts_of_the_run),
        cmocka_unit_test(unknown_facts_are_left_out),
        cmocka_unit_test(the_page_says_what_passes),
        cmocka_unit_test(known_failures_are_no_pass),
        cmocka_unit_test(counts_are_never_summed_over_runs),
        cmocka_unit_test(wrong_claims_and_flakes_count),
        cmocka_unit_test(the_page_is_self_contained),
        cmocka_unit_test(equal_repeats_are_not_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
