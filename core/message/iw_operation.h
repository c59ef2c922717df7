#ifndef IW_OPERATION_H
#define IW_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_segment.h"

/* Requests and their answers: RDMA Read, Atomic, Flush, Verify and Atomic Write (RFC 5040 5.2, RFC 7306 5,
 * draft-talpey-rdma-commit-01 3.1). Requests share queue 1; Read Responses are tagged and come in the order
 * of the Read Requests; the other answers come on queue 3 in the order of theirs (RFC 5040 5.5, RFC
 * 7306 5.4). */

struct iw_operation {
    uint64_t number;     /* ordinal among the requests of its direction, from 1 */
    uint8_t opcode;      /* of the request */
    bool overtaken;      /* a later request has been answered before it */
    bool misaligned;     /* whoever judges requests may note here that it is, if the one before it is not */
    bool filled;         /* all of the answer may have come, but no L: it is over when another one begins */
    uint32_t answer_msn; /* of the latest segment of the answer, on queue 3 */
    uint32_t msn;        /* of the request, on queue 1 */
    uint64_t request_frame;
    uint64_t request_time_ns;
    uint64_t request_end;    /* stream offset after it, if whoever follows the requests notes it; else 0 */
    uint64_t response_frame; /* first frame of the response; 0 before it */
    uint64_t
        answered; /* payload octets of the answer so far, of a Read; more than its size if that is wrong */
    union {
        struct iw_read_request read;
        struct iw_atomic_request atomic;
        struct iw_flush_request flush;
        struct {
            struct iw_verify_request verify;
            uint32_t hash_crc;    /* CRC-32C of the hash, which may be long */
            uint16_t hash_octets; /* 0: none, or not whole in the first segment */
        };
        struct iw_atomic_write_request atomic_write;
    } request;
    void *user; /* whoever follows the requests may hang something of its own here; NULL at first */
};

/* Identifies a request in reports, also after it has left its list. */
struct iw_request_name {
    uint64_t number;
    uint8_t opcode;
    bool perhaps; /* it may have a response */
    uint32_t msn;
    uint64_t frame;
    uint64_t time_ns;
    uint64_t answered;    /* a Read: captured payload octets of its response */
    uint32_t read_octets; /* a Read: octets that it asks for; other requests: 0 */
};

/* A first-in first-out list. */
struct iw_operation_list {
    struct iw_operation *slots;
    uint32_t capacity; /* a power of two */
    uint32_t first;
    uint32_t count;
};

enum { IW_OPERATION_MAX = 65536 }; /* requests of one direction that are remembered at a time */

/* The requests of one direction and the answers of the other. */
struct iw_operations {
    bool known;   /* every request still to be answered is in the lists; once lost, this does not
                     come back: requests may be alike, so no answer proves which one it is to */
    bool doubted; /* a message that may have been a request or an answer could not be told: answers that do
                     not fit their requests are not `known` to be wrong */
    uint64_t dropped;                  /* requests over the limit, or that found no memory */
    uint64_t requests;                 /* seen so far */
    struct iw_operation_list reads;    /* requests that wait for Read Responses */
    struct iw_operation_list others;   /* requests that wait for responses on queue 3 */
    struct iw_passed_requests *passed; /* outstanding when octets were lost (iw_unanswered.h); NULL: none */
    struct iw_operation done;          /* the latest request that got its response */
    uint64_t answer_frame[2];          /* per list: frame of the latest complete response */
    uint64_t doubted_up_to[2]; /* per list: number of the last request that may have a response although it
                                  was still in the list */
};

/* What an answer is to the request it answers. */
struct iw_response_fact {
    const struct iw_operation
        *operation; /* NULL if no request waits, or not `known`; valid until the next call */
    bool known;     /* false: requests or answers were lost, or an earlier answer was to none of them, so the
                       following     are no facts */
    bool opcode_ok; /* the request is of the kind that this message answers */
    bool in_order;  /* no earlier request of the other list waits */
    const struct iw_operation *earlier; /* the one that does, unless in_order; valid until the next call */
    bool stag_ok;       /* Read: the STag is the request's Data Sink STag, or there is no payload */
    bool to_ok;         /* Read: the TO goes on where the answer has got to, or there is no payload */
    bool length_ok;     /* Read: not beyond the size asked for, and with L just that; others: always */
    bool identifier_ok; /* Atomic: the Request Identifier is the request's */
    bool hash_ok;       /* Verify: the hash is that of the request, or one of the two is not there */
    const struct iw_operation
        *overtaken; /* queue 3: the oldest request, which this should have answered and which
                       none has overtaken before; valid until the next call; or NULL */
    uint64_t to_expected;
    uint64_t octets_left; /* Read: of the size asked for, before this segment */
    uint64_t
        too_early; /* no operation: capture frame of the request that waits but had not arrived; 0: none */
    bool complete; /* the request is answered now */
    bool resumed;  /* Read: more of the answer before, which has had L too early; all else fits */
    uint64_t overtakes; /* Read: capture frame of an earlier Read Request that waits; 0 if none does */
};

/* Without requests: the direction is seen from its startup on, so that no earlier one can be waiting; if it
 * is not, that is a loss. Takes no memory before the first request; iw_operations_dispose releases it. */
void iw_operations_init(struct iw_operations *operations);
void iw_operations_dispose(struct iw_operations *operations);

/* Octets of either direction were lost. */
void iw_operations_lost(struct iw_operations *operations);

/* A message came that may be another request or answer than it seems. */
void iw_operations_doubt(struct iw_operations *operations);

/* Requests that wait for their answer, or for more of it than an L. */
uint32_t iw_operations_waiting(const struct iw_operations *operations);

/* How many of these are Read Requests: IRD and ORD limit them alone (RFC 5040 6.1, RFC 6581 9.1). */
uint32_t iw_operations_reads_waiting(const struct iw_operations *operations);

/* The Read Request that waits with this MSN, or NULL, also if not all that wait are known. The pointer is
 * valid until the next call. */
const struct iw_operation *iw_operations_read(const struct iw_operations *operations, uint32_t msn);

/* A request came: a message on queue 1 whose header is there. Returns it, or NULL if it is none, or could not
 * be kept (then answers are not `known` any more). The pointer is valid until the next call. */
struct iw_operation *iw_operations_request(
    struct iw_operations *operations, const struct iw_segment *segment, uint64_t frame, uint64_t time_ns);

/* The request to queue 3 that waits since just before the latest one; NULL if there is none. */
const struct iw_operation *iw_operations_before_last(const struct iw_operations *operations);

/* The request with this MSN of queue 1 that waits for an answer on queue 3, if it is among the oldest; or
 * NULL. */
const struct iw_operation *iw_operations_find(const struct iw_operations *operations, uint32_t msn);

/* A request to queue 3 that was sent before this one is not answered yet. */
bool iw_operations_earlier_waits(
    const struct iw_operations *operations, const struct iw_operation *operation);

/* A segment of an answer came: a Read Response, or a message on queue 3. Its sender had received the
 * requester's octets up to stream offset `received` at most, so requests with a higher `request_end` had not
 * arrived when it was sent; UINT64_MAX: all may have. Returns false if the opcode answers nothing. */
bool iw_operations_response(struct iw_operations *operations, const struct iw_segment *segment,
    uint64_t received, uint64_t frame, struct iw_response_fact *fact);

#endif
