#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_terminate.h"
#include "iw_vector.h"

#define VECTORS WARPCHECK_SOURCE_DIR "/core/wire/testdata/vectors.json"

/* The parts after the Terminate Header, in wire order. */
#define LENGTH 0x00, 0x2E
#define UNTAGGED 0x41, 0x41, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0
#define TAGGED 0xC1, 0x40, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 1, 0, 0, 0x20, 0
#define READ                                                                                                 \
    0, 0, 0x12, 0x34, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0x10, 0, 0, 0, 0x56, 0x78, 0, 0, 0, 0, 0, 0, 0x20, 0

/* Each combination of the bits, with exactly the octets that it requires (RFC 5040 4.8). The length is
 * present when D is set; with M alone it is decoded as well. */
static const struct {
    uint8_t bits; /* M, D, R from the top */
    uint8_t length;
    uint8_t octets[52];
    bool has_length, has_ddp, tagged;
    uint8_t rdmap_at; /* 0: none */
} combinations[] = {
    {0x00, 4, {1, 2, 0x00, 0}, false, false, false, 0},
    {0x20, 32, {1, 2, 0x20, 0, READ}, false, false, false, 4},
    {0x40, 24, {1, 2, 0x40, 0, LENGTH, UNTAGGED}, true, true, false, 0},
    {0x40, 20, {1, 2, 0x40, 0, LENGTH, TAGGED}, true, true, true, 0},
    {0x60, 52, {1, 2, 0x60, 0, LENGTH, UNTAGGED, READ}, true, true, false, 24},
    {0x60, 48, {1, 2, 0x60, 0, LENGTH, TAGGED, READ}, true, true, true, 20},
    {0x80, 6, {1, 2, 0x80, 0, LENGTH}, true, false, false, 0},
    {0x80, 4, {1, 2, 0x80, 0}, false, false, false, 0},
    {0xA0, 34, {1, 2, 0xA0, 0, LENGTH, READ}, true, false, false, 6},
    {0xC0, 24, {1, 2, 0xC0, 0, LENGTH, UNTAGGED}, true, true, false, 0},
    {0xC0, 20, {1, 2, 0xC0, 0, LENGTH, TAGGED}, true, true, true, 0},
    {0xE0, 52, {1, 2, 0xE0, 0, LENGTH, UNTAGGED, READ}, true, true, false, 24},
    {0xE0, 48, {1, 2, 0xE0, 0, LENGTH, TAGGED, READ}, true, true, true, 20},
};

static void bits_decide_what_is_included(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof combinations / sizeof *combinations; i++) {
        const uint8_t *octets = combinations[i].octets;
        uint8_t bits = combinations[i].bits;
        struct iw_terminate_message message;

        print_message("%02x, %u octets\n", bits, combinations[i].length);
        assert_true(iw_terminate_message_decode(octets, combinations[i].length, IW_EXT_BASE, &message));
        assert_int_equal(message.control.layer, 0);
        assert_int_equal(message.control.etype, 1);
        assert_int_equal(message.control.code, 2);
        assert_int_equal(message.control.m, bits >> 7);
        assert_int_equal(message.control.d, bits >> 6 & 1);
        assert_int_equal(message.control.r, bits >> 5 & 1);
        assert_int_equal(message.has_length, combinations[i].has_length);
        assert_int_equal(message.segment_length, combinations[i].has_length ? 0x2E : 0);
        assert_int_equal(message.has_ddp, combinations[i].has_ddp);
        assert_int_equal(message.has_rdmap, combinations[i].rdmap_at != 0);
        assert_int_equal(message.used, combinations[i].length);
        assert_false(message.truncated);
        if (message.has_rdmap)
            assert_ptr_equal(message.rdmap_octets, octets + combinations[i].rdmap_at);
        if (!message.has_ddp)
            continue;
        assert_ptr_equal(message.terminated_octets, octets + 6);
        assert_int_equal(message.terminated.tagged, combinations[i].tagged);
        assert_int_equal(message.terminated.ddp_octets, combinations[i].tagged ? 14 : 18);
        assert_int_equal(message.terminated.stag, combinations[i].tagged ? 0x11223344 : 0);
        assert_int_equal(message.terminated.to, combinations[i].tagged ? 0x100002000 : 0);
        assert_int_equal(message.terminated.qn, combinations[i].tagged ? 0 : 1);
        assert_int_equal(message.terminated.msn, combinations[i].tagged ? 0 : 5);
    }
}

