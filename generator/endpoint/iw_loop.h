#ifndef IW_LOOP_H
#define IW_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The event loop under ports and endpoints. A real loop runs on libuv and the network; a virtual one has a
 * clock of its own that jumps from event to event, and a network in memory: what runs on it runs without
 * waiting, and alike every time. One thread. */

enum iw_loop_kind { IW_LOOP_REAL, IW_LOOP_VIRTUAL };

struct iw_loop;
struct uv_loop_s;

/* NULL if there is no memory or libuv fails. For a real loop, the program ignores SIGPIPE from then on, and
 * may have as many files and connections open as the system lets it. */
struct iw_loop *iw_loop_new(enum iw_loop_kind kind);

/* Lets everything that is being closed end, then releases the loop; connections whose peer does not take
 * within two seconds what was written are reset. Ports, listeners and timers must have been freed or stopped.
 * NULL is allowed. */
void iw_loop_free(struct iw_loop *loop);

enum iw_loop_kind iw_loop_kind(const struct iw_loop *loop);

/* Runs until nothing is left to wait for, or iw_loop_stop was called. Returns false if nothing is left. */
bool iw_loop_run(struct iw_loop *loop);

/* Lets iw_loop_run return after the event that is being handled. */
void iw_loop_stop(struct iw_loop *loop);

/* Nanoseconds since the epoch. A virtual clock starts at 2026-01-01 00:00:00 UTC and stands still while an
 * event is handled. */
uint64_t iw_loop_time_ns(const struct iw_loop *loop);

/* The libuv loop of a real loop, for signals and the like; NULL for a virtual one. */
struct uv_loop_s *iw_loop_uv(struct iw_loop *loop);

/* Before a real loop sleeps, it looks for 50 microseconds whether the connection that was served last, and
 * has answered, received something again: falling asleep and being woken take longer than a short round trip.
 * Only while that succeeds; a loop whose peers are slower sleeps at once. Not for a loop in which both ends
 * of a connection live. */
void iw_loop_be_alert(struct iw_loop *loop);

typedef void iw_timer_call(void *user);

/* Held by its user; all zero is a timer that does not run. */
struct iw_timer {
    struct iw_loop *loop; /* NULL: does not run; what follows is the loop's own */
    uint64_t due_ns;
    uint64_t turn; /* order among equal times */
    struct iw_timer *child;
    struct iw_timer *next; /* sibling */
    struct iw_timer *back; /* sibling before, or parent of the first child */
    iw_timer_call *call;
    void *user;
};

/* Calls `call` once, `delay_us` microseconds from now and never before the running event has ended; timers
 * with equal times in the order of their start. Starts anew if it runs already. A real loop keeps whole
 * milliseconds, rounded up, and does not count time in which it could not run: a stopped or starved process
 * calls later. A running timer keeps the loop running. */
void iw_timer_start(
    struct iw_timer *timer, struct iw_loop *loop, uint64_t delay_us, iw_timer_call *call, void *user);

/* Nothing happens if it does not run. The timer may be released at once. */
void iw_timer_stop(struct iw_timer *timer);

static inline bool iw_timer_runs(const struct iw_timer *timer) {
    return timer->loop != NULL;
}

#endif
