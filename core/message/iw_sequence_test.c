#include "iw_sequence_test.h"

/* ---- MSN ---- */

static void starts_each_queue_with_msn_1(void **state) {
    (void)state;
    for (uint32_t qn = 0; qn < IW_QN_COUNT; qn++) {
        take_untagged(qn, 1, 0, 4, true, qn + 1);
        expect_in_order();
        assert_true(fact.first);
        assert_int_equal(fact.msn_expected, 1);
        assert_int_equal(fact.mo_expected, 0);
        assert_int_equal(fact.segment, qn + 1);
        assert_int_equal(fact.message_frame, qn + 1);
        assert_int_equal(fact.message_octets, 4);
    }
    take_untagged(2, 2, 0, 0, true, 9);
    expect_in_order();
}

static void follows_an_unexpected_msn(void **state) {
    (void)state;
    take_untagged(0, 5, 0, 4, true, 1);
    assert_false(fact.msn_ok);
    assert_int_equal(fact.msn_expected, 1);
    assert_true(fact.mo_ok);
    take_untagged(0, 6, 0, 4, true, 2);
    expect_in_order();
    take_untagged(0, 6, 0, 4, true, 3);
    assert_false(fact.msn_ok);
    assert_int_equal(fact.msn_expected, 7);
    take_untagged(1, 1, 0, 4, true, 4); /* another queue is not affected */
    expect_in_order();
}

static void wraps_after_the_highest_msn(void **state) {
    (void)state;
    take_untagged(0, 0xFFFFFFFF, 0, 4, true, 1);
    assert_false(fact.sequence_known);
    take_untagged(0, 0, 0, 4, true, 2);
    expect_in_order();
    assert_int_equal(fact.msn_expected, 0);
    take_untagged(0, 1, 0, 4, true, 3);
    expect_in_order();
}

static void ignores_undefined_queues(void **state) {
    (void)state;
    take_untagged(4, 1, 0, 4, true, 1);
    assert_false(fact.sequence_known);
    take_untagged(0xFFFFFFFF, 1, 0, 4, true, 2);
    assert_false(fact.sequence_known);
    assert_int_equal(fact.segment, 2);
    take_untagged(0, 1, 0, 4, true, 3);
    expect_in_order();
}

/* ---- MO ---- */

static void follows_a_message_of_many_segments(void **state) {
    (void)state;
    take_untagged(0, 1, 0, 1424, false, 10);
    expect_in_order();
    assert_true(fact.first);
    take_untagged(0, 1, 1424, 1424, false, 11);
    expect_in_order();
    assert_false(fact.first);
    assert_int_equal(fact.mo_expected, 1424);
    assert_int_equal(fact.message_frame, 10);
    take_untagged(0, 1, 2848, 100, true, 12);
    expect_in_order();
    assert_int_equal(fact.message_frame, 10);
    assert_int_equal(fact.message_octets, 2948);
    take_untagged(0, 2, 0, 0, true, 13);
    expect_in_order();
    assert_int_equal(fact.message_frame, 13);
}

static void follows_interleaved_messages_of_many_queues(void **state) {
    (void)state;
    take_untagged(0, 1, 0, 8, false, 1);
    take_untagged(3, 1, 0, 4, false, 2);
    take_tagged(7, 100, 8, false, 3);
    take_untagged(3, 1, 4, 4, true, 4);
    expect_in_order();
    assert_int_equal(fact.message_frame, 2);
    take_untagged(0, 1, 8, 8, true, 5);
    expect_in_order();
    assert_int_equal(fact.message_frame, 1);
    take_tagged(7, 108, 8, true, 6);
    assert_true(fact.to_ok);
    assert_int_equal(fact.message_frame, 3);
}

static void follows_an_unexpected_mo(void **state) {
    (void)state;
    take_untagged(0, 1, 0, 8, false, 1);
    take_untagged(0, 1, 12, 8, false, 2);
    assert_true(fact.msn_ok);
    assert_false(fact.mo_ok);
    assert_int_equal(fact.mo_expected, 8);
    assert_false(fact.first);
    take_untagged(0, 1, 20, 8, true, 3);
    expect_in_order();
    take_untagged(0, 2, 4, 8, true, 4);
    assert_false(fact.mo_ok);
    assert_int_equal(fact.mo_expected, 0);
    take_untagged(0, 3, 0, 8, true, 5);
    expect_in_order();
}

/* DDP sees the RDMAP header as payload (RFC 5041 5.2). */
static void counts_the_rdmap_header_in_mo(void **state) {
    (void)state;
    take((struct iw_segment){.qn = 1, .msn = 1, .header_octets = 16, .payload_octets = 100}, 1);
    take((struct iw_segment){.last = true, .qn = 1, .msn = 1, .mo = 116, .payload_octets = 50}, 2);
    expect_in_order();
    assert_int_equal(fact.mo_expected, 116);
}

