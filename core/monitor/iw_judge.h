#pragma once

#include "iw_party.h"
#include "iw_placement.h"

/* Inside the monitor: the state that the rules see, and how they report findings. */

/* A Terminate to be judged with an event: all its segments so far, joined. */
struct iw_judged_terminate {
    const struct iw_terminate_message *sent;
    const struct iw_terminate_message *meant; /* `sent`, or its meaning in reversed bit order */
    uint32_t octets; /* of the message up to the end of the event, without DDP headers */
    bool captured;   /* all `octets` were captured */
    bool complete;   /* the event has L, or all that HdrCt announces has arrived */
    struct iw_party_terminate_progress progress; /* before the event */
};

enum { IW_JUDGE_FINDING_MAX = 24 };

struct iw_judge {
    struct iw_monitor_config config;
    struct iw_mpa mpa;
    struct iw_party party[2];       /* by enum iw_side */
    struct iw_party *sender, *peer; /* the side that `event` is about, and the other side */
    struct iw_monitor_counts counts;
    struct iw_monitor_event event; /* the event being judged */
    const uint8_t *header;         /* RDMAP header that `event` has or completes (RFC 5041 5.2); or NULL */
    struct iw_judged_terminate *terminate; /* the Terminate of `event`, so far; NULL: none, or not decoded */
    bool over;       /* the sender of `event` has sent a Terminate, and `event` is not part of it */
    uint8_t version; /* the correct DV and RV (see iw_judge_rv): 0 if it is allowed, both fields have it, and
                        the sender has not used 1 so far; else 1 (RFC 5040 4.1, RFC 5041 4.1, RFC 5044 C) */
    bool version_settled;  /* DV and RV must be 1 in everything that both sides send */
    bool refused_now;      /* `event` is the first message of its sender that the receiver must reject */
    bool waiting_known;    /* `event` makes the outstanding requests unknown; they were known before */
    bool draft_noted;      /* a note has reported an opcode that only a draft defines */
    bool experiment_noted; /* a note has reported the opcode for experiments */
    bool defined;          /* an RFC defines the Rev in force */
    bool findings_lost;    /* memory ran out for a finding */
    uint32_t waiting;      /* outstanding requests of the sender before `event`, if waiting_known */
    struct iw_finding *findings; /* about `event`, capacity IW_JUDGE_FINDING_MAX; NULL before the first */
    size_t finding_count;
    uint64_t reported; /* number of findings of the connection so far, undelivered ones included */
};

/* The RV that a segment must have. In the messages of RFC 7306 it is 1 in any connection (RFC 7306 4.1). */
static inline uint8_t iw_judge_rv(const struct iw_judge *judge, const struct iw_segment *segment) {
    return judge->version == 1 || iw_segment_is_rfc7306(segment) ? 1 : 0;
}

static inline bool iw_judge_version_right(const struct iw_judge *judge, const struct iw_segment *segment) {
    return segment->dv == judge->version && segment->rv == iw_judge_rv(judge, segment);
}

/* Whether DV and RV of a segment are correct, and T and QN match its opcode, if it is known. */
static inline bool iw_judge_header_is_right(const struct iw_judge *judge, const struct iw_segment *segment) {
    return iw_judge_version_right(judge, segment) && iw_segment_opcode_fits(segment);
}

/* Whether octets from a Tagged Offset on go beyond 2^64, where they cannot be placed or fetched. */
static inline bool iw_judge_wraps(uint64_t to, uint64_t octets) {
    return octets > 0 && to > UINT64_MAX - (octets - 1);
}

/* Whether `to` + `octets` exceeds 64 bits, which a receiver checks (RFC 5041 7.1, RFC 5040 7.2). True even if
 * the last octet is at 2^64 - 1: the RFCs permit a receiver to reject that, and some receivers do. */
static inline bool iw_judge_sum_wraps(uint64_t to, uint64_t octets) {
    return octets > UINT64_MAX - to;
}

/* Whether a sender had received the other side's octets up to stream offset `end`, by its acknowledgement. */
enum iw_sight { IW_SIGHT_UNKNOWN, IW_SIGHT_RECEIVED, IW_SIGHT_MISSING };

enum iw_sight iw_judge_sight(const struct iw_received *received, uint64_t end);

/* What the sender had received when it sent the FPDU of the event. Known only for an FPDU at the first octet
 * after the startup frame, or in the same capture frame as that octet. */
struct iw_received iw_judge_first_received(const struct iw_judge *judge);

/* Returns an upper bound: when the sender began to send the FPDU of the event, it had received the peer's
 * octets at most up to this stream offset. UINT64_MAX if unknown, as over SCTP. The bound is the
 * acknowledgement number sent with the first octet of the FPDU, or later. A network card may have joined
 * segments, with the first acknowledgement: then only an FPDU that begins the joined segment has a bound. */
uint64_t iw_judge_received_at_most(const struct iw_judge *judge);

/* Whether the FPDU of the event begins after the first octet of a TCP segment that a network card may have
 * joined from several. Then a message that the FPDU answers may be captured after it. */
bool iw_judge_joined(const struct iw_judge *judge);