/* A message with all parts, truncated or padded to every length, in allocations of that size. */
static void every_truncation_is_detected_without_overread(void **state) {
    const uint8_t untagged[70] = {1, 2, 0xE0, 0, LENGTH, UNTAGGED, READ};
    const uint8_t tagged[70] = {1, 2, 0xE0, 0, LENGTH, TAGGED, READ};

    (void)state;
    for (size_t length = 0; length <= 70; length++) {
        for (unsigned t = 0; t <= 1; t++) {
            size_t ddp_end = t ? 20 : 24;
            size_t end = ddp_end + 28;
            uint8_t *octets = malloc(length > 0 ? length : 1);
            struct iw_terminate_message message;

            assert_non_null(octets);
            memcpy(octets, t ? tagged : untagged, length);
            assert_int_equal(iw_terminate_message_decode(octets, length, IW_EXT_ALL, &message), length >= 4);
            assert_int_equal(message.has_length, length >= 6);
            assert_int_equal(message.has_ddp, length >= ddp_end);
            assert_int_equal(message.has_rdmap, length >= end);
            if (length >= 4) {
                size_t used = length < 6 ? 4 : length < ddp_end ? 6 : length < end ? ddp_end : end;

                assert_int_equal(message.truncated, length < end);
                assert_int_equal(message.used, used);
            }
            free(octets);
        }
    }
}

static void missing_read_header_is_detected_without_a_ddp_header(void **state) {
    const uint8_t octets[32] = {1, 2, 0x20, 0, READ};

    (void)state;
    for (size_t length = 4; length < 32; length++) {
        uint8_t *cut = malloc(length);
        struct iw_terminate_message message;

        assert_non_null(cut);
        memcpy(cut, octets, length);
        assert_true(iw_terminate_message_decode(cut, length, IW_EXT_BASE, &message));
        assert_false(message.has_rdmap);
        assert_true(message.truncated);
        assert_int_equal(message.used, 4);
        free(cut);
    }
}

/* Reserved bits are not checked (RFC 5040 4.8), but reported. */
static void reserved_bits_are_reported_and_ignored(void **state) {
    const uint8_t octets[4] = {0x20, 0x02, 0x1F, 0xFF};
    struct iw_terminate_message message;

    (void)state;
    assert_true(iw_terminate_message_decode(octets, sizeof octets, IW_EXT_BASE, &message));
    assert_int_equal(message.control.layer, 2);
    assert_int_equal(message.control.etype, 0);
    assert_int_equal(message.control.code, 2);
    assert_int_equal(message.control.reserved, 0x1FFF);
    assert_int_equal(message.used, 4);
    assert_false(message.truncated);
}

/* F17 to F22: the triple, the message that caused it, and the places of the included headers in the
 * FPDU. */
static const struct {
    const char *id;
    enum iw_error error;
    uint16_t segment_length;
    uint8_t ddp_octets;
    uint8_t opcode;
    bool read;
} vectors[] = {
    {"F17", IW_ERROR_RDMAP_ACCESS_RIGHTS, 46, 18, 0x1, true},
    {"F18", IW_ERROR_RDMAP_CANNOT_INVALIDATE, 23, 18, 0x4, false},
    {"F19", IW_ERROR_RDMAP_UNEXPECTED_OPCODE, 18, 18, 0xC, false},
    {"F20", IW_ERROR_DDP_BASE_BOUNDS, 22, 14, 0x0, false},
    {"F21", IW_ERROR_DDP_MSN_NO_BUFFER, 23, 18, 0x3, false},
    {"F22", IW_ERROR_RDMAP_CATASTROPHIC_STREAM, 70, 18, 0xA, false},
};

