#pragma once

#include "iw_half_state.h"
#include "iw_placement.h"

/* Functions that the files of a half offer to each other and to iw_mpa.c. */

/* ---- iw_half_startup.c ---- */

/* Phase STARTUP: reads the startup frame, or octets of streaming mode. */

/* Takes a chunk, and enters phase HOLD at the end of the frame. */
void iw_half_startup_feed(struct iw_half *half, const struct iw_chunk *chunk);

/* Takes a gap. Returns how many of its octets it has handled; the rest comes after the startup frame. */
IW_COLD uint32_t iw_half_startup_gap(struct iw_half *half, const struct iw_chunk *chunk);

/* The other side has sent `answer`: if it acknowledges the frame, but not the vendor's extension that could
 * follow (iw_startup_extension), there is no extension, and the frame ends. */
void iw_half_startup_answer(struct iw_half *half, const struct iw_chunk *answer);

/* The stream has ended: ends a frame that is complete without a vendor's extension. */
void iw_half_startup_end(struct iw_half *half);

/* No octets follow the kept octets directly: records a broken startup frame if they can only begin one. */
IW_COLD void iw_half_note_broken_startup(struct iw_half *half);

/* Takes the chunk with the first octets, or the gap, after the startup frame. */
void iw_half_note_after_startup(struct iw_half *half, const struct iw_chunk *chunk);

/* HOLD: stores the octets of the chunk from `from` on. */
void iw_half_hold(struct iw_half *half, const struct iw_chunk *chunk, uint32_t from);

/* ---- iw_half_framing.c ---- */

/* Where FPDUs begin, whether they have Markers, and whether they are payload (iw_alignment.h). */

/* The parameters of a search with the current framing: in the store from `at` on, or in other octets. */
struct iw_resync iw_half_resync(const struct iw_half *half);
struct iw_resync iw_half_resync_in(
    const struct iw_half *half, const uint8_t *octets, uint32_t length, uint64_t offset);

/* Whether the octets of the store from `at` on, at least two, can only be the first Marker of a stream: all
 * are zero, and an FPDU without Markers begins with a ULPDU_Length, which is not 0 (RFC 5044 3, 7.1.2). */
bool iw_half_begins_marked(const struct iw_half *half);

/* Whether the startup frame may be data of the ULP, such as a saved connection: no SYN directly before it
 * shows that the stream begins with it, and no Reply answers it. Only an FPDU directly after it shows that
 * MPA has begun. */
bool iw_half_startup_may_be_data(const struct iw_half *half);

/* Enters phase FPDU; reading starts at octet `at` of the store. */
void iw_half_start_reader(struct iw_half *half);

/* From now on, reads the stream with or without Markers, whatever the startup frames say. */
void iw_half_change_markers(struct iw_half *half, bool markers);

/* From now on Markers count from stream offset `origin`. */
void iw_half_set_origin(struct iw_half *half, uint64_t origin);

/* Sets the framing for FPDUs found at stream offset `start`. Markers count from `origin`, which may be any
 * offset that leads to the same Markers, even one before the stream. */
void iw_half_adopt_framing(struct iw_half *half, bool markers, uint64_t origin, uint64_t start);

/* Whether FPDUs were read without a loss since the startup frame: the only doubt is whether MPA has begun. */
bool iw_half_from_startup(const struct iw_half *half);

/* FPDUs were found at octet `at` of the store, by `resync`: sets `unproven`, and saves the framing. */
void iw_half_note_found(struct iw_half *half, const struct iw_resync *resync, uint32_t at);

/* If FPDUs found by a search are still unproven, they count as payload: restores the previous framing. */
void iw_half_restore_framing(struct iw_half *half);

/* While `unproven`: takes an FPDU that was read, or a chunk. Clears `unproven` if FPDUs are proven now. */
void iw_half_note_unproven(struct iw_half *half, const struct iw_fpdu *fpdu);
void iw_half_note_segment(struct iw_half *half, const struct iw_chunk *chunk);

/* ---- iw_half_loss.c ---- */

/* Octets that a half does not read: those that a search skips, and those after the end of reading. */

/* SEARCH: a loss begins at stream offset `from`, in `first_frame` (0: that of the store's next octet). */
void iw_half_lose_from(struct iw_half *half, uint64_t from, uint64_t first_frame);

/* SEARCH: adds a gap, except for its first `used` octets, to the loss. */
void iw_half_lose_gap(struct iw_half *half, const struct iw_chunk *chunk, uint32_t used);

/* SEARCH: reports all octets up to octet `end` of the store as lost. `open`: no FPDU was found after them. */
void iw_half_emit_loss(struct iw_half *half, uint32_t end, bool open);

/* Leaves MPA: ignores what this side sends from now on. */
void iw_half_leave(struct iw_half *half);

/* Ends reading because of `why`; a LOSS at the close reports the octets from stream offset `from` on. */
IW_COLD void iw_half_leave_unread(struct iw_half *half, enum iw_half_left why, uint64_t from);

/* Like iw_half_leave_unread, but reports the octets so far at once, and later octets at the close.
 * iw_half_fail: memory ran out. */
void iw_half_give_up(struct iw_half *half, enum iw_half_left why, uint64_t from);
void iw_half_fail(struct iw_half *half, uint64_t from);

/* OTHER: counts an unread chunk. `iw_half_emit_unread`: reports the octets that no LOSS has reported. */
void iw_half_count_unread(struct iw_half *half, const struct iw_chunk *chunk);
void iw_half_emit_unread(struct iw_half *half);

/* ---- iw_half_search.c ---- */

/* Searches for FPDUs where their place is unknown. */

/* At the start of a search, updates `spent`, the CRC work of searches: adds the work of the previous search,
 * and subtracts IW_RESYNC_SUM_SHARE per octet of the stream up to offset `reached`. */
void iw_half_account(struct iw_half *half, uint64_t reached);

/* Enters phase SEARCH: octets from stream offset `from` on could not be read. The first of them came in
 * `first_frame` (0: in the frame of the first octet searched). The search begins at `at` in the store. */
void iw_half_search(struct iw_half *half, enum iw_half_goal goal, uint64_t from, uint64_t first_frame);

/* Advances the search by one step. False: it needs more octets. `ended`: no more octets will come. */
bool iw_half_search_step(struct iw_half *half, bool ended);

/* Resumes reading `found` octets after `at`, and reports the octets before as lost. */
void iw_half_resume(struct iw_half *half, uint32_t found);

/* A gap: searches only what comes after it. `used` octets of the gap belong to an FPDU already read. */
void iw_half_search_gap(struct iw_half *half, const struct iw_chunk *chunk, uint32_t used);

/* Reports all stored octets as lost, and ends reading because of `why`. */
void iw_half_search_give_up(struct iw_half *half, enum iw_half_left why);

/* ---- iw_half_operation.c ---- */

/* The part of a half after its startup: reads FPDUs, and starts a search if their place is unknown. */

/* Reads or searches the store until it is used up or more octets are needed. `ended`: no more will come. */
void iw_half_pump(struct iw_half *half, bool ended);

/* Take the next chunk: in phase FPDU, and in phase SEARCH. */
void iw_half_read(struct iw_half *half, const struct iw_chunk *chunk);
void iw_half_search_feed(struct iw_half *half, const struct iw_chunk *chunk);

/* The stream ends within an FPDU. If FPDUs are inside it, its ULPDU_Length is wrong: reads those FPDUs. */
void iw_half_read_end(struct iw_half *half);

/* The stream has ended: decides the search with the octets so far; without a result, ends reading. */
void iw_half_search_end(struct iw_half *half);
