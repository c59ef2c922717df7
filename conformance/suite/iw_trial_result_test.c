#include "iw_trial_result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "iw_opcode.h"

static const bool own[2] = {[IW_SIDE_A] = true};
static const struct iw_verdict_rules home = {0}, foreign = {.foreign = true}, strict = {.strict = true},
                                     lossy = {.lossy = true};

/* Adds an event with that finding of the monitor. The suite is side A, the device side B. */
static void add_event(
    struct iw_trial_result *result, const struct iw_llp_event *llp, const struct iw_finding *finding) {
    const struct iw_monitor_event event = {.llp = llp, .findings = finding, .finding_count = finding ? 1 : 0};

    iw_trial_result_event(result, 1, own, &event);
}

static void add_finding(
    struct iw_trial_result *result, enum iw_side side, size_t requirement, uint64_t frame) {
    static const struct iw_llp_event llp = {.kind = IW_LLP_LOSS, .side = IW_SIDE_B};
    const struct iw_finding finding = {
        .requirement = &iw_requirements[requirement], .side = side, .frame = frame, .message = "no CRC"};

    add_event(result, &llp, &finding);
}

static void add_close(struct iw_trial_result *result, enum iw_side side, enum iw_llp_close close) {
    const struct iw_llp_event llp = {.kind = IW_LLP_CLOSE, .side = side, .close = close};

    add_event(result, &llp, NULL);
}

static enum iw_verdict judged(
    enum iw_scenario_outcome outcome, enum iw_severity severity, const struct iw_verdict_rules *rules) {
    static const struct iw_case one;
    struct iw_trial_result result = {.one = &one, .severity = severity};
    const struct iw_scenario_result script = {.outcome = outcome, .message = "", .script = "", .step = ""};

    iw_trial_result_script(&result, rules, &script);
    iw_trial_result_judge(&result, rules);
    return result.verdict;
}

static void severity_of_failure_is_that_of_clause(void **state) {
    (void)state;
    assert_int_equal(judged(IW_SCENARIO_OK, IW_SEVERITY_ERROR, &strict), IW_VERDICT_PASS);
    assert_int_equal(judged(IW_SCENARIO_FAILED, IW_SEVERITY_ERROR, &home), IW_VERDICT_FAIL);
    assert_int_equal(judged(IW_SCENARIO_FAILED, IW_SEVERITY_WARNING, &home), IW_VERDICT_WARNING);
    assert_int_equal(judged(IW_SCENARIO_FAILED, IW_SEVERITY_WARNING, &strict), IW_VERDICT_FAIL);
    assert_int_equal(judged(IW_SCENARIO_FAILED, IW_SEVERITY_NOTE, &strict), IW_VERDICT_NOTE);
}

/* The verdict of a failed script; `explained`: lost packets would explain the failure. */
static enum iw_verdict judged_failure(
    bool explained, const struct iw_verdict_rules *rules, char message[512]) {
    static const struct iw_case one;
    struct iw_trial_result result = {.one = &one, .severity = IW_SEVERITY_ERROR};
    const struct iw_scenario_result script = {.outcome = IW_SCENARIO_FAILED,
        .message = "no answer",
        .script = "",
        .step = "",
        .loss_explains = explained};

    iw_trial_result_script(&result, rules, &script);
    memcpy(message, result.reason.message, sizeof result.reason.message);
    return result.verdict;
}

