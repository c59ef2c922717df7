#ifndef IW_HALF_OPERATION_H
#define IW_HALF_OPERATION_H

#include "iw_half.h"

/* The part of a half after its startup: reads FPDUs, and searches for them if their place is unknown.
 * Internal to iw_half.c, iw_half_operation.c and iw_half_search.c. */

/* A new event of this side at the current place, without details. */
struct iw_mpa_event iw_half_event(const struct iw_half *half, enum iw_mpa_event_kind kind);

/* The parameters of a search for FPDUs as this half reads them now. */
struct iw_resync iw_half_resync(const struct iw_half *half);

/* Whether the store has, at octet `at`, the first Marker of a stream or enough of it: its octets are all
 * zero, and an FPDU without Markers begins with a ULPDU_Length, which is not 0 (RFC 5044 3, 7.1.2). */
bool iw_half_begins_marked(const struct iw_half *half);

/* Enters phase FPDU; iw_half_pump then reads from octet `at` of the store on. */
void iw_half_start_reader(struct iw_half *half);

/* Reads or searches the store until it is used up or more octets are needed. `ended`: no more will come. */
void iw_half_pump(struct iw_half *half, bool ended);

/* Reads a chunk in phase FPDU. */
void iw_half_read(struct iw_half *half, const struct iw_chunk *chunk);

/* The stream ends within an FPDU. If that contains other FPDUs, its ULPDU_Length is wrong: reads those. */
void iw_half_read_end(struct iw_half *half);

/* A search starts at stream offset `reached`. Each octet up to there, read or searched, allows some CRC
 * work (IW_RESYNC_SUM_SHARE), which reduces `spent`. */
void iw_half_account(struct iw_half *half, uint64_t reached);

/* Enters phase SEARCH: octets from stream offset `from` on could not be read. The first of them came in
 * `first_frame` (0: in the frame of the first octet searched). Searches the store from `at` on. */
void iw_half_search(struct iw_half *half, enum iw_half_search search, uint64_t from, uint64_t first_frame);

/* Unless proven, the FPDUs read since the latest search are not FPDUs of this stream: restores the framing
 * before them. */
void iw_half_disown(struct iw_half *half);

/* Advances the search by one step. Returns false if it needs more octets, or has failed with `ended`. */
bool iw_half_search_step(struct iw_half *half, bool ended);

/* Resumes reading `found` octets after `at`; the octets before are lost. */
void iw_half_resume(struct iw_half *half, uint32_t found);

/* A gap: searches only what comes after it. `used` octets of the gap belong to an FPDU already read. */
void iw_half_search_gap(struct iw_half *half, const struct iw_chunk *chunk, uint32_t used);

/* Feeds the next chunk in phase SEARCH. */
void iw_half_search_feed(struct iw_half *half, const struct iw_chunk *chunk);

/* The stream has ended: finds what can be found; otherwise gives up. */
void iw_half_search_end(struct iw_half *half);

#endif
