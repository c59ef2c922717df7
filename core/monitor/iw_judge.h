#ifndef IW_JUDGE_H
#define IW_JUDGE_H

#include "iw_cold.h"
#include "iw_header_log.h"
#include "iw_in_flight.h"
#include "iw_monitor.h"
#include "iw_split_request.h"
#include "iw_split_terminate.h"

/* Inside the monitor: the state that the rules see, and how they report findings. */

/* A reference to a finding that later ones may follow from. */
struct iw_finding_ref {
    uint64_t number; /* 0: none */
    uint64_t frame;
};

/* A finding that others about the same message or queue may follow from. */
struct iw_fault {
    struct iw_finding_ref finding;
    uint64_t message_frame; /* in which the message at fault began */
    uint32_t qn;            /* IW_QN_COUNT: tagged */
    bool warning;
};

/* The latest findings about the messages of one side. */
struct iw_faults {
    struct iw_fault msn;     /* about a wrong MSN */
    struct iw_fault open;    /* about a message that had no L when the next one began */
    struct iw_fault order;   /* about a message whose segments contradict each other */
    struct iw_fault control; /* about a wrong control octet or Invalidate STag */
    struct iw_fault stag;    /* about a response that begins with a wrong STag */
};

/* The latest findings about the responses of one side: the memory of iw_rule_operation.c. */
struct iw_response_faults {
    struct iw_fault order; /* about one out of order; its message is the request that is due */
    struct {
        struct iw_finding_ref finding; /* that a Read Response has the length of another one */
        uint32_t expected, actual;     /* octets */
    } length;
};

/* A message that its receiver must reject. */
struct iw_refusable {
    uint64_t frame;               /* capture frame in which it ends; 0: none */
    uint64_t requests;            /* number of requests that its sender sent before it */
    enum iw_requirement_id check; /* the check that it must fail */
    bool last;                    /* its L */
    bool answered;                /* a finding has reported that the receiver continued */
    bool itself;        /* only a response to this message itself proves that the receiver continued */
    bool again;         /* its MSN was used before, perhaps with the same header */
    bool hidden_before; /* its MSN may have been used before, because some octets of its sender are missing */
    uint8_t ddp_octets;
    uint16_t length; /* of the segment */
    uint8_t header[iw_ddp_untagged_octets];
};

/* A response that proves that the receiver continued after a message that it must reject. Used if it is no
 * longer known which requests are outstanding. */
struct iw_telltale {
    uint64_t request_frame;
    uint64_t request_end; /* stream offset after that request */
    uint64_t to;          /* Read Response: the Data Sink Tagged Offset to expect */
    uint32_t stag; /* Read Response: the Data Sink STag to expect; Atomic Response: the Request Identifier */
    uint32_t before; /* number of other responses that must be complete before it */
    uint8_t opcode;  /* of the response */
    bool payload;    /* Read Response: the request asks for at least one octet */
    bool set;        /* its request is known: the message with the fault, or a later one */
    bool armed;      /* `before` is known */
};

/* The position of a sender before a gap; the octets after the gap continue there. */
struct iw_thread {
    uint64_t offset; /* stream offset at which the last FPDU before the gap ends */
    uint64_t to;     /* expected TO of the next tagged segment */
    uint32_t stag;
    uint32_t msn; /* MSN of the open untagged message */
    uint32_t mo;  /* expected MO of its next segment */
    uint8_t qn;
    bool tagged;
    bool untagged;
};

/* Messages of one side that DDP has split into several segments. */
struct iw_split {
    struct iw_split_request request; /* one whose header is incomplete */
    struct iw_split_terminate terminate;
    bool control_judged, headers_judged, excess_reported; /* as in iw_judged_terminate */
};

/* A Terminate to be judged with an event: all its segments so far, joined. */
struct iw_judged_terminate {
    const struct iw_terminate_message *sent;
    const struct iw_terminate_message *meant; /* `sent`, or its meaning if its octets have reversed bit order
                                                 (iw_terminate_message_reversed) */
    uint32_t octets;                          /* after the DDP headers, up to the end of the event */
    bool captured;                            /* all of these were captured */
    bool complete;                            /* the event has L, or all that HdrCt announces has arrived */
    bool control_judged;                      /* the Terminate Control was judged with an earlier segment */
    bool headers_judged;                      /* and so was all that HdrCt announces */
    bool excess_reported;                     /* a finding has reported octets after that */
};

