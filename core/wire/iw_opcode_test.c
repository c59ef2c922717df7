#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_opcode.h"

/* RFC 5040 figures 4 and 5, RFC 7306 figures 2 and 3, draft-talpey-rdma-commit-01 3.1 tables 1 and 3. */
static const struct row {
    uint8_t value;
    const char *title;
    bool tagged;
    uint8_t qn;
    enum iw_layout_id header;
    enum iw_payload payload;
    enum iw_invalidate invalidate;
    uint16_t min_ulpdu; /* octets: 14 or 18 and the RDMAP header */
    uint8_t answer;
    unsigned extension;
} rows[] = {
    {0x0, "RDMA Write", true, 0xFF, IW_LAYOUT_NONE, IW_PAYLOAD_ULP, IW_INVALIDATE_ZERO, 14, 0xFF, 0},
    {0x1, "RDMA Read Request", false, 1, iw_layout_read_request, IW_PAYLOAD_NONE, IW_INVALIDATE_ZERO, 46, 0x2,
        0},
    {0x2, "RDMA Read Response", true, 0xFF, IW_LAYOUT_NONE, IW_PAYLOAD_ULP, IW_INVALIDATE_ZERO, 14, 0xFF, 0},
    {0x3, "Send", false, 0, IW_LAYOUT_NONE, IW_PAYLOAD_ULP, IW_INVALIDATE_ZERO, 18, 0xFF, 0},
    {0x4, "Send with Invalidate", false, 0, IW_LAYOUT_NONE, IW_PAYLOAD_ULP, IW_INVALIDATE_STAG, 18, 0xFF, 0},
    {0x5, "Send with SE", false, 0, IW_LAYOUT_NONE, IW_PAYLOAD_ULP, IW_INVALIDATE_ZERO, 18, 0xFF, 0},
    {0x6, "Send with SE and Invalidate", false, 0, IW_LAYOUT_NONE, IW_PAYLOAD_ULP, IW_INVALIDATE_STAG, 18,
        0xFF, 0},
    {0x7, "Terminate", false, 2, iw_layout_terminate, IW_PAYLOAD_HEADERS, IW_INVALIDATE_ZERO, 22, 0xFF, 0},
    {0x8, "Immediate Data", false, 0, iw_layout_immediate, IW_PAYLOAD_NONE, IW_INVALIDATE_ZERO, 26, 0xFF,
        IW_EXT_RFC7306},
    {0x9, "Immediate Data with SE", false, 0, iw_layout_immediate, IW_PAYLOAD_NONE, IW_INVALIDATE_ZERO, 26,
        0xFF, IW_EXT_RFC7306},
    {0xA, "Atomic Request", false, 1, iw_layout_atomic_request, IW_PAYLOAD_NONE, IW_INVALIDATE_ZERO, 70, 0xB,
        IW_EXT_RFC7306},
    {0xB, "Atomic Response", false, 3, iw_layout_atomic_response, IW_PAYLOAD_NONE, IW_INVALIDATE_ZERO, 30,
        0xFF, IW_EXT_RFC7306},
    {0xC, "RDMA Flush Request", false, 1, iw_layout_flush_request, IW_PAYLOAD_NONE, IW_INVALIDATE_OPTIONAL,
        38, 0xD, IW_EXT_COMMIT},
    {0xD, "RDMA Flush Response", false, 3, IW_LAYOUT_NONE, IW_PAYLOAD_NONE, IW_INVALIDATE_ZERO, 18, 0xFF,
        IW_EXT_COMMIT},
    {0xE, "RDMA Verify Request", false, 1, iw_layout_verify_request, IW_PAYLOAD_HASH, IW_INVALIDATE_OPTIONAL,
        34, 0xF, IW_EXT_COMMIT},
    {0xF, "RDMA Verify Response", false, 3, IW_LAYOUT_NONE, IW_PAYLOAD_HASH, IW_INVALIDATE_ZERO, 18, 0xFF,
        IW_EXT_COMMIT},
    {0x10, "Atomic Write Request", false, 1, iw_layout_atomic_write_request, IW_PAYLOAD_NONE,
        IW_INVALIDATE_OPTIONAL, 42, 0x11, IW_EXT_COMMIT},
    {0x11, "Atomic Write Response", false, 3, IW_LAYOUT_NONE, IW_PAYLOAD_NONE, IW_INVALIDATE_ZERO, 18, 0xFF,
        IW_EXT_COMMIT},
};

