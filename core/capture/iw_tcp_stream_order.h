#ifndef IW_TCP_STREAM_ORDER_H
#define IW_TCP_STREAM_ORDER_H

#include "iw_tcp_stream.h"

/* Reassembly: puts the octets of a stream in order, holds back those that have to wait, and hands chunks over
 * (RFC 9293 3.10.7.4). For the modules of the stream only; iw_tcp_stream.h declares the rest of
 * iw_tcp_stream_order.c. */

/* Takes the octets of a captured segment, without SYN, FIN and RST, that is next in a stream that has neither
 * ended nor been reset: what iw_tcp_stream_accept does then, in fewer steps. Returns false, and takes
 * nothing, if octets are held back or have to be. */
bool iw_tcp_stream_continue(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment);

/* Takes the octets and the FIN of a segment whose first octet has the stream offset `offset`, negative if
 * before the first octet seen. */
void iw_tcp_stream_accept(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    const struct iw_tcp_segment *segment, int64_t offset);

/* Hands over `chunk` at the current place, and moves this by the chunk's length. Fills in its side, offset
 * and `acknowledges_missing`. */
void iw_tcp_stream_emit(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, struct iw_chunk *chunk);

/* Hands over a GAP up to the stream offset `end`, with the frame and time of what follows it. */
void iw_tcp_stream_emit_gap(struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint64_t end,
    uint64_t frame, uint64_t time_ns);

/* Reports `length` octets outside of the stream: the frame has or shows them, and they are not handed over.
 */
void iw_tcp_stream_emit_outside(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    uint32_t length, uint64_t frame, uint64_t time_ns);

/* Hands over all that is held back, with a GAP for each hole before it. */
void iw_tcp_stream_pass_all(struct iw_tcp_stream *stream, const struct iw_tcp_output *output);

#endif
