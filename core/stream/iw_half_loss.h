#ifndef IW_HALF_LOSS_H
#define IW_HALF_LOSS_H

#include "iw_half_state.h"

/* Octets that a half does not read: those that a search passes over, and those after the end of reading. */

/* SEARCH: a loss begins at stream offset `from`. Its first octet came in `first_frame` (0: in the frame of
 * the next octet of the store). */
void iw_half_lose_from(struct iw_half *half, uint64_t from, uint64_t first_frame);

/* SEARCH: a gap belongs to the loss, except for its first `used` octets. */
void iw_half_lose_gap(struct iw_half *half, const struct iw_chunk *chunk, uint32_t used);

/* SEARCH: reports everything up to octet `end` of the store as lost. */
void iw_half_emit_loss(struct iw_half *half, uint32_t end, bool open);

/* Leaves MPA: ignores what this side sends from now on. */
void iw_half_leave(struct iw_half *half);

/* Leaves MPA for streaming mode because the Reply rejects (RFC 5044 7.1.2). Octets from stream offset `from`
 * on are not read; a LOSS reports them when this side closes. */
void iw_half_stream(struct iw_half *half, uint64_t from);

/* Ends reading because of `why`, although octets from stream offset `from` on may belong to MPA. One LOSS
 * reports the octets so far; another one, at the close of this side, reports later octets. */
void iw_half_give_up(struct iw_half *half, enum iw_half_left why, uint64_t from);

/* Ends reading in the same way because memory ran out. */
void iw_half_fail(struct iw_half *half, uint64_t from);

/* OTHER: counts a chunk that is not read. */
void iw_half_count_unread(struct iw_half *half, const struct iw_chunk *chunk);

/* OTHER: reports the octets that no LOSS has reported, if there are any. */
void iw_half_emit_unread(struct iw_half *half);

#endif
