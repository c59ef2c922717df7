#include "iw_tcp_stream.h"

#include <stdlib.h>

/* Nothing belongs to a stream that is further from its current place than the largest window, 2^30 octets
 * (RFC 7323 2.3). */
#define DISTANCE_MAX (1 << 30)

static int32_t distance(uint32_t from, uint32_t to) {
    return (int32_t)(to - from);
}

static bool is_near(uint32_t one, uint32_t other) {
    int32_t between = distance(one, other);
    return between >= -DISTANCE_MAX && between <= DISTANCE_MAX;
}

/* Much less than a window may be: what comes late has been on its way already. */
enum { LATE_MAX = 1 << 24 };

bool iw_tcp_stream_may_be_late(const struct iw_tcp_stream *stream, uint32_t seq) {
    int32_t between = distance(stream->next_seq, seq);
    return between >= -LATE_MAX && between <= LATE_MAX;
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

/* The offset up to which the other side has acknowledged, but not before the current place. */
static uint64_t acked_offset(const struct iw_tcp_stream *stream) {
    int32_t ahead = distance(stream->next_seq, stream->acked);
    bool usable = stream->has_ack && ahead > 0 && ahead <= DISTANCE_MAX;
    return stream->next_offset + (usable ? (uint32_t)ahead : 0);
}

static bool pending_reached(const struct iw_tcp_stream *stream) {
    const struct iw_tcp_piece *first = first_pending(stream);
    return first && first->offset == stream->next_offset;
}

/* Hands over `chunk`, its side and offset filled in, and steps over its octets. */
static void emit(struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_chunk chunk) {
    chunk.side = (enum iw_side)stream->side;
    chunk.offset = stream->next_offset;
    chunk.answers_unseen = stream->answers_unseen;
    stream->next_offset += chunk.length;
    stream->next_seq += chunk.length;
    output->chunk(output->context, &chunk);
}

static void emit_mark(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    enum iw_chunk_kind kind, uint64_t frame, uint64_t time_ns) {
    emit(stream, output, (struct iw_chunk){.kind = kind, .frame = frame, .time_ns = time_ns});
}

/* Hands over the first `length` octets of `piece`, which is next in the stream. */
static void emit_piece(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_piece *piece, uint32_t length) {
    struct iw_chunk chunk = {.length = length, .frame = piece->frame, .time_ns = piece->time_ns};
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
    emit(stream, output, chunk);
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
    emit(stream, output, chunk);
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
    emit(stream, output, chunk);
}

static void emit_first_pending(struct iw_tcp_stream *stream, const struct iw_tcp_output *output) {
    const struct iw_tcp_piece *first = first_pending(stream);
    emit_piece(stream, output, first, first->length);
    iw_tcp_pending_drop_first(stream->pending, output->pool);
}

/* Hands over what is no longer behind a hole. */
static void drain(struct iw_tcp_stream *stream, const struct iw_tcp_output *output) {
    while (pending_reached(stream))
        emit_first_pending(stream, output);
    if (stream->pending && !first_pending(stream))
        iw_tcp_stream_clear(stream, output->pool);
}

/* Gives up what is missing before the pending pieces, as far as the other side has acknowledged it. */
static void settle(struct iw_tcp_stream *stream, const struct iw_tcp_output *output) {
    const struct iw_tcp_piece *first = first_pending(stream);
    while (first && acked_offset(stream) > stream->next_offset) {
        give_up(stream, output, least(acked_offset(stream), first->offset), first->frame, first->time_ns);
        drain(stream, output);
        first = first_pending(stream);
    }
}

/* Hands over everything pending, with GAPs for what is missing. */
static void flush(struct iw_tcp_stream *stream, const struct iw_tcp_output *output) {
    const struct iw_tcp_piece *first = first_pending(stream);
    while (first) {
        give_up(stream, output, first->offset, first->frame, first->time_ns);
        drain(stream, output);
        first = first_pending(stream);
    }
}

/* ---- taking in ---- */

/* Cuts off what is already handed over at the front and what lies beyond the FIN. False if nothing is left.
 */
static bool clip(struct iw_tcp_stream *stream, struct iw_tcp_piece *piece) {
    if (piece->offset < stream->next_offset) {
        uint32_t old = (uint32_t)least(piece->length, stream->next_offset - piece->offset);
        stream->counters.retransmitted += old;
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
        stream->counters.outside += piece->length - inside;
        piece->length = inside;
    }
    return piece->length > 0;
}

/* Hands over the start of `piece`, which is next in the stream, up to what is pending, and then that. */
static void pass(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece *piece) {
    const struct iw_tcp_piece *first = first_pending(stream);
    uint32_t length = piece->length;
    if (first)
        length = (uint32_t)least(length, first->offset - piece->offset);
    if (length > 0 || piece->fin)
        emit_piece(stream, output, piece, length);
    iw_tcp_piece_advance(piece, length);
    if (first && first->offset == stream->next_offset) {
        uint32_t overlap = (uint32_t)least(first->length, piece->length);
        stream->counters.differing += iw_tcp_piece_differing(first, piece, overlap);
        emit_first_pending(stream, output);
    }
}

static bool hold_back(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece *piece) {
    if (!stream->pending)
        stream->pending = calloc(1, sizeof *stream->pending);
    if (!stream->pending ||
        !iw_tcp_pending_add(stream->pending, output->pool, piece, &stream->counters.differing))
        return false;
    stream->fin_waits |= piece->fin;
    return true;
}

static void accept(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece piece) {
    while (clip(stream, &piece)) {
        if (piece.offset == stream->next_offset) {
            pass(stream, output, &piece);
            continue;
        }
        if (hold_back(stream, output, &piece))
            break;
        const struct iw_tcp_piece *first = first_pending(stream);
        const struct iw_tcp_piece *follows = first && first->offset < piece.offset ? first : &piece;
        give_up_limited(stream, output, follows);
        drain(stream, output);
    }
    drain(stream, output);
}

static void accept_fin(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_tcp_piece fin) {
    const struct iw_tcp_piece *last = stream->pending ? iw_tcp_pending_last(stream->pending) : NULL;
    if (stream->closed || stream->fin_waits)
        return;
    if (fin.offset < stream->next_offset || (last && fin.offset < iw_tcp_piece_end(last)))
        stream->counters.stray++; /* octets after this end were seen before it */
    else
        accept(stream, output, fin);
}

/* Splits the segment that starts at `offset`, negative if before the first octet seen, into what was
 * captured, what was cut off, and the FIN. */
static void accept_segment(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_segment *segment, int64_t offset) {
    uint32_t before = offset < 0 ? (uint32_t)least((uint64_t)-offset, segment->length) : 0;
    uint32_t cut_from = segment->captured > before ? segment->captured : before;
    struct iw_tcp_piece piece = {.frame = segment->frame, .time_ns = segment->time_ns};

    stream->counters.outside += before;
    if (offset + segment->length < 0)
        return;
    uint64_t end = (uint64_t)(offset + segment->length);
    if (segment->length > before && (uint64_t)(offset + before) > stream->next_offset)
        stream->counters.out_of_order++;
    if (segment->captured > before) {
        piece.offset = (uint64_t)(offset + before);
        piece.length = segment->captured - before;
        piece.octets = segment->payload + before;
        accept(stream, output, piece);
    }
    if (segment->length > cut_from) {
        piece.offset = (uint64_t)(offset + cut_from);
        piece.length = segment->length - cut_from;
        piece.octets = NULL;
        accept(stream, output, piece);
    }
    if (segment->flags & IW_TCP_FIN) {
        piece = (struct iw_tcp_piece){
            .offset = end, .fin = true, .frame = segment->frame, .time_ns = segment->time_ns};
        accept_fin(stream, output, piece);
    }
    settle(stream, output);
}

static void start(struct iw_tcp_stream *stream, uint32_t seq) {
    stream->started = true;
    stream->first_seq = seq;
    stream->next_seq = seq;
}

/* False if it is the SYN of another connection. */
static bool accept_syn(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    uint32_t seq = segment->seq + 1;
    if (!stream->started)
        start(stream, seq);
    else if (seq != stream->first_seq)
        return false;
    if (!stream->syn && stream->next_offset == 0 && !stream->closed) {
        stream->syn = true;
        emit(stream, output,
            (struct iw_chunk){.kind = IW_CHUNK_START,
                .mss = segment->mss,
                .frame = segment->frame,
                .time_ns = segment->time_ns});
    }
    return true;
}

static void accept_reset(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    if (stream->reset)
        return;
    if (stream->started && !is_near(stream->next_seq, segment->seq)) {
        stream->counters.stray++;
        return;
    }
    iw_tcp_stream_finish(stream, output, segment->frame, segment->time_ns);
    stream->reset = true;
    emit_mark(stream, output, IW_CHUNK_RST, segment->frame, segment->time_ns);
}

/* A first segment without payload may have been a keep-alive probe, one octet back (RFC 9293 3.8.4): if the
 * next one says so, the stream starts there. */
static void correct_start(struct iw_tcp_stream *stream, uint32_t seq) {
    bool fresh = !stream->syn && stream->next_offset == 0 && !stream->pending && !stream->closed;
    if (fresh && distance(stream->next_seq, seq) == 1)
        start(stream, seq);
}

/* The capture may have missed more than a window. Where the other side's acknowledgements have gone the same
 * way, the stream goes on there; the true length of the GAP is known but for multiples of 2^32. */
static bool resynchronise(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    bool confirmed = segment->length > 0 && stream->has_ack && is_near(stream->acked, segment->seq) &&
                     !is_near(stream->acked, stream->next_seq);
    if (!confirmed || stream->closed || stream->fin_waits)
        return false;
    flush(stream, output);
    uint32_t missing = segment->seq - stream->next_seq;
    give_up(stream, output, stream->next_offset + missing, segment->frame, segment->time_ns);
    return true;
}

void iw_tcp_stream_segment(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    uint32_t seq = segment->seq;
    stream->counters.segments++;
    if (segment->flags & IW_TCP_RST) {
        accept_reset(stream, output, segment);
        return;
    }
    if (stream->reset) {
        stream->counters.outside += segment->length;
        return;
    }
    bool ours = true;
    if (segment->flags & IW_TCP_SYN) {
        ours = accept_syn(stream, output, segment);
        seq++;
    } else if (!stream->started) {
        start(stream, seq);
    } else {
        correct_start(stream, seq);
    }
    if (ours && !is_near(stream->next_seq, seq))
        ours = resynchronise(stream, output, segment);
    if (ours)
        accept_segment(
            stream, output, segment, (int64_t)stream->next_offset + distance(stream->next_seq, seq));
    else
        stream->counters.stray++;
}

void iw_tcp_stream_acked(struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint32_t ack) {
    int32_t ahead = distance(stream->acked, ack);
    if (stream->has_ack && ahead <= 0 && ahead >= -DISTANCE_MAX)
        return; /* an older one, overtaken */
    stream->has_ack = true;
    stream->acked = ack;
    if (stream->started)
        settle(stream, output);
}

/* One octet more may as well be a FIN that was not seen. */
bool iw_tcp_stream_has_unseen(const struct iw_tcp_stream *stream) {
    return stream->started && !stream->closed && acked_offset(stream) > stream->next_offset + 1;
}

void iw_tcp_stream_finish(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint64_t frame, uint64_t time_ns) {
    flush(stream, output);
    if (!stream->started || stream->closed || stream->reset)
        return;
    if (iw_tcp_stream_has_unseen(stream))
        give_up(stream, output, acked_offset(stream), frame, time_ns);
}
