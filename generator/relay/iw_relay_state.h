#pragma once

#include <sys/queue.h>
#include <uv.h>

#include "iw_port.h"
#include "iw_relay.h"

/* A relayed connection has two ends: the sockets of the initiator and of the device. It has two ways: what
 * each end sends to the other. Both are indexed by the enum iw_side of the end, or of the sender. */

struct relay_end {
    int descriptor; /* -1: not open yet */
    uv_poll_t poll;
    int events;  /* that are polled for */
    bool urgent; /* has sent urgent data, so polling for it would not wait */
    bool gone;   /* a write has found that it is reset or lost */
};

enum { RELAY_READ, RELAY_WRITE }; /* the ends of a pipe */

/* What the receiver has not got yet. */
enum relay_item_kind { RELAY_OCTETS, RELAY_FIN_ITEM, RELAY_RST_ITEM };

struct relay_item {
    TAILQ_ENTRY(relay_item) next;
    enum relay_item_kind kind;
    uint32_t wait_ms; /* before it */
    bool alone;       /* a write of its own: nothing is appended */
    size_t length, sent;
    uint32_t capacity;
    uint8_t *octets;
};
TAILQ_HEAD(relay_queue, relay_item);

struct relay_way {
    bool ended;               /* the FIN of its sender was read */
    bool closed;              /* the FIN was passed on */
    bool held;                /* a timer delays the queue */
    bool stopped;             /* an impairment: its sender is not read */
    bool copies;              /* octets wait in the queue instead of a pipe */
    size_t waiting;           /* octets in the pipe, or items in the queue */
    int pipe[2];              /* valid while octets wait in it */
    struct relay_queue queue; /* used if `copies` */
};

/* Whether nothing is read from the sender of the way. */
static inline bool relay_way_blocked(const struct relay_way *way) {
    return way->waiting > 0 || way->stopped;
}

/* Whether octets wait until the receiver takes them. */
static inline bool relay_way_writes(const struct relay_way *way) {
    return way->waiting > 0 && !way->held;
}

struct relay_impair;

/* The impairments of a pair: those of the relay when the initiator connected. */
struct relay_plan {
    const struct iw_relay_rule *rules;
    size_t rule_count;
    unsigned repair; /* set of enum iw_relay_repair */
};

struct relay_pair {
    struct iw_relay *relay;
    uint64_t number;
    struct relay_plan plan;
    LIST_ENTRY(relay_pair) others;
    struct iw_port *connecting; /* to the device; NULL once it is open */
    struct iw_timer patience;   /* with a device that does not accept, after a FIN of the initiator */
    struct iw_tcp_address addresses[2][2]; /* of the connection of each end, by its sides */
    bool over;
    unsigned handles; /* of libuv, that are not closed yet */
    struct relay_end ends[2];
    struct relay_way ways[2];
    struct iw_recorder_flow *flows[IW_RELAY_RECORDERS][2]; /* by recorder and end; NULL: not recorded */
    struct relay_impair *impair;                           /* NULL: nothing is impaired */
};

enum {
    RELAY_PIPES = 64,            /* empty pipes that are kept */
    RELAY_PAIR_DESCRIPTORS = 2,  /* its sockets; pipes count apart */
    RELAY_RESERVE = 64,          /* descriptors for captures and for what the process opens later */
    RELAY_READ_OCTETS = 1 << 18, /* of one read */
    RELAY_TURN_OCTETS = 1 << 20, /* of one way, before other connections have their turn */
    RELAY_KEEPALIVE_S = 60,      /* seconds of silence before TCP probes the device; as of accepted ports */
    RELAY_PATIENCE_US = 10000000,
};

struct iw_relay {
    struct iw_relay_config config;
    struct iw_loop *loop;
    struct iw_port_host *device;
    struct iw_listener *listener;
    LIST_HEAD(relay_pairs, relay_pair) pairs;
    size_t pair_count;
    uint64_t connections;
    int pipes[RELAY_PIPES][2];
    unsigned pipe_count;
    size_t descriptors;     /* of pairs and pipes */
    size_t descriptors_max; /* so many, and the process can still open RELAY_RESERVE others */
    bool copies;            /* octets do not pass through pipes */
    uint8_t *buffer;        /* of RELAY_READ_OCTETS; NULL: not needed so far */
};

