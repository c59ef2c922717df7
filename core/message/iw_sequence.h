#ifndef IW_SEQUENCE_H
#define IW_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_extent.h"
#include "iw_segment.h"

/* DDP Segments of one direction as parts of messages: what MSN and MO each queue expects (RFC 5041 4.3
 * and 5.2), and where a tagged message goes on. Facts only; a segment that is not the expected one is
 * followed, not refused. */

/* What all segments of a message have alike (RFC 5041 4.2, 4.3). After one that differs nobody knows which of
 * the two is wrong, so that both count. */
struct iw_alike {
    uint32_t latest;
    uint32_t other; /* the same, unless one differed */
};

/* A message that had had no segment with L when the next one began: its sender may come back to it. */
struct iw_left {
    uint32_t key; /* MSN or STag */
    uint64_t at;  /* MO or TO of the segment that comes next */
    uint64_t octets;
    uint64_t first_frame; /* capture frame in which it began; 0: there is none */
};

struct iw_queue {
    bool known;            /* the next MSN and MO are known; false after a loss until the next segment */
    bool open;             /* a message has begun and its last segment has not come */
    uint32_t msn;          /* of the message that is open or comes next; not known: the least it can be */
    uint32_t mo;           /* of the segment that comes next */
    uint32_t ended;        /* not open: MO at which the latest message ended; 0 if that had no octets */
    bool doubted;          /* the latest MSN was not the expected one: perhaps the sender counts on from */
    uint32_t meant;        /* here */
    uint32_t skipped_from; /* MSNs that the latest jump left out, */
    uint32_t skipped_to;   /* up to before this one */
    bool returned;         /* those that came since were left out, but for the first: perhaps the sender */
    uint32_t ahead;        /* goes on from here */
    struct iw_left left;
    struct iw_extent extent; /* octets of the open message that have come, by MO */
    bool hidden;             /* octets of the message may be lost */
    uint32_t unseen; /* this many first octets count as received, because a loss hides whether they were */
    uint64_t skip_frame;     /* capture frame of the first segment that skipped octets; 0 if none did */
    struct iw_alike control; /* RDMAP control octets */
    struct iw_alike invalidate_stag;
    uint64_t first_frame; /* capture frame in which the latest message began */
};

/* A tagged message that has had its segment with L, and no hole. */
struct iw_ended {
    uint64_t from, to;
    uint64_t first_frame; /* capture frame in which it began; 0: there is none */
    uint32_t stag, control;
};

struct iw_tagged_message {
    bool open;
    bool downwards; /* not open: its segments have come from the last to the first */
    bool lost;      /* no segment has come since a loss */
    bool hidden;    /* octets of the message may be among the lost ones */
    struct iw_alike stag;
    uint64_t to;             /* of the segment that comes next */
    struct iw_extent extent; /* octets of it that have come, by TO */
    uint64_t skip_frame;     /* capture frame of the segment that first left some out; 0 if none did */
    struct iw_alike control;
    struct iw_left left;
    struct iw_ended ended; /* the one before, or this one once it is not open */
    uint64_t octets;       /* payload so far */
    uint64_t first_frame;
};

struct iw_sequence {
    uint64_t segments; /* seen so far */
    struct iw_tagged_message tagged;
    struct iw_queue queue[IW_QN_COUNT];
};

/* Where the payload of a segment stands in its message (RFC 5041 5.2, 5.3). */
enum iw_segment_order {
    IW_SEGMENT_IN_ORDER, /* behind what came before; or nobody can tell */
    IW_SEGMENT_AHEAD,    /* further behind: the segments between may still come */
    IW_SEGMENT_BACK,     /* before what came before, in a place that was free */
    IW_SEGMENT_OVER,     /* over octets that have come already */
    IW_SEGMENT_HOLE,     /* it is the last one, and octets of the message have not come */
};

/* A segment that is not where the bounds of messages are (RFC 5041 4.1, 4.3). */
enum iw_segment_bound {
    IW_BOUND_KEPT,
    IW_BOUND_OPEN,    /* it begins a message, and the one before has had no segment with L */
    IW_BOUND_ENDED,   /* it goes on with a message that has had its segment with L */
    IW_BOUND_LATE,    /* it belongs before the segment with L that its message has had */
    IW_BOUND_SKIPPED, /* its message is one that the latest jump of MSNs left out */
    IW_BOUND_RESUMED, /* it goes on with the message that was open when the latest one began */
};

/* What a segment is to its direction. The expectations hold as they were before it. */
struct iw_segment_fact {
    bool first; /* of its message */
    bool last;
    bool sequence_known; /* untagged, on queue 0 to 3, and nothing was lost that would change the next two */
    uint32_t msn_expected;
    uint32_t mo_expected; /* 0 unless a message is open */
    bool msn_ok;
    enum iw_segment_bound bound;
    bool doubted; /* the MSN of the message before was wrong */
    bool strayed; /* it goes on with the open message of the queue of its opcode, but has another QN */
    uint64_t bound_frame; /* unless the bound is kept: capture frame in which the message it concerns began */
    bool mo_ok;           /* it goes on where the one before it ended, or begins a message with MO 0 */
    enum iw_segment_order order; /* among the segments of its message; IN_ORDER without payload */
    bool order_unknown;          /* it may be another: more holes than are remembered */
    uint64_t skip_frame;         /* capture frame of the first segment that left octets out; 0 if none did */
    uint64_t missing;            /* HOLE: the lowest MO or TO that has not come */
    uint64_t message_to;         /* tagged: the lowest TO of the message so far */
    bool to_ok; /* tagged: the segment goes on where the one before it ended, begins a message, or has no
                   payload */
    uint64_t to_expected;     /* the expected TO; at the start of a message its own TO */
    bool stag_ok;             /* tagged: the STag is that of the message, or the segment has no payload */
    uint32_t stag_expected;   /* tagged: the STag of the message */
    uint8_t control_expected; /* the RDMAP control octet of the message */
    uint32_t invalidate_stag_expected; /* untagged: the Invalidate STag of the message */
    bool same_message;       /* control octet and STag, or Invalidate STag, are those of the message so far */
    uint64_t segment;        /* ordinal in its direction, from 1 */
    uint64_t message_frame;  /* capture frame in which the message began */
    uint64_t message_octets; /* payload of the message up to and with this segment */
};

/* The direction is seen from its startup on, so every queue starts with MSN 1 (RFC 5041 4.3); if it is not,
 * that is a loss. */
void iw_sequence_init(struct iw_sequence *sequence);

/* Gives back what memory holes in messages have taken. */
void iw_sequence_dispose(struct iw_sequence *sequence);

/* Octets of this direction were lost: nothing is expected any more until the next segment shows where each
 * queue is. */
void iw_sequence_lost(struct iw_sequence *sequence);

/* Takes the next segment, which ended in capture frame `frame`. */
void iw_sequence_segment(struct iw_sequence *sequence, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact);

#endif
