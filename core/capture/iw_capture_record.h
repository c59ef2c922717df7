#ifndef IW_CAPTURE_RECORD_H
#define IW_CAPTURE_RECORD_H

#include <stdint.h>

#include "iw_packet.h"

/* What a capture file holds one of for each frame that Wireshark numbers. */

enum iw_capture_record_kind {
    IW_CAPTURE_RECORD_PACKET,
    IW_CAPTURE_RECORD_UNREAD, /* a packet of a link type that is not read: only `link_type` is filled in */
    IW_CAPTURE_RECORD_OTHER,  /* no packet: an entry of a journal, an event, a custom block */
};

/* No two members stand side by side that do so in struct iw_packet: they would be copied as one, and that
 * load would wait until both stores have reached the cache. */
struct iw_capture_record {
    enum iw_capture_record_kind kind;
    uint32_t captured;
    const uint8_t *octets;
    uint32_t length;
    enum iw_link link;
    uint64_t time_ns;
    uint16_t link_type; /* as the file numbers it */
};

#endif
