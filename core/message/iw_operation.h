#pragma once

#include <assert.h>

#include "iw_payload_sum.h"

/* Requests and their responses: RDMA Read, Atomic, Flush, Verify and Atomic Write (RFC 5040 5.2, RFC 7306 5,
 * draft-talpey-rdma-commit-01 3.1). Requests share queue 1. Read Responses are tagged; other responses come
 * on queue 3. Both come in the order of their requests (RFC 5040 5.5, RFC 7306 5.4). */

struct iw_operation {
    uint64_t number; /* ordinal among the requests of its direction, from 1 */
    uint8_t opcode;  /* of the request */
    bool overtaken;  /* queue 3: a later request was answered first, and this was reported */
    bool misaligned; /* set by the monitor: misaligned, provided that the operation before it is aligned */
    bool filled;     /* all of the response may have come, but no L: it ends when the next response begins */
    uint32_t answer_msn; /* MSN of the latest response segment on queue 3 */
    uint32_t msn;        /* MSN of the request on queue 1 */
    uint64_t request_frame;
    uint64_t request_time_ns;
    uint64_t request_end;    /* stream offset after the request, if the caller sets it; else 0 */
    uint64_t response_frame; /* capture frame of the first response segment; 0 before it */
    uint64_t answered; /* a Read: payload octets of the response so far; may exceed the requested size */
    struct iw_payload_sum answer; /* queue 3: the response so far, without a header in one segment */
    union {
        union iw_header header; /* the opcode selects the member */
        struct {
            struct iw_verify_request verify_request;
            struct iw_payload_sum hash; /* has 0 octets if the request has no hash */
        };
    } request;
    void *user; /* for the caller; NULL at first */
};

/* Identifies a request in reports, also after it has left its list. */
struct iw_request_name {
    uint64_t number;
    uint8_t opcode;
    bool perhaps; /* it is uncertain whether the request has a response */
    uint32_t msn;
    uint64_t frame;
    uint64_t time_ns;
    uint64_t answered;    /* a Read: captured payload octets of its response */
    uint32_t read_octets; /* a Read: octets that the request asks for; other requests: 0 */
};

/* A first-in first-out list of requests. */
struct iw_operation_list {
    struct iw_operation *slots;
    uint32_t capacity; /* a power of two */
    uint32_t first;
    uint32_t count;
};

/* Returns the request at `position`; 0 is the front, the request whose response is expected next. */
static inline struct iw_operation *iw_operation_at(const struct iw_operation_list *list, uint32_t position) {
    assert(position < list->count);
    return &list->slots[(list->first + position) & (list->capacity - 1)];
}

/* The two lists of requests: those answered by Read Responses, and those answered on queue 3. */
enum iw_operation_kind { IW_OPERATION_READS, IW_OPERATION_OTHERS, IW_OPERATION_KINDS };

enum { IW_OPERATION_MAX = 65536 }; /* limit of outstanding requests kept in each list */

/* The requests of one direction, and the responses of the other direction. */
struct iw_operations {
    bool known;   /* all outstanding requests are in the lists; stays false once false: requests may be equal,
                     so no response proves which request it answers */
    bool doubted; /* a message may be a different request or response than it seems */
    uint64_t dropped;  /* requests not kept because of the limit, or because memory ran out */
    uint64_t requests; /* number of requests kept so far */
    struct iw_operation_list waiting[IW_OPERATION_KINDS]; /* requests that wait for responses */
    struct iw_passed_requests *passed; /* requests no longer in `waiting` that may be outstanding, or NULL */
    struct iw_operation *done; /* the latest request whose response is complete; NULL: no request was kept */
    uint64_t answer_frame[IW_OPERATION_KINDS];  /* frame of the latest response segment with L */
    uint64_t doubted_up_to[IW_OPERATION_KINDS]; /* number of the last request that may have a response */
};

/* How a response segment fits its request. */
struct iw_response_fact {
    const struct iw_operation *operation; /* NULL: no request, or !known; valid until the next call */
    bool known;     /* false: it is uncertain which request this answers; ignore the members below */
    bool opcode_ok; /* the response has the opcode for this request */
    bool in_order;  /* no earlier request of the other list is outstanding */
    const struct iw_operation *earlier; /* that earlier request, unless in_order; valid until the next call */
    bool stag_ok;       /* Read: it is the request's Data Sink STag, or the payload or requested size is 0 */
    bool to_ok;         /* Read: the TO continues the response, or the payload or requested size is 0 */
    bool length_ok;     /* Read: within the requested size; with L, exactly that size. Others: true */
    bool identifier_ok; /* Atomic: the Request Identifier is the request's */
    bool hash_ok;       /* Verify: the hash equals the hash of the request, or they cannot be compared */
    const struct iw_operation *overtaken; /* queue 3: the oldest request, if just overtaken; or NULL */
    uint64_t to_expected;                 /* Read */
    uint64_t octets_left; /* Read: octets of the requested size that are left before this segment */
    uint64_t too_early;   /* frame of the oldest request, if it arrived after this response was sent; or 0 */
    bool complete;        /* this segment completes the response */
    bool resumed;         /* Read: continues the previous response, whose L came too early */
    uint64_t overtakes;   /* Read: capture frame of the earlier Read Request that it overtakes; or 0 */
};

/* Starts without requests. The direction must be captured from its startup on; if not, call
 * iw_operations_lost. Allocates memory at the first request; iw_operations_dispose frees it. */
void iw_operations_init(struct iw_operations *operations);
void iw_operations_dispose(struct iw_operations *operations);

/* Octets of either direction were lost: empties the lists, as their requests may have been answered. */
void iw_operations_lost(struct iw_operations *operations);

/* Records that a message may be a different request or response than it seems. */
void iw_operations_doubt(struct iw_operations *operations);

/* Returns the number of outstanding requests, without those whose response lacks only L. */
uint32_t iw_operations_waiting(const struct iw_operations *operations);

/* Returns the number of outstanding Read Requests, which IRD and ORD limit, without one that lacks only L. */
uint32_t iw_operations_reads_waiting(const struct iw_operations *operations);

/* Returns the outstanding Read Request with this MSN, valid until the next call; NULL if it does not exist,
 * or if not all outstanding requests are known. */
const struct iw_operation *iw_operations_read(const struct iw_operations *operations, uint32_t msn);

/* Takes a segment of a message on queue 1. Returns its request, valid until the next call. Returns NULL if
 * the segment has no complete header of a request, or if the request could not be kept. After a request that
 * is incomplete or not kept, `known` is false. */
struct iw_operation *iw_operations_request(
    struct iw_operations *operations, const struct iw_segment *segment, uint64_t frame, uint64_t time_ns);

/* Returns the second latest outstanding request that is answered on queue 3, or NULL. */
const struct iw_operation *iw_operations_before_last(const struct iw_operations *operations);

/* Returns the request with this MSN, if it is among the 16 oldest outstanding ones of queue 3; or NULL. */
const struct iw_operation *iw_operations_find(const struct iw_operations *operations, uint32_t msn);

/* Whether a request before `operation` that is answered on queue 3 is still outstanding. */
bool iw_operations_earlier_waits(
    const struct iw_operations *operations, const struct iw_operation *operation);

/* Takes a segment of a response: a Read Response, or a message on queue 3. Its sender had received the
 * requester's octets up to stream offset `received` at most (UINT64_MAX: possibly all), so requests with a
 * higher `request_end` had not arrived. Returns false if the opcode is not a response. */
bool iw_operations_response(struct iw_operations *operations, const struct iw_segment *segment,
    uint64_t received, uint64_t frame, struct iw_response_fact *fact);