/* The name of the length of the segment: "ULPDU_Length"; "Length" over SCTP, where no field states it. */
static inline const char *iw_judge_length_name(const struct iw_judge *judge) {
    enum iw_field_id field = judge->event.llp->length_field;

    return field == IW_FIELD_COUNT ? "Length" : iw_fields[field].label;
}

/* The field that shows the opcode of the segment, with four or five bits. */
enum iw_field_id iw_judge_opcode_field(const struct iw_segment *segment);

/* Adds a finding about the event, with side, time and location; `field` is the field at fault, or
 * IW_FIELD_COUNT. Its message is "`subject` is `actual`, expected `expected`"; `actual` is a format as for
 * printf. Never returns NULL: a finding above the limit, or without memory, is not delivered. */
IW_COLD struct iw_finding *iw_judge_report(struct iw_judge *judge, enum iw_requirement_id id,
    enum iw_field_id field, const char *subject, const char *expected, const char *actual, ...)
    __attribute__((format(printf, 6, 7)));

/* Like iw_judge_report, for numbers, in the format of the field. Expected is `expected` itself (_value), "at
 * most" the limit, or "at least" the limit. */
IW_COLD struct iw_finding *iw_judge_report_value(struct iw_judge *judge, enum iw_requirement_id id,
    enum iw_field_id field, const char *subject, uint64_t expected, uint64_t actual);
IW_COLD struct iw_finding *iw_judge_report_at_most(struct iw_judge *judge, enum iw_requirement_id id,
    enum iw_field_id field, const char *subject, uint64_t limit, uint64_t actual);
IW_COLD struct iw_finding *iw_judge_report_at_least(struct iw_judge *judge, enum iw_requirement_id id,
    enum iw_field_id field, const char *subject, uint64_t limit, uint64_t actual);

/* Like iw_judge_report for a Key: quotes, backslashes and unprintable octets appear as \xNN. */
IW_COLD struct iw_finding *iw_judge_report_key(struct iw_judge *judge, enum iw_requirement_id id,
    enum iw_field_id field, const char *subject, const char *expected, const uint8_t actual[16]);

/* Adds a capture frame that led to the finding. Ignores 0, the finding's own frame, and a frame that is
 * already in the list; once the list is full, ignores all frames. */
IW_COLD void iw_judge_context(struct iw_finding *finding, uint64_t frame);

/* Makes `side` the side at fault, instead of the sender of the event. */
IW_COLD void iw_judge_charge(struct iw_judge *judge, struct iw_finding *finding, enum iw_side side);

/* Marks the finding as following from the finding `ref`; ref->number 0: does nothing. */
IW_COLD void iw_judge_because_of(struct iw_finding *finding, const struct iw_finding_ref *ref);

/* Marks the findings about the event from index `first` on as following from the finding at index `root`, if
 * `root` < `first`. Skips findings that are more severe or already follow from another finding. */
IW_COLD void iw_judge_attach(struct iw_judge *judge, size_t root, size_t first);

/* Like iw_judge_attach, if a finding before index `first` is about requirement `root`. */
IW_COLD void iw_judge_attach_to(struct iw_judge *judge, enum iw_requirement_id root, size_t first);

/* The trouble of the party, for changes; never NULL. Without memory, the changes are lost, and counted as not
 * judged. */
IW_COLD struct iw_party_trouble *iw_judge_trouble(struct iw_judge *judge, struct iw_party *party);

/* A reference to the finding, for later findings that may follow from it. */
struct iw_finding_ref iw_judge_finding_ref(const struct iw_finding *finding);

/* Stores the finding in `fault`. `message`: frame in which the message began; `qn`: queue or IW_QN_TAGGED. */
IW_COLD void iw_judge_note_fault(
    struct iw_fault *fault, const struct iw_finding *finding, uint32_t qn, uint64_t message);

/* Whether RV is wrong, Rsv is not 0, or an Invalidate STag is not 0 although the opcode does not use it. */
bool iw_judge_control_wrong(const struct iw_judge *judge, const struct iw_segment *segment);

/* Whether every segment of the peer that the sender of the event may have received has been judged: no octets
 * of the peer are missing, unreadable (a wrong CRC, an incomplete header) or still to come in the capture.
 * False over SCTP, because a DATA chunk does not tell what its sender has received. */
bool iw_judge_all_seen(const struct iw_judge *judge);

/* Whether what the sender sends now may answer octets that the capture lacks. */
static inline bool iw_judge_answers_missing(const struct iw_judge *judge) {
    return judge->mpa.acknowledges_missing[judge->sender->side];
}

/* The startup frame of a side (over SCTP, its session control message) whose Key is `key`; else NULL. */
static inline const struct iw_startup *iw_judge_startup(
    const struct iw_judge *judge, const struct iw_party *party, enum iw_startup_key key) {
    const struct iw_startup *frame = &judge->mpa.terms.frame[party->side];

    return judge->mpa.terms.seen[party->side] && frame->key == key ? frame : NULL;
}

/* Whether the headers of the Terminate must be judged with this event: all that HdrCt announces has come, or
 * the event has L, and the headers have not been judged before. */
static inline bool iw_judge_terminate_headers(const struct iw_judge *judge) {
    return judge->terminate != NULL && judge->terminate->complete && !judge->terminate->progress.headers;
}
