#include "iw_tcp_stream.h"

#include <stdlib.h>

#include "iw_tcp_seq.h"

static bool is_near(uint32_t one, uint32_t other) {
    int32_t between = iw_tcp_seq_distance(one, other);
    return between >= -IW_TCP_WINDOW_MAX && between <= IW_TCP_WINDOW_MAX;
}

bool iw_tcp_stream_may_be_late(const struct iw_tcp_stream *stream, uint32_t seq) {
    int32_t between = iw_tcp_seq_distance(stream->next_seq, seq);
    return between >= -IW_TCP_IN_FLIGHT_MAX && between <= IW_TCP_IN_FLIGHT_MAX;
}

static uint64_t least(uint64_t one, uint64_t other) {
    return one < other ? one : other;
}

void iw_tcp_stream_init(struct iw_tcp_stream *stream, enum iw_side side) {
    *stream = (struct iw_tcp_stream){.side = (uint8_t)side};
}

void iw_tcp_stream_clear(struct iw_tcp_stream *stream, struct iw_tcp_pool *pool) {
    if (stream->pending)
        iw_tcp_pending_clear(stream->pending, pool);
    free(stream->pending);
    stream->pending = NULL;
    stream->fin_waits = false;
}

static const struct iw_tcp_piece *first_pending(const struct iw_tcp_stream *stream) {
    return stream->pending ? iw_tcp_pending_first(stream->pending) : NULL;
}

/* The offset that `ack` reaches, but not before the current place. */
static uint64_t reached(const struct iw_tcp_stream *stream, bool known, uint32_t ack) {
    int32_t ahead = iw_tcp_seq_distance(stream->next_seq, ack);
    bool usable = known && ahead > 0 && ahead <= IW_TCP_WINDOW_MAX;
    return stream->next_offset + (usable ? (uint32_t)ahead : 0);
}

/* The offset up to which the other side has acknowledged, but not before the current place. */
static uint64_t acked_offset(const struct iw_tcp_stream *stream) {
    return reached(stream, stream->has_ack, stream->acked);
}

/* The offset up to which octets, and maybe a FIN, are told of, but not before the current place. */
static uint64_t told_offset(const struct iw_tcp_stream *stream) {
    uint64_t told = reached(stream, stream->has_told, stream->told_seq),
             doubtful = reached(stream, stream->has_doubtful, stream->acked_doubtful),
             acked = acked_offset(stream);
    told = told > doubtful ? told : doubtful;
    return told > acked ? told : acked;
}

/* ---- what a segment tells of the other side ---- */

/* Whether the segment acknowledges what the other side may have sent. A receiver drops one that does not
 * (RFC 9293 3.10.7.4, RFC 5961 5.2). */
static bool acknowledges_near(const struct iw_tcp_stream *other, const struct iw_tcp_segment *segment) {
    int32_t between = other ? iw_tcp_seq_distance(other->next_seq, segment->ack) : 0;
    return !other || !other->started || !(segment->flags & IW_TCP_ACK) ||
           (between >= -IW_TCP_IN_FLIGHT_MAX && between <= IW_TCP_IN_FLIGHT_MAX);
}

/* Octets of the other side that `ack` acknowledges and that have not been handed over, its FIN counted. */
static int32_t missing(const struct iw_tcp_stream *other, uint32_t ack) {
    int32_t ahead = iw_tcp_seq_distance(other->next_seq + other->closed, ack);
    return ahead > 0 && ahead <= IW_TCP_WINDOW_MAX ? ahead : 0;
}

/* All that the piece acknowledges has been handed over. */
static bool is_complete(const struct iw_tcp_stream *other, const struct iw_tcp_piece *piece) {
    return !piece->has_ack || (other->started && missing(other, piece->ack) == 0);
}

/* How many segments of the connection a piece may wait for the octets of `other`. */
static uint32_t wait_max(const struct iw_tcp_stream *other) {
    return other->started ? IW_TCP_WAIT : IW_TCP_WAIT_FIRST;
}

