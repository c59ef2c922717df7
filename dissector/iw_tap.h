#ifndef IW_TAP_H
#define IW_TAP_H

#include "iw_pdu.h"

/* What the tap "iwarp" passes to the statistics for a frame: a list with one struct iw_tap for each item
 * shown, so that a frame takes one entry in Wireshark's queue for any number of FPDUs. Allocated in the
 * packet scope. */

enum { IW_TAP_NO_STREAM = UINT32_MAX };

struct iw_tap_end {
    address address;
    uint16_t port;
};

struct iw_tap {
    struct iw_tap *next;
    const struct iw_item *item;
    uint32_t stream; /* tcp.stream, or IW_TAP_NO_STREAM */
    bool tcp;        /* otherwise SCTP */
    struct iw_tap_end source, destination;
    enum iw_startup_key key; /* of a startup frame */
    uint8_t rev;             /* of a startup frame with a known key */
    bool has_ddp;
    struct iw_segment ddp; /* valid if has_ddp; its pointers are valid as long as this struct */
};

/* What a listener gets for a frame. */
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
