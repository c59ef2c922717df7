#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_crc32c.h"
#include "iw_cursor.h"
#include "iw_segment.h"
#include "iw_terminate.h"
#include "iw_vector.h"
#include "iw_vectors_fpdu_test.h"

/* F01 to F44 against the values of iw_vectors_fpdu_test.h. */

#define VECTORS WARPCHECK_SOURCE_DIR "/core/wire/testdata/vectors.json"

enum { ROWS = sizeof rows / sizeof *rows };

/* check_header[layout](octets, values): the octets decode to the values member by member, by the struct and
 * by the rows as data, and the values encode to the octets. */
#define IW_LAYOUT(layout, title, size, protocol, clause)                                                     \
    static void check_##layout(const uint8_t *octets, const void *values) {                                  \
        const struct iw_##layout *want = values;                                                             \
        struct iw_##layout got;                                                                              \
        uint8_t written[size];                                                                               \
                                                                                                             \
        iw_##layout##_decode(octets, &got);                                                                  \
        memset(written, 0xA5, size);                                                                         \
        iw_##layout##_encode(want, written);                                                                 \
        assert_memory_equal(written, octets, size);
#define IW_FIELD(layout, field, type, label, filter, bit, bits, kind, clause)                                \
    assert_int_equal(got.field, want->field);                                                                \
    assert_int_equal(iw_field_get(&iw_fields[iw_field_##layout##_##field], octets), want->field);
#define IW_OCTETS(layout, field, label, filter, octet, size, kind, clause)                                   \
    assert_memory_equal(got.field, want->field, size);
#define IW_LAYOUT_END(layout) }
#include "iw_layout.def"

static void (*const check_header[IW_LAYOUT_COUNT])(const uint8_t *octets, const void *values) = {
#define IW_LAYOUT(layout, title, size, protocol, clause) [iw_layout_##layout] = check_##layout,
#include "iw_layout.def"
};

static void encode_header(enum iw_layout_id layout, const void *values, uint8_t *octets) {
    switch (layout) {
#define IW_LAYOUT(layout, title, size, protocol, clause)                                                     \
    case iw_layout_##layout:                                                                                 \
        iw_##layout##_encode(values, octets);                                                                \
        return;
#include "iw_layout.def"
    case IW_LAYOUT_NONE:
        return;
    }
}

static int load(void **state) {
    static struct iw_vector_set set;

    for (size_t i = 0; i < sizeof counting; i++)
        counting[i] = (uint8_t)i;
    *state = &set;
    return iw_vector_set_init(&set, VECTORS) ? 0 : -1;
}

static int unload(void **state) {
    iw_vector_set_dispose(*state);
    return 0;
}

static void every_fpdu_vector_has_a_row(void **state) {
    assert_int_equal(iw_vector_count(*state, 'F'), ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        assert_non_null(iw_vector_find(*state, rows[i].id));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rows[i].id, rows[j].id);
    }
}

static void check_ddp(const struct iw_segment *got, const struct iw_segment *want) {
    assert_int_equal(got->tagged, want->tagged);
    assert_int_equal(got->last, want->last);
    assert_int_equal(got->rsvd, want->rsvd);
    assert_int_equal(got->dv, want->dv);
    assert_int_equal(got->control, want->control);
    assert_int_equal(got->five_bit, want->five_bit);
    assert_int_equal(got->rv, want->rv);
    assert_int_equal(got->rsv, want->rsv);
    assert_int_equal(got->opcode, want->opcode);
    assert_int_equal(got->stag, want->stag);
    assert_int_equal(got->to, want->to);
    assert_int_equal(got->invalidate_stag, want->invalidate_stag);
    assert_int_equal(got->qn, want->qn);
    assert_int_equal(got->msn, want->msn);
    assert_int_equal(got->mo, want->mo);
    assert_int_equal(got->ddp_octets, want->tagged ? 14 : 18);
    assert_non_null(got->op);
    assert_int_equal(got->op->value, want->opcode);
}

static void check_included(const uint8_t *octets, size_t length, const struct included *want) {
    struct iw_terminate_message message;

    assert_true(iw_terminate_message_decode(octets, length, IW_EXT_ALL, &message));
    assert_int_equal(message.used, length);
    assert_false(message.truncated);
    assert_int_equal(message.has_length, want != NULL);
    assert_int_equal(message.has_ddp, want != NULL);
    assert_int_equal(message.has_rdmap, want != NULL && want->read != NULL);
    if (want == NULL)
        return;
    assert_int_equal(message.segment_length, want->segment_length);
    assert_ptr_equal(message.terminated_octets, octets + 6);
    check_ddp(&message.terminated, &want->ddp);
    if (want->read != NULL) {
        assert_ptr_equal(message.rdmap_octets, octets + 24);
        check_read_request(message.rdmap_octets, want->read);
    }
}

static void check_segment(const uint8_t *ulpdu, const struct row *row) {
    const struct iw_segment *want = &row->segment;
    struct iw_segment got;
    size_t headers = (want->tagged ? 14u : 18u) + want->header_octets;

    assert_true(iw_segment_decode(ulpdu, want->length, want->length, IW_EXT_ALL, &got));
    check_ddp(&got, want);
    assert_int_equal(got.length, want->length);
    assert_false(got.header_missing);
    assert_int_equal(got.header_octets, want->header_octets);
    assert_int_equal(got.payload_octets, want->length - headers);
    assert_int_equal(got.payload_captured, want->length - headers);
    assert_ptr_equal(got.payload, ulpdu + headers);
    assert_int_equal(got.op->header, row->layout);
    if (want->header_octets > 0)
        check_header[row->layout](got.header, &row->header);
    if (got.opcode == 7)
        check_included(got.header, want->length - 18u, row->included);
    else
        assert_int_equal(got.payload_octets, row->payload_octets);
    if (row->payload_octets > 0)
        assert_memory_equal(got.payload, row->payload, row->payload_octets);
}

static void octets_decode_to_the_stated_values(void **state) {
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        const struct iw_vector *vector = iw_vector_find(*state, row->id);
        const struct iw_mpa_fpdu fpdu = {.ulpdu_length = row->segment.length};
        const struct iw_mpa_crc trailer = {.crc = row->crc};
        const uint8_t zeros[3] = {0};

        print_message("%s\n", row->id);
        assert_non_null(vector);
        assert_int_equal(vector->length, 2 + row->segment.length + row->pad + 4);
        check_mpa_fpdu(vector->octets, &fpdu);
        check_segment(vector->octets + 2, row);
        assert_memory_equal(vector->octets + 2 + row->segment.length, zeros, row->pad);
        check_mpa_crc(vector->octets + vector->length - 4, &trailer);
        assert_int_equal(
            iw_crc32c(vector->octets, vector->length - 4) == row->crc, row->crc_rule == CRC_GOOD);
    }
}

static void put_included(struct iw_output *output, const struct included *included) {
    struct iw_terminate_length length = {.length = included->segment_length};
    uint8_t ddp[iw_ddp_untagged_octets];

    iw_terminate_length_encode(&length, iw_output_reserve(output, iw_terminate_length_octets));
    iw_output_octets(output, ddp, iw_segment_encode_ddp(&included->ddp, ddp));
    if (included->read != NULL)
        iw_read_request_encode(included->read, iw_output_reserve(output, iw_read_request_octets));
}

static void put_fpdu(struct iw_output *output, const struct row *row) {
    struct iw_mpa_fpdu fpdu = {.ulpdu_length = row->segment.length};
    struct iw_mpa_crc trailer = {0};
    uint8_t ddp[iw_ddp_untagged_octets];

    iw_mpa_fpdu_encode(&fpdu, iw_output_reserve(output, iw_mpa_fpdu_octets));
    iw_output_octets(output, ddp, iw_segment_encode_ddp(&row->segment, ddp));
    if (row->layout != IW_LAYOUT_NONE)
        encode_header(row->layout, &row->header, iw_output_reserve(output, row->segment.header_octets));
    if (row->included != NULL)
        put_included(output, row->included);
    iw_output_octets(output, row->payload, row->payload_octets);
    iw_output_zeros(output, (4 - output->length % 4) % 4);
    if (row->crc_rule != CRC_OFF)
        trailer.crc = iw_crc32c(output->octets, output->length);
    if (row->crc_rule == CRC_FLIPPED)
        trailer.crc ^= 1;
    iw_mpa_crc_encode(&trailer, iw_output_reserve(output, iw_mpa_crc_octets));
}

static void values_encode_to_the_stated_octets(void **state) {
    static uint8_t octets[2048];

    for (size_t i = 0; i < ROWS; i++) {
        const struct iw_vector *vector = iw_vector_find(*state, rows[i].id);
        struct iw_output output = iw_output_into(octets, sizeof octets);

        print_message("%s\n", rows[i].id);
        assert_non_null(vector);
        memset(octets, 0xA5, sizeof octets);
        put_fpdu(&output, &rows[i]);
        assert_false(output.failed);
        assert_int_equal(output.length, vector->length);
        assert_memory_equal(octets, vector->octets, vector->length);
    }
}

/* RFC 5041 4.1 to 4.3: the DDP headers of F01 and F11 by their own layouts. */
static void ddp_headers_decode_by_their_layouts(void **state) {
    const struct iw_vector *write = iw_vector_find(*state, "F01");
    const struct iw_vector *send = iw_vector_find(*state, "F11");
    const struct iw_ddp_tagged tagged = {
        .t = 1, .l = 1, .dv = 1, .rsvdulp = 0x40, .stag = 0x11223344, .to = 0x100002000};
    const struct iw_ddp_untagged untagged = {
        .l = 1, .dv = 1, .rsvdulp = 0x46, .rsvdulp_rest = 0x55667788, .qn = 0, .msn = 4, .mo = 0};
    const struct iw_rdmap_control control = {.rv = 1, .rsv = 0, .opcode = 6};
    const struct iw_rdmap_invalidate invalidate = {.stag = 0x55667788};

    check_ddp_tagged(write->octets + 2, &tagged);
    check_ddp_untagged(send->octets + 2, &untagged);
    check_rdmap_control(send->octets + 3, &control);
    check_rdmap_invalidate(send->octets + 4, &invalidate);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fpdu_vector_has_a_row),
        cmocka_unit_test(octets_decode_to_the_stated_values),
        cmocka_unit_test(values_encode_to_the_stated_octets),
        cmocka_unit_test(ddp_headers_decode_by_their_layouts),
    };

    return cmocka_run_group_tests(tests, load, unload);
}
