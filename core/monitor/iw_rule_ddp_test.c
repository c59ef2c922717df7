#include "iw_dialogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The ULPDUs are: T, L, Rsvd and DV; RsvdULP; then STag and TO, or RsvdULP[8:39], QN, MSN and MO; payload
 * (RFC 5041 4.2, 4.3). In the stream they follow the two octets of ULPDU_Length. */

static uint64_t send(const char *ulpdu) {
    return iw_conversation_fpdu(&c, IW_SIDE_A, ulpdu);
}

/* ---- the control octet ---- */

static void reports_reserved_bits(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = send("4543 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_expect(&c, "RFC5041-4.1-07", BY_INITIATOR, .frame = 3, .offset = at + 2, .octets = 1,
        .field = "ddp.rsvd", .expected = "0x0", .actual = "0x1");
    at = send("fd40 00000001 0000000000001000 6f6b");
    iw_conversation_expect(&c, "RFC5041-4.1-07", BY_INITIATOR, .frame = 4, .offset = at + 2, .octets = 1,
        .field = "ddp.rsvd", .expected = "0x0", .actual = "0xf");
    iw_conversation_end(&c);
}

static void reports_another_version_of_an_untagged_segment(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = iw_conversation_say(&c, IW_SIDE_A, "F41");
    iw_conversation_expect(&c, "RFC5041-4.1-08", BY_INITIATOR, .frame = 3, .offset = at + 2, .octets = 1,
        .field = "ddp.dv", .expected = "1", .actual = "0");
    /* The message still counts as the Send with MSN 1. */
    iw_conversation_say(&c, IW_SIDE_A, "F09");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 0);
    iw_conversation_end(&c);
}

static void reports_another_version_of_a_tagged_segment(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = send("c340 00000001 0000000000001000 6f6b");
    iw_conversation_expect(&c, "RFC5041-4.1-08", BY_INITIATOR, .frame = 3, .offset = at + 2, .octets = 1,
        .field = "ddp.dv", .expected = "1", .actual = "3");
    iw_conversation_end(&c);
}

/* With another version, neither MSN 9 nor the next MSN is judged. */
static void judges_no_sequence_of_another_version(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = send("4243 00000000 00000000 00000009 00000000 6f6b");
    iw_conversation_expect(&c, "RFC5041-4.1-08", BY_INITIATOR, .frame = 3, .offset = at + 2, .octets = 1,
        .field = "ddp.dv", .expected = "1", .actual = "2");
    send("4143 00000000 00000000 00000002 00000000 6f6b");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 2);
    iw_conversation_end(&c);
}

/* ---- tagged messages ---- */

static void reports_another_stag_inside_a_message(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("8140 11223344 0000000000001000 01020304");
    at = send("8140 11223345 0000000000001004 05060708");
    iw_conversation_expect(&c, "RFC5041-4.2-08", BY_INITIATOR, .frame = 4, .offset = at + 4, .octets = 4,
        .field = "ddp.stag", .expected = "0x11223344", .actual = "0x11223345", .context = {3});
    send("8140 11223345 0000000000001008 090a0b0c"); /* continues with the STag of the second segment or of
                                                        the first */
    send("c140 11223344 000000000000100c 0d0e0f10");
    iw_conversation_end(&c);
}

/* Half of a Write, then the answer to a Read of 4 octets that goes where the Write would. */
static void reports_another_rsvdulp_inside_a_tagged_message(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("4141 00000000 00000001 00000001 00000000 00001234 0000000000001004 00000004 00005678 "
         "0000000000002000");
    iw_conversation_fpdu(&c, IW_SIDE_B, "8140 00001234 0000000000001000 01020304");
    at = iw_conversation_fpdu(&c, IW_SIDE_B, "c142 00001234 0000000000001004 05060708");
    iw_conversation_expect(&c, "RFC5041-4.2-04", BY_RESPONDER, .frame = 5, .offset = at + 3, .octets = 1,
        .field = "ddp.rsvdulp", .expected = "0x40", .actual = "0x42", .context = {4});
    iw_conversation_end(&c);
}

