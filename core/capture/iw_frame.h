#ifndef IW_FRAME_H
#define IW_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "iw_ip.h"
#include "iw_tcp_segment.h"

/* Packets made: headers of Ethernet (with a VLAN of IEEE 802.1Q), IPv4 (RFC 791) or IPv6 (RFC 8200), and TCP
 * (RFC 9293). iw_packet.h reads them. */

enum {
    IW_FRAME_ETHERNET_MAX = IW_ETHERNET_OCTETS + IW_VLAN_OCTETS,
    IW_FRAME_IP_MAX = IW_IPV6_OCTETS,
    IW_FRAME_TCP_MAX = IW_TCP_OCTETS + 16, /* with the Maximum Segment Size and SACK */
    IW_FRAME_SEGMENT_MAX = 65000, /* octets of payload of a TCP segment that any packet has room for */
    IW_FRAME_MAX = IW_FRAME_ETHERNET_MAX + IW_FRAME_IP_MAX + IW_FRAME_TCP_MAX, /* octets of all headers */
};

/* From where to where below the transport; the ports of the addresses do not count here. */
struct iw_frame_path {
    struct iw_tcp_address source, destination; /* of the same version */
    unsigned vlan;                             /* 0 for none */
    uint8_t protocol;
    uint16_t id; /* IPv4: Identification */
};

/* Writes an Ethernet header between locally administered addresses, whose last octets are those of the IP
 * addresses. Returns its octets, IW_FRAME_ETHERNET_MAX at the most. */
size_t iw_frame_ethernet(const struct iw_frame_path *path, uint8_t *octets);

/* Writes an IP header, in front of `payload` octets (65,515 at the most); an IPv4 one with its checksum and
 * Don't Fragment. Returns its octets, IW_FRAME_IP_MAX at the most. */
size_t iw_frame_ip(const struct iw_frame_path *path, size_t payload, uint8_t *octets);

/* Writes a TCP header; the payload does not count. The checksum is 0, as a host that leaves it to its adapter
 * has it. With `segment->mss` that is announced (RFC 9293 3.7.1); with `segment->sacked`, a SACK
 * option has one block of one octet (RFC 2018 3). Returns its octets, IW_FRAME_TCP_MAX at the most. */
size_t iw_frame_tcp(const struct iw_tcp_segment *segment, uint8_t *octets);

/* The checksum of the first `count` octets of a TCP header and its payload, and of a pseudo-header for a
 * segment of `length` octets (RFC 9293 3.1). The checksum field of `tcp` is 0. */
uint16_t iw_frame_tcp_checksum(
    const struct iw_frame_path *path, const uint8_t *tcp, size_t count, size_t length);

/* Writes the frame of `segment`, whose payload is whole and at most 65,000 octets, into `octets`, which has
 * room for IW_FRAME_MAX more than the payload: all headers, checksums right; `vlan` is 0 for none. Returns
 * the size. */
size_t iw_frame_write(const struct iw_tcp_segment *segment, unsigned vlan, uint8_t *octets);

#endif
