#ifndef IW_ASSEMBLY_H
#define IW_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_extent.h"
#include "iw_segment.h"

/* The payload of an untagged message put together from its segments, each placed at its MO (RFC 5041 5.2),
 * never with a hole: for those above RDMAP who want the whole Send. A message in one segment is handed on in
 * place. Segments may come in any order but that the last is the one with L; octets that come twice break the
 * message. */

struct iw_assembly {
    uint8_t *octets;
    size_t capacity;
    size_t limit; /* octets; a longer message is not put together */
    uint32_t msn;
    uint8_t header_octets; /* of RDMAP's header in the first segment, which MO counts too, and is not kept */
    struct iw_extent extent; /* payload that is here */
    bool open;               /* a segment has come and the last one has not */
    bool broken;             /* and it will not be whole */
};

enum iw_assembled {
    IW_ASSEMBLED_WHOLE,  /* the message is complete: `*octets`, `*length` */
    IW_ASSEMBLED_PART,   /* further segments are awaited */
    IW_ASSEMBLED_BROKEN, /* a segment is missing, cut or here twice, or the limit is reached: this message
                            will not be whole */
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
