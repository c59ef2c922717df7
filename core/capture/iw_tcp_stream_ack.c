#include "iw_tcp_stream_part.h"

#include "iw_placement.h"
#include "iw_tcp_seq.h"

bool iw_tcp_stream_may_be_late(const struct iw_tcp_stream *stream, uint32_t seq) {
    return iw_tcp_seq_is_in_flight(stream->next_seq, seq);
}

/* Returns the stream offset of `ack`; `next_offset` if `ack` is old, too far ahead or not `known`. */
static uint64_t stream_offset(const struct iw_tcp_stream *stream, bool known, uint32_t ack) {
    int32_t ahead = iw_tcp_seq_distance(stream->next_seq, ack);
    bool usable = known && ahead > 0 && ahead <= IW_TCP_WINDOW_MAX;
    return stream->next_offset + (usable ? (uint32_t)ahead : 0);
}

uint64_t iw_tcp_stream_acked_offset(const struct iw_tcp_stream *stream) {
    return stream_offset(stream, stream->acks.has_latest, stream->acks.latest);
}

uint64_t iw_tcp_stream_acked_offset_long_ago(const struct iw_tcp_stream *stream) {
    return stream_offset(stream, stream->acks.has_long_ago, stream->acks.long_ago);
}

uint64_t iw_tcp_stream_sent_offset(const struct iw_tcp_stream *stream) {
    uint64_t sent = stream_offset(stream, stream->has_sent_seq, stream->sent_seq),
             doubtful = stream_offset(stream, stream->acks.has_doubtful, stream->acks.doubtful),
             acked = iw_tcp_stream_acked_offset(stream);
    sent = sent > doubtful ? sent : doubtful;
    return sent > acked ? sent : acked;
}

int32_t iw_tcp_stream_missing(const struct iw_tcp_stream *other, uint32_t ack) {
    int32_t ahead = iw_tcp_seq_distance(other->next_seq + other->closed, ack);
    return ahead > 0 && ahead <= IW_TCP_WINDOW_MAX ? ahead : 0;
}

bool iw_tcp_stream_is_unseen(const struct iw_tcp_stream *other, uint32_t ack) {
    if (!other->started)
        return other->acks.has_latest &&
               (!other->acks.first_exact || iw_tcp_seq_distance(other->acks.first, ack) > 1);
    return iw_tcp_stream_missing(other, ack) > 1 || !iw_tcp_seq_is_near(other->next_seq, ack);
}

uint32_t iw_tcp_stream_seen_end(const struct iw_tcp_stream *stream) {
    const struct iw_tcp_piece *last = stream->pending ? iw_tcp_pending_last(stream->pending) : NULL;
    uint64_t ahead = last ? iw_tcp_piece_end(last) - stream->next_offset : 0;
    return stream->next_seq + (uint32_t)ahead + (stream->closed || stream->fin_waits);
}

/* Whether the other side may have sent the octets that the segment acknowledges; true if unknown. A receiver
 * drops a segment that acknowledges other octets (RFC 9293 3.10.7.4, RFC 5961 5.2). */
static bool ack_acknowledges_near(const struct iw_tcp_stream *other, const struct iw_tcp_segment *segment) {
    return !other || !other->started || !(segment->flags & IW_TCP_ACK) ||
           iw_tcp_seq_is_in_flight(other->next_seq, segment->ack);
}

bool iw_tcp_stream_acknowledges(const struct iw_tcp_stream *stream, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment) {
    return !stream->started || iw_tcp_seq_is_near(stream->next_seq, segment->seq) ||
           (segment->length > 0 && !ack_acknowledges_near(other, segment));
}

/* Whether `ack` is doubtful: far from all captured octets and from the previous doubtful number. Stores
 * it. */
IW_COLD static bool stream_doubts_ack(struct iw_tcp_stream *stream, uint32_t ack) {
    bool similar = stream->acks.has_doubtful && iw_tcp_seq_is_in_flight(stream->acks.doubtful, ack);
    int32_t ahead = iw_tcp_seq_distance(iw_tcp_stream_seen_end(stream), ack);
    stream->acks.has_doubtful =
        stream->started && (ahead > IW_TCP_IN_FLIGHT_MAX || ahead < -IW_TCP_WINDOW_MAX) && !similar;
    stream->acks.doubtful = ack;
    return stream->acks.has_doubtful;
}

