#ifndef IW_FRAME_H
#define IW_FRAME_H

#include <stddef.h>

#include "iw_ip.h"
#include "iw_tcp_segment.h"

/* Writes packets: headers of Ethernet with VLAN, IPv4, IPv6 and TCP. iw_packet.h reads them. */

enum {
    IW_FRAME_ETHERNET_MAX = IW_ETHERNET_OCTETS + IW_VLAN_OCTETS,
    IW_FRAME_IP_MAX = IW_IPV6_OCTETS,
    IW_FRAME_TCP_MAX = IW_TCP_OCTETS + 16, /* with the options MSS and SACK */
    IW_FRAME_SEGMENT_MAX = 65000,          /* payload octets of a TCP segment that fit into any packet */
    IW_FRAME_MAX = IW_FRAME_ETHERNET_MAX + IW_FRAME_IP_MAX + IW_FRAME_TCP_MAX, /* octets of all headers */
};

/* What the headers below the transport contain; the ports of the addresses are ignored. */
struct iw_frame_path {
    struct iw_tcp_address source, destination; /* of the same IP version */
    unsigned vlan;                             /* 0: untagged */
    uint8_t protocol;
    uint16_t id; /* IPv4: Identification */
};

/* Writes an Ethernet header with locally administered addresses, whose last octets equal those of the IP
 * addresses. Returns its size, at most IW_FRAME_ETHERNET_MAX. */
size_t iw_frame_ethernet(const struct iw_frame_path *path, uint8_t *octets);

/* Writes an IP header for `payload` octets (at most 65,515); IPv4 with checksum and DF. Returns its size. */
size_t iw_frame_ip(const struct iw_frame_path *path, size_t payload, uint8_t *octets);

/* Writes a TCP header with checksum 0, as with checksum offload; ignores the payload. `segment->mss` other
 * than 0 is announced (RFC 9293 3.7.1); `segment->sacked` other than 0 gives a SACK option (RFC 2018 3)
 * with one block of one octet. Returns its size, at most IW_FRAME_TCP_MAX. */
size_t iw_frame_tcp(const struct iw_tcp_segment *segment, uint8_t *octets);

/* The TCP checksum over the first `count` octets of header and payload, and the pseudo-header of a segment
 * of `length` octets (RFC 9293 3.1). The checksum field of `tcp` must be 0. */
uint16_t iw_frame_tcp_checksum(
    const struct iw_frame_path *path, const uint8_t *tcp, size_t count, size_t length);

/* Writes the frame of `segment`, with correct checksums, to `octets`: IW_FRAME_MAX octets plus the payload,
 * which must be complete and at most IW_FRAME_SEGMENT_MAX octets. `vlan` 0: untagged. Returns its size. */
size_t iw_frame_write(const struct iw_tcp_segment *segment, unsigned vlan, uint8_t *octets);

#endif
