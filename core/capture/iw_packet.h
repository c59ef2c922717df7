#ifndef IW_PACKET_H
#define IW_PACKET_H

#include <stdint.h>

#include "iw_tcp_segment.h"

/* What the octets of a packet begin with. */
enum iw_link {
    IW_LINK_ETHERNET, /* Ethernet II, with any number of 802.1Q and 802.1ad tags */
    IW_LINK_SLL,      /* Linux cooked, version 1 */
    IW_LINK_SLL2,     /* Linux cooked, version 2 */
    IW_LINK_LOOPBACK, /* BSD: four octets of address family, in the byte order of either kind of host */
    IW_LINK_IP,       /* IPv4 or IPv6 without anything before it */
};

/* One captured packet. */
struct iw_packet {
    enum iw_link link;
    const uint8_t *octets; /* borrowed */
    uint32_t captured;     /* octets at `octets` */
    uint32_t length;       /* octets that were on the wire */
    uint64_t frame;        /* capture frame number, from 1 */
    uint64_t time_ns;      /* nanoseconds since the epoch */
};

enum iw_packet_kind {
    IW_PACKET_TCP,      /* a whole TCP header: the segment is filled in */
    IW_PACKET_SCTP,     /* a whole SCTP common header: see below */
    IW_PACKET_OTHER,    /* neither TCP nor SCTP over IP */
    IW_PACKET_FRAGMENT, /* one of them in an IP fragment: fragments are not reassembled, so the segment cannot
                           be judged */
    IW_PACKET_CUT,      /* the capture cut the packet before the end of its header */
    IW_PACKET_MALFORMED, /* a length or a version contradicts itself */
};

/* Finds the TCP segment in `packet`. `segment` is filled in for IW_PACKET_TCP, and for IW_PACKET_SCTP: then
 * `seq` is the Verification Tag, the payload are the chunks, and what else TCP has is undefined; so is all of
 * it for other kinds. Its payload points into the packet. The payload length is what the IP header says, so
 * that Ethernet padding and check sequences do not count as payload; with an IP length of 0, as segmentation
 * offload leaves it, the length on the wire stands for it. Checksums are not looked at: with offload they are
 * wrong in packets that went out well. */
enum iw_packet_kind iw_packet_decode(const struct iw_packet *packet, struct iw_tcp_segment *segment);

/* The same, where others have read the IP header, which is of no fragment: `length` octets of `protocol`
 * (iw_ip.h) stand behind it, and the first `captured` of them are at `octets`. Addresses, frame and time of
 * the segment stay as they are. */
enum iw_packet_kind iw_packet_transport(uint8_t protocol, const uint8_t *octets, uint32_t captured,
    uint32_t length, struct iw_tcp_segment *segment);

#endif
