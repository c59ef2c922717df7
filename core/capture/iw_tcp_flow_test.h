#pragma once

/* For the tests of a flow: its segments. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "iw_tcp_flow.h"
#include "iw_tcp_recorder_test.h"

enum { F = IW_TCP_FIN, S = IW_TCP_SYN, R = IW_TCP_RST, K = IW_TCP_ACK };

static inline struct iw_tcp_segment forth(uint32_t seq, unsigned flags, uint32_t ack, const char *text) {
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(1, seq, flags, text);
    segment.ack = ack;
    return segment;
}

static inline struct iw_tcp_segment back(uint32_t seq, unsigned flags, uint32_t ack, const char *text) {
    struct iw_tcp_segment segment = forth(seq, flags, ack, text);
    struct iw_tcp_address source = segment.source;
    segment.source = segment.destination;
    segment.destination = source;
    return segment;
}

#define SEGMENTS(...)                                                                                        \
    (const struct iw_tcp_segment[]){__VA_ARGS__},                                                            \
        sizeof((const struct iw_tcp_segment[]){__VA_ARGS__}) / sizeof(struct iw_tcp_segment)
#define HANDSHAKE forth(99, S, 0, ""), back(499, S | K, 100, ""), forth(100, K, 500, "")