static void reports_a_to_that_leaves_a_hole(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("8140 11223344 0000000000001000 01020304");
    at = send("c140 11223344 0000000000001008 05060708");
    iw_conversation_expect(&c, "RFC5041-5.2-07", BY_INITIATOR, .frame = 4, .offset = at + 8, .octets = 8,
        .field = "ddp.to", .expected = "0x0000000000001004", .actual = "0x0000000000001008", .context = {3});
    iw_conversation_end(&c);
}

/* Up to the last segment the hole could have been filled. */
static void reports_a_hole_that_stays_in_a_write(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("8140 11223344 0000000000001000 01020304");
    send("8140 11223344 0000000000001008 05060708");
    at = send("c140 11223344 000000000000100c 090a0b0c");
    iw_conversation_expect(&c, "RFC5041-5.2-03", BY_INITIATOR, .frame = 5, .offset = at + 8, .octets = 8,
        .field = "ddp.to", .expected = "complete", .actual = "without the octet at 0x1004",
        .context = {4, 3});
    iw_conversation_end(&c);
}

/* A segment went back, far below the first: the last one continues from there. */
static void reports_what_is_missing_after_a_to_that_went_back(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("8140 11223344 0000000000009000 01020304");
    send("8140 11223344 0000000000001000 05060708");
    iw_conversation_found(&c, "RFC5041-5.3-03");
    at = send("c140 11223344 0000000000001004 090a0b0c");
    iw_conversation_expect(&c, "RFC5041-5.2-03", BY_INITIATOR, .frame = 5, .offset = at + 8, .octets = 8,
        .field = "ddp.to", .expected = "complete", .actual = "without the octet at 0x1008", .context = {3});
    iw_conversation_end(&c);
}

static void reports_where_a_to_comes_twice(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("8140 11223344 0000000000001004 01020304");
    send("8140 11223344 0000000000001000 05060708");
    iw_conversation_found(&c, "RFC5041-5.3-03");
    at = send("c140 11223344 0000000000001004 090a0b0c");
    iw_conversation_expect(&c, "RFC5041-5.2-07", BY_INITIATOR, .frame = 5, .offset = at + 8, .octets = 8,
        .field = "ddp.to", .expected = "after those octets",
        .actual = "0x0000000000001004, within octets already sent", .context = {3});
    iw_conversation_end(&c);
}

static void reports_a_to_that_comes_twice(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("8140 11223344 0000000000001000 01020304");
    at = send("8140 11223344 0000000000001002 05060708");
    iw_conversation_expect(&c, "RFC5041-5.2-07", BY_INITIATOR, .frame = 4, .offset = at + 8, .octets = 8,
        .field = "ddp.to", .expected = "0x0000000000001004", .actual = "0x0000000000001002", .context = {3});
    send("c140 11223344 0000000000001006 090a0b0c");
    iw_conversation_end(&c);
}

/* A sender should keep the order of the segments, but need not (RFC 5041 5.3). */
static void warns_of_a_write_in_another_order(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("8140 11223344 0000000000001008 01020304");
    at = send("8140 11223344 0000000000001000 05060708");
    iw_conversation_expect(&c, "RFC5041-5.3-03", BY_INITIATOR, .frame = 4, .offset = at + 8, .octets = 8,
        .field = "ddp.to", .expected = "higher than in earlier segments",
        .actual = "0x0000000000001000, lower than in an earlier segment", .context = {3});
    send("8140 11223344 000000000000100c 090a0b0c");
    at = send("c140 11223344 0000000000001004 0d0e0f10");
    iw_conversation_expect(&c, "RFC5041-5.3-03", BY_INITIATOR, .frame = 6, .offset = at + 8, .octets = 8,
        .field = "ddp.to", .expected = "higher than in earlier segments",
        .actual = "0x0000000000001004, lower than in an earlier segment", .context = {3, 4});
    assert_int_equal(c.findings[1].cause, 1); /* the same message */
    assert_int_equal(iw_requirement_severity(c.findings[0].requirement), IW_SEVERITY_WARNING);
    send("c140 11223344 0000000000000000 11");
    iw_conversation_end(&c);
}

