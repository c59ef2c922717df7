#ifndef IW_PARTY_H
#define IW_PARTY_H

#include "iw_header_log.h"
#include "iw_in_flight.h"
#include "iw_monitor.h"
#include "iw_rule_state.h"
#include "iw_split_request.h"
#include "iw_split_terminate.h"

/* The latest findings about the messages of one side. */
struct iw_faults {
    struct iw_fault msn;     /* about a wrong MSN */
    struct iw_fault open;    /* about a message that had no L when the next one began */
    struct iw_fault order;   /* about a message whose segments contradict each other */
    struct iw_fault control; /* about a wrong control octet or Invalidate STag */
    struct iw_fault stag;    /* about a response that begins with a wrong STag */
    bool read;               /* one of its Read Requests has a fault */
    struct iw_response_faults response;
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

/* How far a side has come with its Terminate. */
enum iw_terminate_stage {
    IW_TERMINATE_STAGE_NONE, /* it has sent no segment of one */
    IW_TERMINATE_STAGE_OPEN, /* it certainly has had no segment with L, and nothing was sent after it */
    IW_TERMINATE_STAGE_TORN, /* octets after its first segment are missing; its segment with L may be there */
    IW_TERMINATE_STAGE_OVER, /* nothing of it is to come */
};

struct iw_party_terminate {
    enum iw_terminate_stage stage;
    bool perhaps;   /* one is among its FPDUs that may be payload */
    bool faulty;    /* it has a fault */
    uint64_t frame; /* capture frame of its first segment; 0: none so far */
};

/* How a side has closed. */
struct iw_party_end {
    bool orderly;  /* by FIN, or the session ended */
    bool reset;    /* it has reset or aborted the connection */
    bool captured; /* in either way */
};

/* Where a side began, in the capture and in the stream. */
struct iw_party_begin {
    uint64_t startup_first_frame; /* capture frame in which its startup frame begins */
    uint64_t startup_frame;       /* capture frame in which it ends */
    uint64_t fpdu_end; /* stream offset after its first FPDU if nothing before that is missing; else 0 */
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

/* The latest tagged segment without payload. */
struct iw_empty_segment {
    bool sent;
    uint32_t stag;
    uint64_t to;
};

/* What has been judged of a Terminate, segment by segment. */
struct iw_terminate_progress {
    bool control;         /* the Terminate Control */
    bool headers;         /* all that HdrCt announces */
    bool excess_reported; /* a finding has reported octets after that */
};

/* Messages of one side that DDP has split into several segments. */
struct iw_split {
    struct iw_split_request request; /* one whose header is incomplete */
    struct iw_split_terminate terminate;
    struct iw_terminate_progress progress;
};

/* What only rules about MPA remember. */
struct iw_party_tcp {
    uint16_t mss;          /* the Maximum Segment Size that it has announced; 0: unknown */
    enum iw_unjudged hole; /* why octets are missing in the latest hole */
    struct iw_size_habit size;
    bool keyless_reported; /* a finding has reported that its first frame has no valid Key */
    struct iw_marker_faults marker;
    struct iw_finding_ref pd_length; /* its PD_Length is too short for the enhanced data */
    struct iw_finding_ref crc;       /* why its CRCs are wrong from the first on: CRC or PD_Length */
};

/* What only rules about a session over SCTP remember. */
struct iw_party_sctp {
    struct iw_session_place place;
    struct iw_session_depth depth;
};

/* One side of the connection, as judged so far. */
struct iw_party {
    /* Members that every FPDU needs come first, so that a connection uses few cache lines. */
    bool lost;      /* octets that it sent are missing */
    bool hidden;    /* captured octets that it sent cannot be read: a wrong CRC, or a truncated header */
    bool crc_bad;   /* its latest FPDU has a wrong CRC */
    bool version_1; /* one of its segments has DV and RV 1 where 0 is allowed too */
    bool atomics_answered; /* it has answered an Atomic Request */
    struct iw_party_end end;
    bool whole[IW_QN_COUNT]; /* by queue: the latest segment with L=0 is all of a message of fixed length */
    enum iw_side side;
    uint64_t fpdus; /* number of FPDUs that it has sent */
    struct iw_party_terminate terminate;
    struct iw_stags stags;           /* of its memory */
    struct iw_operations operations; /* its requests */
    struct iw_in_flight *in_flight;  /* responses to them, if their number is limited; or NULL */
    struct iw_split *split;          /* messages in several segments; NULL before the first */
    struct iw_header_log *headers;   /* of its segments; NULL before the first */
    struct iw_sequence sequence;     /* order of the messages that it sends */
    struct iw_faults faults;
    struct iw_thread thread;
    struct iw_party_begin begin;
    struct iw_empty_segment empty;
    struct iw_refusable refusable[2]; /* its first and its second one */
    struct iw_telltale telltale;      /* response that proves that the receiver ignored the first of them */
    struct iw_stag_row row;
    union {
        struct iw_party_tcp tcp;
        struct iw_party_sctp sctp;
    };
};

#endif