/* Whether the piece waits for nothing of the other side. What acknowledges no more than the SYN of the other
 * side needs none of its octets. */
static bool may_pass(const struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_piece *piece) {
    const struct iw_tcp_stream *other = output->other;

    return !other || is_complete(other, piece) || stream->waited_in_vain ||
           output->turn - piece->turn >= wait_max(other) ||
           (!other->started && stream->syn && piece->ack == other->first_acked);
}

/* One octet more may as well be a FIN that was not seen. */
static bool is_unseen(const struct iw_tcp_stream *other, uint32_t ack) {
    if (!other->started)
        return other->has_ack && iw_tcp_seq_distance(other->first_acked, ack) > 1;
    return !other->closed && missing(other, ack) > 1;
}

/* Offset 0 is known to be the first octet that was ever sent, though no SYN was captured. */
static bool begins_exactly(const struct iw_tcp_stream *stream) {
    return stream->first_exact && stream->first_acked == iw_tcp_stream_first_seq(stream);
}

/* Says in the chunk what the sender of the piece had received. */
static void note_acked(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_piece *piece, struct iw_chunk *chunk) {
    const struct iw_tcp_stream *other = output->other;

    if (!other || !piece->has_ack)
        return;
    stream->answers_unseen = is_unseen(other, piece->ack);
    if (other->started) {
        int64_t acked = (int64_t)other->next_offset + iw_tcp_seq_distance(other->next_seq, piece->ack);
        chunk->acked_known = acked >= 0;
        chunk->acked_exact = chunk->acked_known && (other->syn || begins_exactly(other));
        chunk->acked = (uint64_t)acked;
    }
}

/* ---- handing over ---- */

/* The offset up to which the other side has acknowledged, which may be far before the current place. */
static uint64_t delivered(const struct iw_tcp_stream *stream) {
    int64_t offset = (int64_t)stream->next_offset + iw_tcp_seq_distance(stream->next_seq, stream->acked);
    return stream->has_ack && offset > 0 ? (uint64_t)offset : 0;
}

/* Hands over `chunk`, its side and offset filled in, and steps over its octets. */
static void emit(struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_chunk *chunk) {
    chunk->side = (enum iw_side)stream->side;
    chunk->offset = stream->next_offset;
    chunk->answers_unseen = stream->answers_unseen;
    stream->next_offset += chunk->length;
    stream->next_seq += chunk->length;
    output->chunk(output->context, chunk);
}

/* Says that `length` octets were captured that are not handed over. */
static void emit_outside(struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint32_t length,
    uint64_t frame, uint64_t time_ns) {
    const struct iw_chunk chunk = {.kind = IW_CHUNK_OUTSIDE,
        .side = (enum iw_side)stream->side,
        .offset = stream->next_offset,
        .answers_unseen = stream->answers_unseen,
        .length = length,
        .frame = frame,
        .time_ns = time_ns};
    if (length > 0)
        output->chunk(output->context, &chunk);
}

static void emit_mark(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    enum iw_chunk_kind kind, uint64_t frame, uint64_t time_ns) {
    emit(stream, output, &(struct iw_chunk){.kind = kind, .frame = frame, .time_ns = time_ns});
}

/* Hands over the first `length` octets of `piece`, which is next in the stream. */
static void emit_piece(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_piece *piece, uint32_t length) {
    struct iw_chunk chunk = {.length = length, .frame = piece->frame, .time_ns = piece->time_ns};
    note_acked(stream, output, piece, &chunk);
    chunk.delivered = delivered(stream);
    chunk.revocable = stream->next_offset + length > chunk.delivered;
    if (piece->fin) {
        chunk.kind = IW_CHUNK_FIN;
        stream->closed = true;
        stream->fin_waits = false;
    } else if (piece->octets) {
        chunk.kind = IW_CHUNK_DATA;
        chunk.octets = piece->octets;
        stream->counters.octets += length;
    } else {
        chunk.kind = IW_CHUNK_GAP;
        chunk.cut = true;
        stream->counters.cut += length;
    }
    emit(stream, output, &chunk);
}

