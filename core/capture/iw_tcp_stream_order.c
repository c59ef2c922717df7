#include "iw_tcp_stream_part.h"

#include <stdlib.h>

#include "iw_placement.h"
#include "iw_tcp_seq.h"

static uint64_t order_min_offset(uint64_t one, uint64_t other) {
    return one < other ? one : other;
}

static const struct iw_tcp_piece *order_first_pending(const struct iw_tcp_stream *stream) {
    return stream->pending ? iw_tcp_pending_first(stream->pending) : NULL;
}

static bool order_piece_ack_reached(const struct iw_tcp_stream *other, const struct iw_tcp_piece *piece) {
    return !piece->has_ack || (other->started && iw_tcp_stream_missing(other, piece->ack) == 0);
}

/* Returns how many segments of the connection a piece may wait for octets of `other`. */
static uint32_t order_wait_max(const struct iw_tcp_stream *other) {
    return other->started ? IW_TCP_WAIT : IW_TCP_WAIT_FIRST;
}

/* Whether the piece need not wait for octets of the other side. */
IW_HOT static bool order_piece_may_pass(const struct iw_tcp_stream *stream,
    const struct iw_tcp_output *output, const struct iw_tcp_piece *piece) {
    const struct iw_tcp_stream *other = output->other;

    return !other || order_piece_ack_reached(other, piece) || stream->wait_timed_out ||
           output->turn - piece->turn >= order_wait_max(other) ||
           (!other->started && stream->syn && piece->ack == other->acks.first);
}

void iw_tcp_stream_emit(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_chunk *chunk) {
    chunk->side = (enum iw_side)stream->side;
    chunk->offset = stream->next_offset;
    chunk->acknowledges_missing = stream->acknowledges_missing;
    stream->next_offset += chunk->length;
    stream->next_seq += chunk->length;
    output->chunk(output->context, chunk);
}

/* Hands over a chunk that does not advance the stream. Does nothing if `length` is 0. */
static void stream_emit_note(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    enum iw_chunk_kind kind, uint32_t length, uint64_t frame, uint64_t time_ns) {
    const struct iw_chunk chunk = {.kind = kind,
        .side = (enum iw_side)stream->side,
        .offset = stream->next_offset,
        .acknowledges_missing = stream->acknowledges_missing,
        .length = length,
        .frame = frame,
        .time_ns = time_ns};
    if (length > 0)
        output->chunk(output->context, &chunk);
}

void iw_tcp_stream_emit_outside(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    uint32_t length, uint64_t frame, uint64_t time_ns) {
    stream_emit_note(stream, output, IW_CHUNK_OUTSIDE, length, frame, time_ns);
}

void iw_tcp_stream_report_outside(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    uint32_t octets, uint64_t frame, uint64_t time_ns) {
    stream->counters.outside += octets;
    iw_tcp_stream_emit_outside(stream, output, octets, frame, time_ns);
}

/* Whether offset 0 is the first octet ever sent, although no SYN was captured. */
IW_COLD static bool order_begins_exactly(const struct iw_tcp_stream *stream) {
    return stream->acks.first_exact && stream->acks.first == iw_tcp_stream_first_seq(stream);
}

static void order_chunk_set_acked(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_piece *piece, struct iw_chunk *chunk) {
    const struct iw_tcp_stream *other = output->other;

    if (!other || !piece->has_ack)
        return;
    stream->acknowledges_missing = iw_tcp_stream_is_unseen(other, piece->ack);
    if (other->started) {
        int64_t acked = (int64_t)other->next_offset + iw_tcp_seq_distance(other->next_seq, piece->ack);
        chunk->acked_known = acked >= 0;
        chunk->acked_exact = chunk->acked_known && (other->syn || order_begins_exactly(other));
        chunk->acked = (uint64_t)acked;
        stream->acked_other = true;
    }
}

/* Stores the sum of octets that are handed over now, for comparison with a later retransmission. */
static void stream_remember(struct iw_tcp_stream *stream, const struct iw_tcp_piece *piece, uint32_t length) {
    struct iw_tcp_passed *passed = &stream->passed;
    unsigned place = passed->count++ % IW_TCP_PASSED;
    bool summed = piece->summed && length == piece->length;

    passed->segment[place].seq = stream->next_seq;
    passed->segment[place].octets = (uint16_t)(length <= UINT16_MAX ? length : 0);
    passed->segment[place].sum = summed ? piece->sum : iw_tcp_checksum_sum(piece->octets, length);
}

