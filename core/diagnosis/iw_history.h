#pragma once

#include "iw_crc_pattern.h"
#include "iw_history_request.h"
#include "iw_monitor.h"

/* What a diagnosis remembers of one connection, in bounded memory: facts from the events of its monitor.
 * A history judges nothing. A capture may have 100,000 open connections, so what most of them lack is
 * allocated when it happens. */

enum {
    IW_HISTORY_MESSAGES = 24,      /* the latest DDP segments */
    IW_HISTORY_MESSAGES_LATER = 4, /* the same for the later ones of many connections */
    IW_HISTORY_FINDINGS = 8,       /* the first findings at level error that follow from no other finding */
    IW_HISTORY_PRIVATE = 12,       /* octets of private data kept per side */
};

/* A point of the capture; frame 0: it did not happen. */
struct iw_history_mark {
    uint64_t frame;
    uint64_t time_ns;
};

/* A DDP segment. Names memory of the receiver, except as a Read Request's `sink_stag`: that is of its sender.
 */
struct iw_history_message {
    struct iw_history_mark mark;
    uint64_t to;               /* tagged; a request: in the memory of the responder */
    uint64_t stag_first_frame; /* first use of `stag` since its last invalidation; 0: no use, or unknown */
    uint64_t stag_ended_frame; /* the Send that invalidated `stag` before that; 0: none known */
    uint64_t end;              /* stream offset after its octets */
    uint64_t received_at_most; /* of the other side's octets, before it: as in struct iw_monitor_event */
    uint32_t stag;             /* as `to` */
    uint32_t length;           /* a request: octets of that memory; otherwise payload octets */
    uint32_t qn, msn, mo;      /* untagged */
    union {
        uint32_t invalidate_stag; /* with `invalidates` */
        uint32_t sink_stag;       /* a Read Request */
    };
    uint32_t waiting; /* a request or response: outstanding requests after it */
    uint8_t side;     /* enum iw_side */
    uint8_t opcode;
    uint8_t crc;      /* enum iw_crc_status */
    bool decoded : 1; /* it has a complete DDP header; otherwise only `mark`, `side`, `length` and `crc` count
                       */
    bool tagged : 1, last : 1, known_opcode : 1;
    bool invalidates : 1;
    bool msn_expected : 1; /* its MSN is the one expected, or not known to be wrong */
};

struct iw_history_terminate {
    struct iw_history_mark mark; /* frame 0: the side sent none */
    uint16_t error;              /* enum iw_error */
    bool has_header;             /* it includes the DDP header below */
    bool header_tagged;
    uint8_t header_opcode;
    uint32_t header_qn, header_msn, header_mo, header_stag;
    uint64_t header_to;
    bool has_message; /* `message` is the latest kept segment with that header */
    struct iw_history_message message;
};

struct iw_history_finding {
    const struct iw_requirement *requirement;
    enum iw_side side; /* at fault */
    uint64_t frame;
    char message[sizeof(((struct iw_finding *)0)->message)];
};

/* Messages of one opcode. */
struct iw_history_traffic {
    uint8_t opcode; /* as iw_history_row needs it; IW_RDMAP_OP_COUNT: an unknown opcode */
    uint64_t segments;
    uint64_t messages;
    uint64_t octets; /* of payload */
};

/* Wrong CRCs of one side. */
struct iw_history_crc {
    uint64_t bad;
    uint64_t unproven;   /* of `bad`: those for which no startup frame tells whether CRCs are in use */
    uint64_t good_after; /* right CRCs after the first wrong one */
    uint64_t halved_end; /* the end of an FPDU of which a Marker was read alone: its rest comes next; or 0 */
    uint32_t examined;   /* wrong CRCs whose pattern was looked for */
    uint32_t patterns[IW_CRC_PATTERN_COUNT];
    struct iw_crc_trace trace;          /* of the first wrong CRC that has a pattern */
    struct iw_history_mark first, last; /* of the wrong ones */
};

/* What went wrong with the octets of one side. */
struct iw_history_trouble {
    struct iw_history_terminate terminate;
    struct iw_history_crc crc;
    struct iw_history_mark rst;
    uint64_t markers_unexpected_frame; /* the first FPDU with or without Markers against the startup; or 0 */
    uint64_t stray_marker_frame; /* the first FPDU after it, without a right CRC, whose octets have a Marker
                                    where none is due; or 0 */
    uint64_t stray_marker_at;    /* its place, counted from the end of the startup frame */
    uint64_t lost_frame;         /* the first octets that could not be read; or 0 */
    uint64_t lost_last_frame;    /* the last ones */
};

struct iw_history_side {
    struct iw_history_trouble *trouble; /* read it by iw_history_trouble; NULL: none */
    struct iw_history_mark startup;     /* its startup frame */
    uint16_t private_octets;            /* private data sent, without enhanced data */
    uint8_t private_kept;               /* octets of it in private_data: fewer if the frame is cut */
    uint8_t private_data[IW_HISTORY_PRIVATE];
    uint8_t traffic_count;
    uint8_t close_kind;                   /* enum iw_llp_close */
    bool close_unfinished;                /* an FPDU or startup frame was incomplete */
    struct iw_history_mark close;         /* the first CLOSE */
    uint64_t first_ns, last_ns;           /* times of its first and latest FPDU */
    struct iw_history_traffic *traffic;   /* one row for each opcode that it sent, by opcode */
    uint64_t small, within_packet, fpdus; /* FPDUs: below 256 octets; within one packet; all */
    uint64_t crc_good;
};

struct iw_history {
    struct iw_history_side side[2];       /* by enum iw_side */
    struct iw_history_requests *requests; /* read it by iw_history_requests; NULL: none */
    struct iw_history_message *messages;  /* a ring: at segment number % message_max */
    struct iw_history_finding *findings;  /* IW_HISTORY_FINDINGS of them, or NULL */
    uint64_t message_count;
    struct iw_history_mark last; /* the latest event of any kind */
    uint32_t message_max;
    uint8_t finding_count;
    bool incomplete; /* memory ran out: something is missing */
};

/* `messages`: how many of the latest segments to keep, at least 1. */
void iw_history_init(struct iw_history *history, uint32_t messages);
void iw_history_dispose(struct iw_history *history);

/* Takes the next event of the monitor. */
void iw_history_event(struct iw_history *history, const struct iw_monitor_event *event);

/* What went wrong with the octets of the side; all 0 if nothing did. */
const struct iw_history_trouble *iw_history_trouble(const struct iw_history *history, enum iw_side side);

/* The requests and responses of the connection; all 0 without them. */
const struct iw_history_requests *iw_history_requests(const struct iw_history *history);

/* The side that sent the first Terminate; side A if no side did. */
enum iw_side iw_history_first_terminate(const struct iw_history *history);

/* The number of kept segments; and the segment that is `back` segments older than the latest. */
uint32_t iw_history_kept(const struct iw_history *history);
const struct iw_history_message *iw_history_back(const struct iw_history *history, uint32_t back);

/* Returns the latest kept segment for which `wanted` returns true; NULL without one. */
const struct iw_history_message *iw_history_find(const struct iw_history *history,
    bool (*wanted)(const struct iw_history_message *message, const void *what), const void *what);
