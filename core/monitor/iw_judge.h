#ifndef IW_JUDGE_H
#define IW_JUDGE_H

#include "iw_monitor.h"
#include "iw_split_request.h"

/* What a conversation without fault never calls: the compiler keeps the way to it apart from the rules. */
#define IW_COLD __attribute__((cold))

/* Inside the monitor: what the rules see and how they report. */

/* A finding that others may follow from. */
struct iw_fault {
    uint64_t number; /* of the finding; 0 before there is one */
    uint64_t frame;
    uint64_t message_frame; /* in which the message that it is about began */
    uint32_t qn;
    bool warning;
};

/* A message that its receiver has to refuse. */
struct iw_refusable {
    uint64_t frame;               /* capture frame in which it ends; 0: there is none */
    uint64_t requests;            /* of its sender, before it */
    enum iw_requirement_id check; /* that it has to fail */
    bool last;                    /* its L */
    bool answered;                /* the receiver has gone on, and that was told */
    bool itself;                  /* only an answer to itself tells that the receiver has gone on */
    bool again;                   /* its MSN was used before: so may have been its header */
    bool hidden_before;           /* so may it where not all that its sender sent before is seen */
    uint8_t ddp_octets;
    uint16_t length; /* of the segment */
    uint8_t header[iw_ddp_untagged_octets];
};

/* An answer that only a receiver sends that has gone on after such a message, where it is not known any more
 * which requests wait. */
struct iw_telltale {
    uint64_t request_frame;
    uint64_t to;     /* Read Response: the Data Sink Tagged Offset */
    uint32_t stag;   /* Read Response: the Data Sink STag; Atomic Response: the Request Identifier */
    uint32_t before; /* so many answers have still to end before it */
    uint8_t opcode;  /* of the answer */
    bool payload;    /* Read Response: octets were asked for */
    bool set;        /* its request is known: it is such a message, or came after it */
    bool armed;      /* `before` is known */
};

/* Where what a side sends had got to before a gap: what follows goes on from there. */
struct iw_thread {
    uint64_t offset; /* in the stream: the last FPDU before the gap ends there */
    uint64_t to;     /* of the tagged segment to come next */
    uint32_t stag;
    uint32_t msn; /* of the untagged message that was open */
    uint32_t mo;  /* of its segment to come next */
    uint8_t qn;
    bool tagged;
    bool untagged;
};

