#include "iw_sequence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { CONTROL_WRITE = 0x40, CONTROL_READ_RESPONSE = 0x42, CONTROL_SEND = 0x43, CONTROL_SEND_INV = 0x44 };

static struct iw_sequence sequence;
static struct iw_segment_fact fact;

static int from_start(void **state) {
    (void)state;
    iw_sequence_init(&sequence, true);
    return 0;
}

static int from_middle(void **state) {
    (void)state;
    iw_sequence_init(&sequence, false);
    return 0;
}

static void take(struct iw_segment segment, uint64_t frame) {
    segment.ddp_octets = segment.tagged ? 14 : 18;
    segment.length = (uint16_t)(segment.ddp_octets + segment.header_octets + segment.payload_octets);
    if (segment.control == 0)
        segment.control = segment.tagged ? CONTROL_WRITE : CONTROL_SEND;
    iw_sequence_segment(&sequence, &segment, frame, &fact);
}

static void take_untagged(
    uint32_t qn, uint32_t msn, uint32_t mo, uint16_t payload, bool last, uint64_t frame) {
    take((struct iw_segment){.last = last, .qn = qn, .msn = msn, .mo = mo, .payload_octets = payload}, frame);
}

static void take_tagged(uint32_t stag, uint64_t to, uint16_t payload, bool last, uint64_t frame) {
    take((struct iw_segment){.tagged = true, .last = last, .stag = stag, .to = to, .payload_octets = payload},
        frame);
}

static void expect_in_order(void) {
    assert_true(fact.sequence_known);
    assert_true(fact.msn_ok);
    assert_true(fact.mo_ok);
    assert_true(fact.same_message);
}

/* ---- MSN ---- */

static void starts_each_queue_with_msn_1(void **state) {
    (void)state;
    for (uint32_t qn = 0; qn < IW_QN_COUNT; qn++) {
        take_untagged(qn, 1, 0, 4, true, qn + 1);
        expect_in_order();
        assert_true(fact.first);
        assert_true(fact.last);
        assert_int_equal(fact.msn_expected, 1);
        assert_int_equal(fact.mo_expected, 0);
        assert_int_equal(fact.segment, qn + 1);
        assert_int_equal(fact.message_frame, qn + 1);
        assert_int_equal(fact.message_octets, 4);
    }
    take_untagged(2, 2, 0, 0, true, 9);
    expect_in_order();
}

static void follows_an_msn_that_was_not_expected(void **state) {
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
    take_untagged(1, 1, 0, 4, true, 4); /* another queue knows nothing of it */
    expect_in_order();
}

static void begins_again_behind_the_highest_msn(void **state) {
    (void)state;
    take_untagged(0, 0xFFFFFFFF, 0, 4, true, 1);
    assert_false(fact.sequence_known);
    take_untagged(0, 0, 0, 4, true, 2);
    expect_in_order();
    assert_int_equal(fact.msn_expected, 0);
    take_untagged(0, 1, 0, 4, true, 3);
    expect_in_order();
}

static void knows_nothing_of_queues_that_no_opcode_has(void **state) {
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
    assert_false(fact.last);
    take_untagged(0, 1, 1424, 1424, false, 11);
    expect_in_order();
    assert_false(fact.first);
    assert_int_equal(fact.mo_expected, 1424);
    assert_int_equal(fact.message_frame, 10);
    take_untagged(0, 1, 2848, 100, true, 12);
    expect_in_order();
    assert_true(fact.last);
    assert_int_equal(fact.message_frame, 10);
    assert_int_equal(fact.message_octets, 2948);
    take_untagged(0, 2, 0, 0, true, 13);
    expect_in_order();
    assert_int_equal(fact.message_frame, 13);
}

