#include "iw_split_request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* An RDMA Read Request with MSN 1, split by hand (RFC 5041 4.3, RFC 5040 4.4). */
static const uint8_t header[28] = {0x00, 0x00, 0x12, 0x34, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00,
    0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x56, 0x78, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00};

struct split {
    struct iw_split_request split;
    struct iw_segment whole;
    uint8_t octets[64];
};

/* A segment with `count` octets of a Read Request's payload, from offset `mo`; zeros after the header. */
static struct iw_segment part_of(
    struct split *of, uint8_t opcode, uint8_t msn, uint8_t mo, uint8_t count, bool last) {
    struct iw_segment segment;
    const uint8_t ddp[18] = {[0] = last ? 0x41 : 0x01, [1] = 0x40 | opcode, [9] = 1, [13] = msn, [17] = mo};

    memset(of->octets, 0, sizeof of->octets);
    memcpy(of->octets, ddp, sizeof ddp);
    if (mo < sizeof header)
        memcpy(of->octets + 18, header + mo, mo + count <= 28 ? count : sizeof header - mo);
    assert_true(iw_segment_decode(of->octets, 18u + count, 18u + count, IW_EXT_DEFAULT, &segment));
    return segment;
}

static enum iw_split_request_state take_part(
    struct split *of, uint8_t msn, uint8_t mo, uint8_t count, bool last) {
    struct iw_segment segment = part_of(of, 1, msn, mo, count, last);

    return iw_split_request_segment(&of->split, &segment, true, &of->whole);
}

static void joins_two_segments(void **state) {
    for (uint8_t first = 1; first < 28; first++) {
        struct split of = {0};

        assert_int_equal(take_part(&of, 1, 0, first, false), IW_SPLIT_REQUEST_PART);
        assert_int_equal(take_part(&of, 1, first, 28 - first, true), IW_SPLIT_REQUEST_WHOLE);
        assert_int_equal(of.whole.header_octets, 28);
        assert_memory_equal(of.whole.header, header, 28);
        assert_int_equal(of.whole.payload_octets, 0);
        assert_false(of.whole.header_missing);
    }
    (void)state;
}

static void joins_single_octets(void **state) {
    struct split of = {0};

    for (uint8_t mo = 0; mo < 27; mo++)
        assert_int_equal(take_part(&of, 7, mo, 1, false), IW_SPLIT_REQUEST_PART);
    assert_int_equal(take_part(&of, 7, 27, 1, true), IW_SPLIT_REQUEST_WHOLE);
    assert_memory_equal(of.whole.header, header, 28);
    (void)state;
}

static void ignores_a_whole_request(void **state) {
    struct split of = {0};

    assert_int_equal(take_part(&of, 1, 0, 28, true), IW_SPLIT_REQUEST_NONE);
    assert_int_equal(take_part(&of, 2, 0, 28, false), IW_SPLIT_REQUEST_NONE);
    assert_int_equal(take_part(&of, 2, 28, 0, true), IW_SPLIT_REQUEST_PART); /* only L */
    assert_int_equal(take_part(&of, 3, 0, 28, false), IW_SPLIT_REQUEST_NONE);
    /* octets beyond the header of a Read Request */
    assert_int_equal(take_part(&of, 3, 28, 4, true), IW_SPLIT_REQUEST_NONE);
    (void)state;
}

static void passes_on_payload_after_the_header(void **state) {
    struct split of = {0};

    assert_int_equal(take_part(&of, 1, 0, 20, false), IW_SPLIT_REQUEST_PART);
    assert_int_equal(take_part(&of, 1, 20, 11, true), IW_SPLIT_REQUEST_WHOLE);
    assert_int_equal(of.whole.payload_octets, 3);
    (void)state;
}

/* The header of a Verify Request has 16 octets, and a hash may follow it
 * (draft-talpey-rdma-commit-01 3.1.2.1). */
static enum iw_split_request_state take_part_of_verify(
    struct split *of, uint8_t msn, uint8_t mo, uint8_t count, bool last) {
    static const uint8_t verify[20] = {0x11, 0x22, 0x33, 0x44, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x40, 0x00, 0xAA, 0xBB, 0xCC, 0xDD};
    const uint8_t ddp[18] = {[0] = last ? 0x41 : 0x01, [1] = 0x4E, [9] = 1, [13] = msn, [17] = mo};
    struct iw_segment segment;

    memcpy(of->octets, ddp, sizeof ddp);
    memcpy(of->octets + 18, verify + mo, count);
    assert_true(
        iw_segment_decode(of->octets, 18u + count, 18u + count, IW_EXT_DEFAULT | IW_EXT_COMMIT, &segment));
    return iw_split_request_segment(&of->split, &segment, true, &of->whole);
}

