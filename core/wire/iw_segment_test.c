#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_segment.h"

/* Every field has a value of its own, so that a mix-up is detected. */
static void tagged_header_is_decoded(void **state) {
    const uint8_t octets[16] = {0xC1 | 0x28, 0x62, 0x11, 0x22, 0x33, 0x44, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06,
        0x07, 0x08, 0xEE, 0xFF};
    struct iw_segment segment;

    (void)state;
    assert_true(iw_segment_decode(octets, 16, 16, IW_EXT_BASE, &segment));
    assert_true(segment.tagged);
    assert_true(segment.last);
    assert_int_equal(segment.rsvd, 0xA);
    assert_int_equal(segment.dv, 1);
    assert_int_equal(segment.control, 0x62);
    assert_int_equal(segment.rv, 1);
    assert_int_equal(segment.rsv, 2);
    assert_int_equal(segment.opcode, 2);
    assert_int_equal(segment.stag, 0x11223344);
    assert_int_equal(segment.to, 0x0102030405060708);
    assert_int_equal(segment.qn, 0);
    assert_int_equal(segment.msn, 0);
    assert_int_equal(segment.mo, 0);
    assert_int_equal(segment.invalidate_stag, 0);
    assert_int_equal(segment.ddp_octets, 14);
    assert_int_equal(segment.payload_octets, 2);
    assert_ptr_equal(segment.payload, octets + 14);
}

static void assert_parts(
    const uint8_t octets[18], unsigned extensions, const struct iw_segment_part *expected, unsigned count) {
    struct iw_segment_part parts[IW_SEGMENT_PARTS_MAX];
    struct iw_segment segment;

    assert_true(iw_segment_decode(octets, 18, 18, extensions, &segment));
    assert_int_equal(iw_segment_parts(&segment, parts), count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(parts[i].layout, expected[i].layout);
        assert_int_equal(parts[i].at, expected[i].at);
    }
}

/* RFC 5041 4.2, 4.3; RFC 5040 4.1; draft-talpey-rdma-commit-01 3.1 for opcode 10h. */
static void rdmap_layouts_lie_within_the_ddp_header(void **state) {
    static const uint8_t write[18] = {0xC1, 0x40}, send[18] = {0x41, 0x43}, invalidate[18] = {0x41, 0x44};
    static const uint8_t atomic_write[18] = {0x41, 0x50, 0, 0, 0, 0, 0, 0, 0, 1};
    static const struct iw_segment_part in_write[] = {
        {iw_layout_ddp_tagged, 0}, {iw_layout_rdmap_control, 1}};
    static const struct iw_segment_part in_send[] = {
        {iw_layout_ddp_untagged, 0}, {iw_layout_rdmap_control, 1}};
    static const struct iw_segment_part in_invalidate[] = {
        {iw_layout_ddp_untagged, 0}, {iw_layout_rdmap_control, 1}, {iw_layout_rdmap_invalidate, 2}};
    static const struct iw_segment_part in_atomic_write[] = {
        {iw_layout_ddp_untagged, 0}, {iw_layout_rdmap_control5, 1}, {iw_layout_rdmap_invalidate, 2}};

    (void)state;
    assert_parts(write, IW_EXT_BASE, in_write, 2);
    assert_parts(send, IW_EXT_BASE, in_send, 2);
    assert_parts(invalidate, IW_EXT_BASE, in_invalidate, 3);
    assert_parts(atomic_write, IW_EXT_ALL, in_atomic_write, 3);
}