static void follows_messages_of_many_queues_by_turns(void **state) {
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

static void follows_an_mo_that_was_not_expected(void **state) {
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

/* An RDMAP header is payload to DDP (RFC 5041 5.2). */
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

/* ---- the bounds of messages ---- */

static void says_that_a_message_has_not_ended(void **state) {
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

static void says_that_a_message_goes_on_behind_its_end(void **state) {
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
    take_untagged(0, 2, 0, 8, true, 5); /* the queue has stayed where it was */
    expect_in_order();
}

/* Of an MSN that is wrong and the next one either may be what the sender counts on from. */
static void follows_both_counts_behind_a_wrong_msn(void **state) {
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
    take_untagged(0, 5, 0, 8, true, 6); /* which that had left out */
    assert_int_equal(fact.bound, IW_BOUND_SKIPPED);
    take_untagged(0, 7, 0, 8, true, 7);
    expect_in_order();
}

/* One after the other, or from behind; each of them once. */
static void knows_the_messages_that_a_jump_has_left_out(void **state) {
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
    take_untagged(0, 8, 0, 8, true, 6); /* the queue has stayed where it was */
    expect_in_order();
    take_untagged(0, 3, 0, 8, true, 7);
    assert_int_equal(fact.bound, IW_BOUND_KEPT);
    assert_false(fact.msn_ok);
}

static void takes_a_long_jump_for_no_change_of_order(void **state) {
    (void)state;
    take_untagged(0, 1, 0, 8, true, 1);
    take_untagged(0, 259, 0, 8, true, 2);
    take_untagged(0, 260, 0, 8, true, 3);
    take_untagged(0, 2, 0, 8, true, 4);
    assert_int_equal(fact.bound, IW_BOUND_KEPT);
}

static void goes_back_to_a_message_that_was_left_open(void **state) {
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
    take_untagged(0, 1, 20, 8, true, 6); /* it has had its L */
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

/* Where octets are missing, and without L: else it may be a message of its own. */
static void finds_the_segments_that_come_behind_l(void **state) {
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

static void finds_the_queue_that_a_segment_has_strayed_from(void **state) {
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

/* ---- losses ---- */

static void learns_each_queue_anew_behind_a_loss(void **state) {
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

static void begins_a_tagged_message_behind_a_loss(void **state) {
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
    assert_true(fact.last);
    assert_int_equal(fact.message_octets, 20);
    assert_int_equal(fact.message_frame, 1);
    take_tagged(8, 0, 4, true, 4);
    assert_true(fact.first);
    assert_true(fact.to_ok);
    assert_int_equal(fact.message_octets, 4);
}

static void follows_a_to_that_was_not_expected(void **state) {
    (void)state;
    take_tagged(7, 100, 8, false, 1);
    take_tagged(7, 112, 8, false, 2);
    assert_false(fact.to_ok);
    assert_int_equal(fact.to_expected, 108);
    assert_true(fact.same_message);
    take_tagged(7, 120, 8, true, 3);
    assert_true(fact.to_ok);
}

static void follows_an_stag_and_a_control_octet_that_were_not_expected(void **state) {
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

/* STag and TO mean nothing without payload (RFC 5041 5.2). */
static void looks_at_no_stag_and_to_without_payload(void **state) {
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

/* Of more holes than are remembered nobody says where a segment stands, and that it is so. */
static void tells_when_holes_are_too_many(void **state) {
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
        cmocka_unit_test_setup(follows_an_msn_that_was_not_expected, from_start),
        cmocka_unit_test_setup(begins_again_behind_the_highest_msn, from_middle),
        cmocka_unit_test_setup(knows_nothing_of_queues_that_no_opcode_has, from_start),
        cmocka_unit_test_setup(follows_a_message_of_many_segments, from_start),
        cmocka_unit_test_setup(follows_messages_of_many_queues_by_turns, from_start),
        cmocka_unit_test_setup(follows_an_mo_that_was_not_expected, from_start),
        cmocka_unit_test_setup(counts_the_rdmap_header_in_mo, from_start),
        cmocka_unit_test_setup(begins_a_message_inside_another, from_start),
        cmocka_unit_test_setup(says_that_a_message_has_not_ended, from_start),
        cmocka_unit_test_setup(says_that_a_message_goes_on_behind_its_end, from_start),
        cmocka_unit_test_setup(follows_both_counts_behind_a_wrong_msn, from_start),
        cmocka_unit_test_setup(knows_the_messages_that_a_jump_has_left_out, from_start),
        cmocka_unit_test_setup(takes_a_long_jump_for_no_change_of_order, from_start),
        cmocka_unit_test_setup(goes_back_to_a_message_that_was_left_open, from_start),
        cmocka_unit_test_setup(finds_the_segments_that_come_behind_l, from_start),
        cmocka_unit_test_setup(finds_the_queue_that_a_segment_has_strayed_from, from_start),
        cmocka_unit_test_setup(compares_rsvdulp_of_the_segments_of_a_message, from_start),
        cmocka_unit_test_setup(learns_each_queue_anew_behind_a_loss, from_start),
        cmocka_unit_test_setup(begins_a_tagged_message_behind_a_loss, from_start),
        cmocka_unit_test_setup(follows_a_tagged_message, from_start),
        cmocka_unit_test_setup(follows_a_to_that_was_not_expected, from_start),
        cmocka_unit_test_setup(follows_an_stag_and_a_control_octet_that_were_not_expected, from_start),
        cmocka_unit_test_setup(tells_when_holes_are_too_many, from_start),
        cmocka_unit_test_setup(looks_at_no_stag_and_to_without_payload, from_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
