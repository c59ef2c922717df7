#pragma once

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "iw_ddp_association.h"
#include "iw_endpoint.h"
#include "iw_memory.h"
#include "iw_name.h"
#include "iw_sctp_wait_test.h"

/* A listener whose sessions get endpoints, and an association on which endpoints or the test itself begin
 * sessions. */

enum { ENDPOINTS_MAX = 8, HEARD_MAX = 512 };

struct bench;

struct user {
    struct bench *bench;
    struct iw_endpoint *endpoint;
    bool established;
    bool rejected;
    bool closed;
    enum iw_end end;
    unsigned messages;
    char message[64];
    unsigned read_done;
    bool terminated; /* a Terminate has come */
};

struct bench {
    struct sctp_wait wait;
    struct iw_sctp_stack *stack;
    struct iw_ddp_listener *listener;
    struct iw_ddp_association *association;
    struct iw_memory *memory;
    struct iw_endpoint_config responder;
    bool hold; /* ports get no endpoint: the ULP does not decide */
    struct iw_port *ports[ENDPOINTS_MAX];
    unsigned port_count;
    struct user responders[ENDPOINTS_MAX];
    unsigned responder_count;
    struct user initiator;
    bool opened;
    bool ended;
    enum iw_sctp_link_end end;
    bool by_emit;          /* the test takes all messages, sessions get none */
    char heard[HEARD_MAX]; /* "0:accept 1:segment " ... by stream */
};

static inline void look(struct bench *bench) {
    sctp_wait_look(&bench->wait, bench);
}

static inline void on_event(void *context, struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct user *user = context;

    user->endpoint = endpoint;
    switch (event->kind) {
    case IW_EVENT_ESTABLISHED:
        user->established = true;
        break;
    case IW_EVENT_REJECTED:
        user->rejected = true;
        break;
    case IW_EVENT_MESSAGE:
        user->messages++;
        memcpy(user->message, event->octets, event->octet_count < 63 ? event->octet_count : 63);
        break;
    case IW_EVENT_READ_DONE:
        user->read_done++;
        break;
    case IW_EVENT_TERMINATE:
        user->terminated = true;
        break;
    case IW_EVENT_CLOSED:
        user->closed = true;
        user->end = event->end;
        break;
    default:
        break;
    }
    look(user->bench);
}

static inline void on_session(
    void *context, struct iw_ddp_association *association, uint16_t stream, struct iw_port *port) {
    struct bench *bench = context;
    struct user *user = &bench->responders[bench->responder_count];

    (void)association;
    (void)stream;
    if (bench->hold) {
        bench->ports[bench->port_count++] = port;
        look(bench);
        return;
    }
    user->bench = bench;
    bench->responder_count++;
    bench->responder.memory = bench->memory;
    iw_ddp_association_configure(&bench->responder);
    user->endpoint = iw_endpoint_accept(port, &bench->responder, on_event, user);
    assert_non_null(user->endpoint);
}

static inline void on_opened(void *context, struct iw_ddp_association *association) {
    struct bench *bench = context;

    (void)association;
    bench->opened = true;
    look(bench);
}

static inline bool on_message(
    void *context, struct iw_ddp_association *association, const struct iw_sctp_message *message) {
    static const char *const names[] = {"?", "initiate", "accept", "reject", "terminate", "enhanced-initiate",
        "enhanced-accept", "enhanced-reject"};
    struct bench *bench = context;
    size_t length = strlen(bench->heard);
    unsigned function = message->octets[3];

    (void)association;
    snprintf(bench->heard + length, sizeof bench->heard - length, "%u:%s ", message->stream,
        message->ppid == IW_SCTP_PPID_SEGMENT ? "segment" : names[function < 8 ? function : 0]);
    look(bench);
    return bench->by_emit;
}

static inline void on_ended(
    void *context, struct iw_ddp_association *association, enum iw_sctp_link_end end, const char *text) {
    struct bench *bench = context;

    (void)association;
    (void)text;
    bench->ended = true;
    bench->end = end;
    look(bench);
}

static inline void run_until(struct bench *bench, bool (*done)(const struct bench *bench)) {
    sctp_wait_until(&bench->wait, bench, done);
}

static inline bool is_opened(const struct bench *bench) {
    return bench->opened || bench->ended;
}

static inline struct iw_endpoint_config endpoint_config(bool initiator) {
    struct iw_endpoint_config config = iw_endpoint_config_default(initiator);

    config.no_crc = true;
    config.receives.count = IW_RECEIVES_ENDLESS;
    config.receives.octets = 65536;
    return config;
}

static inline void begin(struct bench *bench, enum iw_loop_kind kind, unsigned unusual,
    const struct iw_ddp_association_config *own) {
    static const struct iw_ddp_association_handlers passive = {.session = on_session};
    static const struct iw_ddp_association_handlers active = {
        .opened = on_opened, .message = on_message, .ended = on_ended};
    struct iw_sctp_where where = {.host = "127.0.0.1", .tunnelled = true};
    const struct iw_ddp_association_config config = {.policy.unusual_checks = unusual, .pending = 2};
    char text[IW_SCTP_LINK_TEXT_OCTETS] = "";

    memset(bench, 0, sizeof *bench);
    bench->wait.loop = iw_loop_new(kind);
    bench->stack = iw_sctp_stack_new(bench->wait.loop);
    bench->memory = iw_memory_new();
    bench->responder = endpoint_config(false);
    bench->initiator.bench = bench;
    bench->listener = iw_ddp_listener_new(bench->stack, &where, &config, &passive, bench, text);
    assert_non_null(bench->listener);
    where = iw_ddp_listener_where(bench->listener);
    where.host = "127.0.0.1";
    bench->association = iw_ddp_association_connect(bench->stack, &where, own, &active, bench, text);
    assert_non_null(bench->association);
    run_until(bench, is_opened);
}

static inline void end_bench(struct bench *bench) {
    iw_endpoint_free(bench->initiator.endpoint);
    for (unsigned i = 0; i < bench->responder_count; i++)
        iw_endpoint_free(bench->responders[i].endpoint);
    for (unsigned i = 0; i < bench->port_count; i++)
        iw_port_free(bench->ports[i]);
    iw_ddp_association_free(bench->association);
    iw_ddp_listener_free(bench->listener);
    iw_sctp_stack_free(bench->stack);
    iw_memory_free(bench->memory);
    iw_loop_free(bench->wait.loop);
}

static const struct iw_ddp_association_config plain;

static inline bool has_message(const struct bench *bench) {
    return bench->responders[0].messages > 0;
}