static void untagged_header_is_decoded(void **state) {
    const uint8_t octets[18] = {0x16, 0x9B, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB,
        0xCC, 0xDD, 0xEE, 0xF0, 0x0F};
    struct iw_segment segment;

    (void)state;
    assert_true(iw_segment_decode(octets, 18, 18, IW_EXT_BASE, &segment));
    assert_false(segment.tagged);
    assert_false(segment.last);
    assert_int_equal(segment.rsvd, 5);
    assert_int_equal(segment.dv, 2);
    assert_int_equal(segment.rv, 2);
    assert_int_equal(segment.rsv, 1);
    assert_int_equal(segment.opcode, 0xB);
    assert_null(segment.op); /* RFC 7306 is not in force */
    assert_false(segment.header_missing);
    assert_int_equal(segment.invalidate_stag, 0x11223344);
    assert_int_equal(segment.qn, 0x55667788);
    assert_int_equal(segment.msn, 0x99AABBCC);
    assert_int_equal(segment.mo, 0xDDEEF00F);
    assert_int_equal(segment.stag, 0);
    assert_int_equal(segment.to, 0);
    assert_int_equal(segment.ddp_octets, 18);
    assert_int_equal(segment.payload_octets, 0);
}

static void headers_are_encoded(void **state) {
    const struct iw_segment tagged = {
        .tagged = true, .rsvd = 0xA, .dv = 1, .control = 0x62, .stag = 0x11223344, .to = 0x0102030405060708};
    const uint8_t tagged_octets[14] = {
        0xA9, 0x62, 0x11, 0x22, 0x33, 0x44, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08};
    const struct iw_segment untagged = {.last = true,
        .rsvd = 5,
        .dv = 2,
        .control = 0x9B,
        .invalidate_stag = 0x11223344,
        .qn = 0x55667788,
        .msn = 0x99AABBCC,
        .mo = 0xDDEEF00F};
    const uint8_t untagged_octets[18] = {0x56, 0x9B, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99,
        0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xF0, 0x0F};
    uint8_t octets[18];

    (void)state;
    memset(octets, 0xA5, sizeof octets);
    assert_int_equal(iw_segment_encode_ddp(&tagged, octets), 14);
    assert_memory_equal(octets, tagged_octets, 14);
    assert_int_equal(octets[14], 0xA5);
    memset(octets, 0xA5, sizeof octets);
    assert_int_equal(iw_segment_encode_ddp(&untagged, octets), 18);
    assert_memory_equal(octets, untagged_octets, 18);
}

static void control_octet_is_encoded(void **state) {
    (void)state;
    assert_int_equal(iw_segment_control(1, 0, 0x3), 0x43);
    assert_int_equal(iw_segment_control(0, 0, 0xF), 0x0F);
    assert_int_equal(iw_segment_control(3, 3, 0x0), 0xF0);
    assert_int_equal(iw_segment_control(2, 1, 0x7), 0x97);
    assert_int_equal(iw_segment_control(1, 0, 0x10), 0x50);
    assert_int_equal(iw_segment_control(1, 0, 0x11), 0x51);
    assert_int_equal(iw_segment_control(1, 2, 0x11), 0x71);
}

static struct iw_segment decode_control(uint8_t first, uint8_t control, uint8_t qn, unsigned extensions) {
    const uint8_t octets[64] = {first, control, [9] = qn, [13] = 1};
    struct iw_segment segment;

    assert_true(iw_segment_decode(octets, sizeof octets, sizeof octets, extensions, &segment));
    segment.header = segment.payload = NULL; /* they point into `octets` */
    return segment;
}

/* draft-talpey-rdma-commit-01 3.1: without OPCODE5, only control octets 50h on QN 1 and 51h on QN 3,
 * untagged, have a 5-bit opcode. */
