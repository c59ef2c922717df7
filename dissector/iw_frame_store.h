#pragma once

#include "iw_epan.h"

#include "iw_monitor.h"
#include "iw_tcp_segment.h"

/* Stores the monitor's events of each capture frame on the first pass; every pass shows them. A capture may
 * hold millions of FPDUs, nearly all alike: whole in one frame, CRC good, no Markers, no findings. Such an
 * FPDU takes only a struct iw_item; other events also take a struct iw_item_more. */

/* A connection, shared by its items. */
struct iw_stored_flow {
    struct iw_tcp_address address[2];   /* by enum iw_side */
    uint32_t first_seq[2];              /* TCP sequence number of stream offset 0 */
    uint32_t startup_frame[2];          /* by side: frame in which its startup frame ends; 0 before that */
    const struct iw_mpa_terms *settled; /* result of the startup; NULL until known */
    bool startup_wrong;                 /* a startup frame violates a MUST */
    bool operated;      /* the initiator has sent a valid FPDU: both sides accepted the startup */
    struct iw_ulp *ulp; /* protocol above RDMAP (iw_ulp.h); NULL until it is searched for */
    struct iw_connection *connection; /* iw_connection.h; NULL over SCTP */
};

struct iw_stored_finding {
    const struct iw_requirement *requirement;
    const struct iw_field *field; /* or NULL */
    uint64_t number;              /* number among the findings of the connection */
    uint64_t cause;               /* number of the finding that caused this finding, or 0 */
    uint64_t offset;              /* stream offset of the octets at fault */
    uint32_t octets;
    uint32_t cause_frame;
    bool pad; /* the octets are in the PAD, which has no `field` */
    const char *message;
    const char *expected;
    const char *actual;
    uint32_t context[IW_FINDING_CONTEXT_MAX];
    unsigned context_count;
};

/* The outstanding requests of one side when its connection, or the capture, ends. */
struct iw_stored_end {
    bool known;          /* the end was reached */
    bool perhaps;        /* some outstanding requests may have a response */
    uint64_t sure_after; /* as in struct iw_unanswered */
};

/* A request and its response, shared by the request and all segments of the response. */
struct iw_stored_operation {
    const struct iw_stored_end *end; /* for its requester */
    uint64_t number;                 /* number among the requests of the requester */
    uint32_t request_frame;
    uint32_t response_frame;        /* frame of the first segment of the response; 0: none yet */
    uint64_t response_time_ns;      /* time from the request to the first segment of the response */
    uint64_t complete_time_ns;      /* time from the request to `complete` */
    const struct iw_item *response; /* the first segment of the response, or NULL */
    const struct iw_item *complete; /* the segment that completes the response, or NULL */
    uint8_t opcode;                 /* opcode of the request */
    uint8_t aopcode;                /* AOpCode, if it is an Atomic Request */
    uint32_t waiting;               /* outstanding requests of the requester after it sent this request */
    uint32_t waiting_after;         /* outstanding requests of the requester after the complete response */
    bool answered;                  /* the response is complete, even if no segment has L=1 */
    bool has_result;                /* `original` and `result` of an Atomic Operation are known */
    uint64_t original;
    uint64_t result;
    struct iw_stored_buffer *buffer; /* that a Read Request reads (iw_upper_store.h), or NULL */
};

struct iw_stored_stag;

/* What is known of a message, shared by its segments. Tagged messages of one segment have no struct of their
 * own: all with one STag share iw_stored_stag.alone. */
struct iw_stored_message {
    uint32_t first_frame; /* frame in which the first captured segment ends; 0 in iw_stored_stag.alone */
    uint32_t last_frame;  /* frame in which the last segment ends; 0: not yet */
    uint32_t segments;
    bool begin_captured; /* the first segment was captured */
    uint64_t octets;     /* of payload */
    struct iw_stored_operation *operation;
    struct iw_stored_stag *stags[IW_STAG_USES_MAX]; /* STags in the message, or NULL */
    uint16_t stag_fields[IW_STAG_USES_MAX];         /* enum iw_field_id of the fields that hold `stags` */
};

/* The use of an STag from its first frame to its invalidation (iw_stag.h). */
struct iw_stored_stag {
    uint32_t first_frame; /* as in struct iw_stag_life */
    uint32_t advertised_frame;
    uint32_t invalidated_frame;
    uint32_t ended_before;
    struct iw_stored_message alone;       /* shared by the tagged messages of one segment with this STag */
    const struct iw_memory_write *latest; /* what was placed in its memory (iw_memory_store.h), or NULL */
};