static void accepts_a_write_in_segments(void **state) {
    (void)state;
    open_plain();
    send("8140 11223344 0000000000001000 01020304");
    send("8140 11223344 0000000000001004 05060708");
    send("c140 11223344 0000000000001008 09");
    send("c140 11223345 0000000000000000 0a");
    iw_conversation_end(&c);
}

/* A segment without payload has no valid STag and TO (RFC 5041 5.2). */
static void accepts_any_stag_and_to_without_payload(void **state) {
    (void)state;
    open_plain();
    send("c140 deadbeef ffffffffffffffff");
    send("8140 11223344 0000000000001000 01020304");
    send("8140 00000000 0000000000000000");
    send("8140 11223344 0000000000001004 05060708");
    send("c140 00000000 0000000000000000");
    send("8140 00000000 0000000000000000");
    send("c140 11223344 0000000000001008 090a0b0c");
    iw_conversation_end(&c);
}

/* Tagged and untagged messages do not affect each other. */
static void accepts_tagged_and_untagged_segments_by_turns(void **state) {
    (void)state;
    open_plain();
    send("8140 11223344 0000000000001000 01020304");
    send("0143 00000000 00000000 00000001 00000000 01020304");
    send("8140 11223344 0000000000001004 05060708");
    send("4143 00000000 00000000 00000001 00000004 05060708");
    send("c140 11223344 0000000000001008 090a0b0c");
    iw_conversation_end(&c);
}

/* ---- MO and the rest of an untagged message ---- */

static void reports_a_message_that_does_not_begin_at_0(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = send("4143 00000000 00000000 00000001 00000004 01020304");
    iw_conversation_expect(&c, "RFC5041-4.3-12", BY_INITIATOR, .frame = 3, .offset = at + 16, .octets = 4,
        .field = "ddp.mo", .expected = "0", .actual = "4");
    send("0143 00000000 00000000 00000002 00000004 01020304");
    at = send("4143 00000000 00000000 00000002 00000008 05060708");
    iw_conversation_expect(&c, "RFC5041-4.3-12", BY_INITIATOR, .frame = 5, .offset = at + 16, .octets = 4,
        .field = "ddp.mo", .expected = "complete", .actual = "without the octet at 0", .context = {4});
    iw_conversation_end(&c);
}

/* Up to the last segment the hole could have been filled. */
static void reports_a_hole_that_stays_in_a_send(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("0143 00000000 00000000 00000001 00000000 01020304");
    send("0143 00000000 00000000 00000001 00000008 05060708");
    at = send("4143 00000000 00000000 00000001 0000000c 090a0b0c");
    iw_conversation_expect(&c, "RFC5041-5.2-03", BY_INITIATOR, .frame = 5, .offset = at + 16, .octets = 4,
        .field = "ddp.mo", .expected = "complete", .actual = "without the octet at 4", .context = {4, 3});
    iw_conversation_end(&c);
}

static void reports_an_mo_that_leaves_a_hole(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("0143 00000000 00000000 00000001 00000000 01020304");
    at = send("4143 00000000 00000000 00000001 00000008 05060708");
    iw_conversation_expect(&c, "RFC5041-5.2-05", BY_INITIATOR, .frame = 4, .offset = at + 16, .octets = 4,
        .field = "ddp.mo", .expected = "4", .actual = "8", .context = {3});
    iw_conversation_end(&c);
}

static void warns_of_a_send_in_another_order(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("0143 00000000 00000000 00000001 00000004 01020304");
    at = send("0143 00000000 00000000 00000001 00000000 05060708");
    iw_conversation_expect(&c, "RFC5041-5.3-03", BY_INITIATOR, .frame = 4, .offset = at + 16, .octets = 4,
        .field = "ddp.mo", .expected = "higher than in earlier segments",
        .actual = "0, lower than in an earlier segment", .context = {3});
    send("4143 00000000 00000000 00000001 00000008 090a0b0c");
    send("4143 00000000 00000000 00000002 00000000 6f6b");
    iw_conversation_end(&c);
}