static void lost_packets_fail_no_case(void **state) {
    char message[512];

    (void)state;
    assert_int_equal(judged_failure(true, &lossy, message), IW_VERDICT_INCONCLUSIVE);
    assert_string_equal(
        message, "no answer; the network loses or reorders packets, which would explain this");
    assert_int_equal(judged_failure(false, &lossy, message), IW_VERDICT_FAIL);
    assert_string_equal(message, "no answer");
    assert_int_equal(judged_failure(true, &home, message), IW_VERDICT_FAIL);
    assert_int_equal(judged(IW_SCENARIO_ABSENT, IW_SEVERITY_ERROR, &lossy), IW_VERDICT_INCONCLUSIVE);
    assert_int_equal(judged(IW_SCENARIO_UNREACHED, IW_SEVERITY_ERROR, &lossy), IW_VERDICT_INCONCLUSIVE);
    assert_int_equal(judged(IW_SCENARIO_OK, IW_SEVERITY_ERROR, &lossy), IW_VERDICT_PASS);
}

/* The device should close with a Terminate and FIN. */
static enum iw_close_verdict judged_close(enum iw_llp_close close, const struct iw_verdict_rules *rules) {
    static const struct iw_case one = {.closes = {"terminate+fin"}, .close_count = 1};
    struct iw_trial_result result = {.one = &one};

    add_close(&result, IW_SIDE_B, close);
    iw_trial_result_judge(&result, rules);
    return result.close.verdict;
}

/* Nothing repeats a lost RST, and one that overtakes a Terminate destroys it; a FIN comes after all data. */
static void lossy_network_hides_how_the_device_closed(void **state) {
    (void)state;
    assert_int_equal(judged_close(IW_LLP_CLOSE_ABORTIVE, &home), IW_CLOSE_WRONG);
    assert_int_equal(judged_close(IW_LLP_CLOSE_ABORTIVE, &lossy), IW_CLOSE_NOT_JUDGED);
    assert_int_equal(judged_close(IW_LLP_CLOSE_INPUT, &lossy), IW_CLOSE_NOT_JUDGED);
    assert_int_equal(judged_close(IW_LLP_CLOSE_GRACEFUL, &lossy), IW_CLOSE_WRONG);
}

static void foreign_text_becomes_one_line(void **state) {
    static const struct iw_case one;
    struct iw_trial_result result = {.one = &one};

    (void)state;
    /* text of an agent that forges a line of the run, and erases the lines above it */
    iw_trial_result_set(&result, IW_VERDICT_INCONCLUSIVE, "register: no\nFAIL      a-001\x1b[2J");
    assert_string_equal(result.reason.message, "register: no FAIL      a-001?[2J");
}

static void unreachable_foreign_device_is_inconclusive(void **state) {
    (void)state;
    assert_int_equal(judged(IW_SCENARIO_ABSENT, IW_SEVERITY_ERROR, &home), IW_VERDICT_FAIL);
    assert_int_equal(judged(IW_SCENARIO_ABSENT, IW_SEVERITY_ERROR, &foreign), IW_VERDICT_INCONCLUSIVE);
    assert_int_equal(judged(IW_SCENARIO_UNREACHED, IW_SEVERITY_ERROR, &home), IW_VERDICT_ERROR);
    assert_int_equal(judged(IW_SCENARIO_UNREACHED, IW_SEVERITY_ERROR, &foreign), IW_VERDICT_INCONCLUSIVE);
    assert_int_equal(judged(IW_SCENARIO_ERROR, IW_SEVERITY_ERROR, &foreign), IW_VERDICT_ERROR);
    assert_int_equal(judged(IW_SCENARIO_UNSUPPORTED, IW_SEVERITY_ERROR, &foreign), IW_VERDICT_NOT_TESTED);
    assert_int_equal(
        judged(IW_SCENARIO_INAPPLICABLE, IW_SEVERITY_ERROR, &foreign), IW_VERDICT_NOT_APPLICABLE);
}

/* The verdict on a close of the device, in a case that permits two ways to close. */
static enum iw_close_verdict close_judged(enum iw_llp_close close) {
    const struct iw_case one = {.closes = {"rst", "fin"}, .close_count = 2};
    struct iw_trial_result result = {.one = &one};

    add_close(&result, IW_SIDE_A, IW_LLP_CLOSE_ABORTIVE);
    add_close(&result, IW_SIDE_B, close);
    iw_trial_result_judge(&result, &home);
    return result.close.verdict;
}

