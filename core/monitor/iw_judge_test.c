#include "iw_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A judge, and its event, of which the tests set only a few members. */
static struct iw_judge judge;
static struct iw_llp_event event;

static int set_up(void **state) {
    (void)state;
    memset(&judge, 0, sizeof judge);
    memset(&event, 0, sizeof event);
    event.kind = IW_LLP_CLOSE;
    event.side = IW_SIDE_B;
    event.frame = 7;
    event.time_ns = 70;
    event.offset = 1000;
    event.octets = 24;
    judge.event.llp = &event;
    judge.party[IW_SIDE_B].side = IW_SIDE_B;
    judge.sender = &judge.party[IW_SIDE_B];
    judge.peer = &judge.party[IW_SIDE_A];
    judge.event.role = IW_ROLE_RESPONDER;
    judge.mpa.terms.initiator_known = true;
    judge.mpa.terms.initiator = IW_SIDE_A;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    free(judge.findings);
    return 0;
}

static void fills_in_side_time_and_place(void **state) {
    struct iw_finding *finding =
        iw_judge_report(&judge, IW_REQ_RFC5041_6_2_1_01, IW_FIELD_COUNT, "The end", "whole", "%s", "torn");

    (void)state;
    assert_int_equal(judge.finding_count, 1);
    assert_ptr_equal(finding, &judge.findings[0]);
    assert_string_equal(finding->requirement->id, "RFC5041-6.2.1-01");
    assert_int_equal(finding->side, IW_SIDE_B);
    assert_int_equal(finding->role, IW_ROLE_RESPONDER);
    assert_int_equal(finding->frame, 7);
    assert_int_equal(finding->time_ns, 70);
    assert_int_equal(finding->offset, 1000);
    assert_int_equal(finding->octets, 24);
    assert_null(finding->field);
    assert_string_equal(finding->expected, "whole");
    assert_string_equal(finding->actual, "torn");
    assert_string_equal(finding->message, "The end is torn, expected whole");
}

static void reports_how_the_value_was_to_be(void **state) {
    struct iw_finding *finding =
        iw_judge_report_value(&judge, IW_REQ_RFC5044_4_4_11, IW_FIELD_COUNT, "It", 512, 513);

    (void)state;
    assert_string_equal(finding->message, "It is 513, expected 512");
    finding = iw_judge_report_at_most(&judge, IW_REQ_RFC5044_4_4_11, IW_FIELD_COUNT, "It", 512, 513);
    assert_string_equal(finding->expected, "at most 512");
    assert_string_equal(finding->actual, "513");
    assert_string_equal(finding->message, "It is 513, expected at most 512");
    finding = iw_judge_report_at_least(
        &judge, IW_REQ_RFC5044_4_4_11, iw_field_ddp_tagged_stag, "It", 4, 3); /* hexadecimal, of 32 bits */
    assert_string_equal(finding->expected, "at least 0x00000004");
    assert_string_equal(finding->actual, "0x00000003");
    assert_string_equal(finding->message, "It is 0x00000003, expected at least 0x00000004");
    finding = iw_judge_report_at_most(&judge, IW_REQ_RFC5044_4_4_11, iw_field_ddp_tagged_to, "It",
        UINT64_MAX - 1, UINT64_MAX); /* 64 bits */
    assert_string_equal(finding->message, "It is 0xffffffffffffffff, expected at most 0xfffffffffffffffe");
}

static void keeps_findings_within_bounds(void **state) {
    (void)state;
    for (unsigned i = 0; i < 3 * IW_JUDGE_FINDING_MAX; i++) {
        struct iw_finding *finding =
            iw_judge_report_value(&judge, IW_REQ_RFC5044_4_4_11, IW_FIELD_COUNT, "CRC", 0, i);
        bool delivered = finding >= judge.findings && finding < judge.findings + IW_JUDGE_FINDING_MAX;

        assert_int_equal(delivered, i < IW_JUDGE_FINDING_MAX);
    }
    assert_int_equal(judge.finding_count, IW_JUDGE_FINDING_MAX);
    assert_int_equal(judge.counts.unjudged[IW_UNJUDGED_LIMIT], 2 * IW_JUDGE_FINDING_MAX);
    assert_string_equal(judge.findings[0].actual, "0");
    assert_string_equal(judge.findings[judge.finding_count - 1].actual, "23");
}

static void keeps_texts_within_bounds(void **state) {
    char text[400];
    struct iw_finding *finding;

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    finding = iw_judge_report(&judge, IW_REQ_RFC5044_4_4_11, IW_FIELD_COUNT, "CRC", text, "%s", text);
    assert_int_equal(strlen(finding->expected), sizeof finding->expected - 1);
    assert_int_equal(strlen(finding->actual), sizeof finding->actual - 1);
    assert_int_equal(strlen(finding->message), sizeof finding->message - 1);
}

static void keeps_three_frames_of_context(void **state) {
    struct iw_finding *finding =
        iw_judge_report_value(&judge, IW_REQ_RFC5044_4_4_11, IW_FIELD_COUNT, "CRC", 0, 1);

    (void)state;
    iw_judge_context(finding, 0); /* none */
    iw_judge_context(finding, 7); /* its own */
    assert_int_equal(finding->context_count, 0);
    for (uint64_t frame = 1; frame < 6; frame++)
        iw_judge_context(finding, frame);
    assert_int_equal(finding->context_count, 3);
    assert_int_equal(finding->context[0], 1);
    assert_int_equal(finding->context[2], 3);
}

static void numbers_findings_and_reports_what_they_follow_from(void **state) {
    uint64_t root = iw_judge_report_value(&judge, IW_REQ_RFC5044_4_4_11, IW_FIELD_COUNT, "CRC", 0, 1)->number;
    struct iw_finding *finding;

    (void)state;
    judge.finding_count = 0; /* the next event */
    event.frame = 9;
    finding = iw_judge_report_value(&judge, IW_REQ_RFC5044_4_4_11, IW_FIELD_COUNT, "CRC", 0, 1);
    assert_int_equal(root, 1);
    assert_int_equal(finding->number, 2);
    assert_int_equal(finding->cause, 0);
    iw_judge_because_of(finding, &(struct iw_finding_ref){root, 7});
    assert_int_equal(finding->cause, 1);
    assert_int_equal(finding->cause_frame, 7);
    assert_int_equal(finding->context_count, 1);
    assert_int_equal(finding->context[0], 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fills_in_side_time_and_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reports_how_the_value_was_to_be, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_findings_within_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_texts_within_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_three_frames_of_context, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            numbers_findings_and_reports_what_they_follow_from, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
