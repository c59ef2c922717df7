#pragma once

#include "iw_segment.h"

/* Reassembles the RDMAP header of a request that DDP has split into several segments (RFC 5041 5.2). One
 * struct serves one direction, for its open request on queue 1. Initialise with zeros. */

enum { IW_SPLIT_REQUEST_OCTETS = iw_atomic_request_octets }; /* the longest header of a request */

struct iw_split_request {
    uint8_t octets[IW_SPLIT_REQUEST_OCTETS];
    uint8_t have; /* octets of the header received so far; 0: no such request is open */
    uint8_t opcode;
    uint32_t msn;
};

enum iw_split_request_state {
    IW_SPLIT_REQUEST_NONE,   /* not part of a split header, truncated, out of order or too short */
    IW_SPLIT_REQUEST_PART,   /* part of an incomplete header, or an empty segment after the header */
    IW_SPLIT_REQUEST_WHOLE,  /* the segment completes the header */
    IW_SPLIT_REQUEST_BROKEN, /* the header of the open request stays incomplete: the segment begins another
                                message, or does not have the next part of the header of a Verify Request */
};

/* Takes the next segment of the direction. `placed`: its MSN and MO are the expected ones. With WHOLE,
 * `whole` is the segment with the complete header; it is valid until the next call. */
enum iw_split_request_state iw_split_request_segment(
    struct iw_split_request *split, const struct iw_segment *segment, bool placed, struct iw_segment *whole);
