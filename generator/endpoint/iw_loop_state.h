#ifndef IW_LOOP_STATE_H
#define IW_LOOP_STATE_H

#include <sys/queue.h>

#include "iw_busy_poll.h"
#include "iw_interrupt.h"

/* The internals of a loop, for the ports of both kinds. */

enum { IW_LOOP_BUFFER_OCTETS = 262144 };

struct iw_loop {
    enum iw_loop_kind kind;
    bool stopping;
    uint64_t time_ns;       /* VIRTUAL: nanoseconds since the epoch */
    struct iw_timer *first; /* the root of a heap by time and turn */
    uint64_t turns;

    /* REAL */
    uint64_t waited_ns;     /* the clock of the timers: the time in which the loop could run */
    uint64_t clock_read_ns; /* uv_hrtime() when `waited_ns` was last updated */
    uv_loop_t uv;
    uv_timer_t alarm;
    uv_idle_t idle;
    struct iw_busy_poll busy_poll;
    char buffer[IW_LOOP_BUFFER_OCTETS]; /* octets of the last read from a socket */

    /* VIRTUAL: the network */
    SLIST_HEAD(iw_listeners, iw_listener) listeners;
    uint16_t last_port;
    struct iw_interrupt *interrupt; /* VIRTUAL; NULL: none */
};

/* Calls the interrupt of a virtual loop if a signal came. NULL is allowed. */
void iw_interrupt_poll(const struct iw_interrupt *interrupt);

#endif
