#ifndef IW_FRAME_STORE_H
#define IW_FRAME_STORE_H

#include "iw_epan.h"

#include "iw_monitor.h"
#include "iw_tcp_segment.h"

/* What the monitor said about each capture frame, as plain values in Wireshark's file scope: written on the
 * first pass, rendered from on every pass. A capture may hold millions of FPDUs, nearly all alike: whole in
 * one frame, CRC good, no Markers, nothing to find fault with. Such a one takes an iw_item; what others have
 * beyond that stands in parts of its own. */

/* The connection that items belong to. */
struct iw_stored_flow {
    struct iw_tcp_address address[2];   /* by enum iw_side */
    uint32_t first_seq[2];              /* TCP sequence number of stream offset 0 */
    uint32_t startup_frame[2];          /* in which the side's startup frame ends; 0 before it */
    const struct iw_mpa_terms *settled; /* what the startup settled; NULL before it has */
    bool startup_wrong;                 /* a startup frame violates a MUST */
    bool operated;                      /* the initiator has sent FPDUs after it */
    struct iw_ulp *upward;              /* what is above RDMAP (iw_ulp.h); NULL before it is looked for */
};

struct iw_stored_finding {
    const struct iw_requirement *requirement;
    const struct iw_field *field; /* or NULL */
    uint64_t number;              /* among the findings of the connection */
    uint64_t cause;               /* number of the one that it follows from; 0: it follows from none */
    uint64_t offset;              /* in the stream, of the octets at fault */
    uint32_t octets;
    uint32_t cause_frame;
    bool pad; /* they are PAD, which is no field of a layout */
    const char *message;
    const char *expected;
    const char *actual;
    uint32_t context[IW_FINDING_CONTEXT_MAX];
    unsigned context_count;
};

/* Requests of a side when the connection, or the capture of it, has ended. */
struct iw_stored_end {
    bool known;          /* it has ended */
    bool perhaps;        /* some of the outstanding requests may have a response */
    uint64_t sure_after; /* as in struct iw_unanswered */
};

/* A request and its answer; that of the request and of every segment of the answer. */
struct iw_stored_operation {
    const struct iw_stored_end *end; /* of its requester */
    uint64_t number;                 /* number of the request, among those of its requester */
    uint32_t request_frame;
    uint32_t response_frame;        /* of the first segment of the answer; 0 if none has come */
    uint64_t response_time_ns;      /* and its time since the request */
    uint64_t complete_time_ns;      /* that of the segment which completes the answer */
    const struct iw_item *response; /* that first segment, or NULL */
    const struct iw_item *complete; /* the segment which completes the answer, or NULL */
    uint8_t opcode;                 /* of the request */
    uint8_t aopcode;                /* of an Atomic Request */
    uint32_t waiting;               /* requests of the requester that wait, with this one when it comes */
    uint32_t waiting_after;         /* and when it is answered */
    bool answered;                  /* the response is complete, though perhaps without L */
    bool has_result;                /* an Atomic Operation whose `original` and `result` are known */
    uint64_t original;
    uint64_t result;
};

/* A life of an STag (iw_stag.h). */
struct iw_stored_stag;

/* What the segments of a message have in common. */
struct iw_stored_message {
    uint32_t first_frame; /* in which its first segment ends; 0 if it is one of one segment */
    uint32_t last_frame;  /* in which its last segment ends; 0 if that has not come */
    uint32_t segments;
    bool whole;      /* all segments from the first on were seen */
    uint64_t octets; /* of payload */
    struct iw_stored_operation *operation;
    struct iw_stored_stag *stags[IW_STAG_USES_MAX]; /* that it names; NULL for none */
    uint16_t stag_fields[IW_STAG_USES_MAX];         /* enum iw_field_id: where */
};

struct iw_stored_stag {
    uint32_t first_frame; /* as in struct iw_stag_life */
    uint32_t advertised_frame;
    uint32_t invalidated_frame;
    uint32_t ended_before;
    struct iw_stored_message
        alone; /* of every tagged segment that has this STag and is a message in itself */
};

/* A run of octets of an FPDU that stand in the stream one behind the other. */
struct iw_stored_piece {
    uint32_t at; /* octet of the FPDU without markers */
    uint32_t octets;
    uint64_t offset; /* in the stream */
};