/* One side of the connection, as judged so far. */
struct iw_party {
    /* What each FPDU asks for comes first, so that a connection takes few lines of the cache. */
    bool lost;             /* octets it sent are missing */
    enum iw_unjudged hole; /* what has made the last hole in what it sent */
    bool hidden;           /* so are some that came, but say nothing: a wrong CRC, or a header that was cut */
    bool crc_bad;          /* the CRC of its last FPDU is wrong */
    uint16_t mss;          /* that it has announced; 0: unknown */
    bool large_told;       /* it was said that its segments are larger than the MULPDU */
    bool may_be_terminated; /* among its FPDUs that may be payload is a Terminate */
    uint8_t small_segments; /* that it need not have made so small, counted up to a habit */
    uint64_t fpdus;         /* that it has sent */
    uint64_t
        first_fpdu_end; /* stream offset after the first of them, if nothing is missing before it; or 0 */
    uint64_t terminate_frame; /* capture frame of its Terminate; 0 before it */
    bool terminate_sent;
    bool whole[IW_QN_COUNT]; /* by queue: the latest segment without L is all of a message of one length */
    bool terminate_open;     /* surely it has had no segment with L, and nothing has come behind it */
    bool terminate_whole;    /* but all that its HdrCt tells of */
    bool terminate_faulty;   /* something is wrong with its Terminate */
    bool read_faulty;        /* and with one of its Read Requests */
    bool version_1;          /* DV and RV of one of its segments are 1, while they might be 0 */
    bool closed;             /* it has sent a FIN */
    bool ended;              /* it has closed in good order: by FIN, or the session was ended */
    bool reset;              /* it has reset or aborted the connection */
    bool over;               /* its end was captured, in good order or not */
    struct iw_stags stags;   /* of its memory */
    struct iw_operations operations;        /* its requests */
    struct iw_split_request *split_request; /* the one that has come in part; NULL before the first */
    struct iw_sequence sequence;            /* of what it sends */
    struct iw_fault msn_fault;              /* the latest wrong MSN */
    struct iw_fault open_fault;             /* the latest message that had no L when the next one began */
    struct iw_fault order_fault;            /* the latest message whose segments are wrong among each other */
    struct iw_fault
        answer_fault; /* the latest answer out of its turn; the message is the request to answer */
    struct {
        uint64_t number; /* the latest finding that an answer to a Read is as long as another one; 0: none */
        uint64_t frame;
        uint32_t expected, actual; /* octets */
    } length_fault;
    struct iw_fault control_fault; /* the latest message with a wrong control octet or Invalidate STag */
    struct iw_fault stag_fault;    /* the latest answer that begins with a wrong STag */
    struct iw_thread thread;
    uint64_t startup_first_frame; /* capture frame in which its startup frame began */
    uint64_t startup_frame;       /* and ended */
    bool empty_sent;              /* a tagged segment without payload; the last one: */
    uint32_t empty_stag;
    uint64_t empty_to;
    struct iw_refusable refusable[2]; /* its first and its second one */
    struct iw_telltale telltale;      /* of the first one */
    uint32_t stag_index;              /* of its latest STag: without the ULP's octet */
    uint32_t stag_step;               /* from the one before it; 0 before the first */
    uint8_t even_steps;               /* so many steps are as long as the last */
    uint8_t small_steps;              /* so many were short */
    bool even_told;
    bool small_told;
    bool atomics_answered; /* it has answered an Atomic Request */
    bool depth_exceeded;   /* more of its requests have waited than allowed */
    /* Over SCTP: */
    uint32_t request_tsn;     /* of its latest request */
    uint64_t request_frame;   /* capture frame of it, */
    uint32_t packet_requests; /* and how many requests are in that */
    uint32_t depth_doubts;    /* requests of which it is not proven that too many wait */
    bool session_opened;      /* over SCTP: it has sent what begins a session on its side, or may have */
    bool session_over;        /* it has sent a control message that nothing may follow */
    bool session_unseen;      /* it has answered an Initiate behind that, which the capture may lack */
    uint64_t control_frame;   /* capture frame of its last control message */
    /* What may have been sent too early, and the control message that it had to wait for; frame 0: nothing */
    struct {
        uint64_t frame, control_frame;
        uint32_t tsn, control_tsn;
    } early;
    /* The first finding about what it keeps doing, and its frame: over SCTP, going on behind the end of its
     * session; over TCP, wrong CRCs from its first FPDU on, or the PD_Length that they come from. */
    uint64_t habit_number;
    uint64_t habit_frame;
    uint64_t
        marker_number; /* the finding about the latest Marker, if that was wrong, and its frame; 0 if not */
    uint64_t marker_frame;
    bool unmarked; /* that finding is that its first Marker is missing */
};

enum { IW_JUDGE_FINDING_MAX = 24 };

struct iw_judge {
    struct iw_monitor_config config;
    struct iw_mpa mpa;
    struct iw_party party[2]; /* by enum iw_side */
    struct iw_monitor_counts counts;
    struct iw_monitor_event event; /* what is being judged */
    /* event.terminate, or what its octets mean in reversed bit order (iw_terminate_message_reversed) */
    const struct iw_terminate_message *meant;
    uint8_t version;       /* DV and RV that are right in `event`: 1, or 0 in what a peer of Rev 0 sends */
    bool version_settled;  /* it is 1 in all that both sides send */
    bool refused_now;      /* `event` is a message that its receiver has to refuse, the first of its sender */
    bool waiting_known;    /* what `event` is hides which requests of its sender wait; before it there were */
    uint32_t waiting;      /* so many */
    bool draft_noted;      /* a note has named an opcode that only a draft defines */
    bool experiment_noted; /* and the one for experiments */
    bool defined;          /* an RFC defines the Rev in force */
    struct iw_finding *findings; /* of it, room for IW_JUDGE_FINDING_MAX; NULL before the first */
    size_t finding_count;
    uint64_t reported; /* findings of the connection so far */
};