static const struct {
    uint8_t first; /* octet 0: C1h tagged, 41h untagged */
    uint8_t control;
    uint8_t qn;
    unsigned extensions;
    bool five_bit;
    uint8_t rsv;
    uint8_t opcode;
    bool known;
} widths[] = {
    {0x41, 0x50, 1, IW_EXT_COMMIT, true, 0, 0x10, true}, {0x41, 0x51, 3, IW_EXT_COMMIT, true, 0, 0x11, true},
    {0x41, 0x70, 1, IW_EXT_COMMIT, true, 1, 0x10, true}, /* the upper reserved bit is still ignored */
    {0x41, 0x50, 1, IW_EXT_ALL, true, 0, 0x10, true}, {0x41, 0x50, 1, IW_EXT_BASE, false, 1, 0x0, true},
    {0x41, 0x51, 3, IW_EXT_BASE, false, 1, 0x1, true},
    {0x41, 0x50, 1, IW_EXT_RFC7306 | IW_EXT_STORM, false, 1, 0x0, true},
    {0xC1, 0x50, 1, IW_EXT_COMMIT, false, 1, 0x0, true}, /* a Write with a reserved bit */
    {0xC1, 0x51, 3, IW_EXT_COMMIT, false, 1, 0x1, true}, {0x41, 0x50, 0, IW_EXT_COMMIT, false, 1, 0x0, true},
    {0x41, 0x50, 3, IW_EXT_COMMIT, false, 1, 0x0, true},
    {0x41, 0x51, 1, IW_EXT_COMMIT, false, 1, 0x1, true}, /* a Read Request with a reserved bit */
    {0x41, 0x51, 7, IW_EXT_COMMIT, false, 1, 0x1, true},
    {0x41, 0x53, 0, IW_EXT_COMMIT, false, 1, 0x3, true}, /* a Send with a reserved bit */
    {0x41, 0x52, 1, IW_EXT_COMMIT, false, 1, 0x2, true}, {0x41, 0x4C, 1, IW_EXT_COMMIT, false, 0, 0xC, true},
    {0x41, 0x4C, 1, IW_EXT_BASE, false, 0, 0xC, false}, {0x41, 0x4A, 1, IW_EXT_COMMIT, false, 0, 0xA, false},
    /* with OPCODE5, every opcode has 5 bits */
    {0x41, 0x50, 1, IW_EXT_COMMIT | IW_EXT_OPCODE5, true, 0, 0x10, true},
    {0x41, 0x51, 1, IW_EXT_COMMIT | IW_EXT_OPCODE5, true, 0, 0x11, true},
    {0xC1, 0x50, 1, IW_EXT_COMMIT | IW_EXT_OPCODE5, true, 0, 0x10, true},
    {0x41, 0x53, 0, IW_EXT_COMMIT | IW_EXT_OPCODE5, true, 0, 0x13, false},
    {0x41, 0x5F, 0, IW_EXT_COMMIT | IW_EXT_OPCODE5, true, 0, 0x1F, false},
    {0x41, 0x43, 0, IW_EXT_COMMIT | IW_EXT_OPCODE5, true, 0, 0x3, true},
    {0x41, 0x63, 0, IW_EXT_COMMIT | IW_EXT_OPCODE5, true, 1, 0x3, true},
    {0x41, 0x50, 1, IW_EXT_OPCODE5, false, 1, 0x0, true}, /* OPCODE5 has no effect without COMMIT */
};

static void opcode_width_follows_t_qn_and_extensions(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct iw_segment segment =
            decode_control(widths[i].first, widths[i].control, widths[i].qn, widths[i].extensions);

        print_message("row %zu\n", i);
        assert_int_equal(segment.control, widths[i].control);
        assert_int_equal(segment.rv, 1);
        assert_int_equal(segment.five_bit, widths[i].five_bit);
        assert_int_equal(segment.rsv, widths[i].rsv);
        assert_int_equal(segment.opcode, widths[i].opcode);
        if (widths[i].known)
            assert_ptr_equal(segment.op, &iw_opcodes[widths[i].opcode]);
        else
            assert_null(segment.op);
    }
}

/* On the wrong queue, the length tells an Atomic Write Request and Response from a Write and a Read Request
 * with a reserved bit set. */
