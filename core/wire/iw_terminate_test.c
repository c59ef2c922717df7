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

/* RFC 5040 4.8 figure 9, RFC 5041 7.2, RFC 5044 8, RFC 6581 8, RFC 6580 3.2. */
static const struct {
    uint8_t layer, etype, code;
    enum iw_error error;
} triples[] = {
    {0, 0, 0x00, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC},
    {0, 1, 0x00, IW_ERROR_RDMAP_INVALID_STAG},
    {0, 1, 0x01, IW_ERROR_RDMAP_BASE_BOUNDS},
    {0, 1, 0x02, IW_ERROR_RDMAP_ACCESS_RIGHTS},
    {0, 1, 0x03, IW_ERROR_RDMAP_STAG_NOT_ASSOCIATED},
    {0, 1, 0x04, IW_ERROR_RDMAP_TO_WRAP},
    {0, 1, 0x09, IW_ERROR_RDMAP_CANNOT_INVALIDATE},
    {0, 1, 0xFF, IW_ERROR_RDMAP_PROTECTION_UNSPECIFIED},
    {0, 2, 0x05, IW_ERROR_RDMAP_VERSION},
    {0, 2, 0x06, IW_ERROR_RDMAP_UNEXPECTED_OPCODE},
    {0, 2, 0x07, IW_ERROR_RDMAP_CATASTROPHIC_STREAM},
    {0, 2, 0x08, IW_ERROR_RDMAP_CATASTROPHIC_GLOBAL},
    {0, 2, 0x09, IW_ERROR_RDMAP_OPERATION_CANNOT_INVALIDATE},
    {0, 2, 0xFF, IW_ERROR_RDMAP_OPERATION_UNSPECIFIED},
    {1, 0, 0x00, IW_ERROR_DDP_LOCAL_CATASTROPHIC},
    {1, 1, 0x00, IW_ERROR_DDP_INVALID_STAG},
    {1, 1, 0x01, IW_ERROR_DDP_BASE_BOUNDS},
    {1, 1, 0x02, IW_ERROR_DDP_STAG_NOT_ASSOCIATED},
    {1, 1, 0x03, IW_ERROR_DDP_TO_WRAP},
    {1, 1, 0x04, IW_ERROR_DDP_TAGGED_VERSION},
    {1, 2, 0x01, IW_ERROR_DDP_INVALID_QN},
    {1, 2, 0x02, IW_ERROR_DDP_MSN_NO_BUFFER},
    {1, 2, 0x03, IW_ERROR_DDP_MSN_RANGE},
    {1, 2, 0x04, IW_ERROR_DDP_INVALID_MO},
    {1, 2, 0x05, IW_ERROR_DDP_TOO_LONG},
    {1, 2, 0x06, IW_ERROR_DDP_UNTAGGED_VERSION},
    {1, 3, 0x00, IW_ERROR_DDP_LLP},
    {2, 0, 0x01, IW_ERROR_MPA_CONNECTION_LOST},
    {2, 0, 0x02, IW_ERROR_MPA_CRC},
    {2, 0, 0x03, IW_ERROR_MPA_MARKER},
    {2, 0, 0x04, IW_ERROR_MPA_STARTUP},
    {2, 0, 0x05, IW_ERROR_MPA_LOCAL_CATASTROPHIC},
    {2, 0, 0x06, IW_ERROR_MPA_INSUFFICIENT_IRD},
    {2, 0, 0x07, IW_ERROR_MPA_NO_RTR},
};

enum { TRIPLES = sizeof triples / sizeof *triples };

static void table_has_every_error_and_no_other(void **state) {
    (void)state;
    assert_int_equal(iw_error_row_count, TRIPLES);
    for (size_t i = 0; i < TRIPLES; i++) {
        uint16_t triple = iw_error_triple(triples[i].layer, triples[i].etype, triples[i].code);
        const struct iw_error_row *row = iw_error_find(triple);

        print_message("%x/%x/%02x\n", triples[i].layer, triples[i].etype, triples[i].code);
        assert_int_equal(triple, triples[i].error);
        assert_non_null(row);
        assert_int_equal(row->triple, triple);
        assert_true(row->name[0] != '\0');
        assert_int_equal(strncmp(row->clause, "RFC ", 4), 0);
    }
}

