#ifndef IW_HEADER_LOG_H
#define IW_HEADER_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_segment.h"

/* The DDP headers of the first segments of one direction: to find the segment whose header a Terminate of the
 * other direction includes (RFC 5040 4.8). Initialise with zeros. */

enum { IW_HEADER_LOG_MAX = 64 }; /* headers that are kept */

struct iw_logged_header {
    uint64_t frame;  /* capture frame in which the segment ends */
    uint64_t offset; /* stream offset of the FPDU */
    uint16_t length; /* of the segment, with its headers */
    uint8_t ddp_octets;
    bool alone; /* the segment is a whole message */
    uint8_t header[iw_ddp_untagged_octets];
};

struct iw_header_log {
    struct iw_logged_header *headers; /* NULL before the first */
    uint32_t count;
    uint32_t capacity;
};

void iw_header_log_dispose(struct iw_header_log *log);

/* Takes the next segment; `header` is its DDP header, `offset` the stream offset of its FPDU. Ignores it if
 * IW_HEADER_LOG_MAX headers are kept. Returns false without memory. */
bool iw_header_log_add(struct iw_header_log *log, const struct iw_segment *segment, const uint8_t *header,
    bool alone, uint64_t offset, uint64_t frame);

/* Whether one of the segments may have this header. Each octet is the same; but the header of a message in
 * several segments may have either L. With `any_mo` an untagged one may have any MO. Ignores FPDUs that begin
 * at stream offset `received` or later. */
bool iw_header_log_has(const struct iw_header_log *log, const uint8_t *header, uint8_t ddp_octets,
    bool any_mo, uint64_t received);

/* The only segment that has exactly this header, or NULL if there is none, or several. */
const struct iw_logged_header *iw_header_log_find(
    const struct iw_header_log *log, const uint8_t *header, uint8_t ddp_octets);

#endif
