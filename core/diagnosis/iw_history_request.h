#pragma once

#include "iw_latency.h"
#include "iw_monitor_event.h"

/* What a history remembers of requests and their responses: how many wait, how long each kind takes, and the
 * longest stall. Allocated at the first request or response. */

/* Latencies of the requests of one opcode. */
struct iw_history_latency {
    uint8_t opcode; /* as iw_history_row needs it */
    struct iw_latency latency;
};

struct iw_history_requester {
    uint32_t waiting;                   /* its outstanding requests now */
    uint32_t most_waiting;              /* most of them at once */
    struct iw_history_latency *latency; /* one row for each opcode of its answered requests, by opcode */
    uint8_t latency_count;
    struct { /* the response being received now, by enum iw_operation_kind */
        uint64_t number;
        uint64_t first_ns;
    } answering[IW_OPERATION_KINDS];
    uint64_t last_answer_frame; /* latest segment of a response that it sent */
    uint64_t last_answer_ns;
    uint64_t last_request_ns; /* latest request that it sent */
};

struct iw_history_requests {
    struct iw_history_requester side[2]; /* by enum iw_side */
    uint64_t stall_ns;                   /* longest time without an event while requests were outstanding */
    uint64_t stall_begin_frame, stall_end_frame;
    uint32_t stall_waiting; /* requests outstanding meanwhile */
};

/* NULL stands for a connection without requests and responses so far. */
void iw_history_requests_free(struct iw_history_requests *requests);

/* Take an event with a request, or with a response. Return false if memory runs out. */
bool iw_history_take_request(struct iw_history_requests **requests, const struct iw_monitor_event *event);
bool iw_history_take_response(struct iw_history_requests **requests, const struct iw_monitor_event *event);

/* Between the two frames, `ns` passed without an event. */
void iw_history_take_silence(
    struct iw_history_requests *requests, uint64_t begin_frame, uint64_t end_frame, uint64_t ns);
