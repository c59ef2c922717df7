#ifndef IW_ASSEMBLY_H
#define IW_ASSEMBLY_H

#include "iw_extent.h"
#include "iw_segment.h"

/* Reassembles the payload of an untagged message, each segment placed at its MO (RFC 5041 5.2), for layers
 * above RDMAP that need whole Sends; one in a single segment is returned in place. The segment with L must
 * come last. Duplicate octets break the message; another segment with MO 0 begins it again. */

struct iw_assembly {
    uint8_t *octets;
    uint32_t capacity;
    size_t limit; /* octets; a longer message is not reassembled */
    uint32_t msn;
    uint8_t header_octets;   /* of the RDMAP header: MO counts it, `octets` leaves it out */
    struct iw_extent extent; /* payload received so far */
    bool open;               /* a segment has come, but not the last one */
    bool broken;             /* the message cannot become complete */
};

enum iw_assembled {
    IW_ASSEMBLY_WHOLE,  /* `*octets` is the complete message, of `*length` octets */
    IW_ASSEMBLY_PART,   /* more segments must come */
    IW_ASSEMBLY_BROKEN, /* a segment is missing, truncated or duplicate; or a limit or memory is exceeded */
};

/* Starts one queue without an open message. A message in several segments is BROKEN if it is longer than
 * `limit` octets. Allocates memory only for such messages; iw_assembly_dispose frees it. */
void iw_assembly_init(struct iw_assembly *assembly, size_t limit);
void iw_assembly_dispose(struct iw_assembly *assembly);

/* Takes the next segment of the queue. Sets `*octets` and `*length` only for WHOLE. `*octets` is valid until
 * the next call, but only while the octets of `segment` are valid. */
enum iw_assembled iw_assembly_segment(
    struct iw_assembly *assembly, const struct iw_segment *segment, const uint8_t **octets, size_t *length);

#endif