/* The segment with L=1 must have the highest MO (RFC 5041 4.1). */
static void reports_a_last_segment_in_the_middle(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("0143 00000000 00000000 00000001 00000000 01020304");
    send("0143 00000000 00000000 00000001 00000008 05060708");
    at = send("4143 00000000 00000000 00000001 00000004 090a0b0c");
    iw_conversation_expect(&c, "RFC5041-4.1-05", BY_INITIATOR, .frame = 5, .offset = at + 16, .octets = 4,
        .field = "ddp.mo", .expected = "the highest of the message", .actual = "4, lower than another",
        .context = {4, 3});
    iw_conversation_end(&c);
}

static void reports_an_mo_that_overlaps(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("0143 00000000 00000000 00000001 00000000 01020304");
    at = send("4143 00000000 00000000 00000001 00000003 05060708");
    iw_conversation_expect(&c, "RFC5041-5.2-05", BY_INITIATOR, .frame = 4, .offset = at + 16, .octets = 4,
        .field = "ddp.mo", .expected = "4", .actual = "3", .context = {3});
    send("4143 00000000 00000000 00000002 00000000 6f6b");
    iw_conversation_end(&c);
}

static void reports_another_rsvdulp_inside_an_untagged_message(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("0143 00000000 00000000 00000001 00000000 01020304");
    at = send("4145 00000000 00000000 00000001 00000004 05060708");
    iw_conversation_expect(&c, "RFC5041-4.3-04", BY_INITIATOR, .frame = 4, .offset = at + 3, .octets = 1,
        .field = "ddp.rsvdulp", .expected = "0x43", .actual = "0x45", .context = {3});
    send("0144 11223344 00000000 00000002 00000000 01020304");
    at = send("4144 11223345 00000000 00000002 00000004 05060708");
    iw_conversation_expect(&c, "RFC5041-4.3-04", BY_INITIATOR, .frame = 6, .offset = at + 4, .octets = 4,
        .field = "ddp.rsvdulp_rest", .expected = "0x11223344", .actual = "0x11223345", .context = {5});
    iw_conversation_end(&c);
}

static void accepts_a_send_in_segments(void **state) {
    (void)state;
    open_plain();
    send("0144 11223344 00000000 00000001 00000000 01020304");
    send("0144 11223344 00000000 00000001 00000004 05060708");
    send("4144 11223344 00000000 00000001 00000008 09");
    send("4143 00000000 00000000 00000002 00000000");
    iw_conversation_end(&c);
}

/* The hole begins inside one message and ends inside another. */
static void accepts_a_message_whose_begin_is_lost(void **state) {
    (void)state;
    open_plain();
    send("0143 00000000 00000000 00000001 00000000 01020304");
    send("8140 11223344 0000000000001000 01020304");
    iw_conversation_gap(&c, IW_SIDE_A, 1000, true);
    send("0145 00000000 00000000 00000007 00000400 01020304");
    send("4145 00000000 00000000 00000007 00000404 05060708");
    send("c140 11223399 0000000000009000 01020304");
    send("4143 00000000 00000000 00000008 00000000");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 1);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CUT), 1000);
    iw_conversation_end(&c);
}

/* The hole begins inside the DDP header and ends with the FPDU. */
static void accepts_a_message_whose_header_is_lost(void **state) {
    (void)state;
    open_plain();
    iw_conversation_cut(&c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000000 68656c6c6f", 12, false);
    send("4143 00000000 00000000 00000002 00000000");
    send("4143 00000000 00000000 00000003 00000000");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_LOST), 20);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CUT), 0);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 1);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CRC), 1);
    iw_conversation_end(&c);
}

