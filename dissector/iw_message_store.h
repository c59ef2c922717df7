#ifndef IW_MESSAGE_STORE_H
#define IW_MESSAGE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_segment.h"

/* Reassembles the messages of one connection that have more than one segment, on the first pass. Untagged
 * messages: by queue, MSN and MO, in any order of segments (RFC 5041 5.2). Tagged messages: from the first
 * segment to the one with L=1 (RFC 5041 5.2); a Read Response by the range that its Read Request names. A
 * message with a gap is never whole. Segments are stored one by one with their frames and do not overlap, so
 * the sum of their lengths shows how many octets are missing. */

enum iw_message_state {
    IW_MESSAGE_OPEN,       /* more segments may come */
    IW_MESSAGE_WHOLE,      /* no octet is missing, and `length` is final */
    IW_MESSAGE_INCOMPLETE, /* octets are missing, and no further segment is expected */
    IW_MESSAGE_LIMIT,      /* a limit is reached, or memory ran out: not reassembled */
};

/* Where a segment lies in its message and in the capture. */
struct iw_message_segment {
    uint32_t frame; /* capture frame in which it ends */
    uint32_t offset;
    uint32_t octets;
};

struct iw_message {
    struct iw_message *next; /* of the store */
    enum iw_message_state state;
    enum iw_side side;
    bool ended;        /* the segment with L=1 has come */
    bool headless;     /* octets lost directly before the message may belong to it */
    uint32_t key;      /* MSN, or the STag */
    uint64_t base;     /* tagged: TO of offset 0 */
    uint32_t shifts;   /* number of extensions at the front */
    bool keeps_octets; /* `octets` are stored, and count towards the limits */
    uint8_t *octets;   /* only for OPEN or WHOLE with `keeps_octets`; otherwise NULL */
    uint32_t length;   /* octets up to the last known one, including gaps */
    uint32_t present;  /* octets that have come; equals `length` if the message has no gaps */
    uint32_t frame;    /* frame of the latest segment */
    struct iw_message_segment *segments; /* by offset */
    uint32_t segment_count;
    size_t capacity;
};

struct iw_message_limits {
    size_t message; /* octets of one message */
    size_t total;   /* octets of all messages of all stores that share `kept` */
};

struct iw_message_store;

/* Returns NULL if memory runs out. `limits` and `kept` (count of stored octets) must outlive the store. */
struct iw_message_store *iw_message_store_new(const struct iw_message_limits *limits, size_t *kept);

/* Releases every message. */
void iw_message_store_free(struct iw_message_store *store);

/* Sets whether the octets of tagged messages that begin from now on are stored. The default is no: only
 * offset and length of each segment are stored, to see whether the message is complete. Octets of untagged
 * messages are always stored. */
void iw_message_store_keep_tagged(struct iw_message_store *store, bool keep);

/* Add the next segment of `side`, which ends in capture frame `frame`; iw_message_store_read: of a Read
 * Response to a request for `size` octets to TO `sink_to`. Return the message of the segment, valid as long
 * as the store; NULL for a single-segment message, for a response to a different request, or if memory runs
 * out. */
const struct iw_message *iw_message_store_untagged(
    struct iw_message_store *store, enum iw_side side, const struct iw_segment *segment, uint32_t frame);
const struct iw_message *iw_message_store_tagged(
    struct iw_message_store *store, enum iw_side side, const struct iw_segment *segment, uint32_t frame);
const struct iw_message *iw_message_store_read(struct iw_message_store *store, enum iw_side side,
    const struct iw_segment *segment, uint64_t sink_to, uint32_t size, uint32_t frame);

/* Octets of `side` were lost. */
void iw_message_store_lost(struct iw_message_store *store, enum iw_side side);

/* Octets of the message that are known to be missing. */
uint32_t iw_message_missing(const struct iw_message *message);

#endif
