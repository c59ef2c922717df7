#ifndef IW_FPDU_READER_H
#define IW_FPDU_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_fpdu.h"
#include "iw_store.h"

/* Finds the FPDUs of one direction by their ULPDU_Length (RFC 5044 5.2, 6), however TCP cut the stream. An
 * FPDU without markers that stands whole in one chunk is handed on in place; others are put together in
 * memory of the reader. */

enum iw_read {
    IW_READ_DONE,   /* an FPDU is there */
    IW_READ_MORE,   /* the chunk is used up */
    IW_READ_BROKEN, /* a gap hides where the next FPDU starts; or no memory is left (`failed`) */
};

struct iw_fpdu_reader {
    bool markers;
    bool failed;           /* out of memory */
    uint16_t ulpdu_length; /* of the FPDU begun; valid if `wire` is not 0 */
    enum iw_crc_use crc;
    uint64_t origin;       /* stream offset of the first octet of full operation */
    uint64_t start;        /* stream offset of the FPDU to come or begun */
    uint32_t wire;         /* its octets in the stream; 0 while ULPDU_Length is not read */
    uint32_t have;         /* how many of them have gone by */
    struct iw_store store; /* those that came, up to the first hole */
    struct iw_chunk chunk; /* what is being read */
    uint32_t used;         /* octets of it that are read */
    uint8_t *image;        /* the last FPDU without its markers */
    uint32_t image_capacity;
    struct iw_span *spans;
    uint32_t span_capacity;
    struct iw_marker *found;
    uint32_t found_capacity;
    struct iw_span one_span; /* of an FPDU handed on in place */
};

/* Starts reading at stream offset `start`; `origin` is where full operation began, for the markers. */
void iw_fpdu_reader_init(
    struct iw_fpdu_reader *reader, bool markers, enum iw_crc_use crc, uint64_t origin, uint64_t start);
void iw_fpdu_reader_dispose(struct iw_fpdu_reader *reader);

/* Hands over the next DATA or GAP chunk, which must follow the one before in the stream; that one must be
 * used up. The octets are borrowed until iw_fpdu_reader_next has said MORE or BROKEN. A gap behind
 * ULPDU_Length hides octets of that FPDU only; it is then delivered with what there is. */
void iw_fpdu_reader_feed(struct iw_fpdu_reader *reader, const struct iw_chunk *chunk);

/* The next FPDU. What `fpdu` points to is valid until the next call of any function of the reader. After
 * BROKEN the reader must be started anew. */
enum iw_read iw_fpdu_reader_next(struct iw_fpdu_reader *reader, struct iw_fpdu *fpdu);

/* Shortens the FPDU that was just delivered to its first `octets` octets in the stream: those behind turned
 * out not to be of it. Its sizes stay what ULPDU_Length says. */
void iw_fpdu_reader_clip(struct iw_fpdu_reader *reader, struct iw_fpdu *fpdu, uint32_t octets);

/* Octets that have gone by of an FPDU that is not whole: 0 between two FPDUs. */
uint32_t iw_fpdu_reader_pending(const struct iw_fpdu_reader *reader);

/* How many octets of the FPDU are missing or come after the first hole. */
uint32_t iw_fpdu_reader_missing(const struct iw_fpdu_reader *reader);

/* Whether all octets of it that have gone by are there, and the last four of them are the CRC of the others
 * (RFC 5044 4.4). */
bool iw_fpdu_reader_sums_up(const struct iw_fpdu_reader *reader);

/* Whether these octets are only a Marker with FPDUPTR 0: it precedes an FPDU of which no octet is present
 * (RFC 5044 4.3). */
bool iw_fpdu_reader_marker_alone(const struct iw_fpdu_reader *reader);

/* Capture frame in which the FPDU that is not whole begins; between two FPDUs, that of the last chunk. */
uint64_t iw_fpdu_reader_first_frame(const struct iw_fpdu_reader *reader);

#endif
