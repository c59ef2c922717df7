#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_sequence.h"

/* The sequence of one direction, and the fact about the latest segment. */

enum { CONTROL_WRITE = 0x40, CONTROL_READ_RESPONSE = 0x42, CONTROL_SEND = 0x43, CONTROL_SEND_INV = 0x44 };

static struct iw_sequence sequence;
static struct iw_segment_fact fact;

static inline int from_start(void **state) {
    (void)state;
    iw_sequence_dispose(&sequence);
    iw_sequence_init(&sequence);
    return 0;
}

static inline int from_middle(void **state) {
    (void)state;
    from_start(state);
    iw_sequence_lost(&sequence);
    return 0;
}

static inline void take(struct iw_segment segment, uint64_t frame) {
    segment.ddp_octets = segment.tagged ? 14 : 18;
    segment.length = (uint16_t)(segment.ddp_octets + segment.header_octets + segment.payload_octets);
    if (segment.control == 0)
        segment.control = segment.tagged ? CONTROL_WRITE : CONTROL_SEND;
    iw_sequence_segment(&sequence, &segment, frame, &fact);
}

static inline void take_untagged(
    uint32_t qn, uint32_t msn, uint32_t mo, uint16_t payload, bool last, uint64_t frame) {
    take((struct iw_segment){.last = last, .qn = qn, .msn = msn, .mo = mo, .payload_octets = payload}, frame);
}

static inline void take_tagged(uint32_t stag, uint64_t to, uint16_t payload, bool last, uint64_t frame) {
    take((struct iw_segment){.tagged = true, .last = last, .stag = stag, .to = to, .payload_octets = payload},
        frame);
}

static inline void expect_in_order(void) {
    assert_true(fact.sequence_known);
    assert_true(fact.msn_ok);
    assert_true(fact.mo_ok);
    assert_true(fact.same_message);
}
