#ifndef IW_TAP_H
#define IW_TAP_H

#include "iw_epan.h"

#include "iw_pdu.h"

/* What the tap "iwarp" passes to the statistics for a frame: a list with one struct iw_tap for each item
 * shown, so that a frame takes one entry in Wireshark's queue for any number of FPDUs. Allocated in the
 * packet scope. */

enum { IW_TAP_NO_STREAM = UINT32_MAX };

/* A segment of a response. */
struct iw_tap_answer {
    bool first;    /* it is the first segment */
    bool complete; /* it completes the response */
    uint8_t request_opcode;
    uint8_t aopcode;           /* of an Atomic Request */
    uint64_t first_time_ns;    /* from the request to the first segment */
    uint64_t complete_time_ns; /* from the request to this segment, if `complete` */
};

enum iw_tap_operation {
    IW_TAP_NO_OPERATION,
    IW_TAP_REQUEST, /* expects a response */
    IW_TAP_RESPONSE,
};

struct iw_tap_fpdu {
    enum iw_crc_status crc;
    uint32_t marker_count;
    uint32_t markers_wrong; /* Markers with an unexpected FPDUPTR */
    bool has_ddp;
    struct iw_segment ddp; /* if has_ddp; its pointers are valid as long */
    bool has_error;
    uint16_t error; /* of a Terminate: layer, EType and Error Code (iw_terminate.h) */
    enum iw_fpdu_judged judged;
    enum iw_tap_operation operation;
    struct iw_tap_answer answer; /* RESPONSE */
};

struct iw_tap_end {
    address address;
    uint16_t port;
};

struct iw_tap {
    struct iw_tap *next;
    enum iw_llp_event_kind kind;
    enum iw_side side;
    enum iw_role role;
    uint32_t frame;  /* in which the item ends */
    uint32_t stream; /* tcp.stream, or IW_TAP_NO_STREAM */
    bool tcp;        /* otherwise SCTP */
    struct iw_tap_end source, destination;

    uint64_t offset;         /* STARTUP, FPDU: in the stream, of the first octet */
    uint32_t length;         /* STARTUP, FPDU: octets as sent, without Markers */
    enum iw_startup_key key; /* STARTUP */
    uint8_t rev;             /* STARTUP with a known key */

    struct iw_tap_fpdu fpdu; /* FPDU */
    uint64_t lost;           /* LOSS: octets of the stream that were not read */

    const struct iw_stored_finding *findings;
    size_t finding_count;
};

/* The argument of the listeners. */
struct iw_tap_list {
    struct iw_tap *first, *last;
};

/* tcp.stream of the packet, or IW_TAP_NO_STREAM. */
uint32_t iw_tap_stream(const packet_info *pinfo);

/* Registers the taps. Call once, when Wireshark starts. */
void iw_tap_register(void);

/* True if a tap has a listener. */
bool iw_tap_has_listener(void);

/* Queues an item of the frame for the listeners. Does nothing without listeners. */
void iw_tap_queue(const struct iw_pdu *pdu);

/* On the first pass, an item of an earlier frame may come late, because octets before it were missing; that
 * frame is not dissected again in this pass. iw_tap_keep stores the item and its `captured` octets;
 * iw_tap_late queues the stored items as if they belonged to this frame. */
void iw_tap_keep(const struct iw_item *item, const uint8_t *octets);
void iw_tap_late(packet_info *pinfo);

/* Call when a file is opened: drops stored items. */
void iw_tap_open(void);

#endif
