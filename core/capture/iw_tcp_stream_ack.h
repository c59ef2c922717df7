#ifndef IW_TCP_STREAM_ACK_H
#define IW_TCP_STREAM_ACK_H

#include "iw_tcp_stream.h"

/* What acknowledgements and sequence numbers show of a stream, whether its octets were captured or not. For
 * the modules of the stream only; iw_tcp_stream.h declares the rest of iw_tcp_stream_ack.c. */

/* The stream offset up to which the other side has acknowledged octets (RFC 9293 3.4), but at least the
 * current place; the current place without an acknowledgement. */
uint64_t iw_tcp_stream_acked_offset(const struct iw_tcp_stream *stream);

/* The same for acknowledgements of long ago: see iw_tcp_stream_age. */
uint64_t iw_tcp_stream_acked_offset_long_ago(const struct iw_tcp_stream *stream);

/* The stream offset, never before the current place, up to which anything shows that octets were sent:
 * acknowledgements, or segments without octets. The last octet may be a FIN instead. */
uint64_t iw_tcp_stream_sent_offset(const struct iw_tcp_stream *stream);

/* The sequence number after all octets that were captured, and after the FIN if it was captured. */
uint32_t iw_tcp_stream_seen_end(const struct iw_tcp_stream *stream);

/* How many octets of `other` the acknowledgement number `ack` covers that have not been handed over; a FIN
 * counts as one. */
int32_t iw_tcp_stream_missing(const struct iw_tcp_stream *other, uint32_t ack);

/* Whether `ack` covers octets of `other` that were not captured. A single one does not count: it may be a FIN
 * that was not captured. */
bool iw_tcp_stream_is_unseen(const struct iw_tcp_stream *other, uint32_t ack);

/* Forgets acknowledgements that are far from the sequence number at which the SYN has just started the
 * stream: they are of an earlier connection. */
void iw_tcp_stream_forget_acks(struct iw_tcp_stream *stream);

/* Takes a segment of the stream without octets. Its sequence number is that of the octet that its sender will
 * send next (RFC 9293 3.10.7.4): all octets before it have been sent. */
void iw_tcp_stream_note_sent(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment);

#endif
