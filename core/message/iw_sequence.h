#pragma once

#include "iw_extent.h"
#include "iw_segment.h"

/* How the DDP Segments of one direction form messages: the MSN and MO that each queue expects (RFC 5041 4.3,
 * 5.2), and where a tagged message continues. Reports facts, without a verdict. After an unexpected segment,
 * expects the segment that follows it. */

/* A field that must be equal in all segments of a message (RFC 5041 4.2, 4.3). After a change, both the old
 * and the new value are accepted. */
struct iw_constant {
    uint32_t latest;
    uint32_t other; /* the other accepted value; equal to `latest` at first */
};

/* A message that had no segment with L before the next message began; its sender may still continue it. */
struct iw_unfinished {
    uint32_t key; /* MSN or STag */
    uint64_t at;  /* expected MO or TO */
    uint64_t octets;
    uint64_t first_frame; /* capture frame in which it began; 0: there is no such message */
};

struct iw_placed {
    struct iw_extent extent;
    uint64_t skip_frame;  /* capture frame of the message's first DDP segment that skipped octets; 0: none */
    uint32_t lost_octets; /* untagged: octets before the first segment after a loss, counted as received */
    bool maybe_lost;      /* octets of the message may be lost */
};

struct iw_queue {
    bool known;               /* the next MSN and MO are known; false after a loss until the next segment */
    bool open;                /* a message has begun, but its last segment has not come */
    bool doubted;             /* the latest MSN was unexpected; perhaps it alone is wrong */
    bool went_back;           /* the sender went back to MSNs that the jump skipped: msn_if_jump may come */
    uint32_t msn;             /* MSN of the open or next message; a lower bound unless `known` */
    uint32_t mo;              /* expected MO */
    uint32_t ended;           /* MO after the last octet of the latest message, unless `open` */
    uint32_t msn_unless_jump; /* the next MSN, if only the unexpected MSN was wrong */
    uint32_t skipped_from;    /* the latest jump skipped the MSNs from skipped_from to before skipped_to */
    uint32_t skipped_to;
    uint32_t msn_if_jump; /* the next MSN, if the jump was real */
    struct iw_unfinished unfinished;
    struct iw_placed placed;    /* octets of the open message so far, by MO */
    struct iw_constant control; /* RDMAP control octet */
    struct iw_constant invalidate_stag;
    uint64_t first_frame; /* capture frame in which the latest message began */
};

/* A tagged message that is one segment, with L. */
struct iw_ended_message {
    uint64_t from, to;
    uint64_t first_frame; /* capture frame in which it began; 0: there is no such message */
    uint32_t stag, control;
};

struct iw_tagged_message {
    bool open;
    bool descending; /* `open` is false, and segments come in descending order */
    bool lost;       /* no tagged segment has come since a loss */
    struct iw_constant stag;
    uint64_t to;             /* expected TO */
    struct iw_placed placed; /* octets so far, by TO */
    struct iw_constant control;
    struct iw_unfinished unfinished;
    struct iw_ended_message ended; /* the latest message that has ended, if it had only one segment */
    uint64_t octets;               /* payload so far */
    uint64_t first_frame;
};

struct iw_sequence {
    uint64_t segments; /* seen so far */
    struct iw_tagged_message tagged;
    struct iw_queue *queue[IW_QN_COUNT]; /* read them by iw_sequence_queue; NULL before its first segment */
    bool lost; /* a queue without a segment so far accepts any MSN and MO in its first */
};

/* How a segment fits the beginning and the end of messages (RFC 5041 4.1, 4.3). */
enum iw_segment_bound {
    IW_BOUND_KEPT,  /* any other segment, usually the expected one */
    IW_BOUND_OPEN,  /* it begins a message, but the previous message had no segment with L */
    IW_BOUND_ENDED, /* it continues a message after its segment with L */
    IW_BOUND_LATE,  /* it belongs to a message whose L has come: fills a hole, or comes in descending order */
    IW_BOUND_SKIPPED, /* its message is one that the latest jump to a higher MSN skipped */
    IW_BOUND_RESUMED, /* it continues the unfinished message that was open when the latest message began */
};

/* How a segment fits its direction. The expectations are those before the segment. */
struct iw_segment_fact {
    bool first;          /* it is the first segment of its message */
    bool sequence_known; /* untagged, on queue 0 to 3: msn_expected and mo_expected are known */
    uint32_t msn_expected;
    uint32_t mo_expected; /* 0 unless a message is open */
    bool msn_ok;          /* untagged: a possible MSN, or !sequence_known */
    enum iw_segment_bound bound;
    bool doubted; /* untagged: the queue's previous MSN was unexpected, so msn_expected is uncertain */
    bool strayed; /* it has a wrong QN, but continues the open message on the queue of its opcode */
    uint64_t bound_frame; /* capture frame where the queue's previous message, or the resumed one, began */
    bool mo_ok;           /* untagged: it has mo_expected, or !sequence_known */
    enum iw_segment_order order; /* in its message; a tagged segment without payload: IN_ORDER or HOLE */
    bool order_unknown;          /* `order` may be wrong: too many holes, or memory ran out */
    uint64_t skip_frame;  /* capture frame of the message's first DDP segment that skipped octets; 0: none */
    uint64_t missing;     /* HOLE: the lowest missing MO or TO */
    uint64_t message_to;  /* tagged: the lowest TO of the message so far */
    bool to_ok;           /* tagged: the segment continues or begins a message, or has no payload */
    uint64_t to_expected; /* the expected TO; at the start of a message its own TO */
    bool stag_ok;         /* tagged: the STag is that of the message, or there is no payload */
    uint32_t stag_expected;            /* tagged: the STag of the message */
    uint8_t control_expected;          /* the RDMAP control octet of the message */
    uint32_t invalidate_stag_expected; /* untagged: the Invalidate STag of the message */
    bool same_message;       /* control octet and STag, or Invalidate STag, equal those of the message */
    uint64_t segment;        /* ordinal in its direction, from 1 */
    uint64_t message_frame;  /* capture frame in which the message began */
    uint64_t message_octets; /* payload of the message so far; untagged: MO plus payload of the segment */
};

/* Every queue starts with MSN 1 (RFC 5041 4.3). Call iw_sequence_lost if the startup was not captured. */
void iw_sequence_init(struct iw_sequence *sequence);
void iw_sequence_dispose(struct iw_sequence *sequence);

/* The state of a queue below IW_QN_COUNT, valid until the next segment. */
const struct iw_queue *iw_sequence_queue(const struct iw_sequence *sequence, uint32_t qn);

/* Records that octets of this direction were lost: a queue accepts any MSN and MO in its next segment. */
void iw_sequence_lost(struct iw_sequence *sequence);

/* Takes the next segment, which ended in capture frame `frame`. */
void iw_sequence_segment(struct iw_sequence *sequence, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact);
