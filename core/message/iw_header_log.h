#pragma once

#include "iw_segment.h"

/* The DDP headers of all segments of one direction, if there are few. They show which segment has the header
 * that a Terminate of the other direction includes (RFC 5040 4.8). Initialise with zeros. */

/* With more segments, the log drops all headers: hundreds of thousands of connections may have logs. */
enum { IW_HEADER_LOG_MAX = 5 };

struct iw_logged_header {
    uint32_t offset : 30; /* stream offset of the FPDU */
    uint32_t tagged : 1;  /* the header is that of a tagged segment */
    uint32_t alone : 1;   /* the segment is a whole message */
    uint32_t frame;       /* capture frame in which the segment ends; 0: the number is above UINT32_MAX */
    uint16_t length;      /* length of the segment, with its headers */
    uint8_t header[iw_ddp_untagged_octets];
};

struct iw_header_log {
    uint32_t count; /* above IW_HEADER_LOG_MAX: the log has dropped its headers */
    struct iw_logged_header headers[IW_HEADER_LOG_MAX];
};

/* Takes the next segment, which has the DDP header `header`. `alone`: it is a whole message. `offset`: the
 * stream offset of its FPDU; from 2^30 on, the log drops all headers. */
void iw_header_log_add(struct iw_header_log *log, const struct iw_segment *segment, const uint8_t *header,
    bool alone, uint64_t offset, uint64_t frame);

/* Whether a segment in the log may have this header: all fields are equal, except L if the segment is only a
 * part of a message, and MO if `any_mo`. Ignores FPDUs that begin at stream offset `received` or later. */
bool iw_header_log_has(const struct iw_header_log *log, const uint8_t *header, uint8_t ddp_octets,
    bool any_mo, uint64_t received);

/* Returns the only segment with exactly this header; NULL if no segment, or more than one, has it. */
const struct iw_logged_header *iw_header_log_find(
    const struct iw_header_log *log, const uint8_t *header, uint8_t ddp_octets);
