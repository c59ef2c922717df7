#pragma once

#include "iw_crc_pattern.h"
#include "iw_latency.h"
#include "iw_monitor.h"

/* What a diagnosis remembers of one connection, in bounded memory: facts from the events of its monitor.
 * A history judges nothing. */

enum {
    IW_HISTORY_MESSAGES = 24, /* the latest DDP segments */
    IW_HISTORY_FINDINGS = 8,  /* the first findings at level error that follow from no other finding */
    IW_HISTORY_PRIVATE = 32,  /* octets of private data kept per side */
};

/* A point of the capture; frame 0: it did not happen. */
struct iw_history_mark {
    uint64_t frame;
    uint64_t time_ns;
};

/* A DDP segment. Names memory of the receiver, except as a Read Request's `sink`: that is of its sender. */
struct iw_history_message {
    struct iw_history_mark mark;
    enum iw_side side;
    uint8_t opcode;
    bool decoded; /* it has a complete DDP header; otherwise only `mark`, `side`, `octets` and `crc` count */
    bool tagged, last, known_opcode;
    bool invalidates;
    bool msn_expected; /* its MSN is the one expected, or not known to be wrong */
    enum iw_crc_status crc;
    uint32_t qn, msn, mo;     /* untagged */
    uint32_t invalidate_stag; /* with `invalidates` */
    uint32_t stag;            /* tagged; a request: of the memory of the responder */
    uint64_t to;
    uint32_t length;    /* a request: octets of that memory; otherwise payload octets */
    uint32_t sink_stag; /* a Read Request */
    uint64_t sink_to;
    uint64_t stag_first_frame; /* first use of `stag` since its last invalidation; 0: no use, or unknown */
    uint64_t stag_ended_frame; /* the Send that invalidated `stag` before that; 0: none known */
    uint32_t waiting;          /* a request: outstanding requests after it */
};

struct iw_history_terminate {
    struct iw_history_mark mark; /* frame 0: the side sent none */
    uint16_t error;              /* enum iw_error */
    bool has_header;             /* it includes the DDP header below */
    bool header_tagged;
    uint8_t header_opcode;
    uint32_t header_qn, header_msn, header_mo, header_stag;
    uint64_t header_to;
    uint16_t header_length; /* DDP Segment Length; 0: not included */
    bool has_message;       /* `message` is the only kept segment with that header */
    struct iw_history_message message;
    uint64_t messages_before; /* segments of the other side before it */
};

struct iw_history_finding {
    const struct iw_requirement *requirement;
    enum iw_side side; /* at fault */
    uint64_t frame;
    char message[96];
};

struct iw_history_traffic {
    uint64_t segments;
    uint64_t messages;
    uint64_t octets; /* of payload */
};

/* CRCs of one side. */
struct iw_history_crc {
    uint64_t good, bad;
    uint64_t good_after; /* right CRCs after the first wrong one */
    uint32_t examined;   /* wrong CRCs whose pattern was looked for */
    uint32_t patterns[IW_CRC_PATTERN_COUNT];
    struct iw_crc_trace trace;          /* of the first wrong CRC that has a pattern */
    struct iw_history_mark first, last; /* of the wrong ones */
};

struct iw_history_side {
    struct iw_history_mark startup; /* its startup frame */
    uint16_t private_octets;        /* private data sent, without enhanced data */
    uint8_t private_data[IW_HISTORY_PRIVATE];
    struct iw_history_mark first, last;                       /* its FPDUs */
    struct iw_history_traffic traffic[IW_RDMAP_OP_COUNT + 1]; /* the last: unknown opcodes */
    uint64_t small, within_segment, fpdus; /* FPDUs: below 256 octets; within one packet; all */
    struct iw_history_terminate terminate;
    struct iw_history_mark close; /* the first CLOSE */
    enum iw_llp_close close_kind;
    bool close_unfinished; /* an FPDU or startup frame was incomplete */
    struct iw_history_mark rst;
    struct iw_history_crc crc;
    struct iw_history_mark markers_unexpected;
    struct iw_history_mark lost; /* the first octets of it that could not be read */
    uint64_t lost_octets;
    uint32_t most_waiting; /* most outstanding requests at once */
    struct iw_history_mark most_waiting_at;
    struct iw_latency *latency[IW_RDMAP_OP_COUNT]; /* by opcode of its requests; NULL: none answered */
    struct { /* the response being received now, by enum iw_operation_kind */
        uint64_t number;
        uint64_t first_ns;
    } answering[IW_OPERATION_KINDS];
    uint64_t answers;                   /* responses that it completed */
    struct iw_history_mark last_answer; /* latest segment of a response that it sent */
};

struct iw_history {
    struct iw_history_side side[2];                          /* by enum iw_side */
    struct iw_history_message messages[IW_HISTORY_MESSAGES]; /* a ring: at segment number % MESSAGES */
    uint64_t message_count;
    struct iw_history_finding findings[IW_HISTORY_FINDINGS];
    uint32_t finding_count;             /* of the kept ones */
    uint64_t findings_total;            /* at level error */
    struct iw_history_mark first, last; /* events of any kind */
    uint64_t stall_ns;                  /* longest time without an event while requests were outstanding */
    struct iw_history_mark stall_begin, stall_end;
    uint32_t stall_waiting; /* requests outstanding meanwhile */
    uint32_t waiting[2];    /* outstanding requests now, by requester */
    bool incomplete;        /* memory ran out: latencies are missing */
};

/* Returns NULL if memory runs out. */
struct iw_history *iw_history_new(void);
void iw_history_free(struct iw_history *history);

/* Takes the next event of the monitor. */
void iw_history_event(struct iw_history *history, const struct iw_monitor_event *event);

/* Returns the latest kept segment for which `wanted` returns true; NULL without one. */
const struct iw_history_message *iw_history_find(const struct iw_history *history,
    bool (*wanted)(const struct iw_history_message *message, const void *what), const void *what);
