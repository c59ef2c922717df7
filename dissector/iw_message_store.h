#ifndef IW_MESSAGE_STORE_H
#define IW_MESSAGE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_segment.h"

/* The messages of one connection that come in more than one segment, put together on the first pass: untagged
 * ones by queue, MSN and MO, whatever order their segments come in (RFC 5041 5.2); tagged ones from the first
 * segment to the one with L=1 (RFC 5041 5.2), a Read Response by what its Read Request asked for. A message
 * with a hole is never whole. The segments are kept one by one, with the frames that are shown for them, and
 * they do not overlap: their sum tells what is missing. One that comes in a single segment is left alone. */

enum iw_message_state {
    IW_MESSAGE_OPEN,       /* more may come */
    IW_MESSAGE_WHOLE,      /* `octets`, `length` */
    IW_MESSAGE_INCOMPLETE, /* and nothing more will come */
    IW_MESSAGE_LIMIT,      /* too long, or too much is kept already: not put together */
};

/* Where a segment stands in its message. */
struct iw_message_segment {
    uint32_t frame; /* capture frame in which it ends */
    uint32_t offset;
    uint32_t octets;
};

struct iw_message {
    struct iw_message *next; /* of the store */
    enum iw_message_state state;
    enum iw_side side;
    bool ended;                          /* the segment with L=1 has come */
    bool headless;                       /* octets were lost just before it: it may have begun there */
    uint32_t key;                        /* MSN, or the STag */
    uint64_t base;                       /* tagged: the lowest TO so far */
    uint32_t shifts;                     /* times that it turned out to begin earlier */
    bool keeps_octets;                   /* `octets` are stored, and count towards the limits */
    uint8_t *octets;                     /* NULL unless OPEN or WHOLE with `keeps_octets` */
    uint32_t length;                     /* up to the last octet known of */
    uint32_t present;                    /* octets that have come; `length` if there is no hole */
    uint32_t frame;                      /* of the segment that came last */
    struct iw_message_segment *segments; /* by offset */
    uint32_t segment_count;
    uint32_t segment_capacity;
    size_t capacity;
};

/* How much may be kept. */
struct iw_message_limits {
    size_t message; /* octets of one message */
    size_t total;   /* octets of all messages of all stores that share `kept` */
};

struct iw_message_store;

/* NULL when there is no memory. `limits` and `kept`, which counts the octets kept, outlive the store. */
struct iw_message_store *iw_message_store_new(const struct iw_message_limits *limits, size_t *kept);

/* Releases every message. */
void iw_message_store_free(struct iw_message_store *store);

/* Sets whether the octets of tagged messages that begin from now on are stored. The default is no: only
 * offset and length of each segment are stored, to see whether the message is complete. Octets of untagged
 * messages are always stored. */
void iw_message_store_keep_tagged(struct iw_message_store *store, bool keep);

/* Takes the next segment of `side`, which ends in capture frame `frame`. Returns its message, which lives as
 * long as the store, or NULL if the message is whole in this segment or there is no memory.
 * iw_message_store_read: a Read Response to a request that asked for `size` octets to TO `sink_to`. */
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