/* Hands over a GAP up to `end`. */
static void give_up(struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint64_t end,
    uint64_t frame, uint64_t time_ns) {
    if (end == stream->next_offset)
        return;
    struct iw_chunk chunk = {.kind = IW_CHUNK_GAP, .frame = frame, .time_ns = time_ns};
    chunk.length = (uint32_t)(end - stream->next_offset);
    stream->counters.lost += chunk.length;
    stream->counters.unseen += least(acked_offset(stream), end) - stream->next_offset;
    emit(stream, output, &chunk);
}

/* The same at a bound of the pool. What is acknowledged is lost; the rest may come later. */
static void give_up_limited(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_piece *follows) {
    give_up(stream, output, least(acked_offset(stream), follows->offset), follows->frame, follows->time_ns);
    if (follows->offset == stream->next_offset)
        return;
    struct iw_chunk chunk = {
        .kind = IW_CHUNK_GAP, .limited = true, .frame = follows->frame, .time_ns = follows->time_ns};
    chunk.length = (uint32_t)(follows->offset - stream->next_offset);
    stream->counters.limited += chunk.length;
    emit(stream, output, &chunk);
}

/* A stream that has waited in vain for octets of the other side stops waiting for them. */
void iw_tcp_stream_pass(struct iw_tcp_stream *stream, const struct iw_tcp_output *output) {
    const struct iw_tcp_piece *first = first_pending(stream);
    if (output->other && output->turn - first->turn >= wait_max(output->other))
        stream->waited_in_vain |= !is_complete(output->other, first);
    emit_piece(stream, output, first, first->length);
    iw_tcp_pending_drop_first(stream->pending, output->pool);
    if (!first_pending(stream))
        iw_tcp_stream_clear(stream, output->pool);
}

const struct iw_tcp_piece *iw_tcp_stream_turn(
    const struct iw_tcp_stream *stream, const struct iw_tcp_output *output, bool *passes) {
    const struct iw_tcp_piece *first = first_pending(stream);
    if (!first || first->offset > stream->next_offset)
        return NULL;
    *passes = may_pass(stream, output, first);
    return first;
}

uint64_t iw_tcp_stream_hole(const struct iw_tcp_stream *stream) {
    const struct iw_tcp_piece *first = first_pending(stream);
    return first && first->offset > stream->next_offset ? first->frame : 0;
}

void iw_tcp_stream_give_up(struct iw_tcp_stream *stream, const struct iw_tcp_output *output) {
    const struct iw_tcp_piece *first = first_pending(stream);
    give_up(stream, output, first->offset, first->frame, first->time_ns);
}

bool iw_tcp_stream_settle(struct iw_tcp_stream *stream, const struct iw_tcp_output *output) {
    const struct iw_tcp_piece *first = first_pending(stream);
    uint64_t acked = reached(stream, stream->has_ack_long_ago, stream->acked_long_ago);
    if (!first || first->offset == stream->next_offset || acked == stream->next_offset)
        return false;
    give_up(stream, output, least(acked, first->offset), first->frame, first->time_ns);
    return true;
}

/* ---- taking in ---- */

/* Hands over again those of the first `length` octets of `piece` that the other side has not acknowledged. A
 * single octet is left out: it may be the garbage of a keep-alive probe (RFC 9293 3.8.4). */
static void emit_again(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_piece *piece, uint32_t length) {
    uint64_t acked = delivered(stream);
    uint32_t skipped = acked > piece->offset ? (uint32_t)least(acked - piece->offset, length) : 0;
    const struct iw_chunk chunk = {.kind = IW_CHUNK_AGAIN,
        .side = (enum iw_side)stream->side,
        .offset = piece->offset + skipped,
        .length = length - skipped,
        .octets = piece->octets ? piece->octets + skipped : NULL,
        .frame = piece->frame,
        .time_ns = piece->time_ns};
    if (chunk.octets && chunk.length > 1)
        output->chunk(output->context, &chunk);
}

