#pragma once

#include "iw_segment.h"

/* Reassembles a Terminate split into segments (RFC 5041 5.2), for one direction. Initialise with zeros. */

/* The longest Terminate, without its own DDP header: all headers are included (RFC 5040 4.8). */
enum {
    IW_SPLIT_TERMINATE_OCTETS =
        iw_terminate_octets + iw_terminate_length_octets + iw_ddp_untagged_octets + iw_read_request_octets
};

struct iw_split_terminate {
    uint8_t octets[IW_SPLIT_TERMINATE_OCTETS]; /* the first octets of the message */
    uint8_t have;                              /* number of octets in `octets` */
    bool open;       /* the message has begun, and no octet up to `length` is missing */
    uint32_t length; /* octets of the message so far */
    uint32_t msn;
};

/* Takes the next segment of a Terminate on its queue, without L or with MO above 0. `placed`: its MSN and MO
 * are the expected ones. Returns true if `octets` and `length` now hold all of the message up to the end of
 * this segment; false if some of it is missing, truncated or out of order. */
bool iw_split_terminate_segment(
    struct iw_split_terminate *split, const struct iw_segment *segment, bool placed);