/* What few items have. All of it is 0 where there is nothing to say. */
struct iw_item_more {
    uint32_t first_frame; /* in which it begins, if that is not the one it ends in */
    const uint8_t
        *stored; /* STARTUP, FPDU: the octets if they do not stand in one piece in the capture frame */

    /* FPDU */
    uint32_t crc_computed; /* BAD, UNPROVEN */
    uint32_t marker_count;
    uint32_t piece_count; /* 0 if it stands in one piece */
    const struct iw_marker *markers;
    const struct iw_stored_piece *pieces;
    uint32_t cause_frame;     /* a Terminate: of the segment at fault */
    uint32_t terminate_frame; /* a segment at fault: of the Terminate that says so */

    /* LOSS */
    uint64_t octets; /* of the stream */
    uint64_t missing;
    bool limited; /* some of them were given up at a limit */
    bool cut;
    bool open;

    const char *unfinished; /* CLOSE: the unfinished startup frame or FPDU, in words; or NULL */

    uint32_t finding_count;
    const struct iw_stored_finding *findings;
};

enum { IW_ITEM_CAPTURED_MAX = (1 << 21) - 1 };

/* One event. */
struct iw_item {
    struct iw_item *next; /* in the same frame; behind the last comes the first */
    const struct iw_stored_flow *flow;
    struct iw_item_more *more;               /* never NULL */
    const struct iw_stored_message *message; /* never NULL */
    const struct iw_message
        *assembly;   /* the reassembled message that it belongs to (iw_message_store.h), or NULL */
    uint64_t offset; /* STARTUP, FPDU: stream offset of the first octet */
    uint32_t frame;
    uint32_t length;        /* STARTUP, FPDU: length in octets without Markers */
    uint32_t fpdu_number;   /* FPDU: its number among those of its side, from 1; 0 over SCTP */
    uint32_t captured : 21; /* captured octets from the first one on; at most IW_ITEM_CAPTURED_MAX */
    uint32_t kind : 2;      /* enum iw_mpa_event_kind */
    uint32_t side : 1;      /* enum iw_side */
    uint32_t role : 2;      /* enum iw_role */
    uint32_t crc : 3;       /* FPDU: enum iw_crc_status */
    uint32_t judged : 2;    /* FPDU: enum iw_fpdu_judged */
    uint32_t completes : 1; /* it completes the message `assembly` */
};

/* The octets of an FPDU, or of a startup frame, in a frame before the one it ends in. */
struct iw_stored_part {
    struct iw_stored_part *next;
    const struct iw_stored_flow *flow;
    uint64_t offset; /* in the stream */
    uint32_t octets;
    uint32_t end_frame;
    uint32_t number; /* FPDU: among the frames that hold it, from 1 */
    uint32_t count;  /* 0 for a startup frame, of which this is the beginning */
    enum iw_side side;
};

/* An item with nothing beyond itself, and everything else 0. */
void iw_item_init(struct iw_item *item);

/* A file is opened: nothing is stored. */
void iw_frame_store_open(void);

/* More than one TCP segment is in the frame: what ends in it is kept, since it may stand in two of them. */
void iw_frame_store_share(uint64_t frame);

/* Takes over what `event` says. The item belongs to no frame yet; what it shares with others may still be
 * filled in on the first pass. */
struct iw_item *iw_frame_store_take(const struct iw_stored_flow *flow, const struct iw_monitor_event *event);

/* What the item has beyond what all have, to be filled in. */
struct iw_item_more *iw_frame_store_more(struct iw_item *item);

/* Takes over the findings of `event` alone. */
void iw_frame_store_findings(struct iw_item *item, const struct iw_monitor_event *event);

/* Puts the item behind the others of its frame. */
void iw_frame_store_add(struct iw_item *item);

/* The items of a capture frame in their order: the first, or NULL, and the one behind `item`, or NULL. */
const struct iw_item *iw_frame_store_first(uint32_t frame);
const struct iw_item *iw_frame_store_next(const struct iw_item *item);

/* The pieces that a capture frame holds of FPDUs that end in other frames, or NULL. */
const struct iw_stored_part *iw_frame_store_parts(uint32_t frame);

#endif
