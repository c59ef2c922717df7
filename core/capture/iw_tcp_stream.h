#ifndef IW_TCP_STREAM_H
#define IW_TCP_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_tcp_pending.h"
#include "iw_tcp_reset.h"
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
    uint64_t outside; /* octets before the first one seen, or after a FIN: not handed over */
    uint32_t segments;
    uint32_t out_of_order; /* segments that came before an earlier part of the stream */
    uint32_t differing;    /* octets seen again with another value while the first were still held back */
    uint32_t stray; /* segments whose sequence number cannot belong to this stream, and RSTs that no receiver
                       obeys: ignored */
};

/* One direction of a TCP connection on its way from segments to chunks. For everybody are `counters`; the
 * other members are private. */
struct iw_tcp_stream {
    uint64_t next_offset;           /* all before it has been handed over */
    struct iw_tcp_pending *pending; /* what waits: for octets before it, or for octets of the other side; NULL
                                       if there is none */
    struct iw_tcp_reset reset;      /* what may be the end of the stream */
    uint32_t next_seq;              /* sequence number of `next_offset` */
    uint32_t told_seq;              /* latest one that a segment without octets has; valid with `has_told` */
    uint32_t first_acked;           /* first acknowledgement by the other side */
    uint32_t acked;                 /* latest one */
    uint32_t acked_before;          /* latest one when iw_tcp_stream_age was called last */
    uint32_t acked_long_ago;        /* and the time before: what it covers will not come any more */
    uint32_t acked_doubtful;        /* an acknowledgement far ahead of all that was seen */
    uint8_t side;                   /* enum iw_side */
    bool started : 1;               /* the sequence numbers of the stream are known */
    bool syn : 1;                   /* they are known from a SYN */
    bool has_ack : 1;
    bool has_ack_before : 1;
    bool has_ack_long_ago : 1;
    bool has_doubtful : 1;
    bool has_told : 1;
    bool first_exact : 1;    /* `first_acked` is the number of the first octet that was ever sent */
    bool fin_waits : 1;      /* the last pending piece is a FIN */
    bool closed : 1;         /* the FIN has been handed over */
    bool answers_unseen : 1; /* what its latest chunk acknowledges has not all been seen */
    bool sets_ack : 1;       /* segments with octets have had ACK: one without it is dropped */
    bool waited_in_vain : 1; /* the octets of the other side that it acknowledges did not come in time: it
                                does not wait for more, until one comes */
    struct iw_tcp_counters counters;
};

/* Sequence number of offset 0; valid once a chunk was handed over. */
static inline uint32_t iw_tcp_stream_first_seq(const struct iw_tcp_stream *stream) {
    return stream->next_seq - (uint32_t)stream->next_offset;
}

/* Where the chunks of a stream go, and what they wait for. */
struct iw_tcp_output {
    struct iw_tcp_pool *pool;
    void (*chunk)(void *context, const struct iw_chunk *chunk);
    void *context;
    const struct iw_tcp_stream *other; /* the stream of the other side; NULL: nothing waits for it */
    uint32_t turn;                     /* segments of the connection so far */
};

/* A stream before its first segment; `side` marks its chunks. */
void iw_tcp_stream_init(struct iw_tcp_stream *stream, enum iw_side side);

/* How long a capture may hold octets back, in segments of the connection. */
enum {
    IW_TCP_WAIT = 256,      /* for what was acknowledged; at least half of it */
    IW_TCP_WAIT_FIRST = 16, /* for the first segment of the other side */
};

/* Takes a segment sent in this direction and hands it over if it is its turn: in place, without a copy. It is
 * its turn when all octets before it, and all octets of the other side that it acknowledges, have been handed
 * over: its sender had received them. Otherwise it is held back, for iw_tcp_stream_turn and the others below.
 * START goes out if the SYN comes before any payload; without a SYN offset 0 is where the first segment is,
 * or where the other side's first acknowledgement is if its SYN was captured. At the bounds of the pool a
 * hole becomes a GAP, `limited` but for what the other side has acknowledged, and nothing waits for the other
 * side. A GAP carries the frame and time of what follows it, a cut one those of the packet that was cut.
 * `segment->length` is at most IW_TCP_SEGMENT_OCTETS_MAX. */