/* Hands over the first `length` octets of `piece`, which is next in the stream. */
IW_HOT static void order_emit_piece(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_piece *piece, uint32_t length) {
    struct iw_chunk chunk = {.length = length, .frame = piece->frame, .time_ns = piece->time_ns};
    order_chunk_set_acked(stream, output, piece, &chunk);
    if (piece->fin) {
        chunk.kind = IW_CHUNK_FIN;
        stream->closed = true;
        stream->fin_waits = false;
    } else if (piece->octets) {
        chunk.kind = IW_CHUNK_DATA;
        chunk.octets = piece->octets;
        stream->counters.octets += length;
        stream_remember(stream, piece, length);
    } else {
        chunk.kind = IW_CHUNK_GAP;
        chunk.cut = true;
        stream->counters.cut += length;
    }
    iw_tcp_stream_emit(stream, output, &chunk);
}

void iw_tcp_stream_emit_gap(struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint64_t end,
    uint64_t frame, uint64_t time_ns) {
    if (end == stream->next_offset)
        return;
    struct iw_chunk chunk = {.kind = IW_CHUNK_GAP, .frame = frame, .time_ns = time_ns};
    chunk.length = (uint32_t)(end - stream->next_offset);
    stream->counters.lost += chunk.length;
    stream->counters.unseen +=
        order_min_offset(iw_tcp_stream_acked_offset(stream), end) - stream->next_offset;
    iw_tcp_stream_emit(stream, output, &chunk);
}

/* At a limit, hands over GAPs up to `follows`: acknowledged octets are lost, others `limited`. */
IW_COLD static void stream_give_up_limited(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_piece *follows) {
    iw_tcp_stream_emit_gap(stream, output,
        order_min_offset(iw_tcp_stream_acked_offset(stream), follows->offset), follows->frame,
        follows->time_ns);
    if (follows->offset == stream->next_offset)
        return;
    struct iw_chunk chunk = {
        .kind = IW_CHUNK_GAP, .limited = true, .frame = follows->frame, .time_ns = follows->time_ns};
    chunk.length = (uint32_t)(follows->offset - stream->next_offset);
    stream->counters.limited += chunk.length;
    iw_tcp_stream_emit(stream, output, &chunk);
}

/* If the piece has waited too long for octets of the other side, later pieces do not wait for them. */
void iw_tcp_stream_pass(struct iw_tcp_stream *stream, const struct iw_tcp_output *output) {
    const struct iw_tcp_piece *first = order_first_pending(stream);
    if (output->other && output->turn - first->turn >= order_wait_max(output->other))
        stream->wait_timed_out |= !order_piece_ack_reached(output->other, first);
    order_emit_piece(stream, output, first, first->length);
    iw_tcp_pending_drop_first(stream->pending, output->pool);
    if (!order_first_pending(stream))
        iw_tcp_stream_clear(stream, output->pool);
}

const struct iw_tcp_piece *iw_tcp_stream_first_ready(
    const struct iw_tcp_stream *stream, const struct iw_tcp_output *output, bool *passes) {
    const struct iw_tcp_piece *first = order_first_pending(stream);
    if (!first || first->offset > stream->next_offset)
        return NULL;
    *passes = order_piece_may_pass(stream, output, first);
    return first;
}

uint64_t iw_tcp_stream_hole(const struct iw_tcp_stream *stream) {
    const struct iw_tcp_piece *first = order_first_pending(stream);
    return first && first->offset > stream->next_offset ? first->frame : 0;
}

void iw_tcp_stream_give_up(struct iw_tcp_stream *stream, const struct iw_tcp_output *output) {
    const struct iw_tcp_piece *first = order_first_pending(stream);
    iw_tcp_stream_emit_gap(stream, output, first->offset, first->frame, first->time_ns);
}

bool iw_tcp_stream_settle(struct iw_tcp_stream *stream, const struct iw_tcp_output *output) {
    const struct iw_tcp_piece *first = order_first_pending(stream);
    uint64_t acked = iw_tcp_stream_acked_offset_long_ago(stream);
    if (!first || first->offset == stream->next_offset || acked == stream->next_offset)
        return false;
    iw_tcp_stream_emit_gap(
        stream, output, order_min_offset(acked, first->offset), first->frame, first->time_ns);
    return true;
}

void iw_tcp_stream_pass_all(struct iw_tcp_stream *stream, const struct iw_tcp_output *output) {
    while (order_first_pending(stream)) {
        iw_tcp_stream_give_up(stream, output);
        iw_tcp_stream_pass(stream, output);
    }
}

