#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_segment.h"

/* Reassembles the messages of one connection that have several segments, on the first pass. Untagged
 * messages are Sends only, found by their MSN; MO is the place of each segment, so the segments may come in
 * any order (RFC 5041 5.2). A tagged message ends with L=1 (RFC 5041 5.2); a Read Response has the range that
 * its Read Request names. A message with a gap is never whole. Stored segments do not overlap: the sum of
 * their lengths shows how many octets are missing. */

enum iw_message_state {
    IW_MESSAGE_OPEN,       /* more segments may come */
    IW_MESSAGE_WHOLE,      /* no octet is missing, and `length` is final */
    IW_MESSAGE_INCOMPLETE, /* octets are missing, and no further segment is expected */
    IW_MESSAGE_LIMIT,      /* not reassembled: a limit was reached, or memory ran out */
};

/* The place of a segment in its message and in the capture. */
struct iw_message_segment {
    uint32_t frame; /* frame in which the segment ends */
    uint32_t offset;
    uint32_t octets;
};

struct iw_message {
    struct iw_message *next; /* in the list of the store */
    enum iw_message_state state;
    enum iw_side side;
    bool ended;        /* the segment with L=1 has come */
    bool headless;     /* octets of the message may be missing before its first segment */
    uint32_t key;      /* MSN, or the STag */
    uint64_t base;     /* tagged: TO of offset 0 */
    uint32_t shifts;   /* how often octets were added at the front */
    bool keeps_octets; /* the octets of the message are stored and count towards the limits */
    uint8_t *octets;   /* NULL if not stored, and if INCOMPLETE or LIMIT */
    uint32_t length;   /* length as far as known, including gaps */
    uint32_t present;  /* octets received; equal to `length` if there are no gaps */
    uint32_t frame;    /* frame of the latest segment */
    struct iw_message_segment *segments; /* sorted by offset */
    uint32_t segment_count;
    size_t capacity;
};

struct iw_message_limits {
    size_t message; /* octets of one message */
    size_t total;   /* octets in all stores that share `kept` */
};

struct iw_message_store;

/* Returns NULL if memory runs out. `limits` and `kept` (count of stored octets) must outlive the store. */
struct iw_message_store *iw_message_store_new(const struct iw_message_limits *limits, size_t *kept);

/* Frees the store and its messages. */
void iw_message_store_free(struct iw_message_store *store);

/* Sets whether tagged messages that begin from now on store their octets (default: no). Otherwise only the
 * offset and length of each segment are stored, to see whether the message is complete. Untagged messages
 * always store their octets. */
void iw_message_store_keep_tagged(struct iw_message_store *store, bool keep);

/* Add the next segment of `side`, which ends in frame `frame`. iw_message_store_read takes a segment of a
 * Read Response to a request for `size` octets to TO `sink_to`; NULL if the segment does not fit this
 * request. Return the segment's message, valid as long as the store; NULL if the message has only one
 * segment, or if memory runs out. */
const struct iw_message *iw_message_store_untagged(
    struct iw_message_store *store, enum iw_side side, const struct iw_segment *segment, uint32_t frame);
const struct iw_message *iw_message_store_tagged(
    struct iw_message_store *store, enum iw_side side, const struct iw_segment *segment, uint32_t frame);
const struct iw_message *iw_message_store_read(struct iw_message_store *store, enum iw_side side,
    const struct iw_segment *segment, uint64_t sink_to, uint32_t size, uint32_t frame);

/* Call this function when octets of `side` were lost. */
void iw_message_store_lost(struct iw_message_store *store, enum iw_side side);

/* Returns how many octets of the message are known to be missing. */
uint32_t iw_message_missing(const struct iw_message *message);
