#pragma once

#include "iw_upper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Events as a monitor reports them; the octets of the upper protocols are written by hand from RFC 8166 4.3,
 * RFC 8797 4 and the captures in captures/ulp. */

struct upper_test {
    struct iw_upper *upper;
    uint64_t frame;
    uint64_t sent[2]; /* stream offset, by side */
    uint32_t msn[2];
};

#define STAG 0xda7ede01u /* an enumerator would be signed */

static const uint8_t private_rpc[8] = {0xf6, 0xab, 0x0e, 0x18, 1, 1, 0, 0};

/* A call of NFS version 3, READ, whose Write chunk has two segments of 32 octets. */
static const uint8_t call_read[] = {0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0, /* XID 9, MSG */
    0, 0, 0, 0,                                                                     /* no Read list */
    0, 0, 0, 1, 0, 0, 0, 2,                                                         /* Write chunk */
    0xda, 0x7e, 0xde, 0x01, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0x10, 0x00,              /* TO 0x1000 */
    0xda, 0x7e, 0xde, 0x02, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0x20, 0x00,              /* TO 0x2000 */
    0, 0, 0, 0, 0, 0, 0, 0,                                                         /* no Reply chunk */
    0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0x86, 0xa3, 0, 0, 0, 3, 0, 0, 0, 6,   /* READ */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t reply_read[] = {0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0, /* 8 credits */
    0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2,                                              /* Write chunk */
    0xda, 0x7e, 0xde, 0x01, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0x10, 0x00,               /* */
    0xda, 0x7e, 0xde, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0x00,                /* */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0};

static inline void upper_test_feed(struct upper_test *test, const struct iw_llp_event *llp,
    const struct iw_segment *segment, uint64_t received) {
    struct iw_segment_fact fact = {.msn_ok = true};
    const struct iw_monitor_event event = {
        .llp = llp, .segment = segment, .fact = &fact, .judged = IW_FPDU_JUDGED};

    iw_upper_event(test->upper, &event, received);
}

static inline struct iw_llp_event upper_test_next_event(
    struct upper_test *test, enum iw_side side, enum iw_llp_event_kind kind, uint64_t octets) {
    struct iw_llp_event llp = {.kind = kind,
        .side = side,
        .offset = test->sent[side],
        .octets = octets,
        .frame = ++test->frame,
        .time_ns = test->frame * 1000};

    test->sent[side] += octets;
    return llp;
}

static inline void upper_test_startup(
    struct upper_test *test, enum iw_side side, const uint8_t *data, size_t octets) {
    struct iw_startup frame = {.key = side == IW_SIDE_A ? IW_STARTUP_REQUEST : IW_STARTUP_REPLY,
        .private_data = data,
        .private_octets = octets};
    struct iw_llp_event llp = upper_test_next_event(test, side, IW_LLP_STARTUP, 20 + octets);

    llp.startup = &frame;
    llp.image_octets = llp.image_captured = (uint32_t)(20 + octets);
    upper_test_feed(test, &llp, NULL, UINT64_MAX);
}

static inline void upper_test_begin(struct upper_test *test, const uint8_t *data, size_t octets) {
    *test = (struct upper_test){.upper = iw_upper_new()};
    assert_non_null(test->upper);
    upper_test_startup(test, IW_SIDE_A, data, octets);
    upper_test_startup(test, IW_SIDE_B, data, octets);
}

/* Sends octets [mo, mo + octets) of a message; the sender has received all that the other side has sent. */
static inline void upper_test_send_part(
    struct upper_test *test, enum iw_side side, const uint8_t *data, size_t mo, size_t octets, bool last) {
    struct iw_llp_event llp = upper_test_next_event(test, side, IW_LLP_SEGMENT, octets + 24);
    struct iw_segment segment = {.last = last,
        .opcode = IW_RDMAP_OP_SEND,
        .op = &iw_opcodes[IW_RDMAP_OP_SEND],
        .msn = mo == 0 ? ++test->msn[side] : test->msn[side],
        .mo = (uint32_t)mo,
        .payload = data + mo,
        .payload_octets = (uint16_t)octets,
        .payload_captured = (uint16_t)octets};

    upper_test_feed(test, &llp, &segment, test->sent[iw_side_other(side)]);
}

/* The same, when the sender may have received `received` octets, which may be captured later. */
static inline void upper_test_send_at(
    struct upper_test *test, enum iw_side side, const uint8_t *data, size_t octets, uint64_t received) {
    struct iw_llp_event llp = upper_test_next_event(test, side, IW_LLP_SEGMENT, octets + 24);
    struct iw_segment segment = {.last = true,
        .opcode = IW_RDMAP_OP_SEND,
        .op = &iw_opcodes[IW_RDMAP_OP_SEND],
        .msn = ++test->msn[side],
        .payload = data,
        .payload_octets = (uint16_t)octets,
        .payload_captured = (uint16_t)octets};

    upper_test_feed(test, &llp, &segment, received);
}

static inline void upper_test_send_whole(
    struct upper_test *test, enum iw_side side, const uint8_t *data, size_t octets) {
    upper_test_send_part(test, side, data, 0, octets, true);
}

static inline void upper_test_write_octets(struct upper_test *test, enum iw_side side, uint32_t stag,
    uint64_t to, uint16_t octets, uint64_t received) {
    struct iw_llp_event llp = upper_test_next_event(test, side, IW_LLP_SEGMENT, octets + 20u);
    struct iw_segment segment = {.tagged = true,
        .last = true,
        .opcode = IW_RDMAP_OP_RDMA_WRITE,
        .op = &iw_opcodes[IW_RDMAP_OP_RDMA_WRITE],
        .stag = stag,
        .to = to,
        .payload_octets = octets};

    upper_test_feed(test, &llp, &segment, received);
}

static inline size_t upper_test_findings(const struct upper_test *test) {
    size_t count;

    iw_upper_findings(test->upper, &count);
    return count;
}

static inline const char *upper_test_finding(const struct upper_test *test, size_t at) {
    size_t count;
    const struct iw_upper_finding *list = iw_upper_findings(test->upper, &count);

    assert_true(at < count);
    return list[at].rule->id;
}
