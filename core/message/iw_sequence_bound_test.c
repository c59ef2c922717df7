#include "iw_sequence_test.h"

/* The end of messages, and segments that come after it or never. */

/* ---- the bounds of messages ---- */

static void reports_a_message_without_l(void **state) {
    (void)state;
    take_untagged(0, 1, 0, 8, false, 1);
    take_untagged(0, 2, 0, 8, true, 2);
    assert_int_equal(fact.bound, IW_BOUND_OPEN);
    assert_int_equal(fact.bound_frame, 1);
    take_tagged(7, 100, 8, false, 3);
    take_tagged(8, 500, 8, false, 4);
    assert_int_equal(fact.bound, IW_BOUND_OPEN);
    assert_int_equal(fact.bound_frame, 3);
    assert_true(fact.first);
    assert_true(fact.to_ok);
    assert_true(fact.same_message);
    take_tagged(8, 508, 8, true, 5);
    assert_int_equal(fact.bound, IW_BOUND_KEPT);
    assert_int_equal(fact.message_frame, 4);
}

static void reports_a_segment_after_the_last(void **state) {
    (void)state;
    take_untagged(0, 1, 0, 8, true, 1);
    take_untagged(0, 1, 8, 8, false, 2);
    assert_int_equal(fact.bound, IW_BOUND_ENDED);
    assert_int_equal(fact.bound_frame, 1);
    take_untagged(0, 1, 16, 8, true, 3);
    expect_in_order();
    assert_int_equal(fact.message_frame, 1);
    take_untagged(0, 1, 8, 8, false, 4);
    assert_int_equal(fact.bound, IW_BOUND_LATE);
    take_untagged(0, 2, 0, 8, true, 5); /* the expectations have not changed */
    expect_in_order();
}

/* The sender may continue from the wrong MSN, or from the one before it. */
static void follows_both_counts_after_a_wrong_msn(void **state) {
    (void)state;
    take_untagged(0, 1, 0, 8, true, 1);
    take_untagged(0, 9, 0, 8, true, 2);
    assert_false(fact.msn_ok);
    assert_false(fact.doubted);
    take_untagged(0, 3, 0, 8, true, 3);
    assert_true(fact.msn_ok);
    assert_true(fact.doubted);
    take_untagged(0, 4, 0, 8, true, 4);
    expect_in_order();
    assert_false(fact.doubted);
    take_untagged(0, 6, 0, 8, true, 5);
    take_untagged(0, 5, 0, 8, true, 6); /* the skipped one */
    assert_int_equal(fact.bound, IW_BOUND_SKIPPED);
    take_untagged(0, 7, 0, 8, true, 7);
    expect_in_order();
}

/* The skipped messages may come in any order, each of them once. */
static void accepts_the_messages_that_a_jump_skipped(void **state) {
    static const uint32_t later[] = {2, 5, 3};

    (void)state;
    take_untagged(0, 1, 0, 8, true, 1);
    take_untagged(0, 6, 0, 8, true, 2);
    assert_int_equal(fact.bound, IW_BOUND_KEPT);
    take_untagged(0, 7, 0, 8, true, 3);
    for (unsigned i = 0; i < 3; i++) {
        take_untagged(0, later[i], 0, 8, false, 4);
        assert_int_equal(fact.bound, IW_BOUND_SKIPPED);
        assert_true(fact.first);
        take_untagged(0, later[i], 8, 8, true, 5);
        assert_int_equal(fact.bound, IW_BOUND_SKIPPED);
        assert_false(fact.first);
    }
    take_untagged(0, 8, 0, 8, true, 6); /* the expectations have not changed */
    expect_in_order();
    take_untagged(0, 3, 0, 8, true, 7);
    assert_int_equal(fact.bound, IW_BOUND_KEPT);
    assert_false(fact.msn_ok);
}

static void does_not_expect_messages_skipped_by_a_long_jump(void **state) {
    (void)state;
    take_untagged(0, 1, 0, 8, true, 1);
    take_untagged(0, 259, 0, 8, true, 2);
    take_untagged(0, 260, 0, 8, true, 3);
    take_untagged(0, 2, 0, 8, true, 4);
    assert_int_equal(fact.bound, IW_BOUND_KEPT);
}

