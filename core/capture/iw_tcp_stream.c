#include "iw_tcp_stream.h"

#include <stdlib.h>

#include "iw_placement.h"
#include "iw_tcp_seq.h"
#include "iw_tcp_stream_part.h"

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

static void stream_start(struct iw_tcp_stream *stream, uint32_t seq) {
    stream->started = true;
    stream->next_seq = seq;
}

/* Whether this first SYN+ACK of the side answers the SYN of the other side, while the stream is open and none
 * of its octets have been handed over or acknowledged. Octets of this side captured before the SYN+ACK then
 * belong to an earlier connection. */
static bool tcp_stream_syn_begins_again(
    const struct iw_tcp_stream *stream, const struct iw_tcp_stream *other, const struct iw_tcp_segment *syn) {
    return !stream->syn && stream->next_offset == 0 && !stream->closed && other && other->syn &&
           !other->acked_other && (syn->flags & IW_TCP_ACK) && syn->ack == iw_tcp_stream_first_seq(other);
}

IW_COLD static void stream_drop_all(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *syn) {
    uint32_t octets = stream->pending ? stream->pending->octets : 0;
    iw_tcp_stream_clear(stream, output->pool);
    stream->has_sent_seq = false;
    stream->counters.stray++;
    iw_tcp_stream_report_outside(stream, output, octets, syn->frame, syn->time_ns);
}

/* Starts the stream at the SYN. Returns false if the SYN belongs to a different connection. */
IW_COLD static bool stream_accept_syn(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    uint32_t seq = segment->seq + 1;
    bool known = stream->started && seq == iw_tcp_stream_first_seq(stream);
    if (stream->started && !known && !tcp_stream_syn_begins_again(stream, output->other, segment))
        return false;
    if (stream->started && !known)
        stream_drop_all(stream, output, segment);
    if (!known) {
        stream_start(stream, seq);
        iw_tcp_stream_forget_acks(stream);
    }
    if (!stream->syn && stream->next_offset == 0 && !stream->closed) {
        stream->syn = true;
        struct iw_chunk chunk = {.kind = IW_CHUNK_START,
            .mss = segment->mss,
            .frame = segment->frame,
            .time_ns = segment->time_ns};
        iw_tcp_stream_emit(stream, output, &chunk);
    }
    return true;
}

/* Corrects the start of a stream that began with a keep-alive probe, one too low (RFC 9293 3.8.4). */
static void tcp_stream_correct_start(struct iw_tcp_stream *stream, uint32_t seq) {
    bool expected = stream->acks.has_latest && stream->acks.first == stream->next_seq;
    bool fresh = !stream->syn && stream->next_offset == 0 && !stream->pending && !stream->closed;
    if (fresh && !expected && iw_tcp_seq_distance(stream->next_seq, seq) == 1)
        stream_start(stream, seq);
}

/* Continues the stream after a GAP at a segment far away, if the other side has acknowledged octets near that
 * segment: the capture may lack more than a window. The length of the GAP is known modulo 2^32. */
IW_COLD static bool stream_resynchronise(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    uint32_t acked = stream->acks.has_doubtful ? stream->acks.doubtful : stream->acks.latest;
    bool confirmed = segment->length > 0 && (stream->acks.has_latest || stream->acks.has_doubtful) &&
                     iw_tcp_seq_is_near(acked, segment->seq) && !iw_tcp_seq_is_near(acked, stream->next_seq);
    if (!confirmed || stream->closed || stream->fin_waits)
        return false;
    iw_tcp_stream_pass_all(stream, output);
    uint32_t lost = segment->seq - stream->next_seq;
    iw_tcp_stream_emit_gap(stream, output, stream->next_offset + lost, segment->frame, segment->time_ns);
    return true;
}

/* Starts a stream without SYN at its first captured octet; but at the first number that the other side
 * acknowledged if the SYN of that side was captured, or if it has acknowledged more since. */
static void tcp_stream_start_within(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint32_t seq) {
    bool whole = stream->acks.has_latest &&
                 ((output->other && output->other->syn) || stream->acks.latest != stream->acks.first);
    int32_t lost = iw_tcp_seq_distance(stream->acks.first, seq);
    stream_start(stream, whole && lost > 0 && lost <= IW_TCP_IN_FLIGHT_MAX ? stream->acks.first : seq);
}

/* Sets `*seq` to the number of the first octet. Returns false if the segment is not of this stream. */
static bool stream_find_place(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_segment *segment, uint32_t *seq) {
    *seq = segment->seq;
    if (segment->flags & IW_TCP_SYN) {
        ++*seq;
        if (!stream_accept_syn(stream, output, segment))
            return false;
    } else if (!stream->started) {
        tcp_stream_start_within(stream, output, *seq);
    } else {
        tcp_stream_correct_start(stream, *seq);
    }
    return iw_tcp_seq_is_near(stream->next_seq, *seq) || stream_resynchronise(stream, output, segment);
}

IW_COLD static void stream_accept_reset(struct iw_tcp_stream *stream, const struct iw_tcp_segment *segment) {
    struct iw_tcp_reset reset = {.frame = segment->frame,
        .time_ns = segment->time_ns,
        .seq = segment->seq,
        .has_ack = segment->flags & IW_TCP_ACK,
        .ack = segment->ack,
        .end = segment->seq,
        .rank = IW_TCP_RESET_EXACT};
    if (stream->started) {
        const struct iw_tcp_reset_place place = {.next = stream->next_seq + stream->closed,
            .seen = iw_tcp_stream_seen_end(stream),
            .closed = stream->closed,
            .has_ack = stream->acks.has_latest,
            .acked = stream->acks.latest};
        reset.rank = (uint8_t)iw_tcp_reset_rank(&place, segment->seq);
        if (iw_tcp_seq_distance(reset.end, place.seen) > 0)
            reset.end = place.seen;
    }
    stream->counters.stray += iw_tcp_reset_keep(&stream->reset, &reset);
}

