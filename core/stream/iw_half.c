#include "iw_half.h"

#include <string.h>

#include "iw_half_part.h"
#include "iw_placement.h"

void iw_half_init(struct iw_half *half, enum iw_side side, iw_llp_sink *sink, void *user) {
    memset(half, 0, sizeof *half);
    half->side = side;
    half->terms.crc = IW_CRC_UNKNOWN;
    half->sink = sink;
    half->user = user;
}

void iw_half_dispose(struct iw_half *half) {
    iw_store_dispose(&half->store);
    iw_fpdu_reader_dispose(&half->reader);
}

void iw_half_begin_operation(struct iw_half *half, bool markers, enum iw_crc_use crc) {
    if (half->phase != IW_HALF_HOLD)
        return;
    half->framing.markers = markers;
    half->terms.crc = crc;
    half->unproven = half->terms.unanswered || half->terms.foreign;
    half->evidence.chain = 0;
    iw_half_start_reader(half);
    iw_half_pump(half, false);
}

/* A Request after streaming mode, without a captured Reply, may be data of the ULP, such as a file. */
static bool half_request_may_be_data(const struct iw_half *half) {
    return half->startup.streaming > 0 && half->terms.unanswered && !half->terms.forced &&
           !half->terms.expected;
}

void iw_half_begin_unsettled(struct iw_half *half) {
    bool assumed = half->framing.markers_known == IW_MARKERS_ASSUMED;

    if (half_request_may_be_data(half))
        iw_half_leave_unread(half, IW_HALF_LEFT_STREAMING, half->store.offset);
    else
        iw_half_begin_operation(
            half, assumed ? iw_half_begins_marked(half) : half->framing.markers, half->terms.crc);
}

void iw_half_answer(struct iw_half *half, const struct iw_chunk *answer) {
    iw_half_startup_answer(half, answer);
    if (half->phase != IW_HALF_SEARCH ||
        (half->search.goal != IW_HALF_DOUBT && half->search.goal != IW_HALF_DOUBT_FIRST))
        return;
    half->search.answered = true;
    iw_half_pump(half, false);
    half->search.answered = false;
}

static void half_settle_open_ends(struct iw_half *half) {
    iw_half_startup_end(half);
    if (half->phase == IW_HALF_HOLD && half->store.length > 0)
        iw_half_begin_unsettled(half);
    if (half->phase == IW_HALF_FPDU)
        iw_half_read_end(half);
    if (half->phase == IW_HALF_SEARCH)
        iw_half_search_end(half);
    if (half->phase == IW_HALF_OTHER && half->loss.left != IW_HALF_LEFT_MPA)
        iw_half_emit_unread(half);
}

static bool half_may_be_fpdu(const struct iw_half *half) {
    const struct iw_fpdu_reader *reader = &half->reader;
    const struct iw_resync resync =
        iw_half_resync_in(half, reader->store.octets, reader->have, reader->start);
    enum iw_resync_outcome outcome;

    if (reader->have == 0 || reader->have > reader->store.length)
        return false;
    outcome = iw_resync_begins(&resync);
    return outcome == IW_RESYNC_FOUND || (outcome == IW_RESYNC_MORE && iw_resync_begins_cut(&resync));
}

static void half_emit_close(struct iw_half *half, enum iw_llp_close how) {
    struct iw_llp_event event = iw_half_event(half, IW_LLP_CLOSE);

    event.close = how;
    if (half->phase == IW_HALF_STARTUP && half->store.length + half->frame.cut > 0) {
        iw_half_note_broken_startup(half);
        event.pending.startup = true;
        event.pending.octets = half->store.length + half->frame.cut;
        event.pending.whole = half->frame.octets;
    }
    if (half->phase == IW_HALF_FPDU) {
        event.unproven = half->unproven;
        event.pending.octets = iw_fpdu_reader_pending(&half->reader);
        event.pending.whole = half->reader.wire;
        event.pending.missing = iw_fpdu_reader_missing(&half->reader);
        event.pending.ends_with_crc = half->reader.markers && iw_fpdu_reader_ends_with_crc(&half->reader);
        event.pending.fpdu = half_may_be_fpdu(half);
        event.pending.marker = iw_fpdu_reader_marker_alone(&half->reader);
    }
    half->closed = true;
    half->sink(half->user, &event);
}

static void half_feed_octets(struct iw_half *half, const struct iw_chunk *chunk);

IW_COLD static void half_feed_startup_gap(struct iw_half *half, const struct iw_chunk *gap) {
    uint32_t used = iw_half_startup_gap(half, gap);
    struct iw_chunk rest = *gap;

    rest.offset += used;
    rest.length -= used;
    half_feed_octets(half, &rest);
}

IW_HOT static void half_feed_octets(struct iw_half *half, const struct iw_chunk *chunk) {
    if (chunk->length == 0)
        return;
    half->reached = chunk->offset + chunk->length;
    if (half->startup.read && !half->startup.continued)
        iw_half_note_after_startup(half, chunk);
    if (chunk->kind == IW_CHUNK_DATA && chunk->length > half->segmentation.largest)
        half->segmentation.largest = chunk->length;
    if (half->phase == IW_HALF_HOLD &&
        (chunk->kind == IW_CHUNK_GAP || half->store.length + chunk->length > IW_HALF_HOLD_MAX))
        iw_half_begin_unsettled(half);

    switch (half->phase) {
    case IW_HALF_STARTUP:
        if (chunk->kind == IW_CHUNK_GAP)
            half_feed_startup_gap(half, chunk);
        else
            iw_half_startup_feed(half, chunk);
        break;
    case IW_HALF_HOLD:
        iw_half_hold(half, chunk, 0);
        break;
    case IW_HALF_FPDU:
        iw_half_read(half, chunk);
        break;
    case IW_HALF_SEARCH:
        iw_half_search_feed(half, chunk);
        break;
    case IW_HALF_OTHER:
        iw_half_count_unread(half, chunk);
        break;
    }
}

void iw_half_feed(struct iw_half *half, const struct iw_chunk *chunk) {
    half->last_frame = chunk->frame;
    half->last_time_ns = chunk->time_ns;
    switch (chunk->kind) {
    case IW_CHUNK_START:
        half->from_start = true;
        break;
    case IW_CHUNK_DATA:
    case IW_CHUNK_GAP:
        half_feed_octets(half, chunk);
        break;
    case IW_CHUNK_FIN:
    case IW_CHUNK_RST:
        half->fin = chunk->kind == IW_CHUNK_FIN;
        half_settle_open_ends(half);
        half_emit_close(half, chunk->kind == IW_CHUNK_FIN ? IW_LLP_CLOSE_GRACEFUL : IW_LLP_CLOSE_ABORTIVE);
        break;
    case IW_CHUNK_OUTSIDE:
    case IW_CHUNK_DIFFERING:
        break;
    }
}

void iw_half_end_reading(struct iw_half *half, uint64_t from) {
    if (half->phase == IW_HALF_STARTUP)
        iw_half_note_broken_startup(half);
    iw_half_give_up(half, IW_HALF_LEFT_LIMIT, from);
}

void iw_half_finish(struct iw_half *half) {
    if (half->closed)
        return;
    half_settle_open_ends(half);
    half_emit_close(half, IW_LLP_CLOSE_INPUT);
}
