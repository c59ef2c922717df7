#ifndef IW_CHECK_WORKERS_H
#define IW_CHECK_WORKERS_H

#include "iw_check_watch.h"

/* Judges several connections in parallel: the caller's thread reads packets and reassembles streams; worker
 * threads, each with the monitors of some connections, judge the chunks in batches. The caller's thread
 * reports the events between two batches, while all workers are idle, in the order of the chunks: so the
 * reports are the same for any number of threads. */

/* Called on the caller's thread, from within the functions below, except `wanted`. */
struct iw_check_workers_handlers {
    /* An event for which `wanted` returned true: a copy, valid during the call. Other state of the stream
     * may be newer. */
    void (*event)(void *user, struct iw_check_watch *watch, const struct iw_monitor_event *event);
    /* The connection is not iWARP, or memory ran out: the watch ignores further chunks. `epoch` is that of
     * the chunk that shows it (iw_check_workers_swap). */
    void (*given_up)(
        void *user, struct iw_check_watch *watch, enum iw_lazy_monitor_state reason, uint64_t epoch);
    /* After iw_check_workers_end: the last call for this watch. */
    void (*end)(void *user, struct iw_check_watch *watch, bool recognised);
    /* Memory ran out: at least one of the calls above is missing. */
    void (*no_memory)(void *user);
    /* Called on any thread: whether `event` should get the event. */
    bool (*wanted)(void *user, struct iw_check_watch *watch, const struct iw_monitor_event *event);
};

struct iw_check_workers;

/* Creates `threads` workers in addition to the caller's thread. Returns NULL if memory runs out. */
struct iw_check_workers *iw_check_workers_new(
    unsigned threads, const struct iw_check_workers_handlers *handlers, void *user);

/* A watch given to the workers has this sink, and iw_check_workers_lane of its flow as `owner`. */
iw_monitor_sink iw_check_workers_sink;
void *iw_check_workers_lane(struct iw_check_workers *workers, const struct iw_tcp_flow *flow);

/* Gives `watch` its next chunk. `stays_valid`: the octets remain valid until the second iw_check_workers_swap
 * from now; otherwise they are copied. Returns false if memory runs out. */
bool iw_check_workers_chunk(struct iw_check_workers *workers, struct iw_check_watch *watch,
    const struct iw_chunk *chunk, bool stays_valid);

/* Ends reading of a side of `watch` (iw_mpa_end_reading). */
void iw_check_workers_end_reading(
    struct iw_check_workers *workers, struct iw_check_watch *watch, enum iw_side side);

/* An upper bound of the memory, in octets, for the octets that all watches keep (iw_mpa_memory); exact after
 * iw_check_workers_finish. Each chunk may raise it by iw_check_workers_growth. */
uint64_t iw_check_workers_memory(const struct iw_check_workers *workers);
uint64_t iw_check_workers_growth(const struct iw_chunk *chunk);

/* Waits for the batch that the previous call handed to the workers, reports its events, and hands over the
 * batch filled since. The next chunks belong to `epoch`, the first ones to epoch 0. */
void iw_check_workers_swap(struct iw_check_workers *workers, uint64_t epoch);

/* The chunks of `watch` have ended. Once they are judged, the handler `end` is called. */
void iw_check_workers_end(struct iw_check_workers *workers, struct iw_check_watch *watch);

/* Waits until all chunks are judged and reported. */
void iw_check_workers_finish(struct iw_check_workers *workers);

/* NULL is allowed. */
void iw_check_workers_free(struct iw_check_workers *workers);

#endif
