#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The event loop of ports and endpoints. A real loop runs on libuv and the network. A virtual loop has its
 * own clock, which jumps from event to event, and a network in memory: it runs without waiting, and every
 * run is the same. Single-threaded. */

enum iw_loop_kind { IW_LOOP_REAL, IW_LOOP_VIRTUAL };

struct iw_loop;
struct uv_loop_s;

/* Returns NULL if memory runs out, or libuv failed. A real loop raises the limit of open files to the hard
 * limit. The program must ignore SIGPIPE: libuv cannot suppress it per socket. */
struct iw_loop *iw_loop_new(enum iw_loop_kind kind);

/* Frees the loop. Waits until freed ports have sent everything, and resets connections whose peer does not
 * read it within two seconds. Free or stop ports, listeners and timers before. NULL is allowed. */
void iw_loop_free(struct iw_loop *loop);

enum iw_loop_kind iw_loop_kind(const struct iw_loop *loop);

/* Runs until iw_loop_stop is called (returns true) or nothing is left to wait for (returns false). */
bool iw_loop_run(struct iw_loop *loop);

/* Makes iw_loop_run return after the current event; on a real loop, after the current iteration. */
void iw_loop_stop(struct iw_loop *loop);

/* Nanoseconds since the epoch. A virtual clock starts at 2026-01-01 and stops while an event is handled. */
uint64_t iw_loop_time_ns(const struct iw_loop *loop);

/* The libuv loop of a real loop, for example for signals; NULL for a virtual loop. */
struct uv_loop_s *iw_loop_uv(struct iw_loop *loop);

/* Makes a real loop poll: if it has read only one connection, and sent on it since, it polls that connection
 * for 50 microseconds before it sleeps. To sleep and wake up takes longer than a short round trip. If polls
 * find nothing, the loop polls less often. Not for a loop that has both ends of a connection. */
void iw_loop_busy_poll(struct iw_loop *loop);

typedef void iw_timer_call(void *user);

/* A timer, owned by its user. A zeroed struct is a stopped timer. */
struct iw_timer {
    struct iw_loop *loop; /* NULL: stopped; the loop owns the other members */
    uint64_t due_ns;
    uint64_t turn; /* order of timers that are due at the same time */
    struct iw_timer *child;
    struct iw_timer *next; /* sibling */
    struct iw_timer *back; /* previous sibling, or parent of the first child */
    iw_timer_call *call;
    void *user;
};

/* Calls `call` once, `delay_us` microseconds from now and never within the current event; timers of equal
 * time are called in the order of their start. Restarts a running timer. A real loop rounds up to
 * milliseconds, and does not count time in which it could not run: a stopped or starved process calls later.
 * A running timer keeps the loop running. */
void iw_timer_start(
    struct iw_timer *timer, struct iw_loop *loop, uint64_t delay_us, iw_timer_call *call, void *user);

/* Does nothing if the timer is not running. The timer may be freed at once. */
void iw_timer_stop(struct iw_timer *timer);

static inline bool iw_timer_runs(const struct iw_timer *timer) {
    return timer->loop != NULL;
}
