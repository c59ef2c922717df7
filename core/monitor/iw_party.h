#pragma once

#include "iw_header_log.h"
#include "iw_in_flight.h"
#include "iw_monitor_event.h"
#include "iw_split_request.h"
#include "iw_split_terminate.h"

/* What the rules remember of one side. A struct used by only one file names that file in its comment. */

/* A reference to a finding that later findings may follow from. */
struct iw_finding_ref {
    uint64_t number; /* 0: none */
    uint64_t frame;
};

/* A finding that later findings about the same message or queue may follow from. */
struct iw_fault {
    struct iw_finding_ref finding;
    uint64_t message_frame; /* capture frame in which the message at fault began */
    uint32_t qn;            /* queue of the message, or IW_QN_TAGGED */
    bool warning;
};

/* iw_rule_operation.c: the latest findings about responses. */
struct iw_response_faults {
    struct {
        struct iw_finding_ref finding; /* that a response is out of order */
        uint64_t due_frame;            /* capture frame of the request that must be answered first */
    } order;
    struct {
        struct iw_finding_ref finding; /* that a Read Response has a wrong length */
        uint32_t expected, actual;     /* octets */
    } length;
};

/* iw_rule_size.c: what the sizes of a side's segments have shown. */
struct iw_size_habit {
    uint8_t small_segments; /* segments with L=0 and a ULPDU_Length below 128, counted up to 16 */
    bool large_reported;    /* a finding has reported a segment larger than the MULPDU */
};

/* iw_rule_marker.c: findings about the Markers of a side. */
struct iw_marker_faults {
    struct iw_finding_ref since_right; /* about the first wrong or missing Marker after the last right one */
    struct iw_finding_ref first;       /* that the side's first Marker is missing */
    bool placed;                       /* a right Marker has come after the latest loss */
};

/* iw_rule_stag.c: upper 24 bits of the side's Data Sink STags, in order; the ULP chooses the lower 8 bits. */
struct iw_stag_row {
    uint32_t index;      /* upper 24 bits of the latest STag */
    uint32_t step;       /* difference from the previous index; 0 before the first STag, NO_STEP after it */
    uint8_t equal_steps; /* consecutive equal steps up to the latest; after 7, counted from 1 again */
    uint8_t small_steps; /* consecutive steps below 4096 up to the latest; after 7, counted from 1 again */
    bool equal_reported;
    bool small_reported;
};

/* iw_rule_reaction.c: a response that proves that the receiver continued after a message that it must reject.
 * Used if it is no longer known which requests are outstanding. */
struct iw_proving_response {
    uint64_t request_frame;
    uint64_t request_end; /* stream offset after the request of this response */
    uint64_t to;          /* Read Response: the Data Sink Tagged Offset to expect */
    uint32_t stag; /* Read Response: the Data Sink STag to expect; Atomic Response: the Request Identifier */
    uint32_t before;    /* number of other responses that must be complete before it */
    uint8_t opcode;     /* of the response */
    bool payload;       /* Read Response: the request asks for at least one octet */
    bool request_known; /* the request is known: the faulty message or a later request */
    bool before_known;  /* `before` is known */
};

enum iw_session_stage {
    IW_SESSION_STAGE_BEFORE, /* the side has sent no chunk */
    IW_SESSION_STAGE_WITHIN, /* the side has sent a chunk, or perhaps the Initiate that was not captured */
    IW_SESSION_STAGE_AFTER,  /* the side has sent a Reject or a session Terminate: nothing may follow */
};