/* Cuts off what is already handed over at the front and what lies beyond the FIN. One octet in the place of
 * the FIN is that of a keep-alive probe (RFC 9293 3.8.4). False if nothing is left. */
static bool clip(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece *piece) {
    if (piece->offset < stream->next_offset) {
        uint32_t old = (uint32_t)least(piece->length, stream->next_offset - piece->offset);
        stream->counters.retransmitted += old;
        emit_again(stream, output, piece, old);
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
        emit_outside(stream, output, probe ? 0 : outside, piece->frame, piece->time_ns);
        piece->length = inside;
    }
    return piece->length > 0;
}

/* Hands over the start of `piece`, which is next in the stream, up to what is pending. */
static void pass(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece *piece) {
    const struct iw_tcp_piece *first = first_pending(stream);
    uint32_t length = piece->length;
    if (first)
        length = (uint32_t)least(length, first->offset - piece->offset);
    emit_piece(stream, output, piece, length);
    iw_tcp_piece_advance(piece, length);
}

/* The same with what is pending, which is next in the stream; `piece` has octets of it again. */
static void pass_pending(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_piece *piece) {
    const struct iw_tcp_piece *first = first_pending(stream);
    if (piece->offset == first->offset)
        stream->counters.differing +=
            iw_tcp_piece_differing(first, piece, (uint32_t)least(first->length, piece->length));
    iw_tcp_stream_pass(stream, output);
}

static bool hold_back(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece *piece) {
    if (!stream->pending)
        stream->pending = calloc(1, sizeof *stream->pending);
    if (!stream->pending)
        return false;
    bool held = iw_tcp_pending_add(stream->pending, output->pool, piece, &stream->counters.differing);
    if (!first_pending(stream))
        iw_tcp_stream_clear(stream, output->pool);
    stream->fin_waits |= held && piece->fin;
    return held;
}

/* At a limit of the pool segments are handed over in the order of capture, whatever they wait for. */
static void make_room(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece *piece) {
    const struct iw_tcp_piece *first = first_pending(stream);
    const struct iw_tcp_piece *follows = first && first->offset <= piece->offset ? first : piece;
    give_up_limited(stream, output, follows);
    if (follows == first)
        pass_pending(stream, output, piece);
    else
        pass(stream, output, piece);
}

/* Changes `piece`. */
static void accept(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece *piece) {
    while (clip(stream, output, piece)) {
        const struct iw_tcp_piece *first = first_pending(stream);
        bool is_next = piece->offset == stream->next_offset;
        bool met = is_next && first && first->offset == stream->next_offset;
        if (met && !piece->fin && may_pass(stream, output, first))
            pass_pending(stream, output, piece);
        else if (is_next && !met && may_pass(stream, output, piece))
            pass(stream, output, piece);
        else if (hold_back(stream, output, piece))
            return;
        else
            make_room(stream, output, piece);
    }
}

static void accept_fin(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece fin) {
    const struct iw_tcp_piece *last = stream->pending ? iw_tcp_pending_last(stream->pending) : NULL;
    if (stream->closed || stream->fin_waits)
        return;
    if (fin.offset < stream->next_offset || (last && fin.offset < iw_tcp_piece_end(last)))
        stream->counters.stray++; /* octets after this end were seen before it */
    else
        accept(stream, output, &fin);
}

/* Splits the segment that starts at `offset`, negative if before the first octet seen, into what was
 * captured, what was cut off, and the FIN. */
