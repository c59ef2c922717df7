#ifndef IW_SPLIT_REQUEST_H
#define IW_SPLIT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_segment.h"

/* The RDMAP header of a request that DDP has cut into several segments (RFC 5041 5.2), put together again.
 * One direction; the request on queue 1 that is open. All zero is a new one. */

enum { IW_SPLIT_REQUEST_OCTETS = iw_atomic_request_octets }; /* the longest header of a request */

struct iw_split_request {
    uint8_t octets[IW_SPLIT_REQUEST_OCTETS];
    uint8_t have; /* octets of the header that have come; 0: no such request is open */
    uint8_t opcode;
    uint32_t msn;
};

enum iw_split_request_state {
    IW_SPLIT_REQUEST_NONE,   /* the segment is no part of a header that is cut, or has no place in it */
    IW_SPLIT_REQUEST_PART,   /* it is, and the header is not complete yet, or was before */
    IW_SPLIT_REQUEST_WHOLE,  /* it completes the header */
    IW_SPLIT_REQUEST_BROKEN, /* it is another message, and the one that was open stays without its header */
};

/* Takes the next segment of the direction. `placed`: its MSN and MO are the ones expected. With WHOLE,
 * `whole` is the segment with all of the header, which is valid until the next call. */
enum iw_split_request_state iw_split_request_segment(
    struct iw_split_request *split, const struct iw_segment *segment, bool placed, struct iw_segment *whole);

#endif