static void triples_are_written_in_hexadecimal(void **state) {
    static const struct {
        uint16_t triple;
        const char *text;
    } cases[] = {{0x2002, "2/0/02"}, {0x0106, "0/1/06"}, {0x00FF, "0/0/ff"}, {0xFABC, "f/a/bc"}};
    char text[IW_ERROR_TEXT_OCTETS];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        iw_error_text(cases[i].triple, text);
        assert_string_equal(text, cases[i].text);
    }
    assert_int_equal(iw_error_layer(0xFABC), 0xF);
    assert_int_equal(iw_error_etype(0xFABC), 0xA);
    assert_int_equal(iw_error_code(0xFABC), 0xBC);
    assert_null(iw_error_name(IW_LLP_MPA, 0xFABC));
    assert_string_equal(iw_error_name(IW_LLP_MPA, 0x1101), "Base or bounds violation");
}

static void every_other_triple_is_unknown(void **state) {
    (void)state;
    for (unsigned triple = 0; triple <= 0xFFFF; triple++) {
        bool known = triple <= 0x00FF || triple >> 8 == 0x13; /* any code of 0/0 and of 1/3 */

        for (size_t i = 0; i < TRIPLES; i++)
            known |= triple == (unsigned)triples[i].error;
        if (known)
            assert_non_null(iw_error_find((uint16_t)triple));
        else
            assert_null(iw_error_find((uint16_t)triple));
    }
}

static void names_are_those_of_the_rfcs(void **state) {
    (void)state;
    assert_string_equal(iw_error_find(0x0006)->name, iw_error_find(0x0000)->name);
    assert_string_equal(iw_error_find(0x0103)->name, "STag not associated with RDMAP Stream");
    assert_string_equal(iw_error_find(0x0109)->name, "STag cannot be Invalidated");
    assert_string_equal(iw_error_find(0x0206)->name, "Unexpected OpCode");
    assert_string_equal(iw_error_find(0x02FF)->name, "Unspecified Error");
    assert_string_equal(iw_error_find(0x1102)->name, "STag not associated with DDP Stream");
    assert_string_equal(iw_error_find(0x1202)->name, "Invalid MSN - no buffer available");
    assert_string_equal(iw_error_find(0x2006)->name, "Insufficient IRD resources");
    assert_string_equal(iw_error_layer_name(0), "RDMA");
    assert_string_equal(iw_error_layer_name(1), "DDP");
    assert_string_equal(iw_error_layer_name(2), "LLP");
    assert_null(iw_error_layer_name(3));
    assert_string_equal(iw_error_etype_name(IW_LLP_MPA, 0, 0), "Local Catastrophic Error");
    assert_string_equal(iw_error_etype_name(IW_LLP_MPA, 0, 1), "Remote Protection Error");
    assert_string_equal(iw_error_etype_name(IW_LLP_MPA, 0, 2), "Remote Operation Error");
    assert_null(iw_error_etype_name(IW_LLP_MPA, 0, 3));
    assert_string_equal(iw_error_etype_name(IW_LLP_MPA, 1, 1), "Tagged Buffer Error");
    assert_string_equal(iw_error_etype_name(IW_LLP_MPA, 1, 2), "Untagged Buffer Error");
    assert_non_null(iw_error_etype_name(IW_LLP_MPA, 1, 3));
    assert_null(iw_error_etype_name(IW_LLP_MPA, 1, 4));
    assert_string_equal(iw_error_etype_name(IW_LLP_MPA, 2, 0), "MPA Error");
    assert_null(iw_error_etype_name(IW_LLP_MPA, 2, 1));
    assert_null(iw_error_etype_name(IW_LLP_MPA, 3, 0));
}

static void over_sctp_the_llp_is_not_mpa(void **state) {
    (void)state;
    assert_string_equal(iw_error_etype_name(IW_LLP_SCTP, 2, 0), "SCTP Error");
    assert_string_equal(iw_error_name(IW_LLP_SCTP, 0x2002), "none is defined for SCTP");
    assert_string_equal(iw_error_etype_name(IW_LLP_SCTP, 1, 1), "Tagged Buffer Error");
    assert_string_equal(iw_error_name(IW_LLP_SCTP, 0x1101), "Base or bounds violation");
    assert_null(iw_error_name(IW_LLP_SCTP, 0xFABC));
}

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
        cmocka_unit_test(table_has_every_error_and_no_other),
        cmocka_unit_test(triples_are_written_in_hexadecimal),
        cmocka_unit_test(every_other_triple_is_unknown),
        cmocka_unit_test(names_are_those_of_the_rfcs),
        cmocka_unit_test(over_sctp_the_llp_is_not_mpa),
        cmocka_unit_test(bits_decide_what_is_included),
        cmocka_unit_test(every_truncation_is_detected_without_overread),
        cmocka_unit_test(missing_read_header_is_detected_without_a_ddp_header),
        cmocka_unit_test(reserved_bits_are_reported_and_ignored),
        cmocka_unit_test(golden_terminates_name_their_cause),
        cmocka_unit_test(only_a_terminate_with_its_header_is_decoded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
