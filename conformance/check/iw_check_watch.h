#ifndef IW_CHECK_WATCH_H
#define IW_CHECK_WATCH_H

#include <stdbool.h>

#include "iw_check.h"
#include "iw_lazy_monitor.h"
#include "iw_tcp_flow.h"

/* What hangs on a TCP connection while it is judged. */

/* What a flow was at its end. */
struct iw_check_flow_end {
    uint64_t frame;
    uint64_t time_ns;
    struct iw_tcp_counters counters[2]; /* by enum iw_side */
};

struct iw_check_watch {
    struct iw_check_stream stream; /* the flow itself is of the thread that reads */
    struct iw_tcp_flow *flow;      /* the caller's; NULL when it has ended */
    struct iw_lazy_monitor lazy;   /* its sink is called with the watch as `user` */
    void *owner;                   /* of the sink */
    struct iw_check_flow_end end;
};

/* A watch on `flow`, whose first chunk is `first`. `config` is the caller's, and outlives
 * it. NULL: no memory. */
struct iw_check_watch *iw_check_watch_new(struct iw_tcp_flow *flow, const struct iw_chunk *first,
    const struct iw_monitor_config *config, iw_monitor_sink *sink, void *owner);
void iw_check_watch_free(struct iw_check_watch *watch);

/* Takes the next chunk; events go to the sink before it returns. */
enum iw_lazy_monitor_state iw_check_watch_feed(struct iw_check_watch *watch, const struct iw_chunk *chunk);

/* The input has ended. Returns whether the stream was iWARP, as iw_lazy_monitor_finish. */
bool iw_check_watch_finish(struct iw_check_watch *watch);

/* The flow is about to go: what it is now, the stream will show from iw_check_watch_show_end on. */
void iw_check_watch_detach(struct iw_check_watch *watch);
void iw_check_watch_show_end(struct iw_check_watch *watch);

#endif
