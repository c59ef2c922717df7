#include "iw_half_part.h"

#include "iw_placement.h"

static void loss_forget_missing(struct iw_half_loss *loss) {
    loss->missing = 0;
    loss->limited = 0;
    loss->cut = false;
}

/* Counts a chunk among the octets that are not read, except for its first `used` octets. */
static void loss_count(struct iw_half_loss *loss, const struct iw_chunk *chunk, uint32_t used) {
    loss->frame = chunk->frame;
    loss->time_ns = chunk->time_ns;
    if (chunk->kind != IW_CHUNK_GAP)
        return;
    loss->missing += chunk->length - used;
    loss->limited += chunk->limited ? chunk->length - used : 0;
    loss->cut |= chunk->cut;
}

/* Returns a LOSS event of the octets from loss->from to stream offset `end`. */
static struct iw_llp_event loss_event(const struct iw_half *half, uint64_t end) {
    const struct iw_half_loss *loss = &half->loss;
    struct iw_llp_event event = iw_half_event(half, IW_LLP_LOSS);

    event.offset = loss->from;
    event.octets = end - loss->from;
    event.first_frame = loss->first_frame;
    event.frame = loss->frame;
    event.time_ns = loss->time_ns;
    event.loss.missing = loss->missing;
    event.loss.limited = loss->limited;
    event.loss.cut = loss->cut;
    return event;
}

/* ---- octets that the search for the next FPDU skips ---- */

void iw_half_lose_from(struct iw_half *half, uint64_t from, uint64_t first_frame) {
    half->loss.from = from;
    half->loss.first_frame = first_frame;
    loss_forget_missing(&half->loss);
}

/* Returns the capture frame of the first lost octet; `otherwise` if it is not known yet. */
static uint64_t loss_first_frame_lost(const struct iw_half *half, uint64_t otherwise) {
    if (half->loss.first_frame != 0)
        return half->loss.first_frame;
    return half->at < half->store.length ? iw_store_piece(&half->store, half->at)->frame : otherwise;
}

void iw_half_lose_gap(struct iw_half *half, const struct iw_chunk *chunk, uint32_t used) {
    half->loss.first_frame = loss_first_frame_lost(half, chunk->frame);
    loss_count(&half->loss, chunk, used);
}

void iw_half_emit_loss(struct iw_half *half, uint32_t end, bool open) {
    struct iw_llp_event event = loss_event(half, half->store.offset + end);
    const struct iw_span *last = end > 0 ? iw_store_piece(&half->store, end - 1) : NULL;

    event.first_frame = loss_first_frame_lost(half, half->last_frame);
    if (last != NULL) {
        event.frame = last->frame;
        event.time_ns = last->time_ns;
    }
    event.loss.open = open;
    event.loss.private_data = half->search.private_data;
    event.loss.startup_seen = half->frame.seen;
    half->frame.seen = 0;
    if (event.octets > 0)
        half->sink(half->user, &event);
}

/* ---- octets after the end of reading ---- */

void iw_half_leave(struct iw_half *half) {
    half->phase = IW_HALF_OTHER;
    half->loss.left = IW_HALF_LEFT_MPA;
    iw_store_dispose(&half->store);
    iw_fpdu_reader_dispose(&half->reader);
}

void iw_half_count_unread(struct iw_half *half, const struct iw_chunk *chunk) {
    if (half->loss.first_frame == 0)
        half->loss.first_frame = chunk->frame;
    loss_count(&half->loss, chunk, 0);
}

IW_COLD void iw_half_emit_unread(struct iw_half *half) {
    struct iw_llp_event event = loss_event(half, half->reached);

    event.loss.open = true;
    event.loss.unsearched = true;
    event.loss.streaming = half->loss.left == IW_HALF_LEFT_STREAMING;
    if (half->loss.left == IW_HALF_LEFT_LIMIT)
        event.loss.given_up = event.octets - event.loss.missing;
    iw_half_lose_from(half, half->reached, 0);
    if (event.octets > 0)
        half->sink(half->user, &event);
}

void iw_half_leave_unread(struct iw_half *half, enum iw_half_left why, uint64_t from) {
    if (half->phase != IW_HALF_SEARCH || from == half->reached)
        loss_forget_missing(&half->loss);
    iw_half_leave(half);
    half->loss.left = why;
    half->loss.from = from;
    half->loss.first_frame = from < half->reached ? half->last_frame : 0;
    half->loss.frame = half->last_frame;
    half->loss.time_ns = half->last_time_ns;
}

void iw_half_give_up(struct iw_half *half, enum iw_half_left why, uint64_t from) {
    iw_half_leave_unread(half, why, from);
    iw_half_emit_unread(half);
}

void iw_half_fail(struct iw_half *half, uint64_t from) {
    half->failed = true;
    iw_half_give_up(half, IW_HALF_LEFT_LIMIT, from);
}
