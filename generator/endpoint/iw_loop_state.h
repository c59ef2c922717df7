#pragma once

#include <sys/queue.h>

#include <uv.h>

#include "iw_interrupt.h"

/* Busy polling for short round trips (iw_loop_busy_poll): before libuv sleeps, the loop polls the source that
 * it has just read and answered, if it has read no other source. A loop that only receives does not poll: the
 * longer it sleeps, the more octets one read returns. */

/* A socket that the loop can poll. */
struct iw_busy_poll_source {
    const uint64_t *sent; /* octets that the socket has sent so far; NULL: no source */
    /* Reads the socket once. Returns whether there was something to read; the call may free the source. */
    bool (*read)(void *user);
    void *user;
};

/* Part of a loop of kind IW_LOOP_REAL. */
struct iw_busy_poll {
    uv_prepare_t prepare;
    const bool *stopping;            /* iw_loop_stop was called */
    struct iw_busy_poll_source last; /* the only source read since the loop slept; its `sent` is NULL if no
                                    source was read, or several */
    bool several;                    /* several sources were read since the loop slept */
    uint64_t sent;                   /* octets that `last` had sent before its last read */
    unsigned skipped_rounds;         /* iterations of the loop still to sleep without polling */
    unsigned vain_polls;             /* polls in a row that found nothing, at most VAIN_MAX */
};

void iw_busy_poll_init(struct iw_busy_poll *poll, uv_loop_t *loop, const bool *stopping);
void iw_busy_poll_start(struct iw_busy_poll *poll);

/* Notes that libuv has read octets from the source; copies the struct. */
void iw_busy_poll_note(struct iw_busy_poll *poll, const struct iw_busy_poll_source *source);

/* Forgets the source with that `user`: the loop no longer polls it. */
void iw_busy_poll_forget(struct iw_busy_poll *poll, const void *user);

enum { IW_LOOP_BUFFER_OCTETS = 262144 };

struct iw_loop {
    enum iw_loop_kind kind;
    bool stopping;
    uint64_t time_ns;       /* VIRTUAL: nanoseconds since the epoch */
    struct iw_timer *first; /* the root of a heap by time and turn */
    uint64_t turns;

    /* for IW_LOOP_REAL */
    uint64_t waited_ns;     /* the clock of the timers: the time in which the loop could run */
    uint64_t clock_read_ns; /* uv_hrtime() when `waited_ns` was last updated */
    uv_loop_t uv;
    uv_timer_t alarm;
    uv_idle_t idle;
    struct iw_busy_poll busy_poll;
    char buffer[IW_LOOP_BUFFER_OCTETS]; /* octets of the last read from a socket */

    /* for IW_LOOP_VIRTUAL */
    SLIST_HEAD(iw_listeners, iw_listener) listeners;
    uint16_t last_port;
    struct iw_interrupt *interrupt; /* or NULL */
};

/* Calls the interrupt of a virtual loop if a signal came. NULL is allowed. */
void iw_interrupt_poll(struct iw_interrupt *interrupt);