/* The headers were captured; only payload and CRC are missing. */
static void judges_messages_whose_payload_is_truncated(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    iw_conversation_cut(&c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000000 68656c6c6f", 22, true);
    at = iw_conversation_cut(&c, IW_SIDE_A, "4143 00000000 00000000 00000003 00000000 68656c6c6f", 22, true);
    iw_conversation_expect(&c, "RFC5041-4.3-08", BY_INITIATOR, .frame = 6, .offset = at + 12, .octets = 4,
        .field = "ddp.msn", .expected = "2", .actual = "3");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CUT), 20);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CRC), 2);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 0);
    iw_conversation_end(&c);
}

/* ---- messages of no octets ---- */

static void expect_two_empty(const char *first, const char *second) {
    uint64_t at;

    open_plain();
    send(first);
    at = send(second);
    iw_conversation_expect(&c, "RFC5041-5.2-08", BY_INITIATOR, .frame = 4, .offset = at + 2, .octets = 1,
        .field = "ddp.last", .expected = "one segment", .actual = "several segments", .context = {3});
    iw_conversation_end(&c);
}

static void reports_a_message_without_payload_in_two_segments(void **state) {
    (void)state;
    expect_two_empty("0143 00000000 00000000 00000001 00000000", "4143 00000000 00000000 00000001 00000000");
    expect_two_empty("8140 00000001 0000000000000000", "c140 00000001 0000000000000000");
}

static void accepts_segments_without_payload_of_a_message_that_has_some(void **state) {
    (void)state;
    open_plain();
    send("0143 00000000 00000000 00000001 00000000");
    send("0143 00000000 00000000 00000001 00000000 6162");
    send("4143 00000000 00000000 00000001 00000002");
    send("8140 00000001 0000000000000000");
    send("c140 00000001 0000000000000000 6162");
    send("c140 00000001 0000000000000000");
    send("4143 00000000 00000000 00000002 00000000");
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_reserved_bits),
        cmocka_unit_test(reports_another_version_of_an_untagged_segment),
        cmocka_unit_test(reports_another_version_of_a_tagged_segment),
        cmocka_unit_test(judges_no_sequence_of_another_version),
        cmocka_unit_test(reports_another_stag_inside_a_message),
        cmocka_unit_test(reports_another_rsvdulp_inside_a_tagged_message),
        cmocka_unit_test(reports_a_to_that_leaves_a_hole),
        cmocka_unit_test(reports_a_hole_that_stays_in_a_write),
        cmocka_unit_test(reports_what_is_missing_after_a_to_that_went_back),
        cmocka_unit_test(reports_where_a_to_comes_twice),
        cmocka_unit_test(reports_a_to_that_comes_twice),
        cmocka_unit_test(warns_of_a_write_in_another_order),
        cmocka_unit_test(accepts_a_write_in_segments),
        cmocka_unit_test(accepts_any_stag_and_to_without_payload),
        cmocka_unit_test(accepts_tagged_and_untagged_segments_by_turns),
        cmocka_unit_test(reports_a_message_that_does_not_begin_at_0),
        cmocka_unit_test(reports_a_hole_that_stays_in_a_send),
        cmocka_unit_test(reports_an_mo_that_leaves_a_hole),
        cmocka_unit_test(warns_of_a_send_in_another_order),
        cmocka_unit_test(reports_a_last_segment_in_the_middle),
        cmocka_unit_test(reports_an_mo_that_overlaps),
        cmocka_unit_test(reports_another_rsvdulp_inside_an_untagged_message),
        cmocka_unit_test(accepts_a_send_in_segments),
        cmocka_unit_test(accepts_a_message_whose_begin_is_lost),
        cmocka_unit_test(accepts_a_message_whose_header_is_lost),
        cmocka_unit_test(judges_messages_whose_payload_is_truncated),
        cmocka_unit_test(reports_a_message_without_payload_in_two_segments),
        cmocka_unit_test(accepts_segments_without_payload_of_a_message_that_has_some),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
