#ifndef IW_HALF_FRAMING_H
#define IW_HALF_FRAMING_H

#include "iw_half_state.h"

/* Where the FPDUs of a half begin, whether they have Markers, and whether they are FPDUs of this stream or
 * payload (iw_alignment.h). */

/* The parameters of a search for FPDUs as this half reads them now: in the store from octet `at` on, or in
 * other octets. */
struct iw_resync iw_half_resync(const struct iw_half *half);
struct iw_resync iw_half_resync_in(
    const struct iw_half *half, const uint8_t *octets, uint32_t length, uint64_t offset);

/* Whether the store has, at octet `at`, the first Marker of a stream or enough of it: its octets are all
 * zero, and an FPDU without Markers begins with a ULPDU_Length, which is not 0 (RFC 5044 3, 7.1.2). */
bool iw_half_begins_marked(const struct iw_half *half);

/* Enters phase FPDU; reading starts at octet `at` of the store. */
void iw_half_start_reader(struct iw_half *half);

/* From now on the stream has Markers, or none, whatever the startup says. */
void iw_half_change_markers(struct iw_half *half, bool markers);

/* Markers count from stream offset `origin`. */
void iw_half_set_origin(struct iw_half *half, uint64_t origin);

/* FPDUs were found at stream offset `start`. Markers count from `origin`, which may be any offset that leads
 * to the same Markers, even one before the stream. */
void iw_half_adopt_framing(struct iw_half *half, bool markers, uint64_t origin, uint64_t start);

/* Whether FPDUs were read without a loss since the startup frame. Then the only doubt is whether MPA has
 * begun at all. */
bool iw_half_from_startup(const struct iw_half *half);

/* FPDUs were found at octet `at` of the store, read as `resync` says: sets `unproven`, and stores the framing
 * before them. */
void iw_half_weigh(struct iw_half *half, const struct iw_resync *resync, uint32_t at);

/* Unless proven, the FPDUs read since the latest search are not FPDUs of this stream: restores the framing
 * before them. */
void iw_half_disown(struct iw_half *half);

/* While unproven: an FPDU was read, or a chunk came. May clear `unproven`. */
void iw_half_note_unproven(struct iw_half *half, const struct iw_fpdu *fpdu);
void iw_half_note_segment(struct iw_half *half, const struct iw_chunk *chunk);

#endif