static void golden_terminates_name_their_cause(void **state) {
    struct iw_vector_set set;

    (void)state;
    assert_true(iw_vector_set_init(&set, VECTORS));
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const struct iw_vector *vector = iw_vector_find(&set, vectors[i].id);
        struct iw_terminate_message message;

        print_message("%s\n", vectors[i].id);
        assert_non_null(vector);
        /* 2 octets of ULPDU_Length and 18 of DDP header before; the CRC after; no PAD */
        assert_true(iw_terminate_message_decode(
            vector->octets + 20, vector->length - 24, IW_EXT_RFC7306 | IW_EXT_COMMIT, &message));
        assert_int_equal(iw_error_triple(message.control.layer, message.control.etype, message.control.code),
            vectors[i].error);
        assert_int_equal(message.segment_length, vectors[i].segment_length);
        assert_true(message.has_ddp);
        assert_ptr_equal(message.terminated_octets, vector->octets + 26);
        assert_int_equal(message.terminated.ddp_octets, vectors[i].ddp_octets);
        assert_int_equal(message.terminated.opcode, vectors[i].opcode);
        assert_int_equal(message.has_rdmap, vectors[i].read);
        assert_ptr_equal(message.rdmap_octets, vectors[i].read ? vector->octets + 44 : NULL);
        assert_int_equal(message.used, vector->length - 24);
    }
    iw_vector_set_dispose(&set);
}

/* F17 as a segment, and again with less of it captured, with another opcode, and tagged: then it has no RDMAP
 * header (RFC 5040 4.8). */
static void only_a_terminate_with_its_header_is_decoded(void **state) {
    enum { DDP = 18, HEADER = 4 };
    struct iw_vector_set set;
    const struct iw_vector *vector;
    struct iw_segment segment;
    struct iw_terminate_message message;
    uint8_t ulpdu[70];
    size_t length;

    (void)state;
    assert_true(iw_vector_set_init(&set, VECTORS));
    vector = iw_vector_find(&set, "F17");
    assert_non_null(vector);
    length = vector->length - 6; /* ULPDU_Length before, the CRC after */
    assert_int_equal(length, DDP + HEADER + 2 + 18 + 28);
    memcpy(ulpdu, vector->octets + 2, length);

    assert_true(iw_segment_decode(ulpdu, length, length, IW_EXT_BASE, &segment));
    assert_true(iw_segment_terminate(&segment, IW_EXT_BASE, &message));
    assert_int_equal(message.used, length - DDP);
    assert_ptr_equal(message.terminated_octets, ulpdu + DDP + HEADER + 2);

    assert_true(iw_segment_decode(ulpdu, DDP + HEADER, length, IW_EXT_BASE, &segment));
    assert_true(iw_segment_terminate(&segment, IW_EXT_BASE, &message));
    assert_true(message.truncated);
    assert_int_equal(message.used, HEADER);

    assert_true(iw_segment_decode(ulpdu, DDP + HEADER - 1, length, IW_EXT_BASE, &segment));
    assert_false(iw_segment_terminate(&segment, IW_EXT_BASE, &message));

    ulpdu[1] = 0x41; /* RDMA Read Request */
    assert_true(iw_segment_decode(ulpdu, length, length, IW_EXT_BASE, &segment));
    assert_true(segment.header_octets > 0);
    assert_false(iw_segment_terminate(&segment, IW_EXT_BASE, &message));

    ulpdu[0] |= 0x80; /* T */
    ulpdu[1] = 0x47;
    assert_true(iw_segment_decode(ulpdu, length, length, IW_EXT_BASE, &segment));
    assert_false(iw_segment_terminate(&segment, IW_EXT_BASE, &message));
    iw_vector_set_dispose(&set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_decide_what_is_included),
        cmocka_unit_test(every_truncation_is_detected_without_overread),
        cmocka_unit_test(missing_read_header_is_detected_without_a_ddp_header),
        cmocka_unit_test(reserved_bits_are_reported_and_ignored),
        cmocka_unit_test(golden_terminates_name_their_cause),
        cmocka_unit_test(only_a_terminate_with_its_header_is_decoded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