/* One side of the connection, as judged so far. */
struct iw_party {
    /* Members that every FPDU needs come first, so that a connection uses few cache lines. */
    bool lost;             /* octets that it sent are missing */
    enum iw_unjudged hole; /* why octets are missing in the latest hole */
    bool hidden;         /* captured octets that it sent cannot be read: a wrong CRC, or a truncated header */
    bool crc_bad;        /* its latest FPDU has a wrong CRC */
    uint16_t mss;        /* the Maximum Segment Size that it has announced; 0: unknown */
    bool large_reported; /* a finding has reported segments larger than the MULPDU */
    bool may_be_terminated; /* a Terminate is among its FPDUs that may be payload */
    uint8_t small_segments; /* number of segments that are smaller than necessary, counted up to a limit */
    uint64_t fpdus;         /* number of FPDUs that it has sent */
    uint64_t
        first_fpdu_end; /* stream offset after its first FPDU if nothing before that is missing; else 0 */
    uint64_t terminate_frame; /* capture frame of its Terminate; 0: none so far */
    bool terminate_sent;
    bool whole[IW_QN_COUNT]; /* by queue: the latest segment with L=0 is all of a message of fixed length */
    bool terminate_open;     /* it certainly has had no segment with L, and nothing was sent after it */
    bool terminate_torn;     /* octets after its first segment are missing; its segment with L may be there */
    bool terminate_faulty;   /* its Terminate has a fault */
    bool read_faulty;        /* one of its Read Requests has a fault */
    bool version_1;          /* one of its segments has DV and RV 1 where 0 is allowed too */
    bool closed;             /* it has sent a FIN */
    bool ended;              /* it has closed in an orderly way: by FIN, or the session ended */
    bool reset;              /* it has reset or aborted the connection */
    bool over;               /* its end was captured, orderly or not */
    struct iw_stags stags;   /* of its memory */
    struct iw_operations operations; /* its requests */
    struct iw_in_flight *in_flight;  /* responses to them, if their number is limited; or NULL */
    struct iw_split *split;          /* messages in several segments; NULL before the first */
    struct iw_sequence sequence;     /* order of the messages that it sends */
    struct iw_faults faults;
    struct iw_response_faults response_faults;
    struct iw_thread thread;
    uint64_t startup_first_frame; /* capture frame in which its startup frame begins */
    uint64_t startup_frame;       /* capture frame in which it ends */
    uint64_t empty_to;            /* of its latest tagged segment without payload; valid with `empty_sent` */
    struct iw_refusable refusable[2]; /* its first and its second one */
    struct iw_telltale telltale;      /* response that proves that the receiver ignored the first of them */
    uint32_t empty_stag;              /* as `empty_to` */
    uint32_t stag_index;              /* its latest STag without the ULP's octet */
    uint32_t stag_step;               /* difference to the previous one; 0 before the first */
    uint32_t request_tsn;             /* over SCTP: TSN of its latest request */
    uint64_t request_frame;           /* over SCTP: capture frame of its latest request */
    uint32_t packet_requests;         /* number of requests in that frame */
    uint32_t depth_doubts;            /* requests that may be above the limit, which is not proven */
    uint8_t even_steps;               /* number of steps with the length of the latest */
    uint8_t small_steps;              /* number of consecutive short steps */
    bool even_reported;
    bool small_reported;
    bool empty_sent;       /* it has sent a tagged segment without payload */
    bool atomics_answered; /* it has answered an Atomic Request */
    bool session_opened;   /* over SCTP: it has sent, or may have sent, the first control message */
    bool session_over;     /* it has sent a control message after which nothing may follow */
    bool session_unplaced; /* one of its messages was not judged by its place in the session */
    bool session_unseen;   /* it has answered a later Initiate, which the capture may lack */
    bool keyless_reported; /* over TCP: a finding has reported that its first frame has no valid Key */
    union {
        struct {                                     /* over TCP: findings that later ones follow from */
            struct iw_finding_ref pd_length_finding; /* its PD_Length is too short for the enhanced data */
            struct iw_finding_ref
                crc_finding; /* why its CRCs are wrong from the first on: CRC or PD_Length */
            struct iw_finding_ref marker_finding;   /* its latest Marker is wrong */
            struct iw_finding_ref unmarked_finding; /* its first Marker is missing */
        };
        struct {                                 /* over SCTP */
            struct iw_finding_ref stray_finding; /* the first about a chunk after its session */
            uint64_t control_frame;              /* capture frame of its last control message */
            /* A chunk that may be sent too early, and the control message that it must wait for; frame 0:
             * none */
            struct {
                uint64_t frame, control_frame;
                uint32_t tsn, control_tsn;
                uint32_t last_tsn; /* of the chunks that wait for the same control message */
                uint32_t chunks;   /* number of these, the first one included */
            } early;
            uint32_t early_doubts; /* further chunks that may be sent too early, which is not proven */
        };
    };
};

