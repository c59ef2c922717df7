#pragma once

#include "iw_monitor_event.h"
#include "iw_ulp_identify.h"
#include "iw_upper_rule.h"

/* What one connection carries above RDMAP: identifies the upper layer protocol, decodes its messages, pairs
 * calls with replies, and keeps the remote buffers that messages advertise. Takes the events of a monitor in
 * order. Memory per connection is limited. After a loss, a damaged segment, a captured connection without its
 * beginning, or an entry dropped at a limit, statements that depend on it are left out. */

enum {
    IW_UPPER_CALLS_MAX = 256,    /* open calls of a connection; a further call is not stored */
    IW_UPPER_BUFFERS_MAX = 1024, /* buffers of a connection, of which ended ones are replaced first */
    IW_UPPER_FINDINGS_MAX = 100, /* findings kept of a connection; further ones are only counted */
    IW_UPPER_TEXT_OCTETS = 160,
};

/* What the peer of a buffer's owner may do with the buffer: a set. */
enum iw_upper_access { IW_UPPER_ACCESS_READ = 1, IW_UPPER_ACCESS_WRITE = 2 };

enum iw_upper_end {
    IW_UPPER_END_NONE,        /* the buffer is still in use */
    IW_UPPER_END_REPLY,       /* the reply to its call has come */
    IW_UPPER_END_INVALIDATED, /* a Send with Invalidate named its STag */
};

/* A call, command or request that has no complete reply so far. */
struct iw_upper_call {
    uint64_t key; /* XID (RPC), Initiator Task Tag (iSER), Command Identifier (NVMe), MessageId (SMB2) */
    enum iw_side caller;
    uint64_t frame; /* capture frame in which the message ends */
    uint64_t time_ns;
    const char *operation; /* such as "NFS WRITE" or "SCSI Read(10)"; a string that lives for ever */
    uint32_t number;       /* of the call in its connection, from 1 */
    uint32_t octets;       /* data to transfer, if the call states it; else 0 */
    bool hidden;           /* what its message advertises is not known */
    bool may_be_answered;  /* no reply is due: it may be a copy of an answered call, or it was given up */
    bool waits_for_event;  /* read it by iw_upper_call_waits_for_event */
    uint32_t detail[12];   /* for the module of the protocol */
    void *user;            /* for the caller; NULL at first */
};

/* Memory that a message has advertised to the peer of its owner. */
struct iw_upper_buffer {
    uint32_t stag;
    uint8_t access;   /* set of enum iw_upper_access */
    uint8_t end;      /* enum iw_upper_end */
    uint8_t list;     /* for the module of the protocol */
    bool holes;       /* a Write left a hole, and this was reported */
    bool shared;      /* a Write may be for another call, or broke its bounds: `done` is not certain */
    bool rpc_message; /* it begins with an RPC message: a Long Call or Long Reply */
    bool head_known;  /* `head` is valid */
    uint32_t head;    /* the first 4 octets written to it */
    uint32_t place;   /* ordinal in its list of its call, from 0 */
    enum iw_side owner;
    uint64_t to;
    uint64_t length;       /* octets */
    uint64_t at, whole;    /* it begins at octet `at` of the call's data of `whole` octets */
    uint64_t done;         /* octets that the peer has written to it, or requested from it, in order */
    uint64_t read;         /* number of the latest Read Request for it among those of its sender; 0: none */
    uint64_t read_frame;   /* and its capture frame */
    uint64_t frame;        /* capture frame of the message that advertised it */
    uint64_t end_frame;    /* capture frame that ended it; 0 if END_NONE */
    const char *operation; /* of its call */
    uint64_t key;          /* of its call */
    uint32_t number;       /* of its call */
    void *user;            /* for the caller; NULL at first */
};

/* The credits of the calls of one side. */
struct iw_upper_credits {
    bool known;               /* the protocol has credits, and a grant was seen */
    uint32_t granted;         /* by the latest reply */
    uint32_t open;            /* calls without a reply, which need a credit each */
    uint64_t exhausted_frame; /* frame of the call that used the last credit; 0: credits are left */
    bool exceeded;            /* more calls are open than any reply granted */
};

struct iw_upper_finding {
    const struct iw_upper_rule *rule;
    uint64_t frame; /* capture frame in which the offending message or segment ends */
    uint64_t time_ns;
    uint64_t about_frame; /* capture frame of the message that it contradicts; 0: none */
    enum iw_side side;    /* the side at fault */
    char message[192];    /* one sentence */
    char expected[96];
    char actual[96];
};

struct iw_upper_counts {
    uint64_t messages[2]; /* decoded messages, by sender */
    uint64_t calls[2];    /* by caller */
    uint64_t replies[2];  /* paired with their calls, by caller */
    uint64_t buffers[2];  /* advertised, by owner */
    uint64_t findings[IW_SEVERITY_ERROR + 1];
};

