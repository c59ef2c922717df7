#pragma once

#include "iw_fpdu.h"
#include "iw_store.h"

/* Finds the FPDUs of one direction by ULPDU_Length (RFC 5044 5.2, 6), however TCP segmented the stream. An
 * FPDU without Markers in a single chunk is not copied; other FPDUs are copied. */

enum iw_read {
    IW_READ_DONE,   /* delivers an FPDU */
    IW_READ_MORE,   /* the chunk is used up */
    IW_READ_BROKEN, /* a gap hides ULPDU_Length of the next FPDU, or memory ran out (`failed`) */
};

struct iw_fpdu_reader {
    bool markers;
    bool failed;           /* out of memory */
    uint16_t ulpdu_length; /* of the current FPDU; valid if `wire` is not 0 */
    enum iw_crc_use crc;
    uint64_t origin;       /* stream offset of the first octet of full operation */
    uint64_t start;        /* stream offset of the current or next FPDU */
    uint32_t wire;         /* octets of the current FPDU in the stream; 0 until ULPDU_Length is read */
    uint32_t have;         /* octets of the current FPDU so far, captured or missing */
    struct iw_store store; /* captured octets of the current FPDU up to the first hole */
    struct iw_chunk chunk; /* the current chunk */
    uint32_t used;         /* octets of `chunk` already read */
    uint32_t image_capacity, span_capacity, found_capacity;
    uint8_t *image; /* the latest FPDU without its Markers */
    struct iw_span *spans;
    struct iw_marker *found;
    struct iw_span one_span; /* of an FPDU delivered in place */
};

/* Starts reading at stream offset `start`; Markers count from `origin`, where full operation began. */
void iw_fpdu_reader_init(
    struct iw_fpdu_reader *reader, bool markers, enum iw_crc_use crc, uint64_t origin, uint64_t start);
void iw_fpdu_reader_dispose(struct iw_fpdu_reader *reader);

/* Feeds the next DATA or GAP chunk, once the previous chunk is used up. Its octets must stay valid until
 * iw_fpdu_reader_next returns MORE or BROKEN. A gap after ULPDU_Length only makes the FPDU incomplete. */
void iw_fpdu_reader_feed(struct iw_fpdu_reader *reader, const struct iw_chunk *chunk);

/* Reads the next FPDU. What `fpdu` points to is valid until the next call of any function of the reader.
 * After BROKEN the caller must initialise the reader again. */
enum iw_read iw_fpdu_reader_next(struct iw_fpdu_reader *reader, struct iw_fpdu *fpdu);

/* Shortens the FPDU just delivered to its first `octets` octets in the stream, with its Markers and spans.
 * Its image_octets and ulpdu_length do not change. */
void iw_fpdu_reader_clip(struct iw_fpdu_reader *reader, struct iw_fpdu *fpdu, uint32_t octets);

/* Octets so far of the incomplete FPDU, captured or missing; 0 between two FPDUs. */
uint32_t iw_fpdu_reader_pending(const struct iw_fpdu_reader *reader);

/* How many of the pending octets are missing or come after the first hole. */
uint32_t iw_fpdu_reader_missing(const struct iw_fpdu_reader *reader);

/* Whether no pending octet is missing, and the last four are the CRC of the octets before (RFC 5044 4.4). */
bool iw_fpdu_reader_ends_with_crc(const struct iw_fpdu_reader *reader);

/* Whether the pending octets are only a Marker with FPDUPTR 0, before the FPDU begins (RFC 5044 4.3). */
bool iw_fpdu_reader_marker_alone(const struct iw_fpdu_reader *reader);
