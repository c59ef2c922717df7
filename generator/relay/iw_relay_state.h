#pragma once

#include <sys/queue.h>
#include <uv.h>

#include "iw_port.h"
#include "iw_relay.h"

/* A relayed connection has two ends: the sockets of the initiator and of the device. It has two ways: what
 * each end sends to the other. Both are indexed by the enum iw_side of the end, or of the sender. */

struct relay_end {
    int descriptor;
    uv_poll_t poll;
    int events;  /* that are polled for */
    bool urgent; /* has sent urgent data, so polling for it would not wait */
    bool gone;   /* a write has found that it is reset or lost */
};

enum { RELAY_READ, RELAY_WRITE }; /* the ends of a pipe */

struct relay_way {
    bool ended;     /* the FIN of its sender was read */
    bool closed;    /* the FIN was passed on */
    int pipe[2];    /* valid while octets wait in it */
    size_t waiting; /* octets in the pipe */
};

struct relay_pair {
    struct iw_relay *relay;
    uint64_t number;
    LIST_ENTRY(relay_pair) others;
    struct iw_port *accepted, *connecting; /* NULL once both are open */
    struct iw_tcp_address addresses[2][2]; /* of the connection of each end, by its sides */
    bool over;
    unsigned handles; /* of libuv, that are not closed yet */
    struct relay_end ends[2];
    struct relay_way ways[2];
};

enum { RELAY_PIPES = 64 }; /* empty pipes that are kept */

struct iw_relay {
    struct iw_relay_config config;
    struct iw_loop *loop;
    struct iw_listener *listener;
    LIST_HEAD(, relay_pair) pairs;
    size_t pair_count;
    uint64_t connections;
    int pipes[RELAY_PIPES][2];
    unsigned pipe_count;
};

/* What moving octets along a way has come to. */
enum relay_step {
    RELAY_DRY,     /* its sender has sent no more so far */
    RELAY_MORE,    /* there may be more to read: the turn is over */
    RELAY_BLOCKED, /* its receiver does not take more so far */
    RELAY_FIN,     /* its sender has sent a FIN */
    RELAY_BROKEN,  /* its sender is reset or lost; errno has the reason */
    RELAY_GONE,    /* its receiver is reset or lost */
};

/* ---- iw_relay_pair.c ---- */

/* Begins to relay between the descriptors of both ends, which it owns from now on. */
void relay_pair_begin(struct relay_pair *pair, const int descriptors[2]);

/* Closes both ends, with a RST to those that `reset` has a bit for (1 << side), and frees the pair later. */
void relay_pair_end(struct relay_pair *pair, unsigned reset);

void relay_pair_note(const struct relay_pair *pair, enum iw_relay_note_kind kind, const char *text);

/* Takes the pair from the list and frees it. */
void relay_pair_free(struct relay_pair *pair);

/* ---- iw_relay_splice.c: ways without a copy ---- */

enum relay_step relay_splice_move(struct relay_pair *pair, enum iw_side from);

/* Writes what waits in the pipe. Returns DRY if nothing waits any more, BLOCKED or GONE. */
enum relay_step relay_splice_flush(struct relay_pair *pair, enum iw_side from);

void relay_splice_dispose(struct relay_pair *pair, enum iw_side from);
void relay_splice_close_pipes(struct iw_relay *relay);
