#include "iw_json_member.h"
#include "iw_outcome_report_test.h"

static void the_text_has_sections_and_failed_cases(void **state) {
    struct reported *reported = reported_begin(1, NULL);

    (void)state;
    reported_put(reported, "text");
    reported_has(reported, "  RFC 5044 4.4                                   1  1 pass\n");
    reported_has(reported, "  RFC 5040 5.3                                   1  1 fail\n");
    reported_has(reported, "  RFC 5041 5.2                                   1  1 fail\n");
    reported_has(reported, "\nrnic: 3 cases: 1 pass, 1 not applicable, 1 fail; 1 wrong close\n");
    reported_has(reported,
        "  fail rdma-send-001: A <Send> & more\n"
        "    expected  a <Send>\n    actual    silence\n    because   something else came\n"
        "    waiting   1 request of the <suite>\n"
        "    step      ask\n    requires  RFC5040-5.3-05 (RFC 5040 5.3, MUST): ");
    reported_has(reported, "/rnic/rdma-send-001.log\n");
    reported_has(reported, "  not applicable: 1 case: needs what the device does not claim\n");
    assert_null(strstr(reported->text, "pass mpa-crc-001"));
    assert_int_equal(iw_outcome_report_exit(&reported->report), IW_EXIT_VIOLATIONS);
    reported_end(reported);
}

/* A title with escape sequences, as C0 and as C1 control characters. */
static void control_characters_do_not_reach_a_terminal(void **state) {
    struct reported *reported = reported_begin(1, NULL);

    (void)state;
    iw_outcome_clear(&reported->runs[0]);
    outcome_run(&reported->test, &reported->runs[0], "a",
        "{\"type\":\"case\",\"case\":\"a-001\",\"title\":\"x\\u001b[2Jy\\u009bz\\u007f\",\"requirements\":[],"
        "\"verdict\":\"fail\"}\n");
    reported_put(reported, "text");
    reported_has(reported, "  fail a-001: x?[2Jy?z?\n");
    reported_put(reported, "matrix");
    reported_has(reported, "x?[2Jy?z?\n");
    reported_end(reported);
}

static void with_expectations_the_text_has_new_fixed_and_stale(void **state) {
    struct reported *reported =
        reported_begin(1, "mpa-crc-001 verdict=fail clause=\"RFC 5044\" reason=\"firmware 3\"\n"
                          "rdma-send-001 verdict=warning clause=\"RFC 5040\" reason=\"firmware 3\"\n"
                          "rdma-send-999 verdict=fail clause=\"RFC 5040\" reason=\"gone\"\n");

    (void)state;
    reported_put(reported, "text");
    reported_has(reported, "  pass mpa-crc-001: A CRC [fixed]\n");
    reported_has(reported, "  fail rdma-send-001: A <Send> & more [regressed]\n");
    reported_has(reported, "known:2: firmware 3\n");
    assert_null(strstr(reported->text, "mpa-marker-001")); /* that it does not apply needs no line */
    reported_has(
        reported, "/known: 0 expected, 0 new, 1 regressed, 0 better, 1 fixed, 0 not tested, 1 stale\n");
    reported_has(reported, "/known:3: stale: the results have no such case about RFC 5040\n");
    reported_put(reported, "html");
    reported_has(reported, "</a> <span class=\"aside\">regressed</span></td>");
    reported_has(reported, " 0 expected, 0 new, 1 regressed, 0 better, 1 fixed, 0 not tested, 1 stale.</p>");
    reported_has(
        reported, "<p>stale: line 3, rdma-send-999: the results have no such case about RFC 5040</p>");
    reported_has(reported, "<div><dt>known</dt><dd>firmware 3</dd></div>");
    reported_has(reported, "<div><dt>requests outstanding</dt><dd>1 request of the &lt;suite&gt;</dd></div>");
    assert_int_equal(iw_outcome_report_exit(&reported->report), IW_EXIT_VIOLATIONS);
    reported_end(reported);
}

