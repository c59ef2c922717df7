#pragma once

#include "iw_tcp_life.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define MS UINT64_C(1000000)
enum { S = IW_TCP_SYN, K = IW_TCP_ACK, F = IW_TCP_FIN, R = IW_TCP_RST };

/* One connection: side A begins at sequence number 100, side B at 500. Each segment is the next frame. */
static struct iw_tcp_life life;
static uint64_t frame, now;
static uint16_t window;
static uint32_t sacked;
static uint8_t hops; /* as in iw_tcp_segment.h */

static inline int reset(void **state) {
    (void)state;
    iw_tcp_life_dispose(&life);
    iw_tcp_life_init(&life);
    frame = now = 0;
    window = 1000;
    sacked = hops = 0;
    return 0;
}

static inline void sends(enum iw_side side, uint8_t flags, uint32_t seq, uint32_t ack, uint32_t octets) {
    struct iw_tcp_segment segment = {.flags = flags,
        .seq = seq,
        .ack = ack,
        .length = octets,
        .hops = hops,
        .window = window,
        .sacked = sacked};

    segment.frame = ++frame;
    segment.time_ns = now += MS;
    if (flags & IW_TCP_SYN)
        segment.mss = 1460;
    iw_tcp_life_segment(&life, side, &segment);
}

static inline void forth(uint8_t flags, uint32_t seq, uint32_t ack, uint32_t octets) {
    sends(IW_SIDE_A, flags, seq, ack, octets);
}

static inline void back(uint8_t flags, uint32_t seq, uint32_t ack, uint32_t octets) {
    sends(IW_SIDE_B, flags, seq, ack, octets);
}

static inline void opens(void) {
    forth(S, 99, 0, 0);
    back(S | K, 499, 100, 0);
    forth(K, 100, 500, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, reset, reset)
