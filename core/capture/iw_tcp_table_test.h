#pragma once

/* For the tests of the table: a table whose flows and chunks are recorded as text. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_tcp_recorder_test.h"
#include "iw_tcp_table.h"

enum { F = IW_TCP_FIN, S = IW_TCP_SYN, R = IW_TCP_RST, K = IW_TCP_ACK };

struct fixture {
    struct iw_tcp_recorder recorder;
    struct iw_tcp_table *table;
    uint64_t frame;
    uint64_t time_ns;       /* of the next segments */
    uint64_t ignored_id;    /* this flow is ignored when it is new */
    const char *ignored_at; /* a flow is ignored at this chunk of data */
};

/* new<id>, end<id>, and chunks with the id before them. */
static inline void print_id(struct fixture *f, const char *what, const struct iw_tcp_flow *flow) {
    char text[64];
    snprintf(text, sizeof text, "%s%" PRIu64 " ", what, flow->id);
    iw_tcp_recorder_print(&f->recorder, text);
}

static inline void flow_new(void *user, struct iw_tcp_flow *flow) {
    struct fixture *f = user;
    assert_null(flow->user);
    flow->user = malloc(1);
    print_id(f, "new", flow);
    if (flow->id == f->ignored_id)
        flow->ignored = true;
}

static inline void chunk(void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk_) {
    struct fixture *f = user;
    char text[16];
    snprintf(text, sizeof text, "%" PRIu64, flow->id);
    iw_tcp_recorder_print(&f->recorder, text);
    iw_tcp_recorder_chunk(&f->recorder, chunk_);
    if (f->ignored_at && chunk_->kind == IW_CHUNK_DATA &&
        memcmp(chunk_->octets, f->ignored_at, chunk_->length) == 0)
        flow->ignored = true;
}

static inline void flow_end(void *user, struct iw_tcp_flow *flow) {
    print_id(user, "end", flow);
    free(flow->user);
}

static const struct iw_tcp_handlers handlers = {.flow_new = flow_new, .chunk = chunk, .flow_end = flow_end};

static inline int set_up_with(void **state, const struct iw_tcp_config *config) {
    struct fixture *f = calloc(1, sizeof *f);
    f->ignored_id = UINT64_MAX;
    f->table = iw_tcp_table_new(config, &handlers, f);
    *state = f;
    return f->table == NULL;
}

static inline int set_up(void **state) {
    return set_up_with(state, NULL);
}

static inline int tear_down(void **state) {
    struct fixture *f = *state;
    iw_tcp_table_free(f->table);
    free(f);
    return 0;
}

static inline enum iw_status send_segment(struct fixture *f, struct iw_tcp_segment segment) {
    segment.frame = ++f->frame;
    segment.time_ns = f->time_ns;
    return iw_tcp_table_segment(f->table, &segment);
}

static inline void forth(struct fixture *f, uint32_t seq, unsigned flags, uint32_t ack, const char *text) {
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(0, seq, flags, text);
    segment.ack = ack;
    assert_int_equal(send_segment(f, segment), IW_OK);
}

static inline void back(struct fixture *f, uint32_t seq, unsigned flags, uint32_t ack, const char *text) {
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(0, seq, flags, text);
    struct iw_tcp_address source = segment.source;
    segment.source = segment.destination;
    segment.destination = source;
    segment.ack = ack;
    assert_int_equal(send_segment(f, segment), IW_OK);
}

/* The handshake, with octets in its last segment: frames 1 to 3 of a new connection. */
static inline void open_and_send(struct fixture *f, const char *text) {
    forth(f, 99, S, 0, "");
    back(f, 499, S | K, 100, "");
    forth(f, 100, K, 500, text);
}

/* Compares what was handed over since the last call. */
#define expect(f, log_) iw_tcp_recorder_expect(&(f)->recorder, log_, __FILE__, __LINE__)

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