/* iw_rule_sctp.c: the progress of a side in its session over SCTP. */
struct iw_session_place {
    enum iw_session_stage stage;
    bool reuse_reported;         /* a finding has reported that the side sent its Initiate too early */
    bool unplaced;               /* a message of the side was not judged by its place in the session */
    bool unseen;                 /* the side may have answered a later Initiate that the capture lacks */
    struct iw_finding_ref stray; /* the first finding about a chunk after the end of its session */
    uint64_t control_frame;      /* capture frame of the side's last control message */
    /* A chunk perhaps sent before its control message was acknowledged (RFC 5043 6.6); frame 0: none */
    struct {
        uint64_t frame, control_frame;
        uint32_t tsn, control_tsn;
        uint32_t last_tsn; /* highest TSN of the early chunks after the same control message */
        uint32_t chunks;   /* number of early chunks after that message, the first one included */
    } early;
    uint32_t early_doubts; /* number of other chunks that may have been sent too early */
};

/* iw_rule_session_depth.c: the Read Requests of a side over SCTP. */
struct iw_session_depth {
    uint64_t request_frame;   /* capture frame of the side's latest Read Request */
    uint32_t request_tsn;     /* TSN of the side's latest Read Request */
    uint32_t packet_requests; /* number of Read Requests in that frame so far */
    uint32_t doubts;          /* Read Requests that may exceed the IRD or ORD, without proof */
};

struct iw_faults {
    struct iw_fault msn;     /* about a wrong MSN */
    struct iw_fault open;    /* about a message that had no L when the next message began */
    struct iw_fault order;   /* about a segment out of order, or the wrong TO of a Read Response */
    struct iw_fault control; /* about a wrong control octet or Invalidate STag, or an unsolicited response */
    struct iw_fault stag;    /* about a Read Response that begins with a wrong STag */
    bool read;               /* a Read Request of the side has a fault */
    struct iw_response_faults response;
};

/* iw_judge_unproven.c: the TO, MSN and MO that a side's next segments should have had where a gap began. If
 * TO or MO after the gap is higher by exactly the payload that fits into the gap, the segment is a real FPDU,
 * and not a copy inside payload. */
struct iw_expected_before_gap {
    uint64_t offset; /* stream offset from which octets could not be read */
    uint64_t to;     /* expected TO of the next tagged segment */
    uint32_t stag;
    uint32_t msn; /* MSN of the open untagged message */
    uint32_t mo;  /* expected MO of the next segment of that message */
    uint8_t qn;
    bool tagged;
    bool untagged;
};

enum iw_terminate_stage {
    IW_TERMINATE_STAGE_NONE, /* the side has sent no segment of a Terminate */
    IW_TERMINATE_STAGE_OPEN, /* the Terminate has begun; no segment has L so far, and no segment is missing */
    IW_TERMINATE_STAGE_TORN, /* octets after its first segment are missing, perhaps its segment with L too */
    IW_TERMINATE_STAGE_OVER, /* no further segment of the Terminate can come */
};

struct iw_party_terminate {
    enum iw_terminate_stage stage;
    bool perhaps;   /* a Terminate is among the side's FPDUs that may be payload */
    bool faulty;    /* a finding is about the Terminate, or its first segment was not captured completely */
    uint64_t frame; /* capture frame of the first segment of the Terminate; 0: none so far */
};

struct iw_party_end {
    bool orderly : 1;  /* by FIN; over SCTP by a session Terminate, the shutdown, or the next session */
    bool reset : 1;    /* the side has reset the connection; over SCTP, either side has aborted it */
    bool captured : 1; /* the capture shows the end, or the reset */
    bool hidden : 1;   /* over TCP, what the side sent just before, perhaps a FIN, was not captured */
};

/* Where a side began, in the capture and in the stream. */
struct iw_party_begin {
    uint64_t startup_first_frame; /* capture frame in which the side's startup frame begins */
    uint64_t startup_frame; /* frame in which it ends, or begins if its end is missing; 0: no startup frame */
    uint64_t fpdu_end;      /* stream offset after the FPDU directly after the startup frame; 0: unknown */
    bool rtr_split;         /* the first FPDU has too little of a header to tell an RTR */
};

enum { IW_REFUSABLE_MAX = 2 }; /* limit for each side */

