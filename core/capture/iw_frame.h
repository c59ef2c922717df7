#pragma once

#include <stddef.h>

#include "iw_ip.h"
#include "iw_tcp_segment.h"

/* Writes packets: headers of Ethernet with VLAN, IPv4, IPv6 and TCP. iw_packet.h reads them. */

enum {
    IW_FRAME_ETHERNET_MAX = IW_ETHERNET_OCTETS + IW_VLAN_OCTETS,
    IW_FRAME_IP_MAX = IW_IPV6_OCTETS,
    IW_FRAME_TCP_MAX = IW_TCP_OCTETS + 16, /* with the options MSS and SACK */
    IW_FRAME_SEGMENT_MAX = 65000, /* most payload octets of a TCP segment; fits into IPv4 and IPv6 packets */
    IW_FRAME_MAX = IW_FRAME_ETHERNET_MAX + IW_FRAME_IP_MAX + IW_FRAME_TCP_MAX, /* octets of all headers */
};

/* Contents of the Ethernet and IP headers. The ports of the addresses are ignored. */
struct iw_frame_path {
    struct iw_tcp_address source, destination; /* of the same IP version */
    unsigned vlan;                             /* 0: untagged */
    uint8_t protocol;
    uint16_t id;  /* IPv4: Identification */
    uint8_t hops; /* Time to Live or Hop Limit; 0: 64 */
};

/* Writes an Ethernet header. Its addresses are locally administered; each ends with the last octet of the IP
 * address. Returns its size, at most IW_FRAME_ETHERNET_MAX. */
size_t iw_frame_ethernet(const struct iw_frame_path *path, uint8_t *octets);

/* Writes an IP header for `payload` octets (at most 65,515); IPv4 with checksum and DF. Returns its size. */
size_t iw_frame_ip(const struct iw_frame_path *path, size_t payload, uint8_t *octets);

/* Writes a TCP header without payload, with checksum 0 as before checksum offload. Adds the option MSS if
 * `segment->mss` is not 0 (RFC 9293 3.7.1). If `segment->sacked` is not 0, adds a SACK option (RFC 2018 3)
 * with one block: the octet before `ack` + `sacked`. Returns the size, at most IW_FRAME_TCP_MAX. */
size_t iw_frame_tcp(const struct iw_tcp_segment *segment, uint8_t *octets);

/* Returns the TCP checksum (RFC 9293 3.1) of a segment of `length` octets: over the pseudo-header and only
 * the first `count` octets at `tcp`, whose checksum field must be 0. */
uint16_t iw_frame_tcp_checksum(
    const struct iw_frame_path *path, const uint8_t *tcp, size_t count, size_t length);

/* Writes the frame of `segment`, with correct checksums, to `octets`: IW_FRAME_MAX octets plus the payload,
 * which must be complete and at most IW_FRAME_SEGMENT_MAX octets. `vlan` 0: untagged. Returns its size. */
size_t iw_frame_write(const struct iw_tcp_segment *segment, unsigned vlan, uint8_t *octets);