static void opcode_width_follows_the_length(void **state) {
    static const struct {
        uint8_t control, qn;
        size_t length;
        bool five_bit;
    } lengths[] = {
        {0x50, 0, 42, true},
        {0x50, 7, 42, true},
        {0x50, 0, 41, false},
        {0x50, 0, 46, false},
        {0x51, 1, 18, true},
        {0x51, 0, 18, true},
        {0x51, 1, 46, false},
        {0x53, 0, 18, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const uint8_t octets[64] = {0x41, lengths[i].control, [9] = lengths[i].qn, [13] = 1};
        struct iw_segment segment;

        assert_true(iw_segment_decode(octets, lengths[i].length, lengths[i].length, IW_EXT_COMMIT, &segment));
        assert_int_equal(segment.five_bit, lengths[i].five_bit);
        assert_true(iw_segment_decode(octets, 18, lengths[i].length, IW_EXT_COMMIT, &segment));
        assert_int_equal(segment.five_bit, lengths[i].five_bit);
    }
}

/* The octets of the RDMAP header that each opcode has after an untagged DDP header. */
static const struct {
    uint8_t control, qn, header;
} headers[] = {
    {0x40, 0, 0},
    {0x41, 1, 28},
    {0x42, 0, 0},
    {0x43, 0, 0},
    {0x47, 2, 4},
    {0x48, 0, 8},
    {0x49, 0, 8},
    {0x4A, 1, 52},
    {0x4B, 3, 12},
    {0x4C, 1, 20},
    {0x4D, 3, 0},
    {0x4E, 1, 16},
    {0x4F, 3, 0},
    {0x50, 1, 24},
    {0x51, 3, 0},
};

static void check_short_segment(uint8_t control, uint8_t qn, size_t header, size_t captured, size_t length) {
    const uint8_t ddp[18] = {0x41, control, [9] = qn, [13] = 1};
    uint8_t *octets = calloc(captured > 0 ? captured : 1, 1);
    struct iw_segment segment;
    size_t headers_end = 18 + (captured >= 18 + header ? header : 0);

    assert_non_null(octets);
    memcpy(octets, ddp, captured < sizeof ddp ? captured : sizeof ddp);
    assert_int_equal(iw_segment_decode(octets, captured, length, IW_EXT_ALL, &segment), captured >= 18);
    assert_int_equal(segment.length, length);
    if (captured > 0) {
        assert_false(segment.tagged);
        assert_true(segment.last);
        assert_int_equal(segment.dv, 1);
        assert_int_equal(segment.ddp_octets, 18);
    }
    if (captured >= 18) {
        assert_int_equal(segment.header_missing, captured < 18 + header);
        assert_int_equal(segment.header_octets, headers_end - 18);
        assert_ptr_equal(segment.header, headers_end > 18 ? octets + 18 : NULL);
        assert_ptr_equal(segment.payload, octets + headers_end);
        assert_int_equal(segment.payload_octets, length - headers_end);
        assert_int_equal(segment.payload_captured, captured - headers_end);
    }
    free(octets);
}

/* Each captured length in an allocation of that size: first with a segment of that length, then with a
 * segment of 80 octets that the capture truncates. */
static void short_segments_decode_up_to_their_end(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        for (size_t captured = 0; captured <= 80; captured++) {
            check_short_segment(headers[i].control, headers[i].qn, headers[i].header, captured, captured);
            check_short_segment(headers[i].control, headers[i].qn, headers[i].header, captured, 80);
        }
    }
}

static void short_tagged_segments_are_rejected(void **state) {
    const uint8_t whole[15] = {0xC1, 0x40, 0x11, 0x22, 0x33, 0x44, [13] = 0x20, [14] = 0xEE};

    (void)state;
    for (size_t captured = 0; captured <= sizeof whole; captured++) {
        uint8_t *octets = malloc(captured > 0 ? captured : 1);
        struct iw_segment segment;

        assert_non_null(octets);
        memcpy(octets, whole, captured);
        assert_int_equal(
            iw_segment_decode(octets, captured, captured, IW_EXT_BASE, &segment), captured >= 14);
        assert_int_equal(segment.length, captured);
        assert_int_equal(segment.ddp_octets, captured > 0 ? 14 : 0);
        assert_int_equal(segment.tagged, captured > 0);
        free(octets);
    }
}