static void close_of_device_is_judged(void **state) {
    (void)state;
    assert_int_equal(close_judged(IW_LLP_CLOSE_ABORTIVE), IW_CLOSE_RIGHT);
    assert_int_equal(close_judged(IW_LLP_CLOSE_GRACEFUL), IW_CLOSE_TOLERATED);
    assert_int_equal(close_judged(IW_LLP_CLOSE_INPUT), IW_CLOSE_WRONG);
}

/* RFC 5044 4.4 has a MUST for the CRC; a violation of the case itself is not the device's. */
static void finding_fails_a_passed_script(void **state) {
    static const struct iw_case one;
    struct iw_trial_result result = {.one = &one};

    (void)state;
    add_finding(&result, IW_SIDE_A, IW_REQ_RFC5044_4_4_11, 3);
    iw_trial_result_judge(&result, &home);
    assert_int_equal(result.verdict, IW_VERDICT_PASS);
    add_finding(&result, IW_SIDE_B, IW_REQ_RFC5044_4_4_11, 4);
    iw_trial_result_judge(&result, &home);
    assert_int_equal(result.verdict, IW_VERDICT_FAIL);
    assert_string_equal(result.reason.message, "RFC5044-4.4-11 in frame 4: no CRC");
    assert_int_equal(result.findings.counts[IW_SEVERITY_ERROR], 1);
}

/* The first requirement of that severity. */
static size_t requirement_of(enum iw_severity severity) {
    size_t at = 0;

    while (iw_requirement_severity(&iw_requirements[at]) != severity)
        at++;
    return at;
}

/* Judges a case with this verdict of its script, and a finding of this severity about the device. */
static enum iw_verdict judged_with_finding(
    struct iw_trial_result *result, enum iw_verdict script, enum iw_severity severity) {
    static const struct iw_case one;

    *result = (struct iw_trial_result){.one = &one,
        .verdict = script,
        .end = script == IW_VERDICT_INCONCLUSIVE ? IW_TRIAL_UNFINISHED : IW_TRIAL_FINISHED,
        .reason = {.message = "no Markers", .script = "a.lua", .line = 7}};
    add_finding(result, IW_SIDE_B, requirement_of(severity), 4);
    iw_trial_result_judge(result, &home);
    return result->verdict;
}

/* What became of the case itself stays known: the finding says nothing about its requirements. */
static void violation_counts_whatever_became_of_the_case(void **state) {
    static const enum iw_verdict undecided[] = {
        IW_VERDICT_NOT_APPLICABLE, IW_VERDICT_NOT_TESTED, IW_VERDICT_INCONCLUSIVE};
    struct iw_trial_result result;

    (void)state;
    for (size_t i = 0; i < sizeof undecided / sizeof *undecided; i++) {
        assert_int_equal(judged_with_finding(&result, undecided[i], IW_SEVERITY_ERROR), IW_VERDICT_FAIL);
        assert_int_equal(result.severity, IW_SEVERITY_ERROR);
        assert_int_equal(result.checks.verdict, undecided[i]);
        assert_string_equal(result.checks.message, "no Markers");
        assert_string_equal(result.reason.script, "");
        assert_int_equal(result.reason.line, 0);
        assert_int_equal(result.end, IW_TRIAL_FINISHED);
    }
    assert_int_equal(judged_with_finding(&result, IW_VERDICT_ERROR, IW_SEVERITY_ERROR), IW_VERDICT_ERROR);
    assert_int_equal(result.checks.verdict, IW_VERDICT_PASS);
}

