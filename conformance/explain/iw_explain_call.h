#pragma once

#include "iw_latency.h"
#include "iw_upper.h"

/* The latencies of the calls of the protocol above, by kind of call, in bounded memory. */

enum { IW_EXPLAIN_CALLS = 24 }; /* kinds of a connection; further kinds count as one */

struct iw_explain_call {
    const char *operation; /* such as "NFS WRITE"; NULL: further kinds */
    enum iw_side caller;
    struct iw_latency latency;
};

/* A zeroed struct is empty. */
struct iw_explain_calls {
    struct iw_explain_call *rows; /* in the order of their first replies */
    unsigned count;
    bool no_memory; /* memory ran out: something is missing */
};

void iw_explain_calls_dispose(struct iw_explain_calls *calls);

/* Counts a call whose reply ended in `frame` at `time_ns`. */
void iw_explain_calls_add(
    struct iw_explain_calls *calls, const struct iw_upper_call *call, uint64_t frame, uint64_t time_ns);

/* Kind of the calls, such as "NFS WRITE". */
const char *iw_explain_call_name(const struct iw_explain_call *call);