/* Returns false if the limit of descriptors would be exceeded. */
bool relay_take_descriptors(struct iw_relay *relay, size_t count);

/* What moving octets along a way has come to. */
enum relay_step {
    RELAY_DRY,     /* its sender has sent no more so far */
    RELAY_MORE,    /* there may be more to read: the turn is over */
    RELAY_BLOCKED, /* its receiver does not take more so far */
    RELAY_FIN,     /* its sender has sent a FIN */
    RELAY_BROKEN,  /* its sender is reset or lost; errno has the reason */
    RELAY_FAILED,  /* the memory of this process ran out */
    RELAY_GONE,    /* its receiver is reset or lost */
    RELAY_RESET,   /* an impairment resets both */
};

/* ---- iw_relay_pair.c ---- */

/* The initiator's connection is open: notices if it ends before the device accepts. Owns the descriptor. */
void relay_pair_accept(struct relay_pair *pair, int descriptor);

/* The connection to the device is open, too: begins to relay. Owns the descriptor. */
void relay_pair_begin(struct relay_pair *pair, int descriptor);

/* Closes the ends that are open, with a RST to those that `reset` has a bit for (1 << side), ends the attempt
 * to connect, and frees the pair later. */
void relay_pair_end(struct relay_pair *pair, unsigned reset);

void relay_pair_note(const struct relay_pair *pair, enum iw_relay_note_kind kind, const char *text);

/* Sends a FIN to the receiver of the way. */
void relay_pair_close_way(struct relay_pair *pair, enum iw_side from);

/* Goes on after a delay of the way, or after it was stopped. */
void relay_pair_resume(struct relay_pair *pair, enum iw_side from);

/* ---- iw_relay_splice.c: ways without a copy ---- */

/* A way without a pipe, because the system gives none, copies its octets from now on. */
enum relay_step relay_splice_move(struct relay_pair *pair, enum iw_side from);

/* Writes what waits in the pipe. Returns DRY if nothing waits any more, BLOCKED or GONE. */
enum relay_step relay_splice_flush(struct relay_pair *pair, enum iw_side from);

void relay_splice_dispose(struct relay_pair *pair, enum iw_side from);
void relay_splice_close_pipes(struct iw_relay *relay);

/* ---- iw_relay_copy.c: ways with a copy, which can be recorded ---- */

enum relay_step relay_copy_move(struct relay_pair *pair, enum iw_side from);

/* Writes what waits in the queue, as relay_splice_flush. */
enum relay_step relay_copy_flush(struct relay_pair *pair, enum iw_side from);

/* Appends to the queue; copies the octets. May join them with the octets before, unless `alone`. Returns
 * false if memory runs out. */
bool relay_copy_push(struct relay_pair *pair, enum iw_side from, const struct relay_item *item);

/* Lets the way copy; nothing waits in it. Returns false if memory runs out. */
bool relay_copy_begin(struct relay_pair *pair, enum iw_side from);
void relay_copy_dispose(struct relay_pair *pair, enum iw_side from);

/* ---- iw_relay_impair.c ---- */

/* Begins to impair the pair, if the relay impairs. Returns false if memory runs out. */
bool relay_impair_begin(struct relay_pair *pair);
void relay_impair_free(struct relay_pair *pair);

/* Queues what becomes of the octets that the sender of the way has sent; keeps those of an incomplete unit.
 * Returns false if memory runs out. */
bool relay_impair_take(struct relay_pair *pair, enum iw_side from, const uint8_t *octets, size_t length);

/* The way ends: queues what was kept. */
bool relay_impair_finish(struct relay_pair *pair, enum iw_side from);

/* Starts the timer that ends `held`. */
void relay_impair_hold(struct relay_pair *pair, enum iw_side from, uint32_t wait_ms);

/* ---- iw_relay_record.c ---- */

/* Begins to record the connection of that end. Its addresses are known. */
void relay_record_begin(struct relay_pair *pair, enum iw_side end);

/* Records what the peer has sent (`received`) or the relay has sent on the connection of that end. */
void relay_record(struct relay_pair *pair, enum iw_side end, bool received, enum iw_chunk_kind kind,
    const uint8_t *octets, size_t length);
