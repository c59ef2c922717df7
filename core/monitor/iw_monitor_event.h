#pragma once

#include "iw_mpa.h"
#include "iw_operation.h"
#include "iw_requirement.h"
#include "iw_sequence.h"
#include "iw_session.h"
#include "iw_stag.h"
#include "iw_terminate.h"
#include "iw_unanswered.h"

/* The configuration of a monitor, and what it reports: events, findings, and what it could not judge. */

struct iw_monitor_config {
    unsigned extensions; /* documents in use beyond RFC 5040: set of enum iw_extension */
    uint32_t stags;      /* limit of STags stored per side (iw_stags_init); 0: IW_STAG_MAX */
    struct iw_mpa_config mpa;
};

enum iw_role { IW_ROLE_UNKNOWN, IW_ROLE_INITIATOR, IW_ROLE_RESPONDER };

const char *iw_role_name(enum iw_role role); /* such as "initiator" */

/* The role of `side` by the startup; UNKNOWN if the startup frames do not show the initiator. */
static inline enum iw_role iw_role_of(const struct iw_mpa_terms *terms, enum iw_side side) {
    if (!terms->initiator_known)
        return IW_ROLE_UNKNOWN;
    return terms->initiator == side ? IW_ROLE_INITIATOR : IW_ROLE_RESPONDER;
}

/* Whether an FPDU is judged; if not, the reason. */
enum iw_fpdu_judged {
    IW_FPDU_JUDGED,
    IW_FPDU_MAY_BE_PAYLOAD,   /* nothing proves that an FPDU begins at its first octet (iw_alignment.h) */
    IW_FPDU_UNKNOWN_REVISION, /* no RFC defines the Rev in force */
};

/* The reason why an FPDU is not judged, such as "it may be payload"; NULL if it is judged. */
const char *iw_fpdu_not_judged(enum iw_fpdu_judged judged);

/* Writes what the `pending` octets of a CLOSE are, such as "22 of 32 octets of a startup frame". */
enum { IW_UNFINISHED_TEXT_OCTETS = 64 };
void iw_unfinished_text(const struct iw_llp_event *close, char text[IW_UNFINISHED_TEXT_OCTETS]);

enum { IW_FINDING_CONTEXT_MAX = 3 };

struct iw_finding {
    const struct iw_requirement *requirement;
    uint64_t number;      /* 1, 2, 3, ... among the findings of the connection */
    uint64_t cause;       /* number of the finding that causes this finding; 0: none */
    uint64_t cause_frame; /* capture frame of that finding */
    enum iw_side side;    /* the side at fault */
    enum iw_role role;
    uint64_t frame; /* capture frame in which the offending octets end */
    uint64_t time_ns;
    uint64_t offset;              /* stream offset of the offending octets */
    uint32_t octets;              /* number of offending octets; 0 if something is missing */
    const struct iw_field *field; /* the offending field, or NULL */
    char message[192];            /* one sentence */
    char expected[96];
    char actual[96];
    uint64_t context[IW_FINDING_CONTEXT_MAX]; /* capture frames that led to the finding */
    unsigned context_count;
};

struct iw_monitor_event {
    const struct iw_llp_event *llp;
    enum iw_role role; /* of the side that `llp` is about */

    /* SEGMENT with a complete DDP header; otherwise NULL */
    const struct iw_segment *segment;
    const struct iw_segment_fact *fact;
    struct iw_operation *request;            /* if the segment is a request; the sink may set request->user */
    const struct iw_response_fact *response; /* if the segment is a response */
    const struct iw_terminate_message *terminate; /* if the segment is a Terminate with a complete header */
    uint32_t requests_waiting;           /* with a request or response: outstanding requests after it */
    const struct iw_stag_use *stag_uses; /* STags of the segment, if its CRC, DV, RV, T and QN are right */
    unsigned stag_use_count;
    uint64_t received_at_most; /* when the sender began to send the segment, it had received the other side's
                                  octets at most up to this stream offset; UINT64_MAX: not known */

    /* CLOSE: requests not answered by the closing side (SCTP: each side), by requester; or NULL */
    const struct iw_unanswered *unanswered[2];
    enum iw_fpdu_judged judged; /* SEGMENT: whether the segment is judged, and why not */

    const struct iw_finding *findings;
    size_t finding_count;
};

/* Why something could not be judged, and what struct iw_monitor_counts counts for that reason. */
enum iw_unjudged {
    IW_UNJUDGED_LOST,       /* octets that the capture lacks */
    IW_UNJUDGED_CUT,        /* octets that the capture has truncated from its packets */
    IW_UNJUDGED_STARTUP,    /* sides whose startup was not captured */
    IW_UNJUDGED_CRC,        /* FPDUs whose CRC could not be checked though it may be in use */
    IW_UNJUDGED_UNREAD,     /* octets skipped because no FPDU could be found in them */
    IW_UNJUDGED_SEQUENCE,   /* segments, responses, requests and messages of a session whose place is unknown,
                               because something before them was lost or wrong */
    IW_UNJUDGED_LIMIT,      /* items over a limit per connection, or without memory */
    IW_UNJUDGED_CHUNKS,     /* DATA chunks of SCTP that the capture lacks */
    IW_UNJUDGED_GIVEN_UP,   /* octets not read because of a limit, or because memory ran out */
    IW_UNJUDGED_UNFINISHED, /* octets of an FPDU that is incomplete at the end of the capture */
    IW_UNJUDGED_SESSION,    /* steps of a session that nothing shows to be right or wrong */
    IW_UNJUDGED_OUTSIDE,    /* captured octets that do not belong to the TCP stream */
    IW_UNJUDGED_DIFFERING,  /* octets retransmitted with different content */
    IW_UNJUDGED_FRAMING,    /* FPDUs that may be payload of other FPDUs */
    IW_UNJUDGED_REVISION,   /* startup frames and FPDUs with a Rev that no RFC defines */
    IW_UNJUDGED_STREAMING,  /* octets sent in streaming mode */
    IW_UNJUDGED_FILE,       /* connections that may continue in the unread part of a file; not for monitors */
    IW_UNJUDGED_COUNT,
};

/* The noun for `count` items that could not be judged, such as "octets not captured". */
const char *iw_unjudged_name(enum iw_unjudged reason, uint64_t count);
/* An explanation of the reason, as text. */
const char *iw_unjudged_why(enum iw_unjudged reason);
/* The key of the reason, for programs; it never changes. Example: "lost". */
const char *iw_unjudged_key(enum iw_unjudged reason);

struct iw_monitor_counts {
    uint64_t fpdus[2]; /* by enum iw_side */
    uint64_t messages[2];
    uint64_t payload_octets[2];
    uint64_t findings[IW_SEVERITY_ERROR + 1];
    uint64_t unjudged[IW_UNJUDGED_COUNT];
};
