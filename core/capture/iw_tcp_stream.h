#pragma once

#include "iw_chunk.h"
#include "iw_tcp_checksum.h"
#include "iw_tcp_pending.h"
#include "iw_tcp_reset.h"
#include "iw_tcp_segment.h"

/* Totals of one direction. Octets are payload octets. */
struct iw_tcp_counters {
    uint64_t octets;        /* handed over as data */
    uint64_t retransmitted; /* octets captured again, also by keep-alive probes */
    uint64_t lost;          /* octets in gaps: never captured */
    uint64_t unseen;        /* octets of `lost` that the other side acknowledged: lost by the capture */
    uint64_t limited;       /* octets in gaps: given up at a limit of the pool */
    uint64_t cut;           /* octets in gaps: truncated by the snapshot length */
    uint64_t outside;       /* octets outside of the stream: not handed over */
    uint32_t segments;
    uint32_t out_of_order; /* segments captured before an earlier part of the stream */
    uint32_t differing;    /* octets of retransmissions that differ from the copy captured first; if that copy
                              was already handed over, all octets of its segment */
    uint32_t stray;        /* ignored: segments outside the stream, and RSTs that no receiver obeys */
    uint32_t discarded;    /* ignored: segments with a wrong checksum, which their receiver has discarded */
};

/* Acknowledgement numbers that the other side has sent. */
struct iw_tcp_acks {
    uint32_t latest;
    uint32_t first;      /* the lowest number before the stream started */
    uint32_t before;     /* `latest` at the last call of iw_tcp_stream_age */
    uint32_t long_ago;   /* `latest` at the call before; octets missing before this number will not come */
    uint32_t doubtful;   /* a number far from all captured octets, not confirmed yet */
    bool has_latest : 1; /* `latest` and `first` are valid */
    bool has_before : 1;
    bool has_long_ago : 1;
    bool has_doubtful : 1;
    bool first_exact : 1; /* `first` is the sequence number of the first octet ever sent */
};

/* Place and checksum sum of the latest segments handed over, to recognise retransmissions of them. */
enum { IW_TCP_PASSED = 4 };
struct iw_tcp_passed {
    struct {
        uint32_t seq;
        uint16_t octets; /* 0: none */
        uint16_t sum;    /* iw_tcp_checksum_sum */
    } segment[IW_TCP_PASSED];
    uint8_t count; /* number of segments handed over so far, modulo 256 */
};

/* Turns the segments of one direction of a TCP connection into chunks. Only `counters` is public. */
struct iw_tcp_stream {
    uint64_t next_offset;           /* all octets before it have been handed over */
    struct iw_tcp_pending *pending; /* octets that wait for earlier octets or for the other side; or NULL */
    struct iw_tcp_reset reset;      /* a RST that may end the stream */
    uint32_t next_seq;              /* sequence number of `next_offset` */
    uint32_t sent_seq; /* with `has_sent_seq`: sent up to here, as an empty segment or a SACK shows */
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
    bool acknowledges_missing : 1; /* the latest chunk acknowledges octets that were not captured */
    bool acked_other : 1;          /* its octets have been handed over after the other side had started */
    bool sets_ack : 1;             /* octets came with ACK set, so a segment without ACK is dropped */
    bool wait_timed_out : 1; /* does not wait for the other side until the other side sends octets again */
    struct iw_tcp_counters counters;
};

/* Sequence number of offset 0; valid with `started`. */
static inline uint32_t iw_tcp_stream_first_seq(const struct iw_tcp_stream *stream) {
    return stream->next_seq - (uint32_t)stream->next_offset;
}

/* Receiver of the chunks of a stream, and the stream that they wait for. */
struct iw_tcp_output {
    struct iw_tcp_pool *pool;
    void (*chunk)(void *context, const struct iw_chunk *chunk);
    void *context;
    const struct iw_tcp_stream *other; /* stream of the other side; NULL: chunks never wait for it */
    uint32_t turn;                     /* number of segments of the connection so far */
    bool late; /* the segment was withheld (iw_tcp_withheld.h): iw_tcp_stream_age does not count it */
};

/* Initialises a stream of `side`. */
void iw_tcp_stream_init(struct iw_tcp_stream *stream, enum iw_side side);

/* How long octets wait, in segments of the connection. */
enum {
    IW_TCP_WAIT = 256,      /* for the other side; for missing acknowledged octets, half to all of this */
    IW_TCP_WAIT_FIRST = 16, /* for the first segment of the other side */
};

/* Takes a segment of this direction. Hands its octets over at once, without a copy, if all earlier octets,
 * and all octets of the other side that the segment acknowledges, have been handed over. Otherwise holds them
 * back for iw_tcp_stream_first_ready and the functions after it. START is handed over if the SYN comes before
 * any payload has been handed over. Offset 0 is the octet after the SYN. Without a SYN, it is the first
 * captured octet; or the first acknowledgement number of the other side, if the SYN of that side was captured
 * or its acknowledgement numbers have increased. At a limit of the pool, missing octets become a GAP (counted
 * in `limited` unless acknowledged), and nothing waits for the other side. A GAP has the frame and time of
 * the octets after it; for truncated octets, of the truncated packet. */