/* Whether the single octet is not captured yet but already acknowledged, as the latest: it may be the garbage
 * of a keep-alive (RFC 9293 3.8.4), which must not fill the hole. */
static bool tcp_stream_may_be_garbage(
    const struct iw_tcp_stream *stream, const struct iw_tcp_segment *segment, uint32_t seq) {
    return segment->length == 1 && stream->acks.has_latest && stream->acks.latest == seq + 1 &&
           iw_tcp_seq_distance(stream->next_seq, seq) >= 0 && !(segment->flags & (IW_TCP_SYN | IW_TCP_FIN));
}

/* Whether the segment is of the common kind: only the next octets, or only an acknowledgement. */
static bool tcp_stream_is_continuation(
    const struct iw_tcp_stream *stream, const struct iw_tcp_segment *segment) {
    return segment->seq == stream->next_seq && !(segment->flags & (IW_TCP_SYN | IW_TCP_FIN | IW_TCP_RST)) &&
           stream->started && !stream->closed && stream->reset.rank == IW_TCP_RESET_NONE &&
           segment->captured == segment->length && segment->length != 1;
}

void iw_tcp_stream_segment(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    uint32_t seq;
    stream->counters.segments++;
    if (tcp_stream_is_continuation(stream, segment) && iw_tcp_stream_continue(stream, output, segment))
        return;
    if (segment->flags & IW_TCP_RST) {
        stream_accept_reset(stream, segment);
    } else if (stream_find_place(stream, output, segment, &seq)) {
        stream->counters.stray += iw_tcp_reset_followed(&stream->reset, seq + segment->length);
        if (tcp_stream_may_be_garbage(stream, segment, seq)) {
            stream->counters.retransmitted++;
            return;
        }
        if (segment->length == 0)
            iw_tcp_stream_note_sent(stream, output, segment);
        iw_tcp_stream_accept(stream, output, segment,
            (int64_t)stream->next_offset + iw_tcp_seq_distance(stream->next_seq, seq));
    } else {
        stream->counters.stray++;
        iw_tcp_stream_emit_outside(stream, output, segment->length, segment->frame, segment->time_ns);
    }
}

void iw_tcp_stream_refuse(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    stream->counters.segments++;
    stream->counters.stray++;
    iw_tcp_stream_emit_outside(stream, output, segment->length, segment->frame, segment->time_ns);
}

IW_COLD void iw_tcp_stream_skip(struct iw_tcp_stream *stream, const struct iw_tcp_segment *segment) {
    uint32_t end = segment->seq + segment->length;
    stream->counters.segments++;
    if (!stream->started)
        stream_start(stream, segment->seq);
    if (!iw_tcp_seq_is_near(stream->next_seq, segment->seq) || iw_tcp_seq_distance(stream->next_seq, end) < 0)
        return;
    stream->next_offset += end - stream->next_seq;
    stream->next_seq = end;
    stream->closed |= (segment->flags & IW_TCP_FIN) != 0;
}

void iw_tcp_stream_begin_unseen(struct iw_tcp_stream *stream) {
    if (!stream->started && stream->acks.has_latest)
        stream_start(stream, stream->acks.first);
}

IW_COLD void iw_tcp_stream_other_began(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *syn) {
    uint32_t count = stream->pending ? stream->pending->count : 0, octets;
    if (count == 0)
        return;
    octets =
        iw_tcp_pending_drop_acks_outside(stream->pending, output->pool, syn->seq + 1, IW_TCP_IN_FLIGHT_MAX);
    stream->counters.stray += count - stream->pending->count;
    iw_tcp_stream_report_outside(stream, output, octets, syn->frame, syn->time_ns);
    const struct iw_tcp_piece *last = iw_tcp_pending_last(stream->pending);
    stream->fin_waits = last && last->fin;
    if (!last)
        iw_tcp_stream_clear(stream, output->pool);
}

/* Reports the octets missing before a RST. They were sent if the receiver obeys the RST; one may be a FIN. */
static void tcp_stream_report_unseen_before_reset(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output) {
    const struct iw_tcp_reset *reset = &stream->reset;
    int32_t unseen = iw_tcp_seq_distance(stream->next_seq, reset->seq);
    if (!stream->started || stream->closed || unseen <= 0)
        return;
    iw_tcp_stream_report_outside(stream, output, (uint32_t)unseen, reset->frame, reset->time_ns);
}

void iw_tcp_stream_finish(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint64_t frame, uint64_t time_ns) {
    uint64_t sent = stream->started && !stream->closed ? iw_tcp_stream_sent_offset(stream) : 0;
    if (sent > stream->next_offset + 1)
        iw_tcp_stream_emit_gap(stream, output, sent, frame, time_ns);
    else if (sent > stream->next_offset)
        /* The missing number may be a FIN; a GAP would state that it is an octet. */
        iw_tcp_stream_report_outside(stream, output, 1, frame, time_ns);
    if (stream->closed)
        stream->counters.stray += iw_tcp_reset_closed(&stream->reset, stream->next_seq + 1);
    if (stream->reset.rank == IW_TCP_RESET_NONE)
        return;
    tcp_stream_report_unseen_before_reset(stream, output);
    iw_tcp_stream_emit(stream, output,
        &(struct iw_chunk){
            .kind = IW_CHUNK_RST, .frame = stream->reset.frame, .time_ns = stream->reset.time_ns});
}