/* A warning does not change the exit code of a run, but a case that is not judged does. */
static void warning_does_not_hide_a_case_that_is_not_judged(void **state) {
    struct iw_trial_result result;

    (void)state;
    assert_int_equal(
        judged_with_finding(&result, IW_VERDICT_NOT_APPLICABLE, IW_SEVERITY_WARNING), IW_VERDICT_WARNING);
    assert_int_equal(
        judged_with_finding(&result, IW_VERDICT_NOT_APPLICABLE, IW_SEVERITY_NOTE), IW_VERDICT_NOTE);
    assert_int_equal(
        judged_with_finding(&result, IW_VERDICT_NOT_TESTED, IW_SEVERITY_WARNING), IW_VERDICT_NOT_TESTED);
    assert_int_equal(
        judged_with_finding(&result, IW_VERDICT_INCONCLUSIVE, IW_SEVERITY_WARNING), IW_VERDICT_INCONCLUSIVE);
    assert_int_equal(result.end, IW_TRIAL_UNFINISHED);
}

static void severest_findings_are_kept(void **state) {
    static const struct iw_case one;
    struct iw_trial_result result = {.one = &one};

    (void)state;
    for (uint64_t i = 1; i <= IW_TRIAL_FINDINGS_MAX; i++)
        add_finding(&result, IW_SIDE_B, requirement_of(IW_SEVERITY_WARNING), i);
    add_finding(&result, IW_SIDE_B, requirement_of(IW_SEVERITY_WARNING), 50);
    assert_int_equal(result.findings.kept[IW_TRIAL_FINDINGS_MAX - 1].frame, IW_TRIAL_FINDINGS_MAX);
    add_finding(&result, IW_SIDE_B, requirement_of(IW_SEVERITY_ERROR), 51);
    assert_int_equal(result.findings.kept_count, IW_TRIAL_FINDINGS_MAX);
    assert_int_equal(result.findings.kept[IW_TRIAL_FINDINGS_MAX - 1].frame, 51);
    assert_int_equal(result.findings.counts[IW_SEVERITY_WARNING], IW_TRIAL_FINDINGS_MAX + 1);
    iw_trial_result_judge(&result, &home);
    assert_int_equal(result.verdict, IW_VERDICT_FAIL);
}

/* The device closes the connection 250 ms after a Read Request of the suite, without a response. */
static void unanswered_requests_are_listed(void **state) {
    static const struct iw_case one;
    struct iw_trial_result result = {.one = &one};
    const struct iw_unanswered reads = {.count = 3,
        .perhaps = 1,
        .end = IW_UNANSWERED_CLOSED,
        .named_count = 1,
        .named = {{.opcode = IW_RDMAP_OP_READ_REQUEST, .msn = 4, .frame = 9, .time_ns = 1000000000}}};
    const struct iw_llp_event llp = {
        .kind = IW_LLP_CLOSE, .side = IW_SIDE_B, .close = IW_LLP_CLOSE_GRACEFUL, .time_ns = 1250000000};
    const struct iw_monitor_event event = {.llp = &llp, .unanswered = {[IW_SIDE_A] = &reads}};

    (void)state;
    iw_trial_result_event(&result, 1, own, &event);
    assert_string_equal(result.close.outstanding,
        "3 requests of the suite without a response when the connection was closed (1 perhaps answered), the "
        "first an RDMA Read Request, MSN 4, in frame 9, 0.250 s before");
    iw_trial_result_judge(&result, &home);
    assert_int_equal(result.verdict, IW_VERDICT_PASS);
}

static void open_connection_names_frame_of_request(void **state) {
    static const struct iw_case one;
    struct iw_trial_result result = {.one = &one};
    const struct iw_unanswered sends = {.count = 1,
        .end = IW_UNANSWERED_INPUT,
        .named_count = 1,
        .named = {{.opcode = IW_RDMAP_OP_READ_REQUEST, .msn = 1, .frame = 7, .time_ns = 1000000000}}};
    const struct iw_llp_event llp = {.kind = IW_LLP_CLOSE, .side = IW_SIDE_B, .close = IW_LLP_CLOSE_INPUT};
    const struct iw_monitor_event event = {.llp = &llp, .unanswered = {[IW_SIDE_A] = &sends}};

    (void)state;
    iw_trial_result_event(&result, 1, own, &event);
    assert_string_equal(result.close.outstanding,
        "1 request of the suite without a response at the end of the "
        "capture, the first an RDMA Read Request, MSN 1, in frame 7");
}