enum { IW_JUDGE_FINDING_MAX = 24 };

struct iw_judge {
    struct iw_monitor_config config;
    struct iw_mpa mpa;
    struct iw_party party[2]; /* by enum iw_side */
    struct iw_monitor_counts counts;
    struct iw_monitor_event event;         /* the event being judged */
    struct iw_judged_terminate *terminate; /* that `event` begins or continues, as far as it has come; NULL:
                                              none, or its Terminate Control is missing */
    bool over;             /* the sender of `event` has sent a Terminate, and `event` is not part of it */
    uint8_t version;       /* the correct DV and RV of `event`: 1, or 0 from a peer with Rev 0 */
    bool version_settled;  /* DV and RV must be 1 in everything that both sides send */
    bool refused_now;      /* `event` is the first message of its sender that the receiver must refuse */
    bool waiting_known;    /* before `event` it was known how many requests of its sender are outstanding;
                              `event` makes that unknown */
    uint32_t waiting;      /* their number */
    bool draft_noted;      /* a note has reported an opcode that only a draft defines */
    bool experiment_noted; /* a note has reported the opcode for experiments */
    bool defined;          /* an RFC defines the Rev in force */
    struct iw_finding *findings; /* about it, capacity IW_JUDGE_FINDING_MAX; NULL before the first */
    size_t finding_count;
    bool findings_lost;               /* memory ran out for a finding */
    uint64_t reported;                /* findings of the connection so far */
    struct iw_header_log *headers[2]; /* by sending side; NULL before the first segment */
};

/* The correct DV and RV of the event: 1. They are 0 if 0 is allowed, both are 0, and the side has not used 1
 * before (RFC 5040 4.1, RFC 5041 4.1, RFC 5044 C). */
static inline uint8_t iw_judge_version(const struct iw_judge *judge) {
    return judge->version;
}

/* Whether octets from a Tagged Offset on go beyond 2^64, where they cannot be placed or fetched. */
static inline bool iw_judge_wraps(uint64_t to, uint64_t octets) {
    return octets > 0 && to > UINT64_MAX - (octets - 1);
}

/* Whether the 64-bit sum of both wraps, which a receiver checks (RFC 5041 7.1, RFC 5040 7.2): also if the
 * last octet is at 2^64 - 1. Some receivers reject that, and the text permits it. */
static inline bool iw_judge_sum_wraps(uint64_t to, uint64_t octets) {
    return octets > UINT64_MAX - to;
}

/* Whether a side had received the other side's octets up to stream offset `end` when it sent its own. Its
 * acknowledgement number decides; it may prove either answer. */
enum iw_sight { IW_SIGHT_UNKNOWN, IW_SIGHT_RECEIVED, IW_SIGHT_MISSING };

enum iw_sight iw_judge_sight(const struct iw_received *received, uint64_t end);

/* What the sender of this FPDU had received when it sent it; known only for the first FPDU after its startup
 * frame. */