static void the_matrix_has_cases_by_runs_and_pairs(void **state) {
    struct reported *reported = reported_begin(2, NULL);

    (void)state;
    reported_put(reported, "matrix");
    reported_has(reported, "case                        rnic      x/y       title\n");
    reported_has(reported, "\nmpa-crc-001                 pass      -         A CRC\n");
    reported_has(reported, "\nrdma-send-001               FAIL      pass      A <Send> & more\n");
    reported_has(reported, "\nmpa-crc-001 #2              -         WARNING   A CRC\n");
    reported_has(reported, "\npass                        1         1       \n");
    reported_has(reported, "/rnic/CASE.log\n");
    reported_has(reported, "\ninitiator, by responder     y       ");
    reported_has(reported, "\nx                           1/2     \n");
    reported_end(reported);
}

static void json_is_that_of_the_run_and_its_name(void **state) {
    struct reported *reported =
        reported_begin(2, "rdma-send-001 verdict=fail clause=\"RFC 5040\" reason=\"old\"\n");
    json_t *first;

    (void)state;
    reported_put(reported, "jsonl");
    first = json_loads(reported->text, JSON_DISABLE_EOF_CHECK, NULL);
    assert_string_equal(iw_json_member_text(first, "type"), "run");
    assert_string_equal(iw_json_member_text(first, "run"), "rnic");
    json_decref(first);
    reported_has(reported, "\"state\":\"expected\",\"reason\":\"old\",\"run\":\"rnic\"}\n");
    reported_has(reported, "\"message\":\"CRC is wrong\",\"run\":\"rnic\"}\n");
    reported_has(reported, "\"state\":\"fixed\",\"reason\":\"old\",\"run\":\"x/y\"}\n");
    reported_end(reported);
}

static void junit_has_a_suite_per_run_and_skips_with_reasons(void **state) {
    struct reported *reported = reported_begin(2, NULL);

    (void)state;
    reported_put(reported, "junit");
    reported_has(reported,
        "name=\"rnic\" timestamp=\"1970-01-01T00:00:00\" hostname=\"localhost\" tests=\"3\" "
        "failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.502000\"");
    reported_has(reported, "<property name=\"catalogue\" value=\"aa\"/>");
    reported_has(
        reported, "<testcase classname=\"RFC 5044 4.4\" name=\"mpa-crc-001 A CRC\" time=\"0.002000\"/>");
    reported_has(reported, "<skipped message=\"not applicable: needs what the device does not claim\"/>");
    reported_has(reported, "<failure type=\"MUST\" message=\"expected a &lt;Send&gt;, actual silence\">"
                           "expected: a &lt;Send&gt;\nactual: silence\n");
    reported_has(reported, "requests outstanding: 1 request of the &lt;suite&gt;\n");
    reported_has(reported, "RFC5040-5.3-05 (RFC 5040 5.3, MUST): ");
    /* a case with a warning passes, and the report shows the warning */
    reported_has(reported, "warning mpa-crc-001: it was late\n");
    reported_end(reported);
    reported = reported_begin(1, "rdma-send-001 verdict=fail clause=\"RFC 5040\" reason=\"old\"\n");
    reported_put(reported, "junit");
    reported_has(reported, "failures=\"0\" errors=\"0\" skipped=\"2\"");
    reported_has(reported, "<skipped message=\"fail as expected: old\"/>");
    reported_end(reported);
}

/* The report counts violations by requirement, whatever the cases test. It computes them from the findings
 * and ignores "violation" lines, which are untrusted. */
