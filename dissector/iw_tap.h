#ifndef IW_TAP_H
#define IW_TAP_H

#include "iw_epan.h"

#include "iw_pdu.h"

/* What the statistics hear of a frame (tap "iwarp"): one struct iw_tap for each item that is shown, in a
 * list, so that a frame asks for one place in Wireshark's queue however many FPDUs it holds. All of it lives
 * as long as the packet does. */

enum { IW_TAP_NO_STREAM = UINT32_MAX };

/* The answer to a request, or a segment of it. */
struct iw_tap_answer {
    bool first;    /* the first segment of it */
    bool complete; /* the request is answered now */
    uint8_t request_opcode;
    uint8_t aopcode;           /* of an Atomic Request */
    uint64_t first_time_ns;    /* from the request to the first segment of the answer */
    uint64_t complete_time_ns; /* to the one that completes it, if this is it */
};

struct iw_tap {
    struct iw_tap *next;
    enum iw_mpa_event_kind kind;
    enum iw_side side;
    enum iw_role role;
    uint32_t frame;  /* in which the item ends */
    uint32_t stream; /* the number TCP gives the connection (tcp.stream), or IW_TAP_NO_STREAM */
    bool tcp;        /* or else SCTP */
    address source;
    address destination;
    uint16_t source_port;
    uint16_t destination_port;

    uint64_t offset;         /* STARTUP, FPDU: in the stream, of the first octet */
    uint32_t length;         /* STARTUP, FPDU: octets as sent, without markers */
    enum iw_startup_key key; /* STARTUP */
    uint8_t rev;             /* STARTUP with a known key */

    /* FPDU */
    enum iw_crc_status crc;
    uint32_t marker_count;
    uint32_t markers_wrong; /* of them, whose FPDUPTR is not the expected one */
    bool has_ddp;
    struct iw_segment ddp; /* if has_ddp; what it points to is there too */
    bool has_error;
    uint16_t error; /* of a Terminate: layer, EType and Error Code (iw_terminate.h) */
    enum iw_fpdu_judged judged;
    bool is_request; /* a request that expects a response */
    bool is_answer;
    struct iw_tap_answer answer;

    uint64_t lost; /* LOSS: octets of the stream that were not read */

    const struct iw_stored_finding *findings;
    size_t finding_count;
};

/* What the listeners are called with. */
struct iw_tap_list {
    struct iw_tap *first, *last;
};

/* The number that TCP gives the connection of the packet, or IW_TAP_NO_STREAM. */
uint32_t iw_tap_stream(const packet_info *pinfo);

/* Registers the taps; once, when Wireshark starts. */
void iw_tap_register(void);

/* Somebody listens. */
bool iw_tap_heard(void);

/* Tells the listeners of an item of the frame. Costs nothing when there are none. */
void iw_tap_queue(const struct iw_pdu *pdu);

/* On the first pass an item may turn up that belongs to an earlier frame, one that is not dissected again in
 * this pass: it was held back while octets before it were missing. iw_tap_keep keeps it and its `captured`
 * octets; iw_tap_late tells the listeners of what was kept, as if it belonged to this frame. */
void iw_tap_keep(const struct iw_item *item, const uint8_t *octets);
void iw_tap_late(packet_info *pinfo);

/* A file is opened: nothing is kept. */
void iw_tap_open(void);

#endif
