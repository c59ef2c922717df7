#pragma once

#include "iw_extent.h"
#include "iw_segment.h"

/* Reassembles untagged messages for layers above RDMAP that need whole Sends: places the payload of each
 * segment at its MO (RFC 5041 5.2). Does not copy a message of a single segment. The segment with L must come
 * last. A message with duplicate octets is BROKEN. A second segment with MO 0 begins the message again. */

struct iw_assembly {
    uint8_t *octets;
    uint32_t capacity;
    size_t limit; /* in octets; a longer message in several segments is BROKEN */
    uint32_t msn;
    uint8_t header_octets;   /* length of the RDMAP header, which MO counts and `octets` omits */
    struct iw_extent extent; /* payload received so far */
    bool open;               /* the message has begun, but its segment with L has not come */
    bool broken;             /* the message cannot become complete */
};

enum iw_assembled {
    IW_ASSEMBLY_WHOLE,  /* `*octets` is the complete message, of `*length` octets */
    IW_ASSEMBLY_PART,   /* more segments must come */
    IW_ASSEMBLY_BROKEN, /* a segment is missing, truncated or duplicate; over a limit; or out of memory */
};

/* Starts one queue without an open message. A message in several segments is BROKEN if it is longer than
 * `limit` octets. Allocates memory only for messages in several segments; iw_assembly_dispose frees it. */
void iw_assembly_init(struct iw_assembly *assembly, size_t limit);
void iw_assembly_dispose(struct iw_assembly *assembly);

/* Takes the next segment of the queue. Sets `*octets` and `*length` only for WHOLE. `*octets` is valid until
 * the next call, but only while the octets of `segment` are valid. */
enum iw_assembled iw_assembly_segment(
    struct iw_assembly *assembly, const struct iw_segment *segment, const uint8_t **octets, size_t *length);
