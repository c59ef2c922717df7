#pragma once

#include "iw_upper.h"
#include "iw_upper_words.h"

/* The state of struct iw_upper, for its parts. */

enum {
    IW_UPPER_HEAD_OCTETS = 4096, /* octets kept of a message of several segments */
    IW_UPPER_ENDED_MAX = 64,     /* buffers kept after their end */
    IW_UPPER_PENDING_MAX = 8,
    IW_UPPER_PRIVATE_OCTETS = 512, /* all that RFC 5044 7.1.1 allows */
    IW_UPPER_RECENT_MAX = 16,
};

/* A complete message on queue 0: a Send of any kind. */
struct iw_upper_send {
    enum iw_side side;
    bool invalidates;
    uint32_t stag; /* to be invalidated */
    uint64_t frame;
    uint64_t time_ns;
    uint64_t end;      /* stream offset after it */
    uint64_t received; /* see iw_upper_event */
    const uint8_t *data;
    uint64_t captured; /* octets at `data` */
    uint64_t octets;   /* length of the message */
};

/* The open message of one side that has several segments. */
struct iw_upper_part {
    bool open;
    bool broken; /* a segment is missing */
    uint32_t msn;
    uint64_t octets;
    uint32_t kept;
    uint8_t *head; /* IW_UPPER_HEAD_OCTETS; NULL before the first message of several segments */
};

/* The private data of a startup frame, without enhanced data. */
struct iw_upper_private {
    bool seen; /* the startup frame was captured whole */
    bool request;
    size_t octets;
    uint8_t *data; /* the first octets, at most IW_UPPER_PRIVATE_OCTETS; NULL without private data */
    uint64_t frame;
    uint64_t time_ns;
    /* RFC 8797 */
    bool rpc_judged;
    bool rpc;        /* valid data of version 1 */
    bool rpc_other;  /* data of another version, whose values are not known */
    uint16_t rpc_at; /* offset of the Format Identifier */
    bool invalidate; /* R */
    uint32_t send_octets, receive_octets;
};

/* How many octets of it are kept. */
static inline size_t iw_upper_private_kept(const struct iw_upper_private *data) {
    return data->octets < IW_UPPER_PRIVATE_OCTETS ? data->octets : IW_UPPER_PRIVATE_OCTETS;
}

/* What the other side may have sent that refutes a finding. */
enum iw_upper_refuter_kind {
    IW_UPPER_BY_ADVERTISEMENT, /* of the STag `value` */
    IW_UPPER_BY_CALL,          /* with the key `value` */
    IW_UPPER_BY_REPLY,         /* to the call with the key `value` */
    IW_UPPER_BY_ANY_REPLY,     /* `value` is 0 */
    IW_UPPER_BY_READ_RESPONSE, /* the `value`th one of its stream, as a whole */
};
struct iw_upper_refuter {
    enum iw_upper_refuter_kind kind;
    uint64_t value;
};

/* A finding that holds only if the other side has not sent something before `received` that is captured
 * later. */
struct iw_upper_pending {
    struct iw_upper_finding finding;
    enum iw_side other;
    uint64_t received; /* stream offset of the other side */
    struct iw_upper_refuter by;
};

/* The RDMA Reads of one side. Responses come in the order of the requests (RFC 5040 5.2.1), so the number of
 * a request is that of its response, whichever is captured first. */
struct iw_upper_reads {
    uint64_t requests;            /* of the side, counted from 1 */
    uint64_t answers;             /* complete Read Responses of the other side */
    uint64_t answer_end;          /* stream offset after the latest of them */
    struct iw_upper_heads *heads; /* NULL: none */
    bool answer_open;             /* the next one has begun */
};

/* Read Requests for the beginning of a Long Call, whose responses begin with the XID. */
struct iw_upper_heads {
    struct {
        uint64_t read;  /* its number */
        uint64_t key;   /* of the call */
        uint64_t frame; /* of the call */
    } head[4];
    unsigned count;
};

struct iw_upper_grants {
    uint64_t replies;
    uint32_t largest;
    uint32_t latest;
};

