#ifndef IW_TCP_STREAM_H
#define IW_TCP_STREAM_H

#include "iw_chunk.h"
#include "iw_tcp_checksum.h"
#include "iw_tcp_pending.h"
#include "iw_tcp_reset.h"
#include "iw_tcp_segment.h"

/* Totals of one direction. Octets are payload octets. */
struct iw_tcp_counters {
    uint64_t octets;        /* handed over as data */
    uint64_t retransmitted; /* octets seen again, keep-alive probes among them */
    uint64_t lost;          /* octets in gaps: never seen */
    uint64_t unseen;        /* those of `lost` that the other side acknowledged: lost by the capture */
    uint64_t limited;       /* octets in gaps: given up at a limit of the pool */
    uint64_t cut;           /* octets in gaps: cut off by the snapshot length */
    uint64_t outside;       /* octets outside of the stream: not handed over */
    uint32_t segments;
    uint32_t out_of_order; /* segments that came before an earlier part of the stream */
    uint32_t differing;    /* octets of retransmissions that differ from the copy captured first; if that copy
                              was already handed over, all octets of its segment */
    uint32_t stray;        /* ignored: segments outside the stream, and RSTs that no receiver obeys */
    uint32_t discarded;    /* ignored: segments with a wrong checksum, which their receiver has discarded */
};

/* Acknowledgement numbers that the other side has sent. */
struct iw_tcp_acks {
    uint32_t latest;
    uint32_t first;
    uint32_t before;     /* `latest` at the last call of iw_tcp_stream_age */
    uint32_t long_ago;   /* `latest` at the call before that: missing octets before it will not come */
    uint32_t doubtful;   /* a number far from all captured octets, not confirmed yet */
    bool has_latest : 1; /* `latest` and `first` are valid */
    bool has_before : 1;
    bool has_long_ago : 1;
    bool has_doubtful : 1;
    bool first_exact : 1; /* `first` is the sequence number of the first octet ever sent */
};

/* Place and sum of the latest segments handed over, to see whether a retransmission repeats them. */
enum { IW_TCP_PASSED = 4 };
struct iw_tcp_passed {
    struct {
        uint32_t seq;
        uint16_t octets; /* 0: none */
        uint16_t sum;    /* iw_tcp_checksum_sum */
    } segment[IW_TCP_PASSED];
    uint8_t count; /* number of segments so far, modulo 256 */
};

/* Turns the segments of one direction of a TCP connection into chunks. Only `counters` is public. */
struct iw_tcp_stream {
    uint64_t next_offset;           /* all octets before it have been handed over */
    struct iw_tcp_pending *pending; /* octets held back for earlier ones or for the other side; or NULL */
    struct iw_tcp_reset reset;      /* a RST that may end the stream */
    uint32_t next_seq;              /* sequence number of `next_offset` */
    uint32_t sent_seq; /* with `has_sent_seq`: an empty segment or a SACK shows that it was sent up to here */
    struct iw_tcp_acks acks;
    struct iw_tcp_checksums checksums;
    struct iw_tcp_passed passed;
    uint16_t payload_sum; /* of the latest segment; valid with `payload_summed` */
    uint8_t side;         /* enum iw_side */
    bool payload_summed : 1;
    bool offloaded : 1; /* checksums were left to the network card */
    bool started : 1;   /* the sequence numbers of the stream are known */
    bool syn : 1;       /* the sequence numbers are known from a SYN */
    bool has_sent_seq : 1;
    bool fin_waits : 1;            /* the last pending piece is a FIN */
    bool closed : 1;               /* the FIN has been handed over */
    bool acknowledges_missing : 1; /* its latest chunk acknowledges octets that were not captured */
    bool sets_ack : 1;             /* segments with octets have set ACK, so one without it is dropped */
    bool wait_timed_out : 1;       /* does not wait for the other side until that side sends octets again */
    struct iw_tcp_counters counters;
};

/* Sequence number of offset 0; valid with `started`. */
static inline uint32_t iw_tcp_stream_first_seq(const struct iw_tcp_stream *stream) {
    return stream->next_seq - (uint32_t)stream->next_offset;
}

/* Where the chunks of a stream go, and which stream they wait for. */
struct iw_tcp_output {
    struct iw_tcp_pool *pool;
    void (*chunk)(void *context, const struct iw_chunk *chunk);
    void *context;
    const struct iw_tcp_stream *other; /* the stream of the other side; NULL: the stream waits for no other */
    uint32_t turn;                     /* number of segments of the connection so far */
    bool late; /* the segment was withheld (iw_tcp_withheld.h): it does not count for iw_tcp_stream_age */
};

/* Initialises a stream whose chunks are of `side`. */
void iw_tcp_stream_init(struct iw_tcp_stream *stream, enum iw_side side);

/* How long octets are held back, in segments of the connection. */
enum {
    IW_TCP_WAIT = 256,      /* for the other side; for missing acknowledged octets, half to all of it */
    IW_TCP_WAIT_FIRST = 16, /* for the first segment of the other side */
};

