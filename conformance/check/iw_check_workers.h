#ifndef IW_CHECK_WORKERS_H
#define IW_CHECK_WORKERS_H

#include "iw_check_watch.h"

/* Judges several connections at a time: the caller's thread reads packets and puts streams in order, and the
 * chunks go in batches to threads of which each has the monitors of some connections. What they report comes
 * back in the order of the chunks, between two batches, when none of them is at work: so it is the same for
 * any number of threads. */

/* All are called on the caller's thread, from within the functions below. */
struct iw_check_workers_handlers {
    /* An event that `wanted` has asked for: a copy, valid during the call. What else the stream shows may be
     * further on. */
    void (*event)(void *user, struct iw_check_watch *watch, const struct iw_monitor_event *event);
    /* The watch has taken a chunk and will take no more. */
    void (*given_up)(void *user, struct iw_check_watch *watch, enum iw_lazy_monitor_state reason);
    /* After iw_check_workers_end; nothing comes of this watch any more. */
    void (*end)(void *user, struct iw_check_watch *watch, bool recognised);
    /* An event could not be kept. */
    void (*no_memory)(void *user);
    /* Called on any of the threads: whether `event` is to have the event. */
    bool (*wanted)(void *user, struct iw_check_watch *watch, const struct iw_monitor_event *event);
};

struct iw_check_workers;

/* A crew of `threads` threads beside the caller's. NULL: no memory, or no threads to be had. */
struct iw_check_workers *iw_check_workers_new(
    unsigned threads, const struct iw_check_workers_handlers *handlers, void *user);

/* The sink of every watch that is given to a crew; its owner is iw_check_workers_lane of the flow. */
iw_monitor_sink iw_check_workers_sink;
void *iw_check_workers_lane(struct iw_check_workers *crew, const struct iw_tcp_flow *flow);

/* Gives `watch` its next chunk. The octets are copied unless they stay until the second iw_check_workers_turn
 * from now. False: no memory. */
bool iw_check_workers_chunk(
    struct iw_check_workers *crew, struct iw_check_watch *watch, const struct iw_chunk *chunk, bool stays);

/* What came before the last turn is done with when this returns. */
void iw_check_workers_turn(struct iw_check_workers *crew);

/* No more chunks will come for `watch`. */
void iw_check_workers_end(struct iw_check_workers *crew, struct iw_check_watch *watch);

/* Waits until all is done, and reported. */
void iw_check_workers_finish(struct iw_check_workers *crew);

/* NULL is allowed. */
void iw_check_workers_free(struct iw_check_workers *crew);

#endif