static void accept_segment(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_segment *segment, int64_t offset) {
    if (segment->length == 0 && !(segment->flags & IW_TCP_FIN))
        return; /* nothing but an acknowledgement */
    uint32_t before = offset < 0 ? (uint32_t)least((uint64_t)-offset, segment->length) : 0;
    uint32_t cut_from = segment->captured > before ? segment->captured : before;
    struct iw_tcp_piece piece = {.has_ack = segment->flags & IW_TCP_ACK,
        .ack = segment->ack,
        .turn = output->turn,
        .frame = segment->frame,
        .time_ns = segment->time_ns};

    stream->counters.outside += before;
    emit_outside(stream, output, stream->syn ? 0 : before, segment->frame, segment->time_ns);
    if (offset + segment->length < 0)
        return;
    uint64_t end = (uint64_t)(offset + segment->length);
    if (segment->length > before && (uint64_t)(offset + before) > stream->next_offset)
        stream->counters.out_of_order++;
    if (segment->captured > before) {
        piece.offset = (uint64_t)(offset + before);
        piece.length = segment->captured - before;
        piece.octets = segment->payload + before;
        accept(stream, output, &piece);
    }
    if (segment->length > cut_from) {
        piece.offset = (uint64_t)(offset + cut_from);
        piece.length = segment->length - cut_from;
        piece.octets = NULL;
        accept(stream, output, &piece);
    }
    if (segment->flags & IW_TCP_FIN) {
        piece.offset = end;
        piece.length = 0;
        piece.octets = NULL;
        piece.fin = true;
        accept_fin(stream, output, piece);
    }
}

static void start(struct iw_tcp_stream *stream, uint32_t seq) {
    stream->started = true;
    stream->next_seq = seq;
}

/* What was acknowledged before was of an earlier connection, unless it is near the SYN. */
static void forget_other_acks(struct iw_tcp_stream *stream) {
    if (stream->acked - stream->next_seq <= IW_TCP_IN_FLIGHT_MAX)
        return;
    stream->has_ack = stream->has_ack_before = stream->has_ack_long_ago = stream->first_exact = false;
}

/* The SYN answers that of the other side, and all that was captured of this side before was of an earlier
 * connection. Nothing of it has been handed over. */
static bool begins_again(
    const struct iw_tcp_stream *stream, const struct iw_tcp_stream *other, const struct iw_tcp_segment *syn) {
    return !stream->syn && stream->next_offset == 0 && !stream->closed && other && other->syn &&
           (syn->flags & IW_TCP_ACK) && syn->ack == iw_tcp_stream_first_seq(other);
}

static void drop_all(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *syn) {
    uint32_t octets = stream->pending ? stream->pending->octets : 0;
    iw_tcp_stream_clear(stream, output->pool);
    stream->has_told = false;
    stream->counters.stray++;
    stream->counters.outside += octets;
    emit_outside(stream, output, octets, syn->frame, syn->time_ns);
}

/* False if it is the SYN of another connection. */
static bool accept_syn(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    uint32_t seq = segment->seq + 1;
    bool known = stream->started && seq == iw_tcp_stream_first_seq(stream);
    if (stream->started && !known && !begins_again(stream, output->other, segment))
        return false;
    if (stream->started && !known)
        drop_all(stream, output, segment);
    if (!known) {
        start(stream, seq);
        forget_other_acks(stream);
    }
    if (!stream->syn && stream->next_offset == 0 && !stream->closed) {
        stream->syn = true;
        struct iw_chunk chunk = {.kind = IW_CHUNK_START,
            .mss = segment->mss,
            .frame = segment->frame,
            .time_ns = segment->time_ns};
        emit(stream, output, &chunk);
    }
    return true;
}

/* After all that was captured, the FIN included. */
static uint32_t seen_end(const struct iw_tcp_stream *stream) {
    const struct iw_tcp_piece *last = stream->pending ? iw_tcp_pending_last(stream->pending) : NULL;
    uint64_t ahead = last ? iw_tcp_piece_end(last) - stream->next_offset : 0;
    return stream->next_seq + (uint32_t)ahead + (stream->closed || stream->fin_waits);
}