void iw_tcp_stream_segment(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment);

/* Counts a segment that its receiver drops, and hands over OUTSIDE for its octets. */
void iw_tcp_stream_refuse(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *segment);

/* Takes a segment of an ignored flow: follows sequence numbers and FIN, but hands over nothing. */
void iw_tcp_stream_skip(struct iw_tcp_stream *stream, const struct iw_tcp_segment *segment);

/* Whether to use the acknowledgement number of `segment`, sent in the direction of `stream`. A receiver drops
 * a segment outside its window together with its acknowledgement (RFC 9293 3.10.7.4). But a segment with
 * octets whose numbers are both far away may follow a long loss in the capture: it is used. */
bool iw_tcp_stream_acknowledges(const struct iw_tcp_stream *stream, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment);

/* Takes the acknowledgement number of a segment of the other direction, before that segment itself. */
void iw_tcp_stream_acked(struct iw_tcp_stream *stream, uint32_t ack);

/* Takes a SACK (RFC 2018): the other side has received octets after a hole, up to sequence number `end`. */
void iw_tcp_stream_sacked(struct iw_tcp_stream *stream, uint32_t end);

/* Takes the number of an acknowledgement without octets that the other side sent before its own first octet.
 * If it is the first acknowledged number, this stream begins there. */
void iw_tcp_stream_acked_first(struct iw_tcp_stream *stream, uint32_t ack);

/* Starts a stream without captured octets at the first number that the other side acknowledged. */
void iw_tcp_stream_begin_unseen(struct iw_tcp_stream *stream);

/* For the SYN of the other side, just captured: drops held octets that acknowledge numbers far from it,
 * because these octets belong to an earlier connection between the same ports. */
void iw_tcp_stream_other_began(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, const struct iw_tcp_segment *syn);

/* For every IW_TCP_WAIT / 2 segments: what was acknowledged at the previous call now counts as long ago. */
void iw_tcp_stream_age(struct iw_tcp_stream *stream);

/* Returns the first held piece, or NULL if no piece is held or octets before it are missing. Sets `*may_pass`
 * if there is one: true if the piece need not wait until the octets of the other side that it acknowledges
 * are read. */
const struct iw_tcp_piece *iw_tcp_stream_first_ready(
    const struct iw_tcp_stream *stream, const struct iw_tcp_output *output, bool *may_pass);

/* Hands over the first held piece. */
void iw_tcp_stream_pass(struct iw_tcp_stream *stream, const struct iw_tcp_output *output);

/* Hands over a GAP for the octets missing before the held ones, as far as they were acknowledged long ago:
 * they have arrived, and will not be retransmitted (RFC 9293 3.4). Returns whether there were such octets. */
bool iw_tcp_stream_settle(struct iw_tcp_stream *stream, const struct iw_tcp_output *output);

/* Returns the frame of the octets that are held back after missing octets; 0 if none are missing. */
uint64_t iw_tcp_stream_hole(const struct iw_tcp_stream *stream);

/* Hands over a GAP for the missing octets that iw_tcp_stream_hole has found. */
void iw_tcp_stream_give_up(struct iw_tcp_stream *stream, const struct iw_tcp_output *output);

/* Whether `seq` is at most IW_TCP_IN_FLIGHT_MAX from the next octet, as in a late segment of this stream. */
bool iw_tcp_stream_may_be_late(const struct iw_tcp_stream *stream, uint32_t seq);

/* Sets *ack to the acknowledgement number of the RST that has ended the stream. Returns false without one. */
bool iw_tcp_stream_reset_ack(const struct iw_tcp_stream *stream, uint32_t *ack);

/* Whether all captured octets and the FIN have been acknowledged. */
bool iw_tcp_stream_is_done(const struct iw_tcp_stream *stream);

/* For the end of the input, when nothing is held back. If octets at the end were acknowledged, or precede an
 * empty segment, but are missing: hands over a GAP with `frame` and `time_ns`; OUTSIDE for a single one,
 * which may be a FIN. Then hands over the RST, if any, after OUTSIDE for the octets missing before it. */
void iw_tcp_stream_finish(
    struct iw_tcp_stream *stream, const struct iw_tcp_output *output, uint64_t frame, uint64_t time_ns);

/* Counts octets outside of the stream, for example of segments still withheld, and hands over OUTSIDE. */
void iw_tcp_stream_report_outside(struct iw_tcp_stream *stream, const struct iw_tcp_output *output,
    uint32_t octets, uint64_t frame, uint64_t time_ns);

/* Releases what is held back without handing it over. */
void iw_tcp_stream_clear(struct iw_tcp_stream *stream, struct iw_tcp_pool *pool);