static void each_form_reports_violations_by_the_device(void **state) {
    struct reported *reported = reported_begin(2, NULL);

    (void)state;
    iw_outcome_clear(&reported->runs[1]);
    outcome_run(&reported->test, &reported->runs[1], "x/y",
        OUTCOME_FAIL
        "{\"type\":\"violation\",\"requirement\":\"RFC5044-4.4-11\",\"cases\":99}\n" OUTCOME_SUMMARY);
    reported_put(reported, "text");
    reported_has(reported, "\nViolations by the device:\n"
                           "      1 case  RFC5044-4.4-11 (RFC 5044 4.4, MUST): The CRC is ");
    reported_has(reported, "\n               first in rdma-send-001, frame 9\n");
    reported_put(reported, "jsonl");
    reported_has(reported,
        "{\"type\":\"violation\",\"requirement\":\"RFC5044-4.4-11\",\"document\":\"RFC 5044\","
        "\"section\":\"4.4\",\"level\":\"MUST\",\"words\":\"The CRC is ");
    reported_has(
        reported, "\"cases\":1,\"frames\":1,\"first\":\"rdma-send-001\",\"frame\":9,\"run\":\"x/y\"}");
    assert_null(strstr(reported->text, "\"cases\":99"));
    reported_put(reported, "junit");
    reported_has(reported, "\nviolates: RFC5044-4.4-11 ");
    reported_has(reported, " in frame 9: CRC is wrong\n");
    reported_has(reported, "\nthe device violates RFC5044-4.4-11 (RFC 5044 4.4, MUST) in 1 case, first in "
                           "rdma-send-001: The CRC is ");
    reported_put(reported, "html");
    reported_has(reported, "<li><a href=\"#violations\">Violations</a> <span class=\"count\">1</span></li>");
    reported_has(reported, "<td class=\"short\">x/y</td><th scope=\"row\" class=\"short\">RFC5044-4.4-11</th>"
                           "<td class=\"short\">RFC 5044 4.4</td><td>MUST</td>");
    reported_has(reported, "</td><td class=\"number\">1</td><td class=\"number\">1</td>"
                           "<td><a href=\"#c1\">rdma-send-001</a>, frame 9</td></tr>");
    reported_end(reported);
}

static void a_conforming_device_has_no_list_of_violations(void **state) {
    struct reported *reported = reported_begin(1, NULL);

    (void)state;
    iw_outcome_clear(&reported->runs[0]);
    outcome_run(&reported->test, &reported->runs[0], "a", OUTCOME_PASS OUTCOME_SUMMARY);
    for (size_t i = 0; i < 4; i++) {
        static const char *const forms[] = {"text", "jsonl", "junit", "html"};

        reported_put(reported, forms[i]);
        assert_null(strstr(reported->text, "the device sent violates"));
        assert_null(strstr(reported->text, "\"violation\""));
        assert_null(strstr(reported->text, "#violations\""));
    }
    reported_end(reported);
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
    struct reported *reported = reported_begin(1, NULL);

    (void)state;
    iw_outcome_clear(&reported->runs[0]);
    outcome_run(&reported->test, &reported->runs[0], "a",
        "{\"type\":\"run\",\"profile\":{\"profile\":\"ours.lua\",\"claims\":[\"markers\"]}}\n" OUTCOME_PASS
        "{\"type\":\"case\",\"case\":\"b-001\",\"title\":\"b\",\"requirements\":[\"RFC5040-5.3-05\"],"
        "\"verdict\":\"not tested\",\"message\":\"needs an agent\"}\n"
        "{\"type\":\"summary\",\"cases\":2,\"exit\":2}\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        reported_put(reported, rows[i].form);
        reported_has(reported, rows[i].headline);
        reported_has(reported, rows[i].reason);
        reported_has(reported, rows[i].by_requirement);
        if (strcmp(rows[i].form, "html") == 0) {
            reported_has(reported, "<title>not fully judged: a - warpcheck</title>");
            reported_has(reported, "<dt>profile</dt><dd class=\"path\">ours.lua</dd>");
        }
    }
    assert_int_equal(iw_outcome_report_exit(&reported->report), IW_EXIT_UNJUDGED);
    reported_end(reported);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_has_sections_and_failed_cases),
        cmocka_unit_test(control_characters_do_not_reach_a_terminal),
        cmocka_unit_test(with_expectations_the_text_has_new_fixed_and_stale),
        cmocka_unit_test(the_matrix_has_cases_by_runs_and_pairs),
        cmocka_unit_test(json_is_that_of_the_run_and_its_name),
        cmocka_unit_test(junit_has_a_suite_per_run_and_skips_with_reasons),
        cmocka_unit_test(each_form_reports_violations_by_the_device),
        cmocka_unit_test(a_conforming_device_has_no_list_of_violations),
        cmocka_unit_test(each_form_tells_what_was_not_tested),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
