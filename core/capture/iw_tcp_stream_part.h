#pragma once

#include "iw_tcp_stream.h"

/* Functions that only the iw_tcp_stream*.c files share. */

/* ---- iw_tcp_stream_ack.c: acknowledgements and sequence numbers ---- */

/* Returns the stream offset up to which the other side has acknowledged octets (RFC 9293 3.4); at least
 * `next_offset`. */
uint64_t iw_tcp_stream_acked_offset(const struct iw_tcp_stream *stream);

/* Like iw_tcp_stream_acked_offset, but counts only acknowledgements of long ago: see iw_tcp_stream_age. */
uint64_t iw_tcp_stream_acked_offset_long_ago(const struct iw_tcp_stream *stream);

/* Returns the stream offset up to which octets were sent, as acknowledgements, SACKs or segments without
 * octets show; at least `next_offset`. The last octet may be a FIN instead. */
uint64_t iw_tcp_stream_sent_offset(const struct iw_tcp_stream *stream);

/* Returns the sequence number after all captured octets, and after the FIN if it was captured. */
uint32_t iw_tcp_stream_seen_end(const struct iw_tcp_stream *stream);

/* Returns how many octets of `other`, a FIN included, `ack` acknowledges that were not handed over. */
int32_t iw_tcp_stream_missing(const struct iw_tcp_stream *other, uint32_t ack);

/* Whether `ack` acknowledges octets of `other` that were not captured; false for one octet, perhaps a FIN.
 * True also if nothing of `other` was captured, and nothing shows that `ack` is its first number: a first
 * segment that is retransmitted or joined with later ones acknowledges octets. */
bool iw_tcp_stream_is_unseen(const struct iw_tcp_stream *other, uint32_t ack);

/* Forgets acknowledgements of an earlier connection: far from the SYN that has just started the stream. */
void iw_tcp_stream_forget_acks(struct iw_tcp_stream *stream);

/* Takes a segment without octets: all octets before its number have been sent (RFC 9293 3.10.7.4). */
void iw_tcp_stream_note_sent(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment);

/* ---- iw_tcp_stream_order.c: the order of octets (RFC 9293 3.10.7.4) ---- */

/* A faster iw_tcp_stream_accept for a completely captured segment without SYN, FIN and RST. It must be next
 * in the stream, and the stream must be open. Returns false, and takes nothing, if octets are already held
 * back, or if the segment must wait for the other side. */
bool iw_tcp_stream_continue(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment);

/* Takes octets and FIN of a segment that begins at stream offset `offset`; negative: before offset 0. */
void iw_tcp_stream_accept(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_segment *segment, int64_t offset);

/* Sets side, offset and `acknowledges_missing` of `chunk`, hands it over, and advances `next_offset`. */
void iw_tcp_stream_emit(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_chunk *chunk);

/* Hands over a GAP up to stream offset `end`, with the frame and time of the octets after the GAP. */
void iw_tcp_stream_emit_gap(struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint64_t end,
    uint64_t frame, uint64_t time_ns);

/* Hands over OUTSIDE for `length` octets that `frame` contains or shows to have been sent. */
void iw_tcp_stream_emit_outside(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    uint32_t length, uint64_t frame, uint64_t time_ns);

/* Hands over all held octets, with a GAP for each hole. */
void iw_tcp_stream_pass_all(struct iw_tcp_stream *stream, const struct iw_tcp_output *output);