/* A segment of a message that its receiver must reject. */
struct iw_refusable {
    uint64_t frame;               /* capture frame in which the segment ends */
    uint64_t requests;            /* number of requests that its sender sent before it */
    enum iw_requirement_id check; /* the receiver's check that must reject the message */
    bool last;                    /* L of the segment */
    bool answered;                /* a finding has reported that the receiver continued */
    bool own_response_only; /* only a response to this message itself proves that the receiver continued */
    bool again;             /* its MSN was used before, perhaps with the same header */
    bool hidden_before;     /* its MSN may have been used before: earlier octets are missing or unreadable */
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
struct iw_party_terminate_progress {
    bool control;         /* the Terminate Control */
    bool headers;         /* the headers that HdrCt announces */
    bool excess_reported; /* a finding has reported octets after the headers */
};

/* Messages of one side that DDP has split into several segments. */
struct iw_split {
    struct iw_split_request request; /* a request whose header is incomplete */
    struct iw_split_terminate terminate;
    struct iw_party_terminate_progress progress;
};

/* What only rules about MPA remember. */
struct iw_party_tcp {
    enum iw_unjudged hole; /* why octets are missing in the latest gap */
    struct iw_size_habit size;
    bool keyless_reported; /* a finding has reported that its first frame has no valid Key */
    bool gap;              /* octets of the side are missing, perhaps only inside FPDUs */
    struct iw_marker_faults marker;
    struct iw_finding_ref pd_length; /* that the side's PD_Length is too small for the enhanced data */
    struct iw_finding_ref crc; /* that the side's first CRC is wrong, or `pd_length`; 0 after a right CRC */
};

/* What only rules about a session over SCTP remember. */
struct iw_party_sctp {
    struct iw_session_place place;
    struct iw_session_depth depth;
};

/* What only a side with findings needs: most have none, and a capture may have 100,000 connections. */
struct iw_party_trouble {
    struct iw_faults faults;
    struct iw_refusable refusable[IW_REFUSABLE_MAX]; /* in the order sent */
    unsigned refusable_count;                        /* number of `refusable` that are valid */
    struct iw_proving_response proof;                /* that the receiver ignored refusable[0] */
};

struct iw_party {
    /* Members that every FPDU needs come first, so that a connection uses few cache lines. */
    bool lost;             /* octets of the side are missing or were skipped */
    bool hidden;           /* captured octets cannot be used: wrong CRC, header or DDP-SSN */
    bool differing;        /* octets of the side were retransmitted with different content */
    bool crc_bad;          /* its latest FPDU has a wrong CRC */
    bool version_1;        /* a segment of the side has DV and RV 1 where 0 is allowed too */
    bool atomics_answered; /* it has answered an Atomic Request */
    struct iw_party_end end;
    bool whole[IW_QN_COUNT]; /* by queue: the latest segment with L=0 is a whole message */
    enum iw_side side;
    uint64_t fpdus; /* number of FPDUs that it has sent */
    struct iw_party_terminate terminate;
    uint16_t mss;                    /* over TCP: the MSS that it announced; 0: unknown */
    struct iw_stags stags;           /* STags of its memory */
    struct iw_operations operations; /* its requests */
    struct iw_in_flight *in_flight;  /* Read Responses that it may not have received; NULL before the first */
    struct iw_split *split;          /* messages in several segments; NULL before the first */
    struct iw_header_log *headers;   /* headers of its segments; NULL before the first segment */
    struct iw_sequence sequence;     /* order of the messages that it sends */
    struct iw_party_trouble
        *trouble; /* read it by iw_party_trouble; NULL before the first finding about it */
    struct iw_expected_before_gap before_gap;
    struct iw_party_begin begin;
    struct iw_empty_segment empty;
    struct iw_stag_row row;
    union {
        struct iw_party_tcp tcp;
        struct iw_party_sctp sctp;
    };
};

/* The trouble of the side; all 0 if it has none. iw_judge_trouble is for changes. */
static inline const struct iw_party_trouble *iw_party_trouble(const struct iw_party *party) {
    static const struct iw_party_trouble none;

    return party->trouble != NULL ? party->trouble : &none;
}
