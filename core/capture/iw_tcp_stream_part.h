#ifndef IW_TCP_STREAM_PART_H
#define IW_TCP_STREAM_PART_H

#include "iw_tcp_stream.h"

/* Functions that only the iw_tcp_stream*.c files share. */

/* ---- iw_tcp_stream_ack.c: what acknowledgements and sequence numbers show, captured or not ---- */

/* The stream offset up to which the other side has acknowledged octets (RFC 9293 3.4), but at least
 * `next_offset`; `next_offset` without an acknowledgement. */
uint64_t iw_tcp_stream_acked_offset(const struct iw_tcp_stream *stream);

/* Like iw_tcp_stream_acked_offset, but counts only acknowledgements of long ago: see iw_tcp_stream_age. */
uint64_t iw_tcp_stream_acked_offset_long_ago(const struct iw_tcp_stream *stream);

/* The stream offset, at least `next_offset`, up to which anything shows that octets were sent:
 * acknowledgements, SACKs, or segments without octets. The last octet may be a FIN instead. */
uint64_t iw_tcp_stream_sent_offset(const struct iw_tcp_stream *stream);

/* The sequence number after all octets that were captured, and after the FIN if it was captured. */
uint32_t iw_tcp_stream_seen_end(const struct iw_tcp_stream *stream);

/* The octets of `other` that `ack` acknowledges but that were not handed over yet; a FIN counts as one. */
int32_t iw_tcp_stream_missing(const struct iw_tcp_stream *other, uint32_t ack);

/* Whether `ack` covers octets of `other` that were not captured; a single one may be a FIN. */
bool iw_tcp_stream_is_unseen(const struct iw_tcp_stream *other, uint32_t ack);

/* Forgets acknowledgements far from the SYN that has just started the stream: of an earlier connection. */
void iw_tcp_stream_forget_acks(struct iw_tcp_stream *stream);

/* Takes a segment of the stream without octets. Its sequence number is that of the octet that its sender will
 * send next (RFC 9293 3.10.7.4): all octets before it have been sent. */
void iw_tcp_stream_note_sent(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment);

/* ---- iw_tcp_stream_order.c: puts octets in order, holds back those that wait (RFC 9293 3.10.7.4) ---- */

/* A faster iw_tcp_stream_accept for a completely captured segment without SYN, FIN and RST. It must be next
 * in the stream, and the stream must be open. Returns false, and takes nothing, if octets are already held
 * back, or if the segment must wait for the other side. */
bool iw_tcp_stream_continue(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment);

/* Takes octets and FIN of a segment that begins at stream offset `offset`; negative: before offset 0. */
void iw_tcp_stream_accept(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_segment *segment, int64_t offset);

/* Hands over `chunk` at `next_offset` and advances that. Sets side, offset and `acknowledges_missing`. */
void iw_tcp_stream_emit(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_chunk *chunk);

/* Hands over a GAP up to the stream offset `end`, with the frame and time of what follows it. */
void iw_tcp_stream_emit_gap(struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint64_t end,
    uint64_t frame, uint64_t time_ns);

/* Reports `length` octets outside of the stream: the frame has them, or shows that they were sent. */
void iw_tcp_stream_emit_outside(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    uint32_t length, uint64_t frame, uint64_t time_ns);

/* Hands over all that is held back, with a GAP for each hole. */
void iw_tcp_stream_pass_all(struct iw_tcp_stream *stream, const struct iw_tcp_output *output);

#endif
