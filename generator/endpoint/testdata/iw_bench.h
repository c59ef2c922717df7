#pragma once

#include "iw_endpoint.h"

/* For the tests of endpoints: two endpoints, or one and a bare port, on a loop of either kind. Events are
 * logged as words. */

struct iw_bench_side {
    struct iw_endpoint *endpoint;
    struct iw_endpoint_config config;
    char log[8192];           /* words, each followed by a space; see iw_bench.c */
    char completed[64];       /* ids of completed posts, each followed by a space */
    uint8_t message[1 << 18]; /* the last one delivered */
    size_t message_octets;
    unsigned fpdus; /* received */
    struct iw_terms terms;
    void (*react)(struct iw_bench_side *side, const struct iw_event *event); /* may be NULL */
    void *user;
};

/* A peer that is a bare port: keeps the octets received, and sends the octets that the test gives. */
struct iw_bench_raw {
    struct iw_port *port;
    uint8_t octets[1 << 18];
    size_t length;
    char end; /* 'F', 'R', '!' or 0 */
    bool connected;
    const uint8_t *answer; /* sent once, when octets arrive */
    size_t answer_octets;
};

struct iw_bench {
    struct iw_loop *loop;
    struct iw_listener *listener;
    struct iw_bench_side initiator;
    struct iw_bench_side responder;
    struct iw_bench_raw raw;
    bool raw_listens;
    bool raw_holds; /* the accepted bare port does not read */
};

/* Both configurations are the defaults; the responder has unlimited receive buffers of 256 KiB. */
void iw_bench_init(struct iw_bench *bench, enum iw_loop_kind kind);
void iw_bench_free(struct iw_bench *bench);

/* The initiator connects to the responder; or to the bare port; or the bare port to the responder. */
void iw_bench_connect(struct iw_bench *bench);
void iw_bench_connect_to_raw(struct iw_bench *bench);
void iw_bench_connect_from_raw(struct iw_bench *bench);

/* Runs for one second (a virtual loop), or until `word` is in the log of the side. */
void iw_bench_run(struct iw_bench *bench);
void iw_bench_run_until(struct iw_bench *bench, struct iw_bench_side *side, const char *word);

/* The bare port writes octets given in hexadecimal; blanks are allowed. */
void iw_bench_say(struct iw_bench *bench, const char *hex);

/* Checks that the bare port has received exactly these octets since the last check. */
void iw_bench_expect(struct iw_bench *bench, const char *hex);

size_t iw_bench_hex(const char *hex, uint8_t *octets, size_t capacity);
