#ifndef IW_FRAME_STORE_H
#define IW_FRAME_STORE_H

#include "iw_epan.h"

#include "iw_monitor.h"
#include "iw_tcp_segment.h"

/* The monitor's events of each capture frame, as plain values in the memory of the open file: written on
 * the first pass, shown on every pass. A capture may hold millions of FPDUs, nearly all alike: whole in one
 * frame, CRC good, no Markers, no findings. Each of these takes only an iw_item; the others have a struct
 * iw_item_more as well. */

/* The connection that items belong to. */
struct iw_stored_flow {
    struct iw_tcp_address address[2];   /* by enum iw_side */
    uint32_t first_seq[2];              /* TCP sequence number of stream offset 0 */
    uint32_t startup_frame[2];          /* frame in which the side's startup frame ends; 0 before that */
    const struct iw_mpa_terms *settled; /* the result of the startup; NULL until it is settled */
    bool startup_wrong;                 /* a startup frame violates a MUST */
    bool operated;      /* the initiator has sent an FPDU, so both sides accepted the startup */
    struct iw_ulp *ulp; /* the protocol above RDMAP (iw_ulp.h); NULL until it is searched for */
};

struct iw_stored_finding {
    const struct iw_requirement *requirement;
    const struct iw_field *field; /* or NULL */
    uint64_t number;              /* among the findings of the connection */
    uint64_t cause;               /* number of the finding that caused it, or 0 */
    uint64_t offset;              /* stream offset of the octets at fault */
    uint32_t octets;
    uint32_t cause_frame;
    bool pad; /* the octets are PAD, which is not a field of a layout */
    const char *message;
    const char *expected;
    const char *actual;
    uint32_t context[IW_FINDING_CONTEXT_MAX];
    unsigned context_count;
};

/* Outstanding requests of a side at the end of the connection or of its capture. */
struct iw_stored_end {
    bool known;          /* the connection, or its capture, has ended */
    bool perhaps;        /* some of the outstanding requests may have a response */
    uint64_t sure_after; /* as in struct iw_unanswered */
};

/* A request and its response. The request and every segment of the response share it. */
struct iw_stored_operation {
    const struct iw_stored_end *end; /* of its requester */
    uint64_t number;                 /* number of the request, among those of its requester */
    uint32_t request_frame;
    uint32_t response_frame;        /* of the first segment of the response; 0 until it has come */
    uint64_t response_time_ns;      /* time from the request to that segment */
    uint64_t complete_time_ns;      /* time from the request to the segment that completes the response */
    const struct iw_item *response; /* the first segment of the response, or NULL */
    const struct iw_item *complete; /* the segment that completes the response, or NULL */
    uint8_t opcode;                 /* of the request */
    uint8_t aopcode;                /* of an Atomic Request */
    uint32_t waiting;       /* outstanding requests of the requester, including this one, when it is sent */
    uint32_t waiting_after; /* outstanding requests of the requester when the response is complete */
    bool answered;          /* the response is complete, though perhaps without L */
    bool has_result;        /* an Atomic Operation whose `original` and `result` are known */
    uint64_t original;
    uint64_t result;
};

/* One lifetime of an STag (iw_stag.h). */
struct iw_stored_stag;

/* What the segments of a message share. */
struct iw_stored_message {
    uint32_t first_frame; /* frame in which the first captured segment ends; 0 if several messages share this
                             struct */
    uint32_t last_frame;  /* frame in which the last segment ends; 0 before that */
    uint32_t segments;
    bool begin_captured; /* the first segment was captured */
    uint64_t octets;     /* of payload */
    struct iw_stored_operation *operation;
    struct iw_stored_stag *stags[IW_STAG_USES_MAX]; /* STags that the message names; NULL where unused */
    uint16_t stag_fields[IW_STAG_USES_MAX];         /* enum iw_field_id of the field that names the STag */
};

struct iw_stored_stag {
    uint32_t first_frame; /* as in struct iw_stag_life */
    uint32_t advertised_frame;
    uint32_t invalidated_frame;
    uint32_t ended_before;
    struct iw_stored_message alone; /* shared by all single-segment tagged messages with this STag */
};

/* A run of octets of an FPDU that are contiguous in the stream. */
struct iw_stored_piece {
    uint32_t at; /* index in the FPDU without Markers */
    uint32_t octets;
    uint64_t offset; /* in the stream */
};

