#ifndef IW_ASSEMBLY_H
#define IW_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_segment.h"

/* The payload of an untagged message put together from its segments (RFC 5041 5.2), never with a hole: for
 * those above RDMAP who want the whole Send. A message in one segment is handed on in place. Segments come in
 * the order of TCP here, so what has come is one number; a segment out of order breaks the message. */

struct iw_assembly {
    uint8_t *octets;
    size_t length;
    size_t capacity;
    size_t limit; /* octets; a longer message is not put together */
    uint32_t msn;
    uint32_t mo; /* of the segment that comes next; it counts an RDMAP header too, which is not kept */
    bool open;   /* segments from MO 0 on are here without a hole */
};

enum iw_assembled {
    IW_ASSEMBLED_WHOLE,  /* the message is complete: `*octets`, `*length` */
    IW_ASSEMBLED_PART,   /* further segments are awaited */
    IW_ASSEMBLED_BROKEN, /* a segment is missing or cut, or the limit is reached: this message will not be
                            whole */
};

/* Starts one queue, between messages. A message of more than `limit` octets in several segments is BROKEN.
 * Takes no memory before the first such message; iw_assembly_dispose releases it. */
void iw_assembly_init(struct iw_assembly *assembly, size_t limit);
void iw_assembly_dispose(struct iw_assembly *assembly);

/* Takes the next segment of one queue. `*octets` is valid until the next call, and as long as the segment's
 * own. */
enum iw_assembled iw_assembly_segment(
    struct iw_assembly *assembly, const struct iw_segment *segment, const uint8_t **octets, size_t *length);

#endif