/* Requests of the device on the second connection. A request is not named if another request took its
 * response. */
static void unanswered_requests_of_device_are_listed(void **state) {
    static const struct iw_case one;
    struct iw_trial_result result = {.one = &one};
    const struct iw_unanswered suite = {.count = 1, .end = IW_UNANSWERED_RESET};
    const struct iw_unanswered device = {.count = 1, .end = IW_UNANSWERED_TERMINATE};
    struct iw_llp_event llp = {.kind = IW_LLP_CLOSE, .side = IW_SIDE_B, .close = IW_LLP_CLOSE_ABORTIVE};
    struct iw_monitor_event event = {.llp = &llp, .unanswered = {[IW_SIDE_A] = &suite}};

    (void)state;
    iw_trial_result_event(&result, 1, own, &event);
    llp.side = IW_SIDE_A;
    event.unanswered[IW_SIDE_A] = NULL;
    event.unanswered[IW_SIDE_B] = &device;
    iw_trial_result_event(&result, 2, own, &event);
    assert_string_equal(result.close.outstanding,
        "1 request of the suite without a response when the connection was reset; connection 2: 1 request of "
        "the device without a response after a Terminate");
}

/* A violation of RFC5044-4.4-11, number 7 of its connection. */
static void add_wrong_crc(struct iw_trial_result *result, unsigned connection, enum iw_side side) {
    static const struct iw_llp_event llp = {.kind = IW_LLP_LOSS, .side = IW_SIDE_B};
    const struct iw_finding finding = {
        .requirement = iw_requirement_find("RFC5044-4.4-11"), .number = 7, .side = side, .frame = 9};
    const struct iw_monitor_event event = {.llp = &llp, .findings = &finding, .finding_count = 1};

    assert_non_null(finding.requirement);
    iw_trial_result_event(result, connection, own, &event);
}

static void add_terminate(struct iw_trial_result *result, unsigned connection, unsigned code) {
    const struct iw_llp_event llp = {.kind = IW_LLP_LOSS, .side = IW_SIDE_A};
    const struct iw_terminate_message terminate = {
        .control = {.layer = 2, .etype = 0, .code = (uint8_t)code}};
    const struct iw_monitor_event event = {.llp = &llp, .terminate = &terminate};

    iw_trial_result_event(result, connection, own, &event);
}

static void assert_follows(
    struct iw_trial_result *result, enum iw_scenario_outcome outcome, bool ended, uint64_t number) {
    const struct iw_scenario_result script = {
        .outcome = outcome, .message = "", .script = "", .step = "", .stream_ended = ended};

    iw_trial_result_script(result, &home, &script);
    assert_int_equal(result->findings.follows, number);
}

/* The suite answers a wrong CRC by a Terminate 2/0/02; the script fails at the end of the stream. */
static void a_failure_follows_from_a_violation_that_ended_the_stream(void **state) {
    static const struct iw_case one;
    struct iw_trial_result result = {.one = &one};

    (void)state;
    add_wrong_crc(&result, 1, IW_SIDE_B);
    assert_follows(&result, IW_SCENARIO_FAILED, true, 0); /* the stream has ended without the Terminate */
    add_terminate(&result, 1, 3);
    assert_follows(&result, IW_SCENARIO_FAILED, true, 0); /* it reports something else */
    add_terminate(&result, 1, 2);
    assert_follows(&result, IW_SCENARIO_FAILED, true, 7);
    assert_follows(&result, IW_SCENARIO_FAILED, false, 0);
    assert_follows(&result, IW_SCENARIO_OK, true, 0);
    assert_follows(&result, IW_SCENARIO_DEADLINE, true, 0);
    add_wrong_crc(&result, 2, IW_SIDE_B);
    assert_follows(&result, IW_SCENARIO_FAILED, true, 0); /* perhaps because of the other connection */
}

