#include "iw_judge_segment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* An FPDU of side A that was found after a gap and may be payload of another FPDU. Octets are written by
 * hand: DDP and RDMAP headers of RFC 5041 4.2, 4.3 and RFC 5040 4.1. A Write of 20 payload octets takes 2 +
 * 14 + 20 + 0 + 4 = 40 octets of the stream, a Send of 16 takes 2 + 18 + 16 + 0 + 4 = 40. */
enum { GAP_FROM = 1000, FPDU_OCTETS = 40 };

static struct iw_judge judge;
static struct iw_llp_event event;
static struct iw_fpdu fpdu;
static struct iw_judge_parts parts;
static struct iw_queue sends; /* of side A */
static uint8_t image[FPDU_OCTETS];

/* DDP control (T, L, DV), RDMAP control (RV, opcode), STag 0x11223344, TO 0x1014. */
static const uint8_t write_header[] = {
    0x00, 0x22, 0xc1, 0x40, 0x11, 0x22, 0x33, 0x44, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x14};
/* QN 0, MSN 5, MO 16, after the invalidated STag, which is 0. */
static const uint8_t send_header[] = {0x00, 0x22, 0x41, 0x43, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x10};

static void reset(void) {
    memset(&judge, 0, sizeof judge);
    memset(&event, 0, sizeof event);
    memset(&fpdu, 0, sizeof fpdu);
    memset(image, 0, sizeof image);
    memset(&sends, 0, sizeof sends);
    judge.party[IW_SIDE_A].sequence.queue[IW_QN_SEND] = &sends;
    judge.defined = true;
    judge.mpa.half[IW_SIDE_A].unproven = true;
    judge.event.llp = &event;
    judge.sender = &judge.party[IW_SIDE_A];
    judge.party[IW_SIDE_B].side = IW_SIDE_B;
    judge.peer = &judge.party[IW_SIDE_B];
    fpdu.side = IW_SIDE_A;
    fpdu.frame = 9;
    fpdu.crc = IW_CRC_GOOD;
    fpdu.image = image;
    fpdu.image_octets = fpdu.image_captured = sizeof image;
    fpdu.ulpdu_length = 34;
    event = iw_llp_event_of_fpdu(&fpdu);
}

/* Before the gap, a Write has reached TO 1000h in STag 11223344h; the gap is `gap` octets long. */
static void after_writes(uint64_t gap) {
    reset();
    memcpy(image, write_header, sizeof write_header);
    judge.party[IW_SIDE_A].before_gap =
        (struct iw_expected_before_gap){.offset = GAP_FROM, .tagged = true, .stag = 0x11223344, .to = 0x1000};
    fpdu.offset = GAP_FROM + gap;
}

/* Before the gap, a Send with MSN 5 has reached MO 0. */
static void after_sends(uint64_t gap) {
    reset();
    memcpy(image, send_header, sizeof send_header);
    judge.party[IW_SIDE_A].before_gap =
        (struct iw_expected_before_gap){.offset = GAP_FROM, .untagged = true, .msn = 5};
    fpdu.offset = GAP_FROM + gap;
}

static void assert_proven(void) {
    assert_false(iw_judge_unproven(&judge, &event, &parts));
    assert_false(judge.mpa.half[IW_SIDE_A].unproven);
    assert_int_equal(judge.counts.unjudged[IW_UNJUDGED_FRAMING], 0);
}

/* Expects that the FPDU is shown and counted, but not judged. */
static void assert_unproven(void) {
    assert_true(iw_judge_unproven(&judge, &event, &parts));
    assert_true(judge.mpa.half[IW_SIDE_A].unproven);
    assert_true(judge.party[IW_SIDE_A].lost);
    assert_int_equal(judge.event.judged, IW_FPDU_MAY_BE_PAYLOAD);
    assert_int_equal(judge.counts.unjudged[IW_UNJUDGED_FRAMING], 1);
    assert_int_equal(judge.finding_count, 0);
}

/* TO has advanced by 20: one FPDU with 20 octets of payload is missing, 40 octets of the stream. */
static void a_write_that_continues_as_far_as_the_gap_is_long_is_proven(void **state) {
    (void)state;
    after_writes(40);
    assert_proven();
}

/* Two FPDUs with 20 octets each are missing: TO 1028h. */
static void several_fpdus_of_the_same_payload_are_too(void **state) {
    (void)state;
    after_writes(80);
    image[15] = 0x28;
    assert_proven();
}

static void a_gap_of_another_length_proves_nothing(void **state) {
    (void)state;
    after_writes(44);
    assert_unproven();
    assert_ptr_equal(judge.event.segment, &parts.segment);
    assert_int_equal(parts.segment.stag, 0x11223344);
    assert_int_equal(parts.fact.message_frame, 9);
}

static void another_stag_proves_nothing(void **state) {
    (void)state;
    after_writes(40);
    image[7] = 0x45;
    assert_unproven();
}

/* TO 0FECh is 20 below the last one seen: an earlier FPDU, in the payload of a later one. */
static void what_was_sent_before_proves_nothing(void **state) {
    (void)state;
    after_writes(40);
    image[14] = 0x0f;
    image[15] = 0xec;
    assert_unproven();
}

static void without_a_good_crc_nothing_is_proven(void **state) {
    static const enum iw_crc_status others[] = {IW_CRC_BAD, IW_CRC_UNCHECKED};

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        after_writes(40);
        fpdu.crc = others[i];
        assert_unproven();
    }
}

