#pragma once

#include "iw_icmp.h"

/* The first header of a captured packet. */
enum iw_link {
    IW_LINK_ETHERNET,      /* Ethernet II, with any number of 802.1Q and 802.1ad tags */
    IW_LINK_SLL,           /* Linux cooked, version 1 */
    IW_LINK_SLL2,          /* Linux cooked, version 2 */
    IW_LINK_LOOPBACK,      /* BSD: four octets of address family, in either byte order */
    IW_LINK_IP,            /* IPv4 or IPv6 without anything before it */
    IW_LINK_PPP,           /* PPP with or without address and control, or Cisco HDLC */
    IW_LINK_PPP_DIRECTION, /* PPP after an octet with the direction */
    IW_LINK_PPP_PPPD,      /* PPP whose address octet gives the direction */
    IW_LINK_PPPOE,
    IW_LINK_HDLC, /* Cisco HDLC */
    IW_LINK_FRAME_RELAY,
    IW_LINK_80211,    /* IEEE 802.11 */
    IW_LINK_RADIOTAP, /* IEEE 802.11 after a radiotap header */
    IW_LINK_NFLOG,    /* packets logged by Linux netfilter */
    IW_LINK_IPOIB,
};

struct iw_packet {
    enum iw_link link;
    const uint8_t *octets; /* borrowed */
    uint32_t captured;     /* octets at `octets` */
    uint32_t length;       /* octets that were on the wire */
    uint64_t frame;        /* capture frame number, from 1 */
    uint64_t time_ns;      /* nanoseconds since the epoch */
};

enum iw_packet_kind {
    IW_PACKET_TCP,       /* a TCP header, whose options may be truncated: the segment is filled in */
    IW_PACKET_SCTP,      /* a complete SCTP common header: see iw_packet_find */
    IW_PACKET_OTHER,     /* neither TCP nor SCTP over IP; see struct iw_packet_facts */
    IW_PACKET_FRAGMENT,  /* an IP fragment that may be part of TCP or SCTP; see struct iw_packet_facts */
    IW_PACKET_CUT,       /* the capture truncated the packet within a header */
    IW_PACKET_MALFORMED, /* a header is invalid, for example its length or version */
};

/* What a packet of kind IW_PACKET_OTHER contains. */
enum iw_content {
    IW_CONTENT_NONE,
#define IW_CONTENT(symbol, key, text) IW_CONTENT_##symbol,
#include "iw_content.def"
    IW_CONTENT_COUNT,
};

/* Return the key of a content for programs; its text, a printf format that may use `number` of the facts. */
const char *iw_content_key(enum iw_content content);
const char *iw_content_text(enum iw_content content);

/* A fragment of an IP packet (RFC 791 3.2, RFC 8200 4.5). The members up to `tunnels` identify the packet. */
struct iw_fragment {
    struct iw_tcp_address source, destination; /* without ports */
    uint32_t id;
    uint32_t scope;        /* see iw_tcp_segment.h */
    uint8_t protocol;      /* IP protocol; over IPv6 valid only in the fragment at offset 0 */
    uint8_t tunnels;       /* number of tunnels around the fragment */
    bool more;             /* M flag: not the last fragment */
    bool checksum_hidden;  /* the checksum of TCP cannot be verified: see iw_tcp_segment.h */
    uint32_t offset;       /* in octets */
    uint32_t length;       /* payload octets on the wire */
    uint32_t captured;     /* payload octets at `octets` */
    const uint8_t *octets; /* borrowed from the packet or the reassembly */
};

/* Further results of iw_packet_find, besides the segment. */
struct iw_packet_facts {
    enum iw_content content; /* valid for IW_PACKET_OTHER */
    uint16_t number; /* number in the text of `content`: Ethernet type, IP or PPP protocol, or UDP port */
    struct iw_fragment fragment; /* valid for IW_PACKET_FRAGMENT */
    struct iw_icmp icmp;         /* valid for IW_CONTENT_ICMP */
};

/* Finds the TCP or SCTP header in `packet`, inside any number of VLAN tags and up to eight tunnels: MPLS,
 * PPPoE, VXLAN, Geneve, GRE with ERSPAN, GTP-U, IP in IP, EtherIP, SCTP in UDP. Fills in `segment` for
 * IW_PACKET_TCP. For IW_PACKET_SCTP, `seq` is the Verification Tag, the payload is the chunks, and the other
 * TCP members are undefined. For IW_CONTENT_PORT_MAPPER, only addresses and payload of the UDP datagram are
 * set; for IW_CONTENT_ICMP, only addresses, `seq` and scope, which are those of the rejected TCP segment; for
 * all other results, `segment` is undefined. The payload points into the packet. Its length comes from the IP
 * header, so it excludes Ethernet padding and frame check sequences; if the IP length is 0 (segmentation
 * offload), it is the rest of the packet. A packet in a tunnel cannot be longer than the packet around it.
 * Does not verify checksums (iw_tcp_checksum.h), nor reassemble fragments (iw_packet_reader.h). */
enum iw_packet_kind iw_packet_find(
    const struct iw_packet *packet, struct iw_tcp_segment *segment, struct iw_packet_facts *facts);

/* Continues iw_packet_find in the reassembled IP packet `whole`; `segment` already has frame and time. */
enum iw_packet_kind iw_packet_resume(
    const struct iw_fragment *whole, struct iw_tcp_segment *segment, struct iw_packet_facts *facts);

/* Like iw_packet_find, for an unfragmented packet whose IP header the caller has read: `length` octets of
 * `protocol` (iw_ip.h) follow, the first `captured` of them at `octets`. Returns IW_PACKET_OTHER for any
 * protocol but TCP and SCTP. Does not change IP addresses, hops, frame and time of the segment. */
enum iw_packet_kind iw_packet_transport(uint8_t protocol, const uint8_t *octets, uint32_t captured,
    uint32_t length, struct iw_tcp_segment *segment);
