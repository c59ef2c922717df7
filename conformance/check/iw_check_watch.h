#ifndef IW_CHECK_WATCH_H
#define IW_CHECK_WATCH_H

#include <stdbool.h>
#include <sys/queue.h>

#include "iw_check.h"
#include "iw_lazy_monitor.h"
#include "iw_tcp_flow.h"

/* The state of a TCP connection while it is judged. */

struct iw_check_watch {
    struct iw_check_stream stream; /* what the handlers get */
    struct iw_tcp_flow *flow;      /* for the reading thread only; NULL once it has ended or is ignored */
    bool given_up; /* for the reading thread only: not iWARP, or memory ran out: `flow` will be ignored */
    LIST_ENTRY(iw_check_watch) same_epoch; /* links watches given up in one epoch; reading thread only */
    struct iw_lazy_monitor lazy;           /* its sink gets the watch as `user` */
    void *owner;                           /* for the sink: a struct iw_check_job, or a lane of the workers */
    size_t kept[2];                        /* iw_mpa_memory by side, as of the latest iw_check_watch_growth */
};

/* Creates a watch on `flow`, whose first chunk is `first`. `config` must outlive the watch. Returns NULL if
 * memory runs out. */
struct iw_check_watch *iw_check_watch_new(struct iw_tcp_flow *flow, const struct iw_chunk *first,
    const struct iw_monitor_config *config, iw_monitor_sink *sink, void *owner);
void iw_check_watch_free(struct iw_check_watch *watch);

/* Judges the next chunk; calls the sink before it returns. */
enum iw_lazy_monitor_state iw_check_watch_feed(struct iw_check_watch *watch, const struct iw_chunk *chunk);

/* Ends reading of a side (iw_mpa_end_reading); calls the sink before it returns. */
enum iw_lazy_monitor_state iw_check_watch_end_reading(struct iw_check_watch *watch, enum iw_side side);

/* Returns the change of the memory for kept octets (iw_mpa_memory) since the latest call, in octets; negative
 * if it has shrunk. Since that call, only `side` may have sent. */
int64_t iw_check_watch_growth(struct iw_check_watch *watch, enum iw_side side);

/* The flow is about to be freed: copies its end and its counters to the stream. */
void iw_check_watch_detach(struct iw_check_watch *watch);

#endif
