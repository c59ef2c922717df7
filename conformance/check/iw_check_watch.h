#ifndef IW_CHECK_WATCH_H
#define IW_CHECK_WATCH_H

#include <stdbool.h>

#include "iw_check.h"
#include "iw_tcp_flow.h"

/* What hangs on a TCP connection while it is judged. A capture may be full of connections without an octet,
 * so the monitor, which is large, waits for the first; what came before is kept for it. */

/* Each side can at most start, close and reset. */
enum { IW_CHECK_EARLY_MAX = 6 };

/* What a flow was at its end. */
struct iw_check_flow_end {
    uint64_t frame;
    uint64_t time_ns;
    struct iw_tcp_counters counters[2]; /* by enum iw_side */
};

struct iw_check_watch {
    struct iw_check_stream stream; /* the flow itself is of the thread that reads */
    struct iw_tcp_flow *flow;      /* the caller's; NULL when it has ended */
    struct iw_monitor *monitor;
    const struct iw_monitor_config *config;
    iw_monitor_sink *sink;  /* called with the watch as `user` */
    void *owner;            /* of the sink */
    struct iw_chunk *early; /* chunks that came before the monitor was made; NULL if there were none, or after
                               the monitor has taken them */
    unsigned char early_count;
    bool given_up;  /* it ignores further chunks */
    bool no_memory; /* at the end: memory ran out, so whether it is iWARP is unknown */
    struct iw_check_flow_end end;
};

enum iw_check_watched {
    IW_CHECK_WATCHED,
    IW_CHECK_HOPELESS,  /* it can never become MPA; it need not be fed further */
    IW_CHECK_NO_MEMORY, /* the same, for another reason */
};

/* A watch on `flow`, whose first chunk is `first`. `config` is the caller's, and outlives
 * it. NULL: no memory. */
struct iw_check_watch *iw_check_watch_new(struct iw_tcp_flow *flow, const struct iw_chunk *first,
    const struct iw_monitor_config *config, iw_monitor_sink *sink, void *owner);
void iw_check_watch_free(struct iw_check_watch *watch);

/* Takes the next chunk; events go to the sink before it returns. What is not IW_CHECK_WATCHED has released
 * its monitor, and takes no more. */
enum iw_check_watched iw_check_watch_feed(struct iw_check_watch *watch, const struct iw_chunk *chunk);

/* The input has ended. Returns whether the stream was iWARP. If false, `no_memory` says whether memory ran
 * out, so that the answer is uncertain. */
bool iw_check_watch_finish(struct iw_check_watch *watch);

/* The flow is about to go: what it is now, the stream will show from iw_check_watch_show_end on. */
void iw_check_watch_detach(struct iw_check_watch *watch);
void iw_check_watch_show_end(struct iw_check_watch *watch);

#endif