/* The MSN says that a new message begins; the open one never ends. */
static void begins_a_message_inside_another(void **state) {
    (void)state;
    take_untagged(0, 1, 0, 8, false, 1);
    take_untagged(0, 2, 0, 8, true, 2);
    assert_false(fact.msn_ok);
    assert_false(fact.mo_ok);
    assert_true(fact.first);
    assert_true(fact.same_message);
    assert_int_equal(fact.message_frame, 2);
    take_untagged(0, 3, 0, 8, true, 3);
    expect_in_order();
}

/* ---- losses ---- */

static void learns_each_queue_again_after_a_loss(void **state) {
    (void)state;
    take_untagged(0, 1, 0, 8, false, 1);
    take_untagged(1, 1, 0, 8, true, 2);
    iw_sequence_lost(&sequence);
    take_untagged(0, 7, 64, 8, false, 3); /* the middle of a message */
    assert_false(fact.sequence_known);
    assert_true(fact.msn_ok);
    assert_true(fact.mo_ok);
    assert_false(fact.first);
    assert_true(fact.same_message);
    assert_int_equal(fact.segment, 3);
    take_untagged(0, 7, 72, 8, true, 4);
    expect_in_order();
    assert_int_equal(fact.message_frame, 3);
    take_untagged(0, 8, 0, 8, true, 5);
    expect_in_order();
    take_untagged(1, 40, 0, 8, true, 6);
    assert_false(fact.sequence_known);
    take_untagged(1, 42, 0, 8, true, 7);
    assert_true(fact.sequence_known);
    assert_false(fact.msn_ok);
    assert_int_equal(fact.msn_expected, 41);
}

/* RFC 5041 5.3: segments SHOULD come in order, but need not. After a loss, segments before the first one
 * captured may still come. */
static void follows_a_message_downwards_after_a_loss(void **state) {
    (void)state;
    iw_sequence_lost(&sequence);
    take_untagged(0, 7, 8, 4, false, 1);
    take_untagged(0, 7, 4, 4, false, 2);
    assert_int_equal(fact.order, IW_SEGMENT_FILLS_HOLE);
    take_untagged(0, 7, 6, 4, false, 3); /* overlaps two octets of the first segment */
    assert_int_equal(fact.order, IW_SEGMENT_OVERLAPS);
    take_untagged(0, 7, 0, 4, false, 4);
    assert_int_equal(fact.order, IW_SEGMENT_FILLS_HOLE);
    take_untagged(0, 7, 12, 4, true, 5);
    assert_int_equal(fact.order, IW_SEGMENT_IN_ORDER);
}

/* The missing octets of the message may be among the lost ones. */
static void reports_no_hole_in_the_first_message_after_a_loss(void **state) {
    (void)state;
    iw_sequence_lost(&sequence);
    take_untagged(0, 7, 0, 4, false, 1);
    take_untagged(0, 7, 12, 4, true, 2);
    assert_int_equal(fact.order, IW_SEGMENT_AHEAD);
    take_untagged(0, 8, 0, 4, false, 3);
    take_untagged(0, 8, 12, 4, true, 4);
    assert_int_equal(fact.order, IW_SEGMENT_HOLE);
    take_tagged(7, 1000, 4, false, 5);
    take_tagged(7, 1012, 4, true, 6);
    assert_int_equal(fact.order, IW_SEGMENT_AHEAD);
    take_tagged(7, 1000, 4, false, 7);
    take_tagged(7, 1012, 4, true, 8);
    assert_int_equal(fact.order, IW_SEGMENT_HOLE);
}

static void begins_a_tagged_message_after_a_loss(void **state) {
    (void)state;
    take_tagged(7, 100, 8, false, 1);
    iw_sequence_lost(&sequence);
    take_tagged(9, 5000, 8, true, 2);
    assert_true(fact.first);
    assert_true(fact.to_ok);
    assert_true(fact.stag_ok);
    assert_true(fact.same_message);
}

/* ---- tagged messages ---- */

static void follows_a_tagged_message(void **state) {
    (void)state;
    take_tagged(7, 0xFFFFFFF8, 8, false, 1);
    assert_true(fact.first);
    assert_int_equal(fact.to_expected, 0xFFFFFFF8);
    take_tagged(7, 0x100000000, 8, false, 2);
    assert_false(fact.first);
    assert_true(fact.to_ok);
    assert_true(fact.same_message);
    take_tagged(7, 0x100000008, 4, true, 3);
    assert_true(fact.to_ok);
    assert_int_equal(fact.message_octets, 20);
    assert_int_equal(fact.message_frame, 1);
    take_tagged(8, 0, 4, true, 4);
    assert_true(fact.first);
    assert_true(fact.to_ok);
    assert_int_equal(fact.message_octets, 4);
}