/* DV and RV that are right in the event: 1, or 0 if they may be 0, both are, and the side has not used 1
 * before (RFC 5040 4.1, RFC 5041 4.1, RFC 5044 C). */
static inline uint8_t iw_judge_version(const struct iw_judge *judge) {
    return judge->version;
}

/* Octets from a Tagged Offset on that go beyond 2^64, where nobody may place or fetch. */
static inline bool iw_judge_wraps(uint64_t to, uint64_t octets) {
    return octets > 0 && to > UINT64_MAX - (octets - 1);
}

/* The 64-bit sum of both wraps, which is what a receiver looks at (RFC 5041 7.1, RFC 5040 7.2): also where
 * the last octet stands just at 2^64 - 1. Some refuse that, and by the words they may. */
static inline bool iw_judge_sum_wraps(uint64_t to, uint64_t octets) {
    return octets > UINT64_MAX - to;
}

/* Whether a side had received the other side's octets up to stream offset `end` when it sent its own: its
 * acknowledgement proves either. */
enum iw_sight { IW_SIGHT_UNKNOWN, IW_SIGHT_RECEIVED, IW_SIGHT_MISSING };

enum iw_sight iw_judge_sight(const struct iw_received *received, uint64_t end);

/* What the sender of the FPDU being judged had received, if it is the first thing after its startup frame;
 * otherwise nothing is known. */
struct iw_received iw_judge_first_received(const struct iw_judge *judge);

/* Whether the side of the event has sent what follows its Request, in capture frame `frame`, before it had
 * the whole Reply. `received` is what it had received by then. */
bool iw_judge_before_reply(const struct iw_judge *judge, const struct iw_received *received, uint64_t frame);

/* The field that the opcode of the segment is shown in. */
enum iw_field_id iw_judge_opcode_field(const struct iw_segment *segment);

/* A new finding about the event: who, when and where are filled in; `field` is an enum iw_field_id or
 * IW_FIELD_COUNT. `subject` begins its message. The caller writes `expected` and `actual`, by iw_judge_texts.
 * Never NULL: what does not fit any more goes to a finding that is not delivered. */
IW_COLD struct iw_finding *iw_judge_report(
    struct iw_judge *judge, enum iw_requirement_id id, enum iw_field_id field, const char *subject);

/* Writes expected and actual values of a field as numbers of its kind, and the message. The only value
 * allowed is `expected`; or any up to `limit`: "at most 512"; or any from `limit` on: "at least 4". */
IW_COLD void iw_judge_values(struct iw_finding *finding, uint64_t expected, uint64_t actual);
IW_COLD void iw_judge_at_most(struct iw_finding *finding, uint64_t limit, uint64_t actual);
IW_COLD void iw_judge_at_least(struct iw_finding *finding, uint64_t limit, uint64_t actual);

/* Writes them as texts: sets of values, and what is no number. */
IW_COLD void iw_judge_texts(struct iw_finding *finding, const char *expected, const char *actual);

/* Writes a Key as text, what is no ASCII as \xNN: "MPA ID Req Frame". */
enum { IW_KEY_TEXT_OCTETS = 72 };
IW_COLD void iw_judge_key_text(char text[IW_KEY_TEXT_OCTETS], const uint8_t key[16]);

/* Adds a capture frame that led to the finding, unless it is one of them already; 0 is none. */
IW_COLD void iw_judge_context(struct iw_finding *finding, uint64_t frame);