/* Before the stream starts, keeps the lowest number as the first: a disordered capture shows it later. */
static void stream_lower_first_ack(struct iw_tcp_stream *stream, uint32_t ack) {
    int32_t below = iw_tcp_seq_distance(ack, stream->acks.first);
    if (stream->started || !stream->acks.has_latest || below <= 0 || below > IW_TCP_IN_FLIGHT_MAX)
        return;
    stream->acks.first = ack;
    stream->acks.first_exact = false;
}

IW_HOT void iw_tcp_stream_acked(struct iw_tcp_stream *stream, uint32_t ack) {
    int32_t ahead = iw_tcp_seq_distance(stream->acks.latest, ack);
    stream_lower_first_ack(stream, ack);
    bool seen = stream->started && stream->next_seq + 1 - ack <= IW_TCP_IN_FLIGHT_MAX;
    if (seen)
        stream->acks.has_doubtful = false;
    if ((!seen && stream_doubts_ack(stream, ack)) ||
        (stream->acks.has_latest && ahead <= 0 && ahead >= -IW_TCP_WINDOW_MAX))
        return; /* doubtful, or not later than the latest number */
    if (!stream->acks.has_latest)
        stream->acks.first = ack;
    stream->acks.has_latest = true;
    stream->acks.latest = ack;
    stream->counters.stray += iw_tcp_reset_acked(&stream->reset, ack);
}

void iw_tcp_stream_sacked(struct iw_tcp_stream *stream, uint32_t end) {
    int32_t ahead = iw_tcp_seq_distance(stream->next_seq, end);
    if (!stream->started || ahead <= 0 || ahead > IW_TCP_IN_FLIGHT_MAX ||
        (stream->has_sent_seq && iw_tcp_seq_distance(stream->sent_seq, end) <= 0))
        return;
    stream->has_sent_seq = true;
    stream->sent_seq = end;
}

void iw_tcp_stream_acked_first(struct iw_tcp_stream *stream, uint32_t ack) {
    stream->acks.first_exact |= stream->acks.has_latest && stream->acks.first == ack;
}

void iw_tcp_stream_forget_acks(struct iw_tcp_stream *stream) {
    if (stream->acks.latest - stream->next_seq <= IW_TCP_IN_FLIGHT_MAX)
        return;
    stream->acks.has_latest = stream->acks.has_before = stream->acks.has_long_ago = stream->acks.first_exact =
        false;
}

void iw_tcp_stream_note_sent(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment) {
    int32_t ahead = iw_tcp_seq_distance(stream->next_seq, segment->seq);
    if (ahead <= 0 || ahead > IW_TCP_IN_FLIGHT_MAX ||
        (stream->has_sent_seq && iw_tcp_seq_distance(stream->sent_seq, segment->seq) <= 0))
        return;
    if (!ack_acknowledges_near(output->other, segment))
        return;
    stream->has_sent_seq = true;
    stream->sent_seq = segment->seq;
}

IW_COLD void iw_tcp_stream_age(struct iw_tcp_stream *stream) {
    stream->acks.has_long_ago = stream->acks.has_before;
    stream->acks.long_ago = stream->acks.before;
    stream->acks.has_before = stream->acks.has_latest;
    stream->acks.before = stream->acks.latest;
}

bool iw_tcp_stream_reset_ack(const struct iw_tcp_stream *stream, uint32_t *ack) {
    const struct iw_tcp_reset *reset = &stream->reset;
    *ack = reset->ack;
    return reset->has_ack &&
           (reset->rank == IW_TCP_RESET_EXACT ||
               (reset->rank != IW_TCP_RESET_NONE && reset->seq == stream->next_seq + stream->closed));
}

bool iw_tcp_stream_is_done(const struct iw_tcp_stream *stream) {
    return stream->closed && stream->acks.has_latest && stream->acks.latest == stream->next_seq + 1;
}