static void joins_a_verify_request(void **state) {
    for (uint8_t first = 1; first < 15; first++) {
        struct split of = {0};

        assert_int_equal(take_part_of_verify(&of, 1, 0, first, false), IW_SPLIT_REQUEST_PART);
        assert_int_equal(take_part_of_verify(&of, 1, first, 1, false), IW_SPLIT_REQUEST_PART);
        assert_int_equal(
            take_part_of_verify(&of, 1, first + 1, (uint8_t)(20 - first - 1), true), IW_SPLIT_REQUEST_WHOLE);
        assert_int_equal(of.whole.header_octets, 16);
        assert_int_equal(of.whole.header[0], 0x11);
        assert_int_equal(of.whole.header[14], 0x40);
        assert_int_equal(of.whole.payload_octets, 4);
        assert_int_equal(of.whole.payload[0], 0xAA);
    }
    (void)state;
}

/* A segment with only a part of the hash is payload. */
static void leaves_the_hash_of_a_verify_request(void **state) {
    struct split of = {0};

    assert_int_equal(take_part_of_verify(&of, 1, 0, 16, false), IW_SPLIT_REQUEST_NONE);
    assert_int_equal(take_part_of_verify(&of, 1, 16, 4, true), IW_SPLIT_REQUEST_NONE);
    assert_int_equal(take_part_of_verify(&of, 2, 0, 10, false), IW_SPLIT_REQUEST_PART);
    assert_int_equal(take_part_of_verify(&of, 2, 10, 6, false), IW_SPLIT_REQUEST_WHOLE);
    assert_int_equal(take_part_of_verify(&of, 2, 16, 4, true), IW_SPLIT_REQUEST_NONE);
    (void)state;
}

static void reports_a_verify_request_that_ends_early(void **state) {
    struct split of = {0};

    assert_int_equal(take_part_of_verify(&of, 1, 0, 10, false), IW_SPLIT_REQUEST_PART);
    assert_int_equal(take_part_of_verify(&of, 1, 10, 5, true), IW_SPLIT_REQUEST_BROKEN);
    assert_int_equal(take_part_of_verify(&of, 2, 0, 16, true), IW_SPLIT_REQUEST_NONE);
    (void)state;
}

static void drops_a_message_that_ends_early(void **state) {
    struct split of = {0};

    assert_int_equal(take_part(&of, 1, 0, 20, false), IW_SPLIT_REQUEST_PART);
    assert_int_equal(take_part(&of, 1, 20, 7, true), IW_SPLIT_REQUEST_NONE);
    assert_int_equal(take_part(&of, 2, 0, 27, true), IW_SPLIT_REQUEST_NONE);
    (void)state;
}

static void reports_a_request_that_stays_incomplete(void **state) {
    struct split of = {0};

    assert_int_equal(take_part(&of, 1, 0, 20, false), IW_SPLIT_REQUEST_PART);
    assert_int_equal(take_part(&of, 2, 0, 28, true), IW_SPLIT_REQUEST_BROKEN);
    assert_int_equal(take_part(&of, 3, 0, 28, true), IW_SPLIT_REQUEST_NONE);
    (void)state;
}

static void ignores_other_segments(void **state) {
    struct split of = {0};
    struct iw_segment segment;

    assert_int_equal(take_part(&of, 1, 0, 20, false), IW_SPLIT_REQUEST_PART);
    assert_int_equal(take_part(&of, 2, 20, 8, true), IW_SPLIT_REQUEST_NONE); /* of another message */
    /* the request was dropped before */
    assert_int_equal(take_part(&of, 1, 20, 8, true), IW_SPLIT_REQUEST_NONE);

    assert_int_equal(take_part(&of, 1, 0, 20, false), IW_SPLIT_REQUEST_PART);
    segment = part_of(&of, 1, 1, 20, 8, true);
    assert_int_equal(iw_split_request_segment(&of.split, &segment, false, &of.whole), IW_SPLIT_REQUEST_NONE);
    /* octets between the segments were lost */
    assert_int_equal(take_part(&of, 1, 20, 8, true), IW_SPLIT_REQUEST_NONE);

    assert_int_equal(take_part(&of, 1, 0, 20, false), IW_SPLIT_REQUEST_PART);
    segment = part_of(&of, 3, 1, 20, 8, true); /* another message on queue 1: a Send */
    assert_int_equal(iw_split_request_segment(&of.split, &segment, true, &of.whole), IW_SPLIT_REQUEST_NONE);
    (void)state;
}

static void needs_captured_octets(void **state) {
    struct split of = {0};
    struct iw_segment segment = part_of(&of, 1, 1, 0, 20, false);

    segment.payload_captured = 12;
    assert_int_equal(iw_split_request_segment(&of.split, &segment, true, &of.whole), IW_SPLIT_REQUEST_NONE);
    assert_int_equal(take_part(&of, 1, 20, 8, true), IW_SPLIT_REQUEST_NONE);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_two_segments),
        cmocka_unit_test(joins_single_octets),
        cmocka_unit_test(ignores_a_whole_request),
        cmocka_unit_test(passes_on_payload_after_the_header),
        cmocka_unit_test(joins_a_verify_request),
        cmocka_unit_test(leaves_the_hash_of_a_verify_request),
        cmocka_unit_test(reports_a_verify_request_that_ends_early),
        cmocka_unit_test(drops_a_message_that_ends_early),
        cmocka_unit_test(reports_a_request_that_stays_incomplete),
        cmocka_unit_test(ignores_other_segments),
        cmocka_unit_test(needs_captured_octets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