struct iw_received iw_judge_first_received(const struct iw_judge *judge);

/* Whether the side of the event sent the octets after its Request, in capture frame `frame`, before it had
 * received the complete Reply. `received` is what it had received by then. */
bool iw_judge_before_reply(const struct iw_judge *judge, const struct iw_received *received, uint64_t frame);

/* The stream offset of the other side up to which the sender of this FPDU had received octets, at most, when
 * it began to send the FPDU; UINT64_MAX if that is not known, as over SCTP. TCP sends octets in order for the
 * first time, so an acknowledgement with the FPDU's first octet or with any later octet is an upper bound.
 * Within a segment that a network card may have joined from several, only the first octet counts: the
 * acknowledgement may be that of the first part. */
uint64_t iw_judge_received_at_most(const struct iw_judge *judge);

/* Whether the FPDU is not the first one of such a segment. Then what it depends on may be captured after it.
 */
bool iw_judge_joined(const struct iw_judge *judge);

/* The field that the opcode of the segment is shown in. */
enum iw_field_id iw_judge_opcode_field(const struct iw_segment *segment);

/* Adds a finding about the event, with side, time and location; `field` is an enum iw_field_id or
 * IW_FIELD_COUNT. `subject` begins its message. The caller sets `expected` and `actual`, by iw_judge_texts.
 * Never NULL: a finding above the limit is not delivered. */
IW_COLD struct iw_finding *iw_judge_report(
    struct iw_judge *judge, enum iw_requirement_id id, enum iw_field_id field, const char *subject);

/* Writes expected and actual values of a field as numbers of its kind, and the message. Either only
 * `expected` is allowed; or values up to `limit`: "at most 512"; or from `limit` on: "at least 4". */
IW_COLD void iw_judge_values(struct iw_finding *finding, uint64_t expected, uint64_t actual);
IW_COLD void iw_judge_at_most(struct iw_finding *finding, uint64_t limit, uint64_t actual);
IW_COLD void iw_judge_at_least(struct iw_finding *finding, uint64_t limit, uint64_t actual);

/* Writes expected and actual as texts: sets of values, and anything that is not a number. */
IW_COLD void iw_judge_texts(struct iw_finding *finding, const char *expected, const char *actual);

/* Writes a Key as text, non-ASCII octets as \xNN: "MPA ID Req Frame". */
enum { IW_KEY_TEXT_OCTETS = 72 };
IW_COLD void iw_judge_key_text(char text[IW_KEY_TEXT_OCTETS], const uint8_t key[16]);

/* Adds a capture frame that led to the finding, unless it is 0 or already added. */
IW_COLD void iw_judge_context(struct iw_finding *finding, uint64_t frame);

/* Charges `side` instead of the sender of the event. For findings about an earlier chunk of `side` that only
 * a later event proves. */
IW_COLD void iw_judge_charge(struct iw_judge *judge, struct iw_finding *finding, enum iw_side side);

/* Marks the finding as following from an earlier one, if there is such a finding: the same fault, visible
 * again. */
IW_COLD void iw_judge_because_of(struct iw_finding *finding, const struct iw_finding_ref *ref);

/* Marks the findings about the event from index `first` on as following from the earlier one with index
 * `root`, except those that are heavier or already follow from another. */
IW_COLD void iw_judge_attach(struct iw_judge *judge, size_t root, size_t first);

/* A reference to the finding, for later ones that may follow from it. */
struct iw_finding_ref iw_judge_finding_ref(const struct iw_finding *finding);

/* Notes the finding as the latest fault of its kind. The message at fault began in capture frame `message`;
 * `qn` is IW_QN_COUNT if it is tagged. */
IW_COLD void iw_judge_note_fault(
    struct iw_fault *fault, const struct iw_finding *finding, uint32_t qn, uint64_t message);

/* Whether a field that is equal in all segments of a message is wrong by itself: RV, Rsv, or an Invalidate
 * STag that the opcode does not use. */
bool iw_judge_control_wrong(const struct iw_judge *judge, const struct iw_segment *segment);

/* An FPDU of that side has begun and not ended: its length may be wrong, and its octets may be further
 * FPDUs. */