/* Octets of an FPDU that are contiguous in the TCP stream. */
struct iw_stored_piece {
    uint32_t at; /* index of the first octet in the FPDU without Markers */
    uint32_t octets;
    uint64_t offset; /* in the stream */
};

/* Data that only few items have. Unused members are 0. */
struct iw_item_more {
    uint32_t first_frame;  /* frame in which the item begins; 0 if it ends in the same frame */
    const uint8_t *stored; /* STARTUP, SEGMENT: its octets, if they may be in several TCP segments */

    /* only for SEGMENT */
    uint32_t crc_computed; /* if `crc` is BAD or UNPROVEN */
    uint32_t marker_count;
    uint32_t piece_count; /* 0 if the FPDU is contiguous in the stream */
    const struct iw_marker *markers;
    const struct iw_stored_piece *pieces;
    uint32_t cause_frame;     /* of a Terminate: frame of the segment at fault */
    uint32_t terminate_frame; /* of the segment at fault: frame of the Terminate */

    /* only for LOSS */
    uint64_t octets; /* octets that were not read: missing or skipped */
    uint64_t missing;
    bool limited; /* some missing octets were given up at a limit */
    bool cut;
    bool open;

    const char *unfinished; /* CLOSE: text about the unfinished startup frame or FPDU; or NULL */

    uint32_t finding_count;
    const struct iw_stored_finding *findings;
};

enum { IW_ITEM_CAPTURED_MAX = (1 << 20) - 1 };

/* A stored event of the monitor. */
struct iw_item {
    struct iw_item *next; /* next item of the frame; in the last item, the first item */
    const struct iw_stored_flow *flow;
    struct iw_item_more *more;               /* not NULL: all zero if the item has none */
    const struct iw_stored_message *message; /* not NULL: all zero if the item has none */
    const struct iw_message *assembly;       /* message of several segments (iw_message_store.h), or NULL */
    uint64_t offset; /* STARTUP, SEGMENT: stream offset of the first octet; 0 over SCTP */
    uint32_t frame;
    uint32_t length;        /* STARTUP, SEGMENT: length in octets without Markers */
    uint32_t fpdu_number;   /* SEGMENT: number of the FPDU in its direction, from 1; 0 over SCTP */
    uint32_t captured : 20; /* number of captured octets, at most IW_ITEM_CAPTURED_MAX */
    uint32_t completes : 1; /* this segment completes `assembly` */
    enum iw_llp_event_kind kind : 3;
    enum iw_side side : 1;
    enum iw_role role : 2;
    enum iw_crc_status crc : 3;     /* SEGMENT */
    enum iw_fpdu_judged judged : 2; /* SEGMENT over TCP */
};

/* Octets of an FPDU or startup frame in an earlier frame than the one in which it ends. */
struct iw_stored_part {
    struct iw_stored_part *next;
    const struct iw_stored_flow *flow;
    uint64_t offset; /* in the stream */
    uint32_t octets;
    uint32_t end_frame;
    uint32_t number; /* FPDU: number of this frame among its frames, from 1 */
    uint32_t count; /* FPDU: number of its frames; 0: startup frame, of which only the first frame is known */
    enum iw_side side;
};

/* Sets *item to an item with all values 0. */
void iw_item_init(struct iw_item *item);

/* Empties the store. Call this function when a capture file is opened. */
void iw_frame_store_open(void);

/* Call this function if the frame holds several TCP segments. Items that end in the frame then store their
 * octets, as an item may span two of these segments. */
void iw_frame_store_share(uint64_t frame);

/* Makes an item of `event`; iw_frame_store_add then adds it to its frame. */
struct iw_item *iw_frame_store_take(const struct iw_stored_flow *flow, const struct iw_monitor_event *event);

/* Returns the item's own struct iw_item_more, for writing. */
struct iw_item_more *iw_frame_store_more(struct iw_item *item);

/* Stores the findings of `event` in the item, those that the user wants to see. */
void iw_frame_store_findings(struct iw_item *item, const struct iw_monitor_event *event);

/* Adds the item to its frame, after the frame's other items. */
void iw_frame_store_add(struct iw_item *item);

/* Return the first item of a capture frame, and the item after `item`; NULL at the end. */
const struct iw_item *iw_frame_store_first(uint32_t frame);
const struct iw_item *iw_frame_store_next(const struct iw_item *item);

/* Returns the parts in this frame of FPDUs and startup frames that end in other frames, or NULL. */
const struct iw_stored_part *iw_frame_store_parts(uint32_t frame);
