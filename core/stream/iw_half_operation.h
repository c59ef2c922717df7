#ifndef IW_HALF_OPERATION_H
#define IW_HALF_OPERATION_H

#include "iw_half.h"

/* The part of a half behind its startup: reading FPDUs, and looking for them where it is not known where they
 * begin. For iw_half.c, iw_half_operation.c and iw_half_search.c only. */

/* An event of this side, as of now, with nothing in it yet. */
struct iw_mpa_event iw_half_event(const struct iw_half *half, enum iw_mpa_event_kind kind);

/* FPDUs as this half reads them now. */
struct iw_resync iw_half_resync(const struct iw_half *half);

/* Whether the first Marker of a stream stands at octet `at` of the store, or so much of
 * it that there is no doubt: its octets are all zero, and no FPDU without Markers begins so, having a
 * ULPDU_Length (RFC 5044 3, 7.1.2). */
bool iw_half_begins_marked(const struct iw_half *half);

/* Into phase FPDU, to read from octet `at` of the store on; iw_half_pump does. */
void iw_half_start_reader(struct iw_half *half);

/* Reads, or looks through, what is in the store, until that is used up or more is needed. With `ended` no
 * more will come. */
void iw_half_pump(struct iw_half *half, bool ended);

/* Reads a chunk in phase FPDU. */
void iw_half_read(struct iw_half *half, const struct iw_chunk *chunk);

/* Nothing more will come, and an FPDU has begun. If others stand in it, ULPDU_Length is wrong: reads those.
 */
void iw_half_read_end(struct iw_half *half);

/* A search begins anew at stream offset `reached`. Octets read, and octets looked through, pay for what was
 * summed in vain. */
void iw_half_account(struct iw_half *half, uint64_t reached);

/* Into phase SEEK: from stream offset `from`, whose octet came in `first_frame` (0: in that of the first
 * octet looked through), nothing could be read. What is in the store from `at` on stays to be looked through.
 */
void iw_half_search(struct iw_half *half, enum iw_half_search search, uint64_t from, uint64_t first_frame);

/* The FPDUs read since the latest search are not FPDUs of this stream, unless proven: discards what was
 * concluded from them. */
void iw_half_disown(struct iw_half *half);

/* Takes the search a step further. Returns false if it needs more octets, or has failed with `ended`. */
bool iw_half_search_step(struct iw_half *half, bool ended);

/* Reads on at octet `found` behind `at`: what stands before it is lost. */
void iw_half_take_up(struct iw_half *half, uint32_t found);

/* Nothing before the gap can be chained to what comes behind it. `used` octets of it lie in an FPDU that was
 * read. */
void iw_half_search_gap(struct iw_half *half, const struct iw_chunk *chunk, uint32_t used);

/* Looks through the next chunk in phase SEEK. */
void iw_half_search_feed(struct iw_half *half, const struct iw_chunk *chunk);

/* Nothing more will come: finds what can be found, and leaves MPA otherwise. */
void iw_half_search_end(struct iw_half *half);

#endif
