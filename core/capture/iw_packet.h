#ifndef IW_PACKET_H
#define IW_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_tcp_segment.h"

/* What the octets of a packet begin with. */
enum iw_link {
    IW_LINK_ETHERNET,      /* Ethernet II, with any number of 802.1Q and 802.1ad tags */
    IW_LINK_SLL,           /* Linux cooked, version 1 */
    IW_LINK_SLL2,          /* Linux cooked, version 2 */
    IW_LINK_LOOPBACK,      /* BSD: four octets of address family, in the byte order of either kind of host */
    IW_LINK_IP,            /* IPv4 or IPv6 without anything before it */
    IW_LINK_PPP,           /* PPP with or without address and control, or Cisco's HDLC */
    IW_LINK_PPP_DIRECTION, /* PPP after an octet that tells the direction */
    IW_LINK_PPP_PPPD,      /* PPP whose address tells the direction */
    IW_LINK_PPPOE,
    IW_LINK_HDLC, /* Cisco's */
    IW_LINK_FRAME_RELAY,
    IW_LINK_80211,    /* IEEE 802.11 */
    IW_LINK_RADIOTAP, /* IEEE 802.11 after a radiotap header */
    IW_LINK_NFLOG,    /* packets that Linux' netfilter has logged */
    IW_LINK_IPOIB,
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
    IW_PACKET_TCP,       /* a whole TCP header: the segment is filled in */
    IW_PACKET_SCTP,      /* a whole SCTP common header: see below */
    IW_PACKET_OTHER,     /* neither TCP nor SCTP over IP; the facts say what */
    IW_PACKET_FRAGMENT,  /* an IP fragment that one of them may be in; the facts hold it */
    IW_PACKET_CUT,       /* the capture cut the packet before the end of its header */
    IW_PACKET_MALFORMED, /* a length or a version contradicts itself */
};

/* What a packet of IW_PACKET_OTHER holds. */
enum iw_content {
    IW_CONTENT_NONE,
#define IW_CONTENT(symbol, key, text) IW_CONTENT_##symbol,
#include "iw_content.def"
#undef IW_CONTENT
    IW_CONTENT_COUNT,
};

/* For programs ("roce_v2"), and for people: a format for the number, which some of them leave out. */
const char *iw_content_key(enum iw_content content);
const char *iw_content_text(enum iw_content content);

/* A fragment of an IP packet (RFC 791 3.2, RFC 8200 4.5). The first members name the packet that it is of. */
struct iw_fragment {
    struct iw_tcp_address source, destination; /* without ports */
    uint32_t id;
    uint32_t scope;        /* see iw_tcp_segment.h */
    uint8_t protocol;      /* of what begins at offset 0; over IPv6 the other fragments' may be another */
    uint8_t tunnels;       /* it is inside so many */
    bool more;             /* it is not the last */
    uint32_t offset;       /* in octets */
    uint32_t length;       /* octets on the wire, */
    uint32_t captured;     /* and at `octets`, */
    const uint8_t *octets; /* borrowed from the packet */
};

/* What iw_packet_find tells beside the segment. */
struct iw_packet_facts {
    enum iw_content content; /* of IW_PACKET_OTHER; with IW_CONTENT_PORT_MAPPER the segment has the addresses,
                                and the message as its payload */
    uint16_t number;         /* what `content` leaves open: an Ethernet type, an IP protocol, a port */
    struct iw_fragment fragment; /* of IW_PACKET_FRAGMENT */
};

/* Finds the TCP segment in `packet`, inside of any tunnel that is read: VLAN tags, MPLS, PPPoE, VXLAN,
 * Geneve, GRE with ERSPAN, GTP-U, IP in IP, SCTP in UDP, up to eight inside each other. `segment` is filled
 * in for IW_PACKET_TCP, and for IW_PACKET_SCTP: then `seq` is the Verification Tag, the payload are the
 * chunks, and what else TCP has is undefined; so is all of it for other kinds. Its payload points into the
 * packet. The payload length is what the IP header says, so that Ethernet padding and check sequences do not
 * count as payload; with an IP length of 0, as segmentation offload leaves it, the length on the wire stands
 * for it. What a tunnel carries cannot be longer than the tunnel's packet. Checksums are not looked at: with
 * offload they are wrong in packets that went out well. */
enum iw_packet_kind iw_packet_find(
    const struct iw_packet *packet, struct iw_tcp_segment *segment, struct iw_packet_facts *facts);

/* The same for who wants no facts. Fragments are not reassembled: see iw_packet_reader.h. */
enum iw_packet_kind iw_packet_decode(const struct iw_packet *packet, struct iw_tcp_segment *segment);

/* The same from where the fragments of an IP packet have been put together on: `whole` has all octets of the
 * packet, `segment` has frame and time already. */
enum iw_packet_kind iw_packet_resume(
    const struct iw_fragment *whole, struct iw_tcp_segment *segment, struct iw_packet_facts *facts);

/* The same, where others have read the IP header, which is of no fragment: `length` octets of `protocol`
 * (iw_ip.h) follow it, and the first `captured` of them are at `octets`. Addresses, frame and time of the
 * segment stay as they are. */
enum iw_packet_kind iw_packet_transport(uint8_t protocol, const uint8_t *octets, uint32_t captured,
    uint32_t length, struct iw_tcp_segment *segment);

#endif
