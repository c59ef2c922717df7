#pragma once

#include "iw_capture_blocks.h"
#include "iw_packet.h"

/* Reads pcap files of version 2.4, in either byte order, with microseconds or nanoseconds. Other versions,
 * and the modified pcap of old Linux distributions, are read by iw_capture_libpcap.h. */

struct iw_capture_pcap {
    struct iw_capture_blocks *blocks; /* borrowed */
    bool swapped;                     /* the byte order of the file is not that of this host */
    uint32_t tick_ns;
    uint16_t link_type; /* LINKTYPE_ number; 65,535 for any larger number */
    const char *reason; /* cause of IW_CAPTURE_DAMAGED */
};

enum { IW_CAPTURE_PCAP_HEADER = 24 };

/* Whether a file that begins with these octets is pcap 2.4; false for fewer than 8 octets. */
bool iw_capture_pcap_is(const uint8_t *head, size_t octets);

/* Reads the file header. IW_CAPTURE_DAMAGED: it is not the header of pcap 2.4. */
enum iw_capture_outcome iw_capture_pcap_init(struct iw_capture_pcap *pcap, struct iw_capture_blocks *blocks);

/* Reads the next packet; the caller fills in `link` and `frame`. After IW_CAPTURE_ENDED or
 * IW_CAPTURE_TRUNCATED the function may be called again, because the file may have grown. */
enum iw_capture_outcome iw_capture_pcap_next(struct iw_capture_pcap *pcap, struct iw_packet *packet);
