#ifndef IW_CAPTURE_RECORD_H
#define IW_CAPTURE_RECORD_H

#include <stdint.h>

#include "iw_packet.h"

/* One frame of a capture file, as Wireshark numbers it. */

enum iw_capture_record_kind {
    IW_CAPTURE_RECORD_PACKET,
    IW_CAPTURE_RECORD_UNREAD, /* a packet with an unknown link type: only `link_type` is filled in */
    IW_CAPTURE_RECORD_OTHER,  /* not a packet: an entry of a journal, an event, a custom block */
};

/* Members that are neighbours in struct iw_packet are kept apart here. Otherwise the compiler would copy two
 * of them with one load, which waits for two pending stores. */
struct iw_capture_record {
    enum iw_capture_record_kind kind;
    uint32_t captured;
    const uint8_t *octets;
    uint32_t length;
    enum iw_link link;
    uint64_t time_ns;
    uint16_t link_type; /* link type as the file numbers it */
};

#endif
