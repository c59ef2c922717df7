#pragma once

#include "iw_check_watch.h"

/* Judges several connections in parallel. The caller's thread reads packets and reassembles streams. Each
 * worker thread has the monitors of some connections and judges their chunks in batches. Between two batches,
 * while all workers are idle, the caller's thread reports the events in the order of the chunks. So the
 * reports are the same for any number of threads. */

/* All handlers except `wanted` are called on the caller's thread, from the functions below. */
struct iw_check_workers_handlers {
    /* Gets a copy of an event for which `wanted` returned true, valid during the call. The monitor of the
     * stream may already have judged later chunks. */
    void (*event)(void *user, struct iw_check_watch *watch, const struct iw_monitor_event *event);
    /* Called if the connection is not iWARP, or if memory ran out: the watch ignores further chunks. `epoch`
     * is the epoch of the chunk that shows this (iw_check_workers_swap). */
    void (*given_up)(
        void *user, struct iw_check_watch *watch, enum iw_lazy_monitor_state reason, uint64_t epoch);
    /* Called after iw_check_workers_end: the last call for the watch. */
    void (*end)(void *user, struct iw_check_watch *watch, bool recognised);
    /* Called if memory ran out: at least one of the calls above is missing. */
    void (*no_memory)(void *user);
    /* Called on any thread. Returns whether `event` should get the event. */
    bool (*wanted)(void *user, struct iw_check_watch *watch, const struct iw_monitor_event *event);
};

struct iw_check_workers;

/* Creates `threads` workers in addition to the caller's thread. Returns NULL if memory runs out. */
struct iw_check_workers *iw_check_workers_new(
    unsigned threads, const struct iw_check_workers_handlers *handlers, void *user);

/* A watch for the workers needs this sink, and as `owner` the lane of its flow. */
iw_monitor_sink iw_check_workers_sink;
void *iw_check_workers_lane(struct iw_check_workers *workers, const struct iw_tcp_flow *flow);

/* Adds the next chunk of `watch`. If `stays_valid`, its octets must remain valid until the second
 * iw_check_workers_swap from now; otherwise they are copied. Returns false if memory runs out. */
bool iw_check_workers_chunk(struct iw_check_workers *workers, struct iw_check_watch *watch,
    const struct iw_chunk *chunk, bool stays_valid);

/* Stops reading one side of `watch` (iw_mpa_end_reading). */
void iw_check_workers_end_reading(
    struct iw_check_workers *workers, struct iw_check_watch *watch, enum iw_side side);

/* Returns an upper bound of the memory for the octets that all watches keep (iw_mpa_memory), in octets; exact
 * after iw_check_workers_finish. Each chunk may raise it by iw_check_workers_growth. */
uint64_t iw_check_workers_memory(const struct iw_check_workers *workers);
uint64_t iw_check_workers_growth(const struct iw_chunk *chunk);

/* Waits until the workers have judged their batch, reports its events, and gives them the next batch: the
 * chunks added since. Chunks added from now on belong to `epoch`; the first chunks belong to epoch 0. */
void iw_check_workers_swap(struct iw_check_workers *workers, uint64_t epoch);

/* `watch` gets no further chunks: the handler `end` is called once all its chunks are judged. */
void iw_check_workers_end(struct iw_check_workers *workers, struct iw_check_watch *watch);

/* Waits until all chunks are judged and reported. */
void iw_check_workers_finish(struct iw_check_workers *workers);

void iw_check_workers_free(struct iw_check_workers *workers);
