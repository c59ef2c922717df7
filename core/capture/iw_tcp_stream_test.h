#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_tcp_recorder_test.h"
#include "iw_tcp_stream.h"

/* Segments of one direction, one per frame, and their chunks as text. */

enum { F = IW_TCP_FIN, S = IW_TCP_SYN, R = IW_TCP_RST };

struct fixture {
    struct iw_tcp_recorder recorder;
    struct iw_tcp_pool pool;
    struct iw_tcp_output output;
    struct iw_tcp_stream stream;
    uint64_t frame;
};

static inline int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    f->pool = (struct iw_tcp_pool){.stream_octets = 1u << 20, .stream_segments = 4096, .octets = 1u << 24};
    f->output =
        (struct iw_tcp_output){.pool = &f->pool, .chunk = iw_tcp_recorder_chunk, .context = &f->recorder};
    iw_tcp_stream_init(&f->stream, IW_SIDE_A);
    *state = f;
    return 0;
}

/* After the end nothing may be held back, and the totals must agree. */
static inline int tear_down(void **state) {
    struct fixture *f = *state;
    iw_tcp_stream_clear(&f->stream, &f->pool);
    int left = f->pool.used != 0;
    free(f);
    return left;
}

/* The calls of the flow after each segment. */
static inline void flow_hand_over(struct fixture *f) {
    bool passes;
    do {
        while (iw_tcp_stream_first_ready(&f->stream, &f->output, &passes))
            iw_tcp_stream_pass(&f->stream, &f->output);
    } while (iw_tcp_stream_settle(&f->stream, &f->output));
}

static inline void send_segment(struct fixture *f, struct iw_tcp_segment segment) {
    segment.frame = ++f->frame;
    /* Octets are borrowed for the call: each call gets its own copy, freed afterwards. */
    uint8_t *payload = malloc(segment.captured + 1u);
    memcpy(payload, segment.payload, segment.captured);
    segment.payload = payload;
    iw_tcp_stream_segment(&f->stream, &f->output, &segment);
    free(payload);
    flow_hand_over(f);
}

static inline void send(struct fixture *f, uint32_t seq, unsigned flags, const char *text) {
    send_segment(f, iw_tcp_recorder_segment(0, seq, flags, text));
}

static inline void send_cut(
    struct fixture *f, uint32_t seq, unsigned flags, const char *text, uint32_t captured) {
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(0, seq, flags, text);
    segment.captured = captured;
    send_segment(f, segment);
}

/* Makes earlier acknowledgements old, so that the stream no longer waits for their octets. */
static inline void acked(struct fixture *f, uint32_t ack) {
    ++f->frame;
    iw_tcp_stream_acked(&f->stream, ack);
    iw_tcp_stream_age(&f->stream);
    iw_tcp_stream_age(&f->stream);
    flow_hand_over(f);
}

static inline void finish(struct fixture *f) {
    while (flow_hand_over(f), iw_tcp_stream_hole(&f->stream))
        iw_tcp_stream_give_up(&f->stream, &f->output);
    iw_tcp_stream_finish(&f->stream, &f->output, f->frame, 0);
}

/* Compares what was handed over since the last call. */
#define expect(f, log_) iw_tcp_recorder_expect(&(f)->recorder, log_, __FILE__, __LINE__)

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