/* The latest XIDs of one caller's calls that have a reply. The caller may have sent a call again before it
 * had the reply, or the call may be captured after its reply. */
struct iw_upper_recent {
    struct {
        uint32_t xid;
        bool early; /* the reply was captured, and its call may follow */
    } replies[IW_UPPER_RECENT_MAX];
    unsigned count, next;
};

/* The latest Send that may be of rping. */
struct iw_upper_rping {
    struct iw_upper_send send; /* without data */
    uint8_t data[16];
};

/* The first Send of a side, if it may be Hello or HelloReply of iSER. Later messages show the protocol. */
struct iw_upper_hello {
    struct iw_upper_send send; /* its data are below */
    uint8_t data[28];
};

struct iw_upper {
    const struct iw_upper_handlers *handlers; /* never NULL */
    void *user;
    enum iw_ulp_protocol protocol;
    bool lost;                /* since the latest forgetting, something was not seen, or not kept */
    bool forgotten;           /* calls, buffers and open messages were forgotten at least once: */
    uint64_t forgotten_frame; /* in this frame the last time */
    uint64_t unread_frame;    /* the latest message that was not read: it may advertise memory, but hides no
                                 reply to an open call; 0: none */
    unsigned hidden;          /* open calls that are hidden: they may advertise memory */
    bool early_write; /* a Write came to a buffer that may have been advertised later in the capture */
    bool no_memory;   /* because memory ran out */
    bool initiator_known;
    enum iw_side initiator;
    bool tentative;         /* private data alone show the protocol */
    unsigned unknown_sends; /* Sends before the protocol was known */
    bool sent[2];           /* a Send of the side was seen */
    struct iw_upper_private private_data[2];
    struct iw_upper_part part[2];
    uint64_t reached[2]; /* stream offset after the latest event of the side */

    struct iw_upper_call *calls;
    uint32_t call_count, call_capacity;
    uint32_t numbers; /* calls numbered so far */
    struct iw_upper_buffer *buffers;
    uint32_t buffer_count, buffer_capacity;
    uint32_t ended;                    /* buffers with an end */
    uint32_t latest;                   /* index of the buffer used latest */
    struct iw_upper_grants grants[2];  /* by caller */
    struct iw_upper_recent *recent[2]; /* RPC, by caller; NULL: no reply yet */
    struct iw_upper_reads reads[2];    /* by requester */

    struct iw_upper_finding *findings;
    size_t finding_count;
    size_t findings_max;
    struct iw_upper_pending *pending;
    unsigned pending_count;
    bool finding_dropped; /* more than IW_UPPER_PENDING_MAX were pending; the others are not affected */
    struct iw_upper_rule_count *rules; /* by rule; NULL before the first finding */
    struct iw_upper_counts counts;

    /* the current event */
    enum iw_side side;
    uint64_t frame;
    uint64_t time_ns;

    /* of the protocols */
    bool login_reported, discovery_reported, initiator_access_reported; /* iSER */
    bool hello_seen;                                                    /* iSER */
    bool logs_in;            /* iSER: the login is in Sends, and has no final response so far */
    bool logged_in;          /* iSER: its final response was seen, or the first PDU is not of a login */
    uint64_t login_received; /* what the target had received at most, when it sent that response */
    uint16_t hello_ird;
    bool text_continues;             /* iSER: the next Login Request begins within the text of the latest */
    struct iw_upper_hello *hello[2]; /* iSER; NULL: none */
    bool fragments[2];               /* SMB Direct: the next message continues an SMB2 message */
    bool rping_excluded;             /* a Send has another length than those of rping */
    struct iw_upper_rping *rping;    /* NULL: no Send that may be of rping */
};

/* Memory ran out: something is not kept. */
static inline void iw_upper_set_no_memory(struct iw_upper *upper) {
    upper->lost = upper->no_memory = true;
}

/* Whether everything that the layer above sent so far was seen and kept. Open calls may be hidden. */
bool iw_upper_all_messages_seen(const struct iw_upper *upper);

