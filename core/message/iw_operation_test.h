#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_operation.h"

/* The operations of one direction, and the fact about the latest response. */

static struct iw_operations operations;
static struct iw_response_fact fact;
static const struct iw_operation *request;

static inline int set_up(void **state) {
    (void)state;
    iw_operations_init(&operations);
    memset(&fact, 0, sizeof fact);
    request = NULL;
    return 0;
}

static inline int tear_down(void **state) {
    (void)state;
    iw_operations_dispose(&operations);
    return 0;
}

/* Requests, with headers by hand (RFC 5040 4.4, RFC 7306 5.2.1, draft-talpey-rdma-commit-01 3.1). */

static inline struct iw_segment untagged(
    uint8_t opcode, uint32_t msn, const uint8_t *header, uint8_t octets) {
    return (struct iw_segment){.last = true,
        .opcode = opcode,
        .op = &iw_opcodes[opcode],
        .qn = iw_opcodes[opcode].qn,
        .msn = msn,
        .ddp_octets = 18,
        .header = header,
        .header_octets = octets,
        .length = (uint16_t)(18 + octets)};
}

/* Data Sink STag 00001234h, Tagged Offset as given, Data Source STag 00005678h, Tagged Offset 2000h. */
static inline void ask_read(uint32_t msn, uint16_t sink_to, uint16_t size, uint64_t frame) {
    uint8_t header[28] = {0, 0, 0x12, 0x34, 0, 0, 0, 0, 0, 0, (uint8_t)(sink_to >> 8), (uint8_t)sink_to, 0, 0,
        (uint8_t)(size >> 8), (uint8_t)size, 0, 0, 0x56, 0x78, 0, 0, 0, 0, 0, 0, 0x20, 0};
    struct iw_segment segment = untagged(IW_RDMAP_OP_READ_REQUEST, msn, header, sizeof header);

    request = iw_operations_request(&operations, &segment, frame, frame * 10);
}

static inline void ask_atomic(uint32_t msn, uint8_t identifier, uint64_t frame) {
    uint8_t header[52] = {0, 0, 0, 2, 0xCA, 0xFE, 0, identifier, 0x11, 0x22, 0x33, 0x44};
    struct iw_segment segment = untagged(IW_RDMAP_OP_ATOMIC_REQUEST, msn, header, sizeof header);

    request = iw_operations_request(&operations, &segment, frame, frame * 10);
}

/* STag 11223344h, length 8, Tagged Offset 4000h, then the fields of the opcode. */
static inline void ask_commit(uint8_t opcode, uint8_t octets, uint16_t hash_octets, uint32_t msn) {
    uint8_t header[24] = {0x11, 0x22, 0x33, 0x44, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 1};
    struct iw_segment segment = untagged(opcode, msn, header, octets);

    segment.payload_octets = hash_octets;
    segment.length = (uint16_t)(segment.length + hash_octets);
    request = iw_operations_request(&operations, &segment, msn, 0);
}

static inline bool answer_read(uint32_t stag, uint64_t to, uint16_t payload, bool last, uint64_t frame) {
    struct iw_segment segment = {.tagged = true,
        .last = last,
        .opcode = IW_RDMAP_OP_READ_RESPONSE,
        .op = &iw_opcodes[IW_RDMAP_OP_READ_RESPONSE],
        .stag = stag,
        .to = to,
        .ddp_octets = 14,
        .payload_octets = payload,
        .length = (uint16_t)(14 + payload)};

    return iw_operations_response(&operations, &segment, UINT64_MAX, frame, &fact);
}

static inline bool answer_atomic(uint32_t msn, uint8_t identifier, uint64_t frame) {
    uint8_t header[12] = {0xCA, 0xFE, 0, identifier, 0, 0, 0, 0, 0, 0, 0, 7};
    struct iw_segment segment = untagged(IW_RDMAP_OP_ATOMIC_RESPONSE, msn, header, sizeof header);

    return iw_operations_response(&operations, &segment, UINT64_MAX, frame, &fact);
}

static inline bool answer_commit(uint8_t opcode, uint32_t msn) {
    struct iw_segment segment = untagged(opcode, msn, NULL, 0);

    return iw_operations_response(&operations, &segment, UINT64_MAX, msn, &fact);
}

static inline void expect_correct(void) {
    assert_true(fact.known);
    assert_true(fact.opcode_ok);
    assert_true(fact.in_order);
    assert_true(fact.stag_ok);
    assert_true(fact.to_ok);
    assert_true(fact.length_ok);
    assert_true(fact.identifier_ok);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