/* A segment without payload may have any TO, even the expected one. Its 14 octets of ULPDU are only a
 * header. */
static void a_segment_without_payload_proves_nothing(void **state) {
    (void)state;
    after_writes(40);
    fpdu.ulpdu_length = event.segment_octets = 14;
    assert_unproven();
    after_writes(100);
    fpdu.ulpdu_length = event.segment_octets = 14;
    assert_unproven();
}

/* MO has advanced by 16. */
static void a_send_that_continues_is_proven(void **state) {
    (void)state;
    after_sends(40);
    assert_proven();
}

static void another_message_or_queue_proves_nothing(void **state) {
    (void)state;
    after_sends(40);
    image[15] = 6;
    assert_unproven();
    after_sends(40);
    image[11] = 1;
    assert_unproven();
}

/* With a Rev that no RFC defines, the framing may be right, but the rules for segments are unknown. */
static void of_an_unknown_revision_nothing_is_judged(void **state) {
    (void)state;
    after_writes(40);
    judge.defined = false;
    assert_true(iw_judge_unproven(&judge, &event, &parts));
    assert_int_equal(judge.event.judged, IW_FPDU_UNKNOWN_REVISION);
    assert_int_equal(judge.counts.unjudged[IW_UNJUDGED_REVISION], 1);
    assert_int_equal(judge.counts.unjudged[IW_UNJUDGED_FRAMING], 0);
}

/* The snapshot length has cut off the header. */
static void without_its_header_it_has_no_segment(void **state) {
    (void)state;
    after_writes(40);
    fpdu.image_captured = event.image_captured = 4;
    assert_unproven();
    assert_null(judge.event.segment);
}

/* Either the latest Write or the open Send may continue after the gap. */
static void the_thread_is_what_was_open_before_the_gap(void **state) {
    struct iw_party *party = &judge.party[IW_SIDE_A];

    (void)state;
    reset();
    judge.mpa.half[IW_SIDE_A].loss.from = 500;
    iw_judge_note_before_gap(&judge, IW_SIDE_A);
    assert_false(party->before_gap.tagged || party->before_gap.untagged);
    party->sequence.tagged.first_frame = 3;
    party->sequence.tagged.stag.latest = 0x99;
    party->sequence.tagged.to = 0x400;
    sends = (struct iw_queue){.known = true, .open = true, .msn = 7, .mo = 64};
    iw_judge_note_before_gap(&judge, IW_SIDE_A);
    assert_int_equal(party->before_gap.offset, 500);
    assert_true(party->before_gap.tagged);
    assert_int_equal(party->before_gap.stag, 0x99);
    assert_int_equal(party->before_gap.to, 0x400);
    assert_true(party->before_gap.untagged);
    assert_int_equal(party->before_gap.qn, IW_QN_SEND);
    assert_int_equal(party->before_gap.msn, 7);
    assert_int_equal(party->before_gap.mo, 64);
}

/* A Send of MSN 5, proven by the boundaries of TCP segments; before the gap, MSN `next` was expected. */
static bool disproves(uint32_t next) {
    after_sends(40);
    judge.mpa.half[IW_SIDE_A].unproven = false;
    judge.mpa.half[IW_SIDE_A].search.found = true;
    judge.mpa.half[IW_SIDE_A].terms.crc = IW_CRC_ON;
    judge.mpa.terms.seen[IW_SIDE_A] = true;
    sends.msn = next;
    return iw_judge_disproves(&judge, &event);
}

static void an_msn_from_before_the_gap_disproves(void **state) {
    (void)state;
    assert_false(disproves(5));
    assert_false(iw_mpa_unproven(&judge.mpa, IW_SIDE_A));
    assert_true(disproves(6));
    assert_true(iw_mpa_unproven(&judge.mpa, IW_SIDE_A));
}

static void only_a_proof_by_segments_is_disproved(void **state) {
    (void)state;
    disproves(6);
    judge.mpa.half[IW_SIDE_A].framing.markers = true;
    assert_false(iw_judge_disproves(&judge, &event));
    judge.mpa.half[IW_SIDE_A].framing.markers = false;
    judge.mpa.half[IW_SIDE_A].evidence.chained = 1 << 20;
    assert_false(iw_judge_disproves(&judge, &event));
    judge.mpa.half[IW_SIDE_A].evidence.chained = 0;
    sends.known = true;
    assert_false(iw_judge_disproves(&judge, &event));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_that_continues_as_far_as_the_gap_is_long_is_proven),
        cmocka_unit_test(several_fpdus_of_the_same_payload_are_too),
        cmocka_unit_test(a_gap_of_another_length_proves_nothing),
        cmocka_unit_test(another_stag_proves_nothing),
        cmocka_unit_test(what_was_sent_before_proves_nothing),
        cmocka_unit_test(without_a_good_crc_nothing_is_proven),
        cmocka_unit_test(a_segment_without_payload_proves_nothing),
        cmocka_unit_test(a_send_that_continues_is_proven),
        cmocka_unit_test(another_message_or_queue_proves_nothing),
        cmocka_unit_test(of_an_unknown_revision_nothing_is_judged),
        cmocka_unit_test(without_its_header_it_has_no_segment),
        cmocka_unit_test(the_thread_is_what_was_open_before_the_gap),
        cmocka_unit_test(an_msn_from_before_the_gap_disproves),
        cmocka_unit_test(only_a_proof_by_segments_is_disproved),
    };

    return cmocka_run_group_tests_name("iw_judge_unproven", tests, NULL, NULL);
}