/* Takes a segment of this direction. Hands its octets over at once, without a copy, if all earlier octets,
 * and all octets of the other side that it acknowledges, have been handed over: its sender had received
 * those. Otherwise holds them back for iw_tcp_stream_first_ready and the functions below. START is handed
 * over if the SYN comes before any payload has been handed over. Without a SYN, offset 0 is the first octet
 * seen; or the other side's first acknowledgement number, if its SYN was captured or its acknowledgements
 * have advanced. At a limit of the pool a hole becomes a GAP (`limited`, except for acknowledged octets), and
 * nothing waits for the other side. A GAP has the frame and time of the octets after it; for truncated
 * octets, those of the truncated packet. `segment->length` is at most IW_TCP_SEGMENT_OCTETS_MAX. */
void iw_tcp_stream_segment(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment);

/* Counts a segment that its receiver drops, and reports its octets as outside of the stream. */
void iw_tcp_stream_refuse(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment);

/* Takes a segment of an ignored flow: follows the sequence numbers and the end, hands over nothing. */
void iw_tcp_stream_skip(struct iw_tcp_stream *stream, const struct iw_tcp_segment *segment);

/* Whether the acknowledgement number of the segment, which was sent in this stream's direction, is used. A
 * receiver drops a segment outside its window together with its acknowledgement (RFC 9293 3.10.7.4). But
 * octets far from all captured ones may follow a loss of more than a window on both sides. */
bool iw_tcp_stream_acknowledges(const struct iw_tcp_stream *stream, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment);

/* Takes the acknowledgement number of a segment of the other direction, before that segment itself. */
void iw_tcp_stream_acked(struct iw_tcp_stream *stream, uint32_t ack);

/* The other side has received octets up to sequence number `end`, after a hole (SACK, RFC 2018). */
void iw_tcp_stream_sacked(struct iw_tcp_stream *stream, uint32_t end);

/* The other side has acknowledged `ack` in a segment without octets, before its own first octet. */
void iw_tcp_stream_acked_first(struct iw_tcp_stream *stream, uint32_t ack);

/* Starts a stream without captured octets at the first number that the other side acknowledged. */
void iw_tcp_stream_begin_unseen(struct iw_tcp_stream *stream);

/* The SYN of the other side has just been captured: drops held octets that acknowledge numbers far from it,
 * because they belong to an earlier connection between the same ports. */
void iw_tcp_stream_other_began(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *syn);

/* Half of IW_TCP_WAIT segments have passed: what was acknowledged at the previous call is old now. */
void iw_tcp_stream_age(struct iw_tcp_stream *stream);

/* Returns the first held piece, or NULL if no piece is held or a hole is before it. If it returns a piece,
 * sets `*may_pass`: the piece need not wait for octets of the other side that it acknowledges. */
const struct iw_tcp_piece *iw_tcp_stream_first_ready(
    const struct iw_tcp_stream *stream, const struct iw_tcp_output *output, bool *may_pass);

/* Hands over the first held piece. */
void iw_tcp_stream_pass(struct iw_tcp_stream *stream, const struct iw_tcp_output *output);

/* Hands over a GAP for the missing octets before the held ones, as far as they were acknowledged long ago:
 * they have arrived, and will not be retransmitted (RFC 9293 3.4). Returns whether there were any. */
bool iw_tcp_stream_settle(struct iw_tcp_stream *stream, const struct iw_tcp_output *output);

/* The frame of the octets that are held back after a hole; 0 if there is no hole. */
uint64_t iw_tcp_stream_hole(const struct iw_tcp_stream *stream);

/* Hands over a GAP for the hole that iw_tcp_stream_hole has found. */
void iw_tcp_stream_give_up(struct iw_tcp_stream *stream, const struct iw_tcp_output *output);

/* Whether a segment at `seq` may be a late one of this stream. */
bool iw_tcp_stream_may_be_late(const struct iw_tcp_stream *stream, uint32_t seq);

/* The acknowledgement number of the RST that has ended the stream; returns false if no RST has. */
bool iw_tcp_stream_reset_ack(const struct iw_tcp_stream *stream, uint32_t *ack);

/* Whether all captured octets and the FIN have been acknowledged. */
bool iw_tcp_stream_is_done(const struct iw_tcp_stream *stream);

/* The input has ended, and nothing is held back. Hands over a GAP with `frame` and `time_ns` for octets
 * missing at the end: acknowledged ones, or those before an empty segment; OUTSIDE for a single one, perhaps
 * a FIN. Then hands over the RST, after OUTSIDE for octets missing before it. */
void iw_tcp_stream_finish(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint64_t frame, uint64_t time_ns);

/* Counts octets outside of the stream, such as those of withheld segments only, and hands over OUTSIDE. */
void iw_tcp_stream_report_outside(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    uint32_t octets, uint64_t frame, uint64_t time_ns);

/* Releases what is held back without handing it over. */
void iw_tcp_stream_clear(struct iw_tcp_stream *stream, struct iw_tcp_pool *pool);

#endif