static void accept_reset(struct iw_tcp_stream *stream, const struct iw_tcp_segment *segment) {
    struct iw_tcp_reset reset = {.frame = segment->frame,
        .time_ns = segment->time_ns,
        .seq = segment->seq,
        .has_ack = segment->flags & IW_TCP_ACK,
        .ack = segment->ack,
        .end = segment->seq,
        .rank = IW_TCP_RESET_EXACT};
    if (stream->started) {
        const struct iw_tcp_reset_place place = {.next = stream->next_seq + stream->closed,
            .seen = seen_end(stream),
            .closed = stream->closed,
            .has_ack = stream->has_ack,
            .acked = stream->acked};
        reset.rank = (uint8_t)iw_tcp_reset_rank(&place, segment->seq);
        if (iw_tcp_seq_distance(reset.end, place.seen) > 0)
            reset.end = place.seen;
    }
    stream->counters.stray += iw_tcp_reset_keep(&stream->reset, &reset);
}

/* A first segment without payload may have been a keep-alive probe, one octet back (RFC 9293 3.8.4): if the
 * next one says so, the stream starts there. */
static void correct_start(struct iw_tcp_stream *stream, uint32_t seq) {
    bool expected = stream->has_ack && stream->first_acked == stream->next_seq;
    bool fresh = !stream->syn && stream->next_offset == 0 && !stream->pending && !stream->closed;
    if (fresh && !expected && iw_tcp_seq_distance(stream->next_seq, seq) == 1)
        start(stream, seq);
}

/* The capture may have missed more than a window. Where the other side's acknowledgements have gone the same
 * way, the stream goes on there; the true length of the GAP is known but for multiples of 2^32. */
static bool resynchronise(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    uint32_t acked = stream->has_doubtful ? stream->acked_doubtful : stream->acked;
    bool confirmed = segment->length > 0 && (stream->has_ack || stream->has_doubtful) &&
                     is_near(acked, segment->seq) && !is_near(acked, stream->next_seq);
    if (!confirmed || stream->closed || stream->fin_waits)
        return false;
    while (first_pending(stream)) {
        iw_tcp_stream_give_up(stream, output);
        iw_tcp_stream_pass(stream, output);
    }
    uint32_t lost = segment->seq - stream->next_seq;
    give_up(stream, output, stream->next_offset + lost, segment->frame, segment->time_ns);
    return true;
}

/* Without a SYN the stream starts where it is first seen. If the capture has the SYN of the other side, it
 * has all since then: what the other side has acknowledged first is where the stream begins. So it is where
 * that side has acknowledged more since. */
static void start_within(struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint32_t seq) {
    bool whole =
        stream->has_ack && ((output->other && output->other->syn) || stream->acked != stream->first_acked);
    int32_t lost = iw_tcp_seq_distance(stream->first_acked, seq);
    start(stream, whole && lost > 0 && lost <= IW_TCP_IN_FLIGHT_MAX ? stream->first_acked : seq);
}

/* The stream, and `*seq`, where the octets of the segment begin. False if it is not of this stream. */
static bool find_place(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_segment *segment, uint32_t *seq) {
    *seq = segment->seq;
    if (segment->flags & IW_TCP_SYN) {
        ++*seq;
        if (!accept_syn(stream, output, segment))
            return false;
    } else if (!stream->started) {
        start_within(stream, output, *seq);
    } else {
        correct_start(stream, *seq);
    }
    return is_near(stream->next_seq, *seq) || resynchronise(stream, output, segment);
}

/* A segment without octets has the sequence number of the octet that its sender will send next (RFC 9293
 * 3.10.7.4): all before it have been sent. */