/* The same, and all memory that is advertised is known. */
bool iw_upper_all_seen(const struct iw_upper *upper);

/* Something of the layer above was not seen: forgets calls, buffers and open messages. */
void iw_upper_set_lost(struct iw_upper *upper);

/* Whether the startup frames of both sides were captured. */
bool iw_upper_startup_is_seen(const struct iw_upper *upper);

/* ---- iw_upper_finding.c ---- */

/* What findings are about. */
struct iw_upper_moment {
    enum iw_side side; /* the side at fault */
    uint64_t frame;
    uint64_t time_ns;
};

/* Findings are about this moment from now on, which may be before the current event. Returns the previous
 * one. */
struct iw_upper_moment iw_upper_set_moment(struct iw_upper *upper, struct iw_upper_moment moment);

/* Reports that the sender of the current event breaks `rule`. `about`: capture frame that it contradicts, or
 * 0. `expected` and `actual` may be "". */
void iw_upper_report(struct iw_upper *upper, enum iw_upper_rule_id rule, uint64_t about, const char *expected,
    const char *actual, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The same, once the other side's octets up to `received` were seen; never if `received` is UINT64_MAX. What
 * `by` says, sent before `received`, refutes the finding. */
void iw_upper_report_later(struct iw_upper *upper, enum iw_upper_rule_id rule, uint64_t about,
    uint64_t received, struct iw_upper_refuter by, const char *expected, const char *actual,
    const char *format, ...) __attribute__((format(printf, 8, 9)));

/* Drops pending findings that this message of `side` refutes. It ends at stream offset `end`. */
void iw_upper_refute(
    struct iw_upper *upper, enum iw_side side, uint64_t end, enum iw_upper_refuter_kind kind, uint64_t value);

/* The octets of `side` up to `reached` were seen: reports pending findings. */
void iw_upper_confirm(struct iw_upper *upper, enum iw_side side, uint64_t reached);

/* ---- iw_upper_call.c ---- */

struct iw_upper_call *iw_upper_call_add(
    struct iw_upper *upper, const struct iw_upper_send *send, uint64_t key, const char *operation);
struct iw_upper_call *iw_upper_call_find(const struct iw_upper *upper, enum iw_side caller, uint64_t key);

/* Whether the call is of this side, and certainly waits for a reply of a known form: it needs a credit. */
bool iw_upper_call_counts(const struct iw_upper_call *call, enum iw_side caller);

/* How many open calls do. */
uint32_t iw_upper_calls_of(const struct iw_upper *upper, enum iw_side caller);

/* The reply has come: ends the buffers of the call, and forgets the call. */
void iw_upper_call_end(struct iw_upper *upper, struct iw_upper_call *call);

/* Forgets a call without a reply: another message has its key. Its buffers remain, because it is not known
 * until when the other side may use them. */
void iw_upper_call_drop(struct iw_upper *upper, struct iw_upper_call *call);

/* A response has come without a call. If its sender may have received octets that are captured later, the
 * call may be among them, and then looks unanswered. */
void iw_upper_note_unmatched(struct iw_upper *upper, const struct iw_upper_send *send);

/* The buffers of the call remain when it ends: each of several messages with its key may have a reply. */
void iw_upper_call_detach(struct iw_upper *upper, const struct iw_upper_call *call);

/* ---- iw_upper_buffer.c ---- */

static inline bool iw_upper_buffer_is(
    const struct iw_upper_buffer *buffer, enum iw_side owner, uint32_t stag) {
    return buffer->stag == stag && buffer->owner == owner;
}

static inline bool iw_upper_buffer_contains(
    const struct iw_upper_buffer *buffer, uint64_t to, uint64_t octets) {
    return to >= buffer->to && octets <= buffer->length && to - buffer->to <= buffer->length - octets;
}

/* Adds a buffer of the sender. `call` may be NULL. Returns NULL if there is no space. */
struct iw_upper_buffer *iw_upper_buffer_add(struct iw_upper *upper, const struct iw_upper_send *send,
    const struct iw_upper_call *call, const struct iw_upper_buffer *buffer);

/* Returns buffer `place` of a list of a call, or NULL. */
struct iw_upper_buffer *iw_upper_buffer_of(
    const struct iw_upper *upper, const struct iw_upper_call *call, uint8_t list, uint32_t place);

/* Returns the buffer that iw_upper_buffer_find does. */
struct iw_upper_buffer *iw_upper_buffer_best(
    const struct iw_upper *upper, enum iw_side owner, uint32_t stag, uint64_t to);

/* The current event ends the buffer, unless it has ended before. */
void iw_upper_buffer_end(struct iw_upper *upper, struct iw_upper_buffer *buffer, enum iw_upper_end end);

/* A Send with Invalidate ends the buffers of `owner` with this STag. */
void iw_upper_invalidate(struct iw_upper *upper, enum iw_side owner, uint32_t stag);

/* ---- iw_upper_read.c ---- */

/* Takes a segment of a Read Response of the current event's sender, which ends at stream offset `end`. */
void iw_upper_read_response(struct iw_upper *upper, const struct iw_segment *segment, uint64_t end);

/* The Read Request with this number reads from the buffer, from octet `at` of it on. */
void iw_upper_read_note(
    struct iw_upper *upper, struct iw_upper_buffer *buffer, uint64_t at, uint64_t octets, uint64_t read);

/* Reports by `rule` that the reply to the call is sent before a Read from its buffers is answered. */
void iw_upper_read_judge_reply(struct iw_upper *upper, const struct iw_upper_send *send,
    const struct iw_upper_call *call, enum iw_upper_rule_id rule);

/* ---- iw_upper_use.c ---- */

/* Takes a Write or Read Request of the current event's sender to memory of the other side. */
struct iw_upper_use {
    uint32_t stag;
    uint64_t to;
    uint64_t octets;
    enum iw_upper_access access;
    uint64_t received;
    uint64_t read;       /* number of a Read Request */
    const uint8_t *data; /* that are written; NULL: none */
    uint64_t captured;   /* octets at `data` */
};
void iw_upper_use(struct iw_upper *upper, const struct iw_upper_use *use);

/* ---- the protocols ---- */

/* Decodes private data of RFC 8797. */
void iw_upper_rpc_private_decode(struct iw_upper_private *data);

/* Judges the private data that were captured so far: the protocol is known to be RPC-over-RDMA. */
void iw_upper_rpc_private_judge(struct iw_upper *upper);

void iw_upper_identified_smbd(struct iw_upper *upper);
void iw_upper_send_rpc(struct iw_upper *upper, const struct iw_upper_send *send);
void iw_upper_send_iser(struct iw_upper *upper, const struct iw_upper_send *send);
/* Whether the message is a command capsule. */
bool iw_upper_nvme_is_command(const struct iw_upper_send *send);
void iw_upper_send_nvme(struct iw_upper *upper, const struct iw_upper_send *send);
void iw_upper_send_smbd(struct iw_upper *upper, const struct iw_upper_send *send);

/* iSER: keeps the first Send of a side if it may be Hello or HelloReply. Returns whether it may. */
bool iw_upper_iser_note_hello(struct iw_upper *upper, const struct iw_upper_send *send);

/* Whether the messages kept are Hello and HelloReply beyond doubt. */
bool iw_upper_iser_is_exchange(const struct iw_upper *upper);

/* Takes the messages kept; the protocol is known to be iSER. */
void iw_upper_identified_iser(struct iw_upper *upper);

/* Forgets the messages kept. Returns whether there were any. */
bool iw_upper_iser_forget_hello(struct iw_upper *upper);

/* Reports an access of the initiator of iSER. */
void iw_upper_use_iser(struct iw_upper *upper, const struct iw_upper_use *use);

/* rping: notes a Send that may be of it; recognises it by the use of the buffer; takes its Sends. */
void iw_upper_rping_note(struct iw_upper *upper, const struct iw_upper_send *send);
bool iw_upper_rping_recognise(struct iw_upper *upper, const struct iw_upper_use *use);
void iw_upper_send_rping(struct iw_upper *upper, const struct iw_upper_send *send);