/* The side closes its stream after 48 octets of a startup frame or FPDU, which violates a requirement. */
static void add_cut(struct iw_trial_result *result, enum iw_side side, bool startup) {
    const struct iw_llp_event llp = {.kind = IW_LLP_CLOSE,
        .close = IW_LLP_CLOSE_GRACEFUL,
        .side = side,
        .pending = {.octets = 48, .startup = startup}};
    const struct iw_finding finding = {
        .requirement = iw_requirement_find("RFC5044-4.4-10"), .number = 9, .side = side};
    const struct iw_monitor_event event = {.llp = &llp, .findings = &finding, .finding_count = 1};

    assert_non_null(finding.requirement);
    iw_trial_result_event(result, 1, own, &event);
}

/* The device closes within an FPDU, and the script fails at the end of the stream. */
static void a_failure_follows_from_an_fpdu_that_the_device_cut(void **state) {
    static const struct iw_case one;
    struct iw_trial_result result = {.one = &one}, suite = {.one = &one}, startup = {.one = &one};

    (void)state;
    add_cut(&result, IW_SIDE_B, false);
    assert_follows(&result, IW_SCENARIO_FAILED, true, 9);
    assert_follows(&result, IW_SCENARIO_FAILED, false, 0);
    assert_follows(&result, IW_SCENARIO_OK, true, 0);
    add_wrong_crc(&result, 2, IW_SIDE_B);
    assert_follows(&result, IW_SCENARIO_FAILED, true, 0); /* perhaps because of the other connection */
    add_cut(&suite, IW_SIDE_A, false);
    assert_follows(&suite, IW_SCENARIO_FAILED, true, 0);
    add_cut(&startup, IW_SIDE_B, true);
    assert_follows(&startup, IW_SCENARIO_FAILED, true, 0);
}

static void a_terminate_answers_violations_of_the_device_before_it(void **state) {
    static const struct iw_case one;
    struct iw_trial_result early = {.one = &one}, suite = {.one = &one};

    (void)state;
    add_terminate(&early, 1, 2);
    add_wrong_crc(&early, 1, IW_SIDE_B);
    assert_follows(&early, IW_SCENARIO_FAILED, true, 0);
    add_wrong_crc(&suite, 1, IW_SIDE_A);
    add_terminate(&suite, 1, 2);
    assert_follows(&suite, IW_SCENARIO_FAILED, true, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(severity_of_failure_is_that_of_clause),
        cmocka_unit_test(lost_packets_fail_no_case),
        cmocka_unit_test(lossy_network_hides_how_the_device_closed),
        cmocka_unit_test(foreign_text_becomes_one_line),
        cmocka_unit_test(unreachable_foreign_device_is_inconclusive),
        cmocka_unit_test(close_of_device_is_judged),
        cmocka_unit_test(finding_fails_a_passed_script),
        cmocka_unit_test(violation_counts_whatever_became_of_the_case),
        cmocka_unit_test(warning_does_not_hide_a_case_that_is_not_judged),
        cmocka_unit_test(severest_findings_are_kept),
        cmocka_unit_test(unanswered_requests_are_listed),
        cmocka_unit_test(open_connection_names_frame_of_request),
        cmocka_unit_test(unanswered_requests_of_device_are_listed),
        cmocka_unit_test(a_failure_follows_from_a_violation_that_ended_the_stream),
        cmocka_unit_test(a_failure_follows_from_an_fpdu_that_the_device_cut),
        cmocka_unit_test(a_terminate_answers_violations_of_the_device_before_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