static void follows_an_unexpected_to(void **state) {
    (void)state;
    take_tagged(7, 100, 8, false, 1);
    take_tagged(7, 112, 8, false, 2);
    assert_false(fact.to_ok);
    assert_int_equal(fact.to_expected, 108);
    assert_true(fact.same_message);
    take_tagged(7, 120, 8, true, 3);
    assert_true(fact.to_ok);
}

static void follows_an_unexpected_stag_and_control_octet(void **state) {
    (void)state;
    take_tagged(7, 100, 8, false, 1);
    take_tagged(8, 108, 8, false, 2);
    assert_false(fact.stag_ok);
    assert_false(fact.same_message);
    assert_true(fact.to_ok);
    take_tagged(8, 116, 8, false, 3);
    assert_true(fact.same_message);
    take((struct iw_segment){.tagged = true,
             .last = true,
             .control = CONTROL_READ_RESPONSE,
             .stag = 8,
             .to = 124,
             .payload_octets = 8},
        4);
    assert_true(fact.stag_ok);
    assert_false(fact.same_message);
    take_tagged(9, 0, 8, true, 5);
    assert_true(fact.first);
    assert_true(fact.same_message);
}

/* Without payload, STag and TO have no meaning (RFC 5041 5.2). */
static void ignores_stag_and_to_without_payload(void **state) {
    (void)state;
    take_tagged(1, 0, 0, false, 1);
    assert_true(fact.to_ok);
    take_tagged(7, 100, 8, false, 2); /* the first octets of the message */
    assert_true(fact.to_ok);
    assert_true(fact.stag_ok);
    take_tagged(2, 999, 0, false, 3);
    assert_true(fact.to_ok);
    assert_true(fact.stag_ok);
    take_tagged(7, 108, 8, true, 4);
    assert_true(fact.to_ok);
    assert_true(fact.stag_ok);
    assert_int_equal(fact.message_octets, 16);
}

/* Above the limit of holes, the order is reported as unknown. */
static void reports_too_many_holes(void **state) {
    uint32_t holes = 0;

    (void)state;
    take_tagged(7, 0, 8, false, 1);
    while (!fact.order_unknown && holes < 1000) {
        assert_int_equal(fact.order, holes == 0 ? IW_SEGMENT_IN_ORDER : IW_SEGMENT_AHEAD);
        holes++;
        take_tagged(7, 16 * holes, 8, false, 1 + holes);
    }
    assert_int_equal(holes, IW_EXTENT_RUNS_MAX);
    assert_int_equal(fact.order, IW_SEGMENT_IN_ORDER);
    take_tagged(7, 8, 8, true, 2000);
    assert_true(fact.order_unknown);
    take_tagged(7, 0, 8, true, 2001);
    assert_false(fact.order_unknown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(starts_each_queue_with_msn_1, from_start),
        cmocka_unit_test_setup(follows_an_unexpected_msn, from_start),
        cmocka_unit_test_setup(wraps_after_the_highest_msn, from_middle),
        cmocka_unit_test_setup(ignores_undefined_queues, from_start),
        cmocka_unit_test_setup(follows_a_message_of_many_segments, from_start),
        cmocka_unit_test_setup(follows_interleaved_messages_of_many_queues, from_start),
        cmocka_unit_test_setup(follows_an_unexpected_mo, from_start),
        cmocka_unit_test_setup(counts_the_rdmap_header_in_mo, from_start),
        cmocka_unit_test_setup(begins_a_message_inside_another, from_start),
        cmocka_unit_test_setup(learns_each_queue_again_after_a_loss, from_start),
        cmocka_unit_test_setup(follows_a_message_downwards_after_a_loss, from_start),
        cmocka_unit_test_setup(reports_no_hole_in_the_first_message_after_a_loss, from_start),
        cmocka_unit_test_setup(begins_a_tagged_message_after_a_loss, from_start),
        cmocka_unit_test_setup(follows_a_tagged_message, from_start),
        cmocka_unit_test_setup(follows_an_unexpected_to, from_start),
        cmocka_unit_test_setup(follows_an_unexpected_stag_and_control_octet, from_start),
        cmocka_unit_test_setup(reports_too_many_holes, from_start),
        cmocka_unit_test_setup(ignores_stag_and_to_without_payload, from_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
