#ifndef IW_HALF_OPERATION_H
#define IW_HALF_OPERATION_H

#include "iw_half.h"

/* The part of a half behind its startup: reading FPDUs, and looking for them where octets are missing. For
 * iw_half.c only. */

/* An event of this side, as of now, with nothing in it yet. */
struct iw_mpa_event iw_half_event(const struct iw_half *half, enum iw_mpa_event_kind kind);

/* Begins to read at octet `from` of the store, whose octets are read at once. */
void iw_half_start_reader(struct iw_half *half, uint32_t from);

/* Reads a chunk in phase FPDU. */
void iw_half_read(struct iw_half *half, const struct iw_chunk *chunk);

/* Into phase SEEK: from stream offset `from`, whose octet came in `first_frame`, nothing could be read. What
 * is in the store stays to be looked through. */
void iw_half_seek(struct iw_half *half, uint64_t from, uint64_t first_frame);

/* Nothing before the gap can be chained to what comes behind it. `used` octets of it lie in an FPDU that was
 * read. */
void iw_half_seek_gap(struct iw_half *half, const struct iw_chunk *chunk, uint32_t used);

/* Looks through the next chunk in phase SEEK. */
void iw_half_seek_feed(struct iw_half *half, const struct iw_chunk *chunk);

/* Nothing more will come: finds what can be found, and leaves MPA otherwise. */
void iw_half_seek_end(struct iw_half *half);

#endif
