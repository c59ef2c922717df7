#ifndef IW_CAPTURE_PCAP_H
#define IW_CAPTURE_PCAP_H

#include "iw_capture_blocks.h"
#include "iw_capture_record.h"

/* The packets of a pcap file of version 2.4, in either byte order, with microseconds or nanoseconds. Others,
 * such as the modified pcap of old Linux distributions, are left to libpcap. */

struct iw_capture_pcap {
    struct iw_capture_blocks *blocks; /* borrowed */
    bool swapped;                     /* the numbers are in the other byte order */
    uint32_t tick_ns;
    uint16_t link_type;
    const char *reason; /* after IW_CAPTURE_DAMAGED */
};

enum { IW_CAPTURE_PCAP_HEADER = 24 };

/* Whether a file that begins with these octets is such a file. */
bool iw_capture_pcap_is(const uint8_t *head, size_t octets);

/* Reads the header of such a file. */
enum iw_capture_outcome iw_capture_pcap_init(struct iw_capture_pcap *pcap, struct iw_capture_blocks *blocks);

/* Reads the next packet; its `kind` and `link` are the caller's matter. After IW_CAPTURE_ENDED and
 * IW_CAPTURE_TRUNCATED the file may have grown when it is asked again. */
enum iw_capture_outcome iw_capture_pcap_next(struct iw_capture_pcap *pcap, struct iw_capture_record *record);

#endif