/* What only few items have. Unused members are 0. */
struct iw_item_more {
    uint32_t first_frame;  /* frame in which the item begins, if it ends in a later frame */
    const uint8_t *stored; /* STARTUP, SEGMENT: the octets, if they may be in several TCP segments */

    /* SEGMENT */
    uint32_t crc_computed; /* BAD, UNPROVEN */
    uint32_t marker_count;
    uint32_t piece_count; /* 0 if the FPDU is in one piece */
    const struct iw_marker *markers;
    const struct iw_stored_piece *pieces;
    uint32_t cause_frame;     /* Terminate: frame of the segment at fault */
    uint32_t terminate_frame; /* segment at fault: frame of the Terminate that reports it */

    /* LOSS */
    uint64_t octets; /* octets of the stream in the loss, missing or skipped */
    uint64_t missing;
    bool limited; /* some of the missing octets were given up at a limit */
    bool cut;
    bool open;

    const char *unfinished; /* CLOSE: describes the unfinished startup frame or FPDU; or NULL */

    uint32_t finding_count;
    const struct iw_stored_finding *findings;
};

enum { IW_ITEM_CAPTURED_MAX = (1 << 20) - 1 };

/* One event. */
struct iw_item {
    struct iw_item *next; /* next item of the frame; the last one points to the first */
    const struct iw_stored_flow *flow;
    struct iw_item_more *more;               /* never NULL */
    const struct iw_stored_message *message; /* never NULL */
    const struct iw_message *assembly;       /* its reassembled message (iw_message_store.h), or NULL */
    uint64_t offset; /* STARTUP, SEGMENT: stream offset of the first octet; 0 over SCTP */
    uint32_t frame;
    uint32_t length;        /* STARTUP, SEGMENT: length in octets without Markers */
    uint32_t fpdu_number;   /* SEGMENT: number of the FPDU in its direction, from 1; 0 over SCTP */
    uint32_t captured : 20; /* octets captured, from the first one on; at most IW_ITEM_CAPTURED_MAX */
    uint32_t completes : 1; /* the segment completes the message `assembly` */
    enum iw_llp_event_kind kind : 3;
    enum iw_side side : 1;
    enum iw_role role : 2;
    enum iw_crc_status crc : 3;     /* SEGMENT */
    enum iw_fpdu_judged judged : 2; /* SEGMENT over TCP */
};

/* Octets of an FPDU or startup frame in a capture frame before the frame in which it ends. */
struct iw_stored_part {
    struct iw_stored_part *next;
    const struct iw_stored_flow *flow;
    uint64_t offset; /* in the stream */
    uint32_t octets;
    uint32_t end_frame;
    uint32_t number; /* FPDU: number of this frame among the frames of the FPDU, from 1 */
    uint32_t count;  /* number of the frames of the FPDU; 0 for a startup frame, which begins here */
    enum iw_side side;
};

/* Sets all members to 0, without a struct iw_item_more of its own. */
void iw_item_init(struct iw_item *item);

/* Call when a capture file is opened: empties the store. */
void iw_frame_store_open(void);

/* The frame holds more than one TCP segment: keeps the octets of items that end in the frame, as an item may
 * span two segments. */
void iw_frame_store_share(uint64_t frame);

/* Makes an item of `event`, which iw_frame_store_add adds to its frame. Data that several items share may
 * change during the first pass. */
struct iw_item *iw_frame_store_take(const struct iw_stored_flow *flow, const struct iw_monitor_event *event);

/* The item's struct iw_item_more, for writing. */
struct iw_item_more *iw_frame_store_more(struct iw_item *item);

/* Copies only the findings of `event`. */
void iw_frame_store_findings(struct iw_item *item, const struct iw_monitor_event *event);

/* Appends the item to those of its frame. */
void iw_frame_store_add(struct iw_item *item);

/* The items of a capture frame in order: the first and the one after `item`; NULL at the end. */
const struct iw_item *iw_frame_store_first(uint32_t frame);
const struct iw_item *iw_frame_store_next(const struct iw_item *item);

/* The parts in a capture frame of FPDUs and startup frames that end in other frames, or NULL. */
const struct iw_stored_part *iw_frame_store_parts(uint32_t frame);

#endif