/* Captured octets after the segment do not belong to it. */
static void captured_octets_beyond_the_length_do_not_count(void **state) {
    const uint8_t octets[32] = {0x41, 0x43, [13] = 1, [18] = 'h', 'i'};
    struct iw_segment segment;

    (void)state;
    assert_true(iw_segment_decode(octets, 32, 20, IW_EXT_BASE, &segment));
    assert_int_equal(segment.payload_octets, 2);
    assert_int_equal(segment.payload_captured, 2);
    assert_false(iw_segment_decode(octets, 32, 17, IW_EXT_BASE, &segment));
    assert_int_equal(segment.length, 17);
}

static void length_is_limited_to_sixteen_bits(void **state) {
    const uint8_t octets[18] = {0x41, 0x43, [13] = 1};
    struct iw_segment segment;

    (void)state;
    assert_true(iw_segment_decode(octets, 18, 0x10000, IW_EXT_BASE, &segment));
    assert_int_equal(segment.length, 0xFFFF);
    assert_int_equal(segment.payload_octets, 0xFFFF - 18);
    assert_int_equal(segment.payload_captured, 0);
}

/* No tagged segment has an RDMAP header: T is wrong, and what follows is payload. */
static void tagged_segments_have_no_header(void **state) {
    const uint8_t octets[42] = {0xC1, 0x41};
    struct iw_segment segment;

    (void)state;
    assert_true(iw_segment_decode(octets, 42, 42, IW_EXT_BASE, &segment));
    assert_int_equal(segment.opcode, 1);
    assert_int_equal(segment.header_octets, 0);
    assert_false(segment.header_missing);
    assert_int_equal(segment.payload_octets, 28);
}

/* A hash too long for one segment: only the first segment has the header. */
static void second_segment_of_a_verify_has_no_header(void **state) {
    uint8_t octets[58] = {0x01, 0x4E, [9] = 1, [13] = 1};
    struct iw_segment segment;

    (void)state;
    assert_true(iw_segment_decode(octets, 58, 58, IW_EXT_COMMIT, &segment));
    assert_int_equal(segment.header_octets, 16);
    assert_int_equal(segment.payload_octets, 24);
    octets[0] = 0x41;
    octets[17] = 40; /* MO */
    assert_true(iw_segment_decode(octets, 58, 58, IW_EXT_COMMIT, &segment));
    assert_int_equal(segment.mo, 40);
    assert_int_equal(segment.header_octets, 0);
    assert_false(segment.header_missing);
    assert_ptr_equal(segment.payload, octets + 18);
    assert_int_equal(segment.payload_octets, 40);
}

/* The rest of a Terminate at MO 4: a DDP Segment Length, not a Terminate Control (RFC 5040 4.8). */
static void later_segment_of_a_terminate_has_no_header(void **state) {
    const uint8_t octets[22] = {0x41, 0x47, [9] = 2, [13] = 1, [17] = 4, [18] = 0x00, 0x17, 0x41, 0x43};
    struct iw_segment segment;

    (void)state;
    assert_true(iw_segment_decode(octets, 22, 22, IW_EXT_BASE, &segment));
    assert_int_equal(segment.mo, 4);
    assert_int_equal(segment.header_octets, 0);
    assert_false(segment.header_missing);
    assert_ptr_equal(segment.payload, octets + 18);
    assert_int_equal(segment.payload_octets, 4);
}