static void note_told(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    int32_t ahead = iw_tcp_seq_distance(stream->next_seq, segment->seq);
    if (ahead <= 0 || ahead > IW_TCP_IN_FLIGHT_MAX ||
        (stream->has_told && iw_tcp_seq_distance(stream->told_seq, segment->seq) <= 0))
        return;
    if (!acknowledges_near(output->other, segment))
        return;
    stream->has_told = true;
    stream->told_seq = segment->seq;
}

/* One octet that was acknowledged before it was seen may be the garbage octet of a keep-alive probe (RFC 9293
 * 3.8.4): it fills no hole. */
static bool may_be_garbage(
    const struct iw_tcp_stream *stream, const struct iw_tcp_segment *segment, uint32_t seq) {
    return segment->length == 1 && stream->has_ack && stream->acked == seq + 1 &&
           iw_tcp_seq_distance(stream->next_seq, seq) >= 0 && !(segment->flags & (IW_TCP_SYN | IW_TCP_FIN));
}

void iw_tcp_stream_segment(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    uint32_t seq;
    stream->counters.segments++;
    if (segment->flags & IW_TCP_RST) {
        accept_reset(stream, segment);
    } else if (find_place(stream, output, segment, &seq)) {
        stream->counters.stray += iw_tcp_reset_followed(&stream->reset, seq + segment->length);
        if (may_be_garbage(stream, segment, seq)) {
            stream->counters.retransmitted++;
            return;
        }
        if (segment->length == 0)
            note_told(stream, output, segment);
        accept_segment(stream, output, segment,
            (int64_t)stream->next_offset + iw_tcp_seq_distance(stream->next_seq, seq));
    } else {
        stream->counters.stray++;
        emit_outside(stream, output, segment->length, segment->frame, segment->time_ns);
    }
}

void iw_tcp_stream_refuse(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    stream->counters.segments++;
    stream->counters.stray++;
    emit_outside(stream, output, segment->length, segment->frame, segment->time_ns);
}

void iw_tcp_stream_skip(struct iw_tcp_stream *stream, const struct iw_tcp_segment *segment) {
    uint32_t end = segment->seq + segment->length;
    stream->counters.segments++;
    if (!stream->started)
        start(stream, segment->seq);
    if (!is_near(stream->next_seq, segment->seq) || iw_tcp_seq_distance(stream->next_seq, end) < 0)
        return;
    stream->next_offset += end - stream->next_seq;
    stream->next_seq = end;
    stream->closed |= (segment->flags & IW_TCP_FIN) != 0;
}

/* ---- acknowledgements ---- */

/* An acknowledgement far ahead of all that was seen is believed when the next one is like it. */
static bool is_doubtful(struct iw_tcp_stream *stream, uint32_t ack) {
    bool like = stream->has_doubtful &&
                iw_tcp_seq_distance(stream->acked_doubtful, ack) >= -IW_TCP_IN_FLIGHT_MAX &&
                iw_tcp_seq_distance(stream->acked_doubtful, ack) <= IW_TCP_IN_FLIGHT_MAX;
    int32_t ahead = iw_tcp_seq_distance(seen_end(stream), ack);
    stream->has_doubtful =
        stream->started && (ahead > IW_TCP_IN_FLIGHT_MAX || ahead < -IW_TCP_WINDOW_MAX) && !like;
    stream->acked_doubtful = ack;
    return stream->has_doubtful;
}

bool iw_tcp_stream_acknowledges(const struct iw_tcp_stream *stream, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment) {
    return !stream->started || is_near(stream->next_seq, segment->seq) ||
           (segment->length > 0 && !acknowledges_near(other, segment));
}

void iw_tcp_stream_acked(struct iw_tcp_stream *stream, uint32_t ack) {
    int32_t ahead = iw_tcp_seq_distance(stream->acked, ack);
    bool seen = stream->started && stream->next_seq + 1 - ack <= IW_TCP_IN_FLIGHT_MAX;
    if (seen)
        stream->has_doubtful = false;
    if ((!seen && is_doubtful(stream, ack)) || (stream->has_ack && ahead <= 0 && ahead >= -IW_TCP_WINDOW_MAX))
        return; /* an older one, overtaken */
    if (!stream->has_ack)
        stream->first_acked = ack;
    stream->has_ack = true;
    stream->acked = ack;
    stream->counters.stray += iw_tcp_reset_acked(&stream->reset, ack);
}