enum { ROWS = sizeof rows / sizeof *rows };

static void table_matches_the_specifications(void **state) {
    (void)state;
    assert_int_equal(IW_RDMAP_OP_COUNT, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        const struct iw_opcode *op = &iw_opcodes[i];

        print_message("%02x\n", rows[i].value);
        assert_int_equal(rows[i].value, i);
        assert_int_equal(op->value, i);
        assert_string_equal(op->title, rows[i].title);
        assert_int_equal(op->tagged, rows[i].tagged);
        assert_int_equal(op->qn, rows[i].qn);
        assert_int_equal(op->header, rows[i].header);
        assert_int_equal(op->payload, rows[i].payload);
        assert_int_equal(op->invalidate, rows[i].invalidate);
        assert_int_equal(op->answer, rows[i].answer);
        assert_int_equal(op->extension, rows[i].extension);
        assert_int_equal(iw_opcode_min_ulpdu(op), rows[i].min_ulpdu);
    }
}

static void opcodes_are_known_only_under_their_documents(void **state) {
    (void)state;
    for (unsigned extensions = 0; extensions < 16; extensions++) {
        for (unsigned value = 0; value < 256; value++) {
            const struct iw_opcode *op = iw_opcode_find((uint8_t)value, extensions);
            bool known = value <= 0x7 || (value <= 0xB && (extensions & (IW_EXT_RFC7306 | IW_EXT_STORM))) ||
                         (value >= 0xC && value <= 0x11 && (extensions & IW_EXT_COMMIT));

            if (known)
                assert_ptr_equal(op, &iw_opcodes[value]);
            else
                assert_null(op);
        }
    }
}

static void all_extensions_leave_the_opcode_width_alone(void **state) {
    (void)state;
    assert_int_equal(IW_EXT_ALL, IW_EXT_RFC7306 | IW_EXT_COMMIT | IW_EXT_STORM);
    assert_int_equal(IW_EXT_ALL & IW_EXT_OPCODE5, 0);
}

static void answers_lead_back_to_their_requests(void **state) {
    (void)state;
    assert_int_equal(iw_opcode_answered(IW_RDMAP_OP_READ_RESPONSE), IW_RDMAP_OP_READ_REQUEST);
    assert_int_equal(iw_opcode_answered(IW_RDMAP_OP_ATOMIC_RESPONSE), IW_RDMAP_OP_ATOMIC_REQUEST);
    assert_int_equal(iw_opcode_answered(IW_RDMAP_OP_FLUSH_RESPONSE), IW_RDMAP_OP_FLUSH_REQUEST);
    assert_int_equal(iw_opcode_answered(IW_RDMAP_OP_VERIFY_RESPONSE), IW_RDMAP_OP_VERIFY_REQUEST);
    assert_int_equal(iw_opcode_answered(IW_RDMAP_OP_ATOMIC_WRITE_RESPONSE), IW_RDMAP_OP_ATOMIC_WRITE_REQUEST);
    assert_int_equal(iw_opcode_answered(IW_RDMAP_OP_SEND), IW_RDMAP_OP_NONE);
    assert_int_equal(iw_opcode_answered(IW_RDMAP_OP_READ_REQUEST), IW_RDMAP_OP_NONE);
    assert_int_equal(iw_opcode_answered(0x12), IW_RDMAP_OP_NONE);
    assert_int_equal(iw_opcode_answered(IW_RDMAP_OP_NONE), IW_RDMAP_OP_NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_matches_the_specifications),
        cmocka_unit_test(opcodes_are_known_only_under_their_documents),
        cmocka_unit_test(all_extensions_leave_the_opcode_width_alone),
        cmocka_unit_test(answers_lead_back_to_their_requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