/* How many findings a rule has, kept or not. */
struct iw_upper_rule_count {
    uint64_t of[2]; /* by the side at fault */
};

struct iw_upper;

/* Called during iw_upper_event, with pointers that are valid only during the call. Each may be NULL. */
struct iw_upper_handlers {
    void (*called)(void *user, struct iw_upper_call *call);  /* the event's message is a call */
    void (*replied)(void *user, struct iw_upper_call *call); /* it is the complete reply to the call */
    /* The event's message, of the call or with `call` NULL, advertises the buffer. */
    void (*advertised)(void *user, struct iw_upper_buffer *buffer, const struct iw_upper_call *call);
    /* The event is a Write or Read Request to the buffer, or one that breaks a rule and fits it best. */
    void (*used)(void *user, struct iw_upper_buffer *buffer);
    void (*ended)(void *user, struct iw_upper_buffer *buffer); /* see buffer->end */
    /* A finding is kept; it may be of an earlier event. */
    void (*found)(void *user, const struct iw_upper_finding *finding);
};

/* Returns NULL if memory runs out. */
struct iw_upper *iw_upper_new(void);
void iw_upper_free(struct iw_upper *upper);

/* Calls these handlers with `user` from now on. `handlers` outlives `upper`. */
void iw_upper_listen(struct iw_upper *upper, const struct iw_upper_handlers *handlers, void *user);

/* Sets how many findings are kept from now on; IW_UPPER_FINDINGS_MAX at first, and at most. */
void iw_upper_keep_findings(struct iw_upper *upper, size_t most);

/* Takes the next event of the connection's monitor. `received`: iw_monitor_received_at_most during the event;
 * UINT64_MAX if unknown, and then fewer rules are judged. */
void iw_upper_event(struct iw_upper *upper, const struct iw_monitor_event *event, uint64_t received);

/* Call this function after the last event: reports what had to wait for later messages. */
void iw_upper_finish(struct iw_upper *upper);

/* ---- results: valid until the next event ---- */

enum iw_ulp_protocol iw_upper_protocol(const struct iw_upper *upper);

/* Returns the name of the protocol, such as "RPC-over-RDMA", or its key for programs, such as "rpc". */
const char *iw_upper_protocol_name(enum iw_ulp_protocol protocol);
const char *iw_upper_protocol_key(enum iw_ulp_protocol protocol);

/* Whether everything that the layer above sent so far was seen and kept, and no finding was dropped while it
 * waited for later messages. If not, an unanswered call may have a reply, an unknown STag may have been
 * advertised, and the counts of findings may be too low. */
bool iw_upper_complete(const struct iw_upper *upper);

/* Whether the replies to all open calls would have been seen. What was not read may advertise memory. */
bool iw_upper_calls_complete(const struct iw_upper *upper);

/* Whether everything that the layer above sent after the frame was seen and read. */
bool iw_upper_is_read_after(const struct iw_upper *upper, uint64_t frame);

/* Whether memory ran out, so that something is missing. */
bool iw_upper_no_memory(const struct iw_upper *upper);

const struct iw_upper_counts *iw_upper_counts(const struct iw_upper *upper);

/* Returns the count of each rule; NULL without a finding, or if memory ran out. */
const struct iw_upper_rule_count *iw_upper_rule_counts(const struct iw_upper *upper);

/* Sets *count to the number of findings kept, in the order of detection. */
const struct iw_upper_finding *iw_upper_findings(const struct iw_upper *upper, size_t *count);

/* Sets *count to the number of calls without a reply, oldest first. */
const struct iw_upper_call *iw_upper_calls(const struct iw_upper *upper, size_t *count);

/* Returns the credits of the calls of `caller`. */
struct iw_upper_credits iw_upper_credits(const struct iw_upper *upper, enum iw_side caller);

/* Returns the buffer of `owner` that contains octet `to` of the STag; if none does, the latest buffer with
 * this STag; NULL if the STag is unknown. */
const struct iw_upper_buffer *iw_upper_buffer_find(
    const struct iw_upper *upper, enum iw_side owner, uint32_t stag, uint64_t to);

/* Writes what the buffer is for, such as "for NFS READ in frame 104, offset 0x2000 of 0x8000". */
const char *iw_upper_buffer_purpose(const struct iw_upper_buffer *buffer, char text[IW_UPPER_TEXT_OCTETS]);

/* Writes which call it is, such as "NFS WRITE, XID 0xac841da0". */
const char *iw_upper_call_name(
    const struct iw_upper *upper, const struct iw_upper_call *call, char text[IW_UPPER_TEXT_OCTETS]);

/* Whether the call has its reply only when an event occurs, as the Asynchronous Event Request of NVMe or
 * CHANGE_NOTIFY of SMB2. */
bool iw_upper_call_waits_for_event(const struct iw_upper_call *call);