void iw_tcp_stream_segment(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment);

/* Takes a segment that is of another connection. */
void iw_tcp_stream_refuse(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment);

/* Takes a segment of a flow that is ignored: follows the sequence numbers and the end of the stream, and
 * hands over nothing. */
void iw_tcp_stream_skip(struct iw_tcp_stream *stream, const struct iw_tcp_segment *segment);

/* Whether the stream, in whose direction the segment was sent, lets its acknowledgement number count. A
 * receiver drops a segment outside of its window with all that it says (RFC 9293 3.10.7.4); but octets far
 * from all that was seen may follow a loss of more than a window, of both sides. */
bool iw_tcp_stream_acknowledges(const struct iw_tcp_stream *stream, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment);

/* Takes the acknowledgement number of a segment sent in the other direction. Of both calls for one segment
 * this one comes first. */
void iw_tcp_stream_acked(struct iw_tcp_stream *stream, uint32_t ack);

/* The other side has acknowledged `ack` in a segment without octets, before its own first octet. */
void iw_tcp_stream_acked_first(struct iw_tcp_stream *stream, uint32_t ack);

/* Begins a stream that was never seen at what the other side has acknowledged first. */
void iw_tcp_stream_begin_unseen(struct iw_tcp_stream *stream);

/* The SYN of the other side was captured just now: what is held back and acknowledges octets far from it is
 * of an earlier connection between the same ports, and goes. */
void iw_tcp_stream_other_began(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *syn);

/* To be called after each half of IW_TCP_WAIT: what was acknowledged at the call before is long ago. */
void iw_tcp_stream_age(struct iw_tcp_stream *stream);

/* What is held back and has no hole before it, or NULL; `may_pass`: and waits for nothing. */
const struct iw_tcp_piece *iw_tcp_stream_turn(
    const struct iw_tcp_stream *stream, const struct iw_tcp_output *output, bool *may_pass);

/* Hands it over. */
void iw_tcp_stream_pass(struct iw_tcp_stream *stream, const struct iw_tcp_output *output);

/* Hands over a GAP for the octets that are missing before what is held back, as far as they were acknowledged
 * long ago: they have arrived, and will not be sent again (RFC 9293 3.4). Returns whether there were any. */
bool iw_tcp_stream_settle(struct iw_tcp_stream *stream, const struct iw_tcp_output *output);

/* The frame of what is held back after a hole; 0 if there is no hole. */
uint64_t iw_tcp_stream_hole(const struct iw_tcp_stream *stream);

/* Hands over a GAP for that hole. */
void iw_tcp_stream_give_up(struct iw_tcp_stream *stream, const struct iw_tcp_output *output);

/* True if `seq` is so close to the stream's current place that a segment there may be one of a connection
 * that has ended, come late. */
bool iw_tcp_stream_may_be_late(const struct iw_tcp_stream *stream, uint32_t seq);

/* What the RST acknowledges that has ended the stream; false if there is no RST whose number is right. */
bool iw_tcp_stream_reset_ack(const struct iw_tcp_stream *stream, uint32_t *ack);

/* All octets that were captured have been acknowledged, and the FIN. */
bool iw_tcp_stream_is_done(const struct iw_tcp_stream *stream);

/* No more segments will come, and nothing is held back: hands over a GAP for octets at the end that were
 * never seen but acknowledged, or that the sequence number of a segment without octets or of a RST tells of,
 * with `frame` and `time_ns`, and the RST. */
void iw_tcp_stream_finish(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint64_t frame, uint64_t time_ns);

/* Releases what is held back without handing it over. */
void iw_tcp_stream_clear(struct iw_tcp_stream *stream, struct iw_tcp_pool *pool);

#endif