static void other_messages_have_their_header_at_any_mo(void **state) {
    const uint8_t octets[46] = {0x41, 0x41, [9] = 1, [13] = 1, [17] = 8};
    struct iw_segment segment;

    (void)state;
    assert_true(iw_segment_decode(octets, 46, 46, IW_EXT_BASE, &segment));
    assert_int_equal(segment.mo, 8);
    assert_int_equal(segment.header_octets, 28);
}

/* A Read Request by its opcode: with T=1 it has no header, on queue 0 it has one. */
static void an_opcode_fits_only_its_model_and_queue(void **state) {
    const uint8_t right[46] = {0x41, 0x41, [9] = 1, [13] = 1};
    const uint8_t tagged[46] = {0xC1, 0x41};
    const uint8_t queue_0[46] = {0x41, 0x41, [13] = 1};
    const uint8_t unknown[18] = {0x41, 0x47 + 0x08, [9] = 3};
    struct iw_segment segment;

    (void)state;
    assert_true(iw_segment_decode(right, 46, 46, IW_EXT_BASE, &segment));
    assert_true(iw_segment_opcode_fits(&segment));
    assert_true(iw_segment_decode(tagged, 46, 46, IW_EXT_BASE, &segment));
    assert_false(iw_segment_opcode_fits(&segment));
    assert_int_equal(segment.header_octets, 0);
    assert_false(segment.header_missing);
    assert_true(iw_segment_decode(queue_0, 46, 46, IW_EXT_BASE, &segment));
    assert_false(iw_segment_opcode_fits(&segment));
    assert_true(iw_segment_decode(unknown, 18, 18, IW_EXT_BASE, &segment));
    assert_true(iw_segment_opcode_fits(&segment));
}

static void sends_are_recognised_by_opcode_t_and_qn(void **state) {
    static const struct {
        uint8_t first, control, qn;
        bool send;
    } rows[] = {
        {0x41, 0x43, 0, true},  /* Send */
        {0x41, 0x44, 0, true},  /* Send with Invalidate */
        {0x41, 0x45, 0, true},  /* Send with SE */
        {0x41, 0x46, 0, true},  /* Send with SE and Invalidate */
        {0x41, 0x43, 1, false}, /* on the queue of Read Requests */
        {0xC1, 0x43, 0, false}, /* tagged */
        {0x41, 0x40, 0, false}, /* RDMA Write, untagged */
        {0xC1, 0x40, 0, false}, /* RDMA Write */
        {0x41, 0x47, 2, false}, /* Terminate */
        {0x41, 0x48, 0, false}, /* Immediate Data */
        {0x41, 0x4C, 0, false}, /* RDMA Flush Request */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iw_segment segment = decode_control(rows[i].first, rows[i].control, rows[i].qn, IW_EXT_ALL);

        if (iw_segment_is_send(&segment) != rows[i].send)
            fail_msg("row %zu", i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_segment_of_a_terminate_has_no_header),
        cmocka_unit_test(an_opcode_fits_only_its_model_and_queue),
        cmocka_unit_test(tagged_header_is_decoded),
        cmocka_unit_test(untagged_header_is_decoded),
        cmocka_unit_test(rdmap_layouts_lie_within_the_ddp_header),
        cmocka_unit_test(headers_are_encoded),
        cmocka_unit_test(control_octet_is_encoded),
        cmocka_unit_test(opcode_width_follows_t_qn_and_extensions),
        cmocka_unit_test(opcode_width_follows_the_length),
        cmocka_unit_test(short_segments_decode_up_to_their_end),
        cmocka_unit_test(short_tagged_segments_are_rejected),
        cmocka_unit_test(captured_octets_beyond_the_length_do_not_count),
        cmocka_unit_test(length_is_limited_to_sixteen_bits),
        cmocka_unit_test(tagged_segments_have_no_header),
        cmocka_unit_test(second_segment_of_a_verify_has_no_header),
        cmocka_unit_test(other_messages_have_their_header_at_any_mo),
        cmocka_unit_test(sends_are_recognised_by_opcode_t_and_qn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
