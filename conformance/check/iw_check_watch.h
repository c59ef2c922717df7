#pragma once

#include <stdbool.h>
#include <sys/queue.h>

#include "iw_check.h"
#include "iw_lazy_monitor.h"
#include "iw_tcp_flow.h"

/* A TCP connection that is being judged. */

struct iw_check_watch {
    struct iw_check_stream stream; /* what the handlers get */
    struct iw_tcp_flow *flow; /* only for the reading thread; NULL once the flow has ended or is ignored */
    bool given_up;   /* only for the reading thread: not iWARP, or memory ran out; `flow` will be ignored */
    bool recognised; /* as iWARP; known at its end */
    LIST_ENTRY(iw_check_watch) same_epoch; /* in a list `given_up` of the job, or `ended` of a lane */
    STAILQ_ENTRY(iw_check_watch) next_deferred;
    struct iw_lazy_monitor lazy; /* its sink gets this watch as `user` */
    struct iw_tcp_life *life;    /* only for the reading thread; NULL: not followed */
    void *owner;                 /* data of the sink: a struct iw_check_job, or a lane of the workers */
    size_t kept[2];              /* by side: memory for kept octets at the latest iw_check_watch_growth */
};

/* Creates a watch on `flow`, whose first chunk is `first`. `config` must outlive the watch. Returns NULL if
 * memory runs out. */
struct iw_check_watch *iw_check_watch_new(struct iw_tcp_flow *flow, const struct iw_chunk *first,
    const struct iw_monitor_config *config, iw_monitor_sink *sink, void *owner);
void iw_check_watch_free(struct iw_check_watch *watch);

/* Makes `watch->life`, which the stream shows once the flow has ended. Returns false if memory runs out. */
bool iw_check_watch_follow_life(struct iw_check_watch *watch);

/* Judges the next chunk; calls the sink before it returns. */
enum iw_lazy_monitor_state iw_check_watch_feed(struct iw_check_watch *watch, const struct iw_chunk *chunk);

/* Stops reading one side (iw_mpa_end_reading); calls the sink before it returns. */
enum iw_lazy_monitor_state iw_check_watch_end_reading(struct iw_check_watch *watch, enum iw_side side);

/* Returns how much the memory for kept octets (iw_mpa_memory) has grown since the latest call, in octets;
 * negative if it has shrunk. Since that call, only `side` may have sent. */
int64_t iw_check_watch_growth(struct iw_check_watch *watch, enum iw_side side);

/* Copies the end and the counters of the flow to the stream. Call this function before the flow is freed.
 * `capture_ns`: see struct iw_check_stream. */
void iw_check_watch_detach(struct iw_check_watch *watch, uint64_t capture_ns);
