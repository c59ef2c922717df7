#ifndef IW_TCP_STREAM_H
#define IW_TCP_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_tcp_pending.h"
#include "iw_tcp_segment.h"

/* What was met in one direction. Octets are payload octets. */
struct iw_tcp_counters {
    uint64_t octets;        /* handed over as data */
    uint64_t retransmitted; /* octets seen again, keep-alive probes among them */
    uint64_t lost;          /* octets in gaps: never seen */
    uint64_t unseen;  /* those of `lost` that the other side acknowledged: the capture, not the network, lost
                         them */
    uint64_t limited; /* octets in gaps: given up when the bounds of the pool were reached */
    uint64_t cut;     /* octets in gaps: cut off by the snapshot length */
    uint64_t outside; /* octets before the first one seen, or after a FIN or RST: dropped */
    uint32_t segments;
    uint32_t out_of_order; /* segments that came before an earlier part of the stream */
    uint32_t differing;    /* octets seen again with another value while the first were still held back */
    uint32_t stray;        /* segments whose sequence number cannot belong to this stream: dropped */
};

/* One direction of a TCP connection on its way from segments to chunks. For everybody are `counters` and,
 * once a chunk was handed over, `first_seq`; the other members are private. */
struct iw_tcp_stream {
    uint64_t next_offset;           /* all before it has been handed over */
    struct iw_tcp_pending *pending; /* what waits behind a hole, NULL if there is none */
    uint32_t next_seq;              /* sequence number of `next_offset` */
    uint32_t first_seq;             /* sequence number of offset 0 */
    uint32_t acked;                 /* latest acknowledgement by the other side */
    uint8_t side;                   /* enum iw_side */
    bool started : 1;               /* the sequence numbers above are known */
    bool syn : 1;                   /* they are known from a SYN */
    bool has_ack : 1;
    bool fin_waits : 1; /* the last pending piece is a FIN */
    bool closed : 1;    /* the FIN has been handed over */
    bool reset : 1;
    bool answers_unseen : 1; /* what its segments acknowledge has not all been seen */
    struct iw_tcp_counters counters;
};

/* Where the chunks of a stream go. */
struct iw_tcp_output {
    struct iw_tcp_pool *pool;
    void (*chunk)(void *context, const struct iw_chunk *chunk);
    void *context;
};

/* A stream before its first segment; `side` marks its chunks. */
void iw_tcp_stream_init(struct iw_tcp_stream *stream, enum iw_side side);

/* Takes a segment sent in this direction and hands over what is now in order: a segment that comes in its
 * turn is handed over in place, without a copy; one that comes too early is held back. START goes out if the
 * SYN comes before any payload; without a SYN offset 0 is where the first segment is. A hole becomes a GAP
 * when the other side has acknowledged it (RFC 9293 3.4: the octets have arrived, so they will not be sent
 * again) while something behind it was seen, when the bounds of the pool are reached, at a RST and at the
 * finish. One at the bounds is `limited`, but for what the other side has acknowledged. A GAP carries the
 * frame and time of what follows it, a cut one those of the packet that was cut. `segment->length` is at most
 * IW_TCP_SEGMENT_OCTETS_MAX. */
void iw_tcp_stream_segment(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment);

/* Takes the acknowledgement number of a segment sent in the other direction. Of both calls for one segment
 * this one comes first. */
void iw_tcp_stream_acked(struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint32_t ack);

/* True if `seq` is so close to the stream's current place that a segment there may be one of a connection
 * that has ended, come late. */
bool iw_tcp_stream_may_be_late(const struct iw_tcp_stream *stream, uint32_t seq);

/* True if the other side has acknowledged octets of this stream that no segment has brought; what it sends
 * then may answer them. */
bool iw_tcp_stream_has_unseen(const struct iw_tcp_stream *stream);

/* No more segments will come: hands over what is held back, with GAPs for the holes, and a GAP for
 * acknowledged octets at the end that were never seen; that one carries `frame` and `time_ns`. */
void iw_tcp_stream_finish(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint64_t frame, uint64_t time_ns);

/* Releases what is held back without handing it over. */
void iw_tcp_stream_clear(struct iw_tcp_stream *stream, struct iw_tcp_pool *pool);

#endif
