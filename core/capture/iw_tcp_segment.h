#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* One end of a TCP connection. The octets after an IPv4 address are 0, so all octets can be compared. */
struct iw_tcp_address {
    uint8_t octets[16];
    uint16_t port;
    uint8_t version; /* IP version: 4 or 6 */
};

/* Called several times per segment, so it is inline and compares words of 8 octets. */
static inline bool iw_tcp_address_equal(
    const struct iw_tcp_address *one, const struct iw_tcp_address *other) {
    uint64_t a[2];
    uint64_t b[2];

    memcpy(a, one->octets, sizeof a);
    memcpy(b, other->octets, sizeof b);
    return a[0] == b[0] && a[1] == b[1] && one->port == other->port && one->version == other->version;
}

/* Control bits of the TCP header (RFC 9293 3.1). */
enum iw_tcp_flag {
    IW_TCP_FIN = 0x01,
    IW_TCP_SYN = 0x02,
    IW_TCP_RST = 0x04,
    IW_TCP_PSH = 0x08,
    IW_TCP_ACK = 0x10,
};

/* Larger than any packet, even of segmentation offload; keeps arithmetic on sequence numbers unambiguous. */
#define IW_TCP_SEGMENT_OCTETS_MAX (1u << 24)

/* Most connections or associations with equal addresses in different scopes: a lookup compares them all. */
enum { IW_TCP_SCOPES_MAX = 64 };

struct iw_tcp_segment {
    struct iw_tcp_address source;
    struct iw_tcp_address destination;
    uint32_t seq;
    uint32_t ack;      /* meaningful with IW_TCP_ACK */
    uint32_t sacked;   /* octets from `ack` to the end of the farthest SACK block (RFC 2018); 0: none */
    uint8_t flags;     /* enum iw_tcp_flag, other bits are allowed */
    uint8_t hops;      /* Time to Live (RFC 791 3.1) or Hop Limit (RFC 8200 3) of its IP header; 0: unknown */
    uint16_t mss;      /* with IW_TCP_SYN: the announced Maximum Segment Size, in octets; or 0 */
    uint16_t window;   /* as sent, not scaled (RFC 7323 2); 0: closed */
    uint16_t checksum; /* as sent */
    uint16_t ip_id;    /* IPv4: Identification (RFC 791 3.1); IPv6, or unknown: 0 */
    uint32_t scope;    /* hash of the VLANs, MPLS label, VNI, GRE key etc. that name its network; 0: none */
    uint32_t length;   /* payload octets on the wire, at most IW_TCP_SEGMENT_OCTETS_MAX */
    uint32_t captured; /* octets at `payload`; less than `length` if the packet is truncated */
    const uint8_t *payload; /* borrowed */
    const uint8_t *tcp; /* the TCP header and all of the payload after it, borrowed; NULL if their checksum
                           cannot be verified: not all of it was captured, the IP header does not state the
                           length (segmentation offload), or the checksum is over other addresses (source
                           routing, Mobile IPv6) */
    uint64_t frame;     /* capture frame number, from 1 */
    uint64_t time_ns;   /* nanoseconds since the epoch */
};
