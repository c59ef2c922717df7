#ifndef IW_FRAME_STORE_H
#define IW_FRAME_STORE_H

#include "iw_epan.h"

#include "iw_monitor.h"
#include "iw_tcp_segment.h"

/* What the monitor said about each capture frame, as plain values in Wireshark's file scope: written on the
 * first pass, rendered from on every pass. */

/* The connection that items belong to. */
struct iw_stored_flow {
    struct iw_tcp_address address[2]; /* by enum iw_side */
    uint32_t first_seq[2];            /* TCP sequence number of stream offset 0 */
};

struct iw_stored_finding {
    const struct iw_requirement *requirement;
    const struct iw_field *field; /* or NULL */
    const char *message;
    const char *expected;
    const char *actual;
    uint32_t context[IW_FINDING_CONTEXT_MAX];
    unsigned context_count;
};

/* One event. */
struct iw_item {
    struct iw_item *next; /* in the same frame */
    uint32_t frame;
    const struct iw_stored_flow *flow;
    enum iw_mpa_event_kind kind;
    enum iw_side side;
    enum iw_role role;
    uint32_t first_frame;
    uint64_t octets; /* of the stream */

    /* STARTUP and FPDU: the frame without markers, `captured` octets of `length` */
    uint64_t offset;       /* in the stream, of the first octet */
    const uint8_t *stored; /* NULL if they stand in one piece in the capture frame */
    uint32_t length;
    uint32_t captured;

    /* FPDU */
    enum iw_crc_status crc;
    uint32_t crc_computed;
    const struct iw_marker *markers;
    uint32_t marker_count;
    uint32_t message_frame;    /* frame in which its message begins; 0 if not known */
    uint32_t request_frame;    /* an answer: frame of the request; 0 if there is none */
    uint32_t response_frame;   /* a request: frame of the first answer; 0 if none has come */
    uint64_t response_time_ns; /* an answer */

    /* LOSS */
    uint64_t missing;
    bool cut;
    bool open;

    const struct iw_stored_finding *findings;
    size_t finding_count;
};

/* A piece of an FPDU that ends in another frame. */
struct iw_stored_part {
    struct iw_stored_part *next;
    const struct iw_stored_flow *flow;
    uint32_t end_frame;
};

struct iw_stored_frame {
    struct iw_item *first, *last;
    struct iw_stored_part *parts;
};

/* A file is opened: nothing is stored. */
void iw_frame_store_open(void);

/* Takes over what `event` says. The item belongs to no frame yet; its links may still be filled in on the
 * first pass. */
struct iw_item *iw_frame_store_take(const struct iw_stored_flow *flow, const struct iw_monitor_event *event);

/* Puts the item behind the others of its frame. */
void iw_frame_store_add(struct iw_item *item);

/* What is stored for a capture frame, or NULL. */
const struct iw_stored_frame *iw_frame_store_find(uint32_t frame);

#endif