bool iw_judge_unfinished(const struct iw_judge *judge, enum iw_side side);

/* Whether every segment of the side that the sender of the event may have received has been judged: none is
 * missing, truncated before the end of its header, or still to come in the capture. False over SCTP, because
 * a DATA chunk does not tell what its sender has received. */
bool iw_judge_all_seen(const struct iw_judge *judge, enum iw_side side);

/* Whether the headers of the Terminate are judged with this event: all that HdrCt announces has arrived, or
 * nothing more will. */
static inline bool iw_judge_terminate_headers(const struct iw_judge *judge) {
    return judge->terminate != NULL && judge->terminate->complete && !judge->terminate->headers_judged;
}

/* Whether the segment that a Terminate is about, with an included DDP header, can have the reported error. */
bool iw_terminated_can_have_error(const struct iw_judge *judge, const struct iw_terminate_message *message);

/* Judges whether the DDP header that a Terminate includes is that of a segment of the other side (RFC 5040
 * 4.8). Returns false if it is not. */
bool iw_rules_terminated_header(struct iw_judge *judge, const struct iw_terminate_message *message);

/* The one segment of the other side that has the DDP header that a Terminate includes, and whose length its
 * DDP Segment Length must be; NULL if it is not known. */
const struct iw_logged_header *iw_terminated_segment(
    const struct iw_judge *judge, const struct iw_terminate_message *message);

/* Judges the RTR types of enhanced data with A=0 (RFC 6581 9.2). */
void iw_rules_enhanced_data(struct iw_judge *judge, const struct iw_mpa_enhanced *data);

/* Judges IRD and ORD of an answer, `given`, against those of the Request or Initiate, `asked` (RFC 6581
 * 9.1). */
void iw_rules_depths(
    struct iw_judge *judge, const struct iw_mpa_enhanced *asked, const struct iw_mpa_enhanced *given);

/* The rules, by layer; each looks at judge->event. */
void iw_rules_startup(struct iw_judge *judge);
void iw_rules_first_fpdu(struct iw_judge *judge);
void iw_rules_fpdu(struct iw_judge *judge);
void iw_rules_crc(struct iw_judge *judge);
void iw_rules_marker(struct iw_judge *judge);
/* The findings about the event from index `first` on are about a Marker. They follow from the finding that
 * the first Marker is missing, or that the latest one is wrong; otherwise later ones follow from them. */
void iw_rules_marker_follow(struct iw_judge *judge, size_t first);
void iw_rules_size(struct iw_judge *judge);
void iw_rules_llp(struct iw_judge *judge);
void iw_rules_ddp(struct iw_judge *judge);
void iw_rules_rdmap(struct iw_judge *judge);
void iw_rules_operation(struct iw_judge *judge);
void iw_rules_terminate(struct iw_judge *judge);
void iw_rules_stag(struct iw_judge *judge);
void iw_rules_reaction(struct iw_judge *judge);   /* last: it uses the findings of the others */
void iw_rules_terminated(struct iw_judge *judge); /* of a Terminate, by iw_rules_reaction */
void iw_rules_skipped(struct iw_judge *judge);
void iw_rules_close(struct iw_judge *judge);
void iw_rules_teardown(struct iw_judge *judge);
void iw_rules_session(struct iw_judge *judge);
/* Over SCTP: `allowed` requests may be outstanding, and more seem to be. Returns whether that is proven;
 * otherwise notes a doubt, which a later chunk may settle. What is still in doubt at the end of the session
 * is counted as not judged, once. */
bool iw_rules_session_depth(struct iw_judge *judge, uint32_t allowed);
void iw_rules_session_depth_answered(struct iw_judge *judge); /* at a response, which may prove it */
void iw_rules_session_depth_end(struct iw_judge *judge);      /* at the end of a session */
/* A SACK after the chunk may prove that the chunk was sent too early. After each chunk, and at the end of a
 * session. */
void iw_rules_session_early(struct iw_judge *judge);
void iw_rules_session_terms(struct iw_judge *judge); /* at a control message with a complete header */

#endif