IW_COLD static void order_report_differing(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_piece *piece, uint32_t octets) {
    stream->counters.differing += octets;
    stream_emit_note(stream, output, IW_CHUNK_DIFFERING, octets, piece->frame, piece->time_ns);
}

/* Compares the first `length` octets of a retransmission with each remembered segment that they contain,
 * unless acknowledged: its first copy was received. If new octets follow them, acknowledged ones are compared
 * too: the new octets may belong to a later connection. A single octet may be garbage (RFC 9293 3.8.4). */
IW_COLD static void order_compare_passed(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_piece *piece, uint32_t length) {
    uint32_t seq = stream->next_seq - (uint32_t)(stream->next_offset - piece->offset);
    bool continues = length < piece->length;
    uint32_t from = stream->acks.has_latest && !continues ? stream->acks.latest : seq, differing = 0;

    if (!piece->octets || piece->single)
        return;
    for (unsigned i = 0; i < IW_TCP_PASSED; i++) {
        uint32_t octets = stream->passed.segment[i].octets, at = stream->passed.segment[i].seq - seq;

        if (octets > 0 && octets <= length && at <= length - octets &&
            iw_tcp_seq_distance(from, seq + at + octets) > 0 &&
            iw_tcp_checksum_sum(piece->octets + at, octets) != stream->passed.segment[i].sum)
            differing += octets;
    }
    order_report_differing(stream, output, piece, differing);
}

/* A FIN that octets follow is of a different connection than they are. Its sequence number counts as an octet
 * that was retransmitted with different content. */
IW_COLD static void order_report_octets_after_fin(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_piece *piece) {
    order_report_differing(stream, output, piece, 1);
}

/* Removes octets that were handed over before, and octets beyond the FIN. A single octet in the place of the
 * FIN is the garbage octet of a keep-alive probe (RFC 9293 3.8.4). Returns false if nothing is left. */
static bool stream_clip(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece *piece) {
    if (piece->offset < stream->next_offset) {
        uint32_t old = (uint32_t)order_min_offset(piece->length, stream->next_offset - piece->offset);
        stream->counters.retransmitted += old;
        order_compare_passed(stream, output, piece, old);
        iw_tcp_piece_advance(piece, old);
    }
    if (piece->fin)
        return !stream->closed;
    uint64_t limit = UINT64_MAX;
    if (stream->closed)
        limit = stream->next_offset;
    else if (stream->fin_waits)
        limit = iw_tcp_pending_last(stream->pending)->offset;
    if (iw_tcp_piece_end(piece) > limit) {
        uint32_t inside = piece->offset < limit ? (uint32_t)(limit - piece->offset) : 0;
        uint32_t outside = piece->length - inside;
        bool probe = outside == 1 && iw_tcp_piece_end(piece) == limit + 1;
        stream->counters.outside += outside;
        iw_tcp_stream_emit_outside(stream, output, probe ? 0 : outside, piece->frame, piece->time_ns);
        if (!probe && !stream->closed)
            order_report_octets_after_fin(stream, output, piece);
        piece->length = inside;
        piece->summed = false;
    }
    return piece->length > 0;
}

/* Hands over the start of `piece`, which is next in the stream, up to the first held octet. */
static void stream_pass_start(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece *piece) {
    const struct iw_tcp_piece *first = order_first_pending(stream);
    uint32_t length = piece->length;
    if (first)
        length = (uint32_t)order_min_offset(length, first->offset - piece->offset);
    order_emit_piece(stream, output, piece, length);
    iw_tcp_piece_advance(piece, length);
}

/* Hands over the first held piece, next in the stream. If `piece` is its beginning, compares the two. */
static void stream_pass_pending(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_piece *piece) {
    const struct iw_tcp_piece *first = order_first_pending(stream);
    if (piece->offset == first->offset && piece->length < first->length)
        order_report_differing(stream, output, piece, iw_tcp_piece_differing(first, piece, piece->length));
    iw_tcp_stream_pass(stream, output);
}

IW_COLD static bool stream_hold_back(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece *piece) {
    if (!stream->pending)
        stream->pending = calloc(1, sizeof *stream->pending);
    if (!stream->pending)
        return false;
    uint32_t differing = 0;
    bool held = iw_tcp_pending_add(stream->pending, output->pool, piece, &differing);
    order_report_differing(stream, output, piece, differing);
    if (!order_first_pending(stream))
        iw_tcp_stream_clear(stream, output->pool);
    stream->fin_waits |= held && piece->fin;
    return held;
}