void iw_tcp_stream_acked_first(struct iw_tcp_stream *stream, uint32_t ack) {
    stream->first_exact |= stream->has_ack && stream->first_acked == ack;
}

void iw_tcp_stream_begin_unseen(struct iw_tcp_stream *stream) {
    if (!stream->started && stream->has_ack)
        start(stream, stream->first_acked);
}

void iw_tcp_stream_other_began(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *syn) {
    uint32_t count = stream->pending ? stream->pending->count : 0, octets;
    if (count == 0)
        return;
    octets = iw_tcp_pending_drop_strangers(stream->pending, output->pool, syn->seq + 1, IW_TCP_IN_FLIGHT_MAX);
    stream->counters.stray += count - stream->pending->count;
    stream->counters.outside += octets;
    emit_outside(stream, output, octets, syn->frame, syn->time_ns);
    const struct iw_tcp_piece *last = iw_tcp_pending_last(stream->pending);
    stream->fin_waits = last && last->fin;
    if (!last)
        iw_tcp_stream_clear(stream, output->pool);
}

void iw_tcp_stream_age(struct iw_tcp_stream *stream) {
    stream->has_ack_long_ago = stream->has_ack_before;
    stream->acked_long_ago = stream->acked_before;
    stream->has_ack_before = stream->has_ack;
    stream->acked_before = stream->acked;
}

bool iw_tcp_stream_reset_ack(const struct iw_tcp_stream *stream, uint32_t *ack) {
    const struct iw_tcp_reset *reset = &stream->reset;
    *ack = reset->ack;
    return reset->has_ack &&
           (reset->rank == IW_TCP_RESET_EXACT ||
               (reset->rank != IW_TCP_RESET_NONE && reset->seq == stream->next_seq + stream->closed));
}

bool iw_tcp_stream_is_done(const struct iw_tcp_stream *stream) {
    return stream->closed && stream->has_ack && stream->acked == stream->next_seq + 1;
}

/* ---- the end ---- */

/* Reports octets that only the sequence number of a RST shows. They were sent before the RST if its receiver
 * obeys it, which the capture does not show. The last may be a FIN instead of an octet. */
static void tell_untold(struct iw_tcp_stream *stream, const struct iw_tcp_output *output) {
    const struct iw_tcp_reset *reset = &stream->reset;
    int32_t untold = iw_tcp_seq_distance(stream->next_seq, reset->seq);
    if (!stream->started || stream->closed || untold <= 0)
        return;
    stream->counters.outside += (uint32_t)untold;
    emit_outside(stream, output, (uint32_t)untold, reset->frame, reset->time_ns);
}

/* It may be an octet, or a FIN that was not seen: a GAP would claim the octet. */
static void tell_last(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint64_t frame, uint64_t time_ns) {
    stream->counters.outside++;
    emit_outside(stream, output, 1, frame, time_ns);
}

void iw_tcp_stream_finish(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint64_t frame, uint64_t time_ns) {
    uint64_t told;
    told = stream->started && !stream->closed ? told_offset(stream) : 0;
    if (told > stream->next_offset + 1)
        give_up(stream, output, told, frame, time_ns);
    else if (told > stream->next_offset)
        tell_last(stream, output, frame, time_ns);
    if (stream->closed)
        stream->counters.stray += iw_tcp_reset_closed(&stream->reset, stream->next_seq + 1);
    if (stream->reset.rank == IW_TCP_RESET_NONE)
        return;
    tell_untold(stream, output);
    emit_mark(stream, output, IW_CHUNK_RST, stream->reset.frame, stream->reset.time_ns);
}