/* Charges `side` with the finding, not the sender of the event: only now it is known what an earlier chunk of
 * `side` was.
 */
IW_COLD void iw_judge_charge(struct iw_judge *judge, struct iw_finding *finding, enum iw_side side);

/* Says that the finding follows from the one with this number, which was reported for `frame`: the same fault
 * seen again, not another. */
IW_COLD void iw_judge_because(struct iw_finding *finding, uint64_t number, uint64_t frame);

/* Says so of the findings about the event from index `first` on, and of the one with index `root` before
 * them, unless one weighs more than that or follows from another already. */
IW_COLD void iw_judge_attach(struct iw_judge *judge, size_t root, size_t first);

/* What is wrong with the octets that are alike in all segments of a message is judged by itself: RV, Rsv, and
 * an Invalidate STag where there is none. */
bool iw_judge_control_wrong(const struct iw_judge *judge, const struct iw_segment *segment);

/* An FPDU of that side has begun and not ended: its length may be wrong, and what seems to be of it may be
 * FPDUs. */
bool iw_judge_unfinished(const struct iw_judge *judge, enum iw_side side);

/* All segments that the side has sent, and the sender of the event may have received, have been judged: none
 * is missing, cut before the end of its header, or still to come in the capture. Over SCTP this is not known,
 * because a DATA chunk does not tell what its sender has received. */
bool iw_judge_all_seen(const struct iw_judge *judge, enum iw_side side);

/* The segment that a Terminate is about, whose DDP header is there, can have the error of its triple. */
bool iw_terminated_can_have_error(const struct iw_judge *judge, const struct iw_terminate_message *message);

/* The RTR types of enhanced data with A=0 (RFC 6581 9.2). */
void iw_rules_enhanced_data(struct iw_judge *judge, const struct iw_mpa_enhanced *data);

/* IRD and ORD of an answer, `given`, by those of the Request or Initiate, `asked` (RFC 6581 9.1). */
void iw_rules_depths(
    struct iw_judge *judge, const struct iw_mpa_enhanced *asked, const struct iw_mpa_enhanced *given);

/* The rules, by layer; each looks at judge->event. */
void iw_rules_startup(struct iw_judge *judge);
void iw_rules_first_fpdu(struct iw_judge *judge);
void iw_rules_fpdu(struct iw_judge *judge);
void iw_rules_crc(struct iw_judge *judge);
void iw_rules_marker(struct iw_judge *judge);
void iw_rules_size(struct iw_judge *judge);
void iw_rules_llp(struct iw_judge *judge);
void iw_rules_ddp(struct iw_judge *judge);
void iw_rules_rdmap(struct iw_judge *judge);
void iw_rules_operation(struct iw_judge *judge);
void iw_rules_terminate(struct iw_judge *judge);
void iw_rules_stag(struct iw_judge *judge);
void iw_rules_reaction(struct iw_judge *judge);   /* last: it looks at what the others have found */
void iw_rules_terminated(struct iw_judge *judge); /* of a Terminate, by iw_rules_reaction */
void iw_rules_skipped(struct iw_judge *judge);
void iw_rules_close(struct iw_judge *judge);
void iw_rules_teardown(struct iw_judge *judge);
void iw_rules_session(struct iw_judge *judge);
/* Over SCTP, `allowed` requests may wait, and more seem to. Returns whether they surely do; otherwise that is
 * counted as not judged. */
bool iw_rules_session_depth(struct iw_judge *judge, uint32_t allowed);
void iw_rules_session_depth_answered(struct iw_judge *judge); /* of an answer, which may prove it */
void iw_rules_session_depth_end(struct iw_judge *judge);
/* A SACK may tell, after the chunk itself, that a chunk was sent too early. */
void iw_rules_session_early(struct iw_judge *judge); /* of the end of the session */
void iw_rules_session_terms(struct iw_judge *judge); /* of a control message with its header */

#endif