/* At a limit of the pool, nothing waits: hands over a GAP for the missing octets, then the held octets or
 * `piece`, whichever begins first in the stream. */
IW_COLD static void stream_pass_at_limit(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece *piece) {
    const struct iw_tcp_piece *first = order_first_pending(stream);
    const struct iw_tcp_piece *follows = first && first->offset <= piece->offset ? first : piece;
    stream_give_up_limited(stream, output, follows);
    if (follows == first)
        stream_pass_pending(stream, output, piece);
    else
        stream_pass_start(stream, output, piece);
}

static void stream_accept(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece *piece) {
    while (stream_clip(stream, output, piece)) {
        const struct iw_tcp_piece *first = order_first_pending(stream);
        bool is_next = piece->offset == stream->next_offset;
        bool met = is_next && first && first->offset == stream->next_offset;
        if (met && !piece->fin && order_piece_may_pass(stream, output, first))
            stream_pass_pending(stream, output, piece);
        else if (is_next && !met && order_piece_may_pass(stream, output, piece))
            stream_pass_start(stream, output, piece);
        else if (stream_hold_back(stream, output, piece))
            return;
        else
            stream_pass_at_limit(stream, output, piece);
    }
}

IW_COLD static void stream_accept_fin(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece fin) {
    const struct iw_tcp_piece *last = stream->pending ? iw_tcp_pending_last(stream->pending) : NULL;
    if (stream->closed || stream->fin_waits)
        return;
    if (fin.offset >= stream->next_offset && (!last || fin.offset >= iw_tcp_piece_end(last))) {
        stream_accept(stream, output, &fin);
        return;
    }
    stream->counters.stray++; /* octets after the FIN were captured before it */
    order_report_octets_after_fin(stream, output, &fin);
}

bool iw_tcp_stream_continue(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_piece piece = {.offset = stream->next_offset,
        .length = segment->length,
        .has_ack = segment->flags & IW_TCP_ACK,
        .ack = segment->ack,
        .summed = stream->payload_summed,
        .sum = stream->payload_sum,
        .turn = output->turn,
        .octets = segment->payload,
        .frame = segment->frame,
        .time_ns = segment->time_ns};

    if (segment->length == 0)
        return true;
    if (stream->pending || !order_piece_may_pass(stream, output, &piece))
        return false;
    order_emit_piece(stream, output, &piece, piece.length);
    return true;
}

void iw_tcp_stream_accept(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_segment *segment, int64_t offset) {
    if (segment->length == 0 && !(segment->flags & IW_TCP_FIN))
        return; /* a pure acknowledgement */
    uint32_t before = offset < 0 ? (uint32_t)order_min_offset((uint64_t)-offset, segment->length) : 0;
    uint32_t cut_from = segment->captured > before ? segment->captured : before;
    struct iw_tcp_piece piece = {.single = segment->length == 1 && offset != (int64_t)stream->next_offset,
        .has_ack = segment->flags & IW_TCP_ACK,
        .ack = segment->ack,
        .turn = output->turn,
        .frame = segment->frame,
        .time_ns = segment->time_ns};

    stream->counters.outside += before;
    iw_tcp_stream_emit_outside(stream, output, stream->syn ? 0 : before, segment->frame, segment->time_ns);
    if (offset + segment->length < 0)
        return;
    uint64_t end = (uint64_t)(offset + segment->length);
    if (segment->length > before && (uint64_t)(offset + before) > stream->next_offset)
        stream->counters.out_of_order++;
    if (segment->captured > before) {
        piece.offset = (uint64_t)(offset + before);
        piece.length = segment->captured - before;
        piece.octets = segment->payload + before;
        piece.summed = stream->payload_summed && piece.length == segment->length;
        piece.sum = stream->payload_sum;
        if (stream->pending)
            iw_tcp_pending_replace_singles(stream->pending, &piece);
        stream_accept(stream, output, &piece);
    }
    if (segment->length > cut_from) {
        piece.offset = (uint64_t)(offset + cut_from);
        piece.length = segment->length - cut_from;
        piece.octets = NULL;
        piece.summed = false;
        stream_accept(stream, output, &piece);
    }
    if (segment->flags & IW_TCP_FIN) {
        piece.offset = end;
        piece.length = 0;
        piece.octets = NULL;
        piece.fin = true;
        stream_accept_fin(stream, output, piece);
    }
}