static void resumes_a_message_that_stayed_open(void **state) {
    (void)state;
    take_untagged(0, 1, 0, 8, false, 1);
    take_untagged(0, 2, 0, 8, false, 2);
    assert_int_equal(fact.bound, IW_BOUND_OPEN);
    take_untagged(0, 1, 8, 4, false, 3);
    assert_int_equal(fact.bound, IW_BOUND_RESUMED);
    assert_int_equal(fact.message_frame, 1);
    assert_int_equal(fact.message_octets, 12);
    take_untagged(0, 2, 8, 8, false, 4);
    expect_in_order();
    assert_int_equal(fact.message_frame, 2);
    take_untagged(0, 1, 12, 8, true, 5);
    assert_int_equal(fact.bound, IW_BOUND_RESUMED);
    take_untagged(0, 1, 20, 8, true, 6); /* it has ended with L */
    assert_int_equal(fact.bound, IW_BOUND_KEPT);

    take_tagged(1, 0x1000, 8, false, 7);
    take_tagged(2, 0x9000, 8, false, 8);
    assert_int_equal(fact.bound, IW_BOUND_OPEN);
    take_tagged(1, 0x1008, 8, true, 9);
    assert_int_equal(fact.bound, IW_BOUND_RESUMED);
    assert_int_equal(fact.message_frame, 7);
    assert_int_equal(fact.message_octets, 16);
    take_tagged(2, 0x9008, 8, true, 10);
    assert_int_equal(fact.bound, IW_BOUND_KEPT);
    assert_int_equal(fact.message_frame, 8);
    take_tagged(1, 0x1010, 8, true, 11); /* another Write */
    assert_int_equal(fact.bound, IW_BOUND_KEPT);
    assert_true(fact.first);
}

/* A segment comes late only if it fills a hole and has no L: otherwise it may be a message of its own. */
static void accepts_segments_that_come_after_l(void **state) {
    (void)state;
    take_untagged(0, 1, 8, 8, true, 1);
    take_untagged(0, 1, 0, 8, false, 2);
    assert_int_equal(fact.bound, IW_BOUND_LATE);
    assert_int_equal(fact.message_frame, 1);
    take_untagged(0, 2, 0, 8, true, 3);
    expect_in_order();
    take_untagged(0, 2, 0, 8, true, 4); /* the whole message again */
    assert_int_equal(fact.bound, IW_BOUND_KEPT);

    take_tagged(1, 0x1000, 8, false, 5);
    take_tagged(1, 0x1010, 8, true, 6);
    take_tagged(1, 0x1008, 8, false, 7);
    assert_int_equal(fact.bound, IW_BOUND_LATE);
    assert_int_equal(fact.message_frame, 5);
    assert_false(fact.first);
    take_tagged(1, 0x1008, 8, true, 8);
    assert_int_equal(fact.bound, IW_BOUND_KEPT);
    assert_true(fact.first);
    take_tagged(1, 0x2000, 8, false, 9);
    assert_int_equal(fact.bound, IW_BOUND_KEPT);
}

static void finds_the_queue_of_a_segment_with_a_wrong_qn(void **state) {
    const struct iw_opcode *send = &iw_opcodes[IW_RDMAP_OP_SEND];

    (void)state;
    take((struct iw_segment){.op = send, .msn = 1, .payload_octets = 8}, 1);
    take((struct iw_segment){.op = send, .qn = 5, .msn = 1, .mo = 8, .payload_octets = 8}, 2);
    assert_true(fact.strayed);
    expect_in_order();
    assert_int_equal(fact.message_frame, 1);
    take((struct iw_segment){.op = send, .qn = 5, .msn = 1, .mo = 24, .payload_octets = 8}, 3);
    assert_false(fact.strayed);
    assert_false(fact.sequence_known);
    take((struct iw_segment){.op = send, .msn = 1, .mo = 16, .payload_octets = 8, .last = true}, 4);
    assert_false(fact.strayed);
    expect_in_order();
}

static void compares_rsvdulp_of_the_segments_of_a_message(void **state) {
    (void)state;
    take((struct iw_segment){.control = CONTROL_SEND, .msn = 1, .payload_octets = 4}, 1);
    take((struct iw_segment){.control = CONTROL_SEND_INV, .msn = 1, .mo = 4, .payload_octets = 4}, 2);
    assert_false(fact.same_message);
    take(
        (struct iw_segment){
            .control = CONTROL_SEND_INV, .invalidate_stag = 9, .msn = 1, .mo = 8, .payload_octets = 4},
        3);
    assert_false(fact.same_message);
    take((struct iw_segment){.control = CONTROL_SEND_INV,
             .invalidate_stag = 9,
             .msn = 1,
             .mo = 12,
             .payload_octets = 4,
             .last = true},
        4);
    expect_in_order();
    take((struct iw_segment){.control = CONTROL_SEND, .msn = 2, .last = true}, 5);
    expect_in_order();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(reports_a_message_without_l, from_start),
        cmocka_unit_test_setup(reports_a_segment_after_the_last, from_start),
        cmocka_unit_test_setup(follows_both_counts_after_a_wrong_msn, from_start),
        cmocka_unit_test_setup(accepts_the_messages_that_a_jump_skipped, from_start),
        cmocka_unit_test_setup(does_not_expect_messages_skipped_by_a_long_jump, from_start),
        cmocka_unit_test_setup(resumes_a_message_that_stayed_open, from_start),
        cmocka_unit_test_setup(accepts_segments_that_come_after_l, from_start),
        cmocka_unit_test_setup(finds_the_queue_of_a_segment_with_a_wrong_qn, from_start),
        cmocka_unit_test_setup(compares_rsvdulp_of_the_segments_of_a_message, from_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
