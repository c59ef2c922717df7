#pragma once

#include <string.h>

#include "iw_packet.h"

/* Reads the headers of a packet from the link to TCP or SCTP. Each step takes the octets of one header from
 * the front of `view` and returns what follows. No step reads beyond the captured octets. */

/* The unread rest of the packet: `captured` octets at `at`, `wire` octets on the wire. A length field may
 * reduce both numbers; only the first length field may increase `wire`. */
struct iw_packet_view {
    const uint8_t *at;
    uint32_t captured;
    uint32_t wire;
};

enum iw_packet_layer {
    IW_LAYER_END,       /* the walk ends; `number` is an enum iw_packet_kind */
    IW_LAYER_ETHERNET,  /* destination, source, type */
    IW_LAYER_ETHERTYPE, /* `number` is an Ethernet type */
    IW_LAYER_IP,        /* IPv4 or IPv6, by the version in the first four bits */
    IW_LAYER_IPV4,
    IW_LAYER_IPV6,
    IW_LAYER_PROTOCOL, /* `number` is an IP protocol */
    IW_LAYER_MPLS,
    IW_LAYER_PPP,
    IW_LAYER_GRE,
};

struct iw_packet_next {
    enum iw_packet_layer layer;
    uint32_t number;
};

/* Largest number of nested tunnels, IP in IP included; a packet with more is not read. */
enum { IW_PACKET_TUNNELS_MAX = 8 };

struct iw_packet_walk {
    struct iw_packet_view view;
    struct iw_tcp_segment *segment;
    struct iw_packet_facts *facts;
    uint32_t scope; /* see iw_tcp_segment.h: scope of the headers read so far */
    uint8_t tunnels;
    bool inside;          /* a header has stated the length of the packet: later headers cannot increase it */
    bool checksum_hidden; /* the checksum of TCP cannot be verified: see iw_tcp_segment.h */
    bool whole; /* the packet was reassembled: a fragment header is an error, except inside a tunnel */
};

static inline uint16_t iw_packet_16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t iw_packet_24(const uint8_t *at) {
    return (uint32_t)at[0] << 16 | iw_packet_16(at + 1);
}

static inline uint32_t iw_packet_32(const uint8_t *at) {
    return (uint32_t)iw_packet_16(at) << 16 | iw_packet_16(at + 2);
}

/* LLC with SNAP (RFC 1042), which ends with an Ethernet type. */
enum { IW_PACKET_SNAP_OCTETS = 8 };

static inline bool iw_packet_is_snap(const uint8_t *header) {
    static const uint8_t snap[6] = {0xaa, 0xaa, 0x03};

    return memcmp(header, snap, sizeof snap) == 0;
}

static inline uint16_t iw_packet_snap_type(const uint8_t *header) {
    return iw_packet_16(header + 6);
}

/* Removes `octets` octets from the front and returns them; NULL, and removes none, if fewer are captured. */
static inline const uint8_t *iw_packet_take(struct iw_packet_view *view, uint32_t octets) {
    const uint8_t *at = view->at;
    if (octets > view->captured)
        return NULL;
    view->at += octets;
    view->captured -= octets;
    view->wire -= octets;
    return at;
}

/* Sets the length of the unread rest, and removes captured octets beyond it, which are padding. */
static inline void iw_packet_trim(struct iw_packet_view *view, uint32_t octets) {
    view->wire = octets;
    if (view->captured > octets)
        view->captured = octets;
}

static inline struct iw_packet_next iw_packet_end(enum iw_packet_kind kind) {
    return (struct iw_packet_next){IW_LAYER_END, kind};
}

static inline struct iw_packet_next iw_packet_go(enum iw_packet_layer layer, uint32_t number) {
    return (struct iw_packet_next){layer, number};
}

/* Ends the walk: IW_PACKET_CUT if the capture truncated the octets, MALFORMED if the packet ends first. */
static inline struct iw_packet_next iw_packet_missing(const struct iw_packet_view *view, uint32_t octets) {
    return iw_packet_end(octets <= view->wire ? IW_PACKET_CUT : IW_PACKET_MALFORMED);
}

static inline struct iw_packet_next iw_packet_other(
    struct iw_packet_walk *walk, enum iw_content content, uint32_t number) {
    walk->facts->content = content;
    walk->facts->number = (uint16_t)number;
    return iw_packet_end(IW_PACKET_OTHER);
}

enum iw_packet_scope {
    IW_SCOPE_VLAN = 1,
    IW_SCOPE_MPLS,
    IW_SCOPE_PPPOE,
    IW_SCOPE_VXLAN,
    IW_SCOPE_GENEVE,
    IW_SCOPE_GRE,
    IW_SCOPE_GTP,
};

/* Adds an identifier, for example a VLAN number, to `scope`. Returns the new scope, which is never 0. */
static inline uint32_t iw_packet_scope(uint32_t scope, enum iw_packet_scope kind, uint32_t identifier) {
    uint64_t mixed = ((uint64_t)scope << 32 | identifier) + (uint64_t)kind * 0x9e3779b97f4a7c15u;

    mixed = (mixed ^ mixed >> 31) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 29) * 0x94d049bb133111ebu;
    return (uint32_t)(mixed >> 32) | 1;
}

/* How to read a header whose first `octets` octets are always present. */
struct iw_packet_header {
    uint32_t octets;
    /* Reads the header at `at`; the view has the rest. NULL: the Ethernet type at `type_at` follows. */
    struct iw_packet_next (*read)(struct iw_packet_walk *walk, const uint8_t *at);
    uint32_t type_at;
};

/* Takes the header from the view and calls its `read`, if any. Ends the walk if the header is incomplete. */
struct iw_packet_next iw_packet_read_header(
    struct iw_packet_walk *walk, const struct iw_packet_header *header);

/* Enters a tunnel, and continues at `layer`. Ends the walk beyond IW_PACKET_TUNNELS_MAX tunnels. */
struct iw_packet_next iw_packet_enter(
    struct iw_packet_walk *walk, enum iw_packet_layer layer, uint32_t number);

/* Continues the walk at `next` until it ends. */
enum iw_packet_kind iw_packet_walk(struct iw_packet_walk *walk, struct iw_packet_next next);

/* Each function below reads one header, adds the identifier of the header, if any, to the scope, and returns
 * what follows. A truncated header ends the walk with IW_PACKET_CUT, an invalid one with IW_PACKET_MALFORMED.
 * A function with `at` is a `read` of struct iw_packet_header. If its comment says that it takes its octets
 * itself, `octets` there is 0, and `at` is not used. */

/* ---- iw_link.c ---- */

struct iw_packet_next iw_link_read(struct iw_packet_walk *walk, enum iw_link link);

/* ---- iw_link_80211.c ---- */

/* Reads IEEE 802.11 data frames, except encrypted ones, fragments and A-MSDUs. Takes its octets itself.
 */
struct iw_packet_next iw_link_80211(struct iw_packet_walk *walk, const uint8_t *at);

/* Reads radiotap (https://www.radiotap.org) and 802.11, except with a wrong frame check sequence. */
enum { IW_RADIOTAP_OCTETS = 8 };
struct iw_packet_next iw_link_radiotap(struct iw_packet_walk *walk, const uint8_t *at);

/* ---- iw_internet.c ---- */

/* iw_internet_ip, which takes its octets itself, finds the IP version. The other two read an IPv4 or IPv6
 * header (RFC 791 3.1, RFC 8200 3) and write its addresses and hops to the segment. A fragment ends the walk:
 * see struct iw_fragment. */
struct iw_packet_next iw_internet_ip(struct iw_packet_walk *walk, const uint8_t *at);
struct iw_packet_next iw_internet_ipv4(struct iw_packet_walk *walk, const uint8_t *at);
struct iw_packet_next iw_internet_ipv6(struct iw_packet_walk *walk, const uint8_t *at);

/* Reads what follows an IP header: an IPv6 extension header (RFC 8200 4) or an Authentication Header (RFC
 * 4302), which it skips, a tunnel, TCP or SCTP. Any other protocol ends the walk with IW_PACKET_OTHER. */
struct iw_packet_next iw_internet_protocol(struct iw_packet_walk *walk, uint8_t protocol);

/* Writes two addresses that follow each other, those of a header of IP `version`, to the segment. */
void iw_internet_addresses(struct iw_tcp_segment *segment, uint8_t version, const uint8_t *octets);

/* ---- iw_icmp.c ---- */

/* Ends the walk in a message of ICMP or ICMPv6: IW_CONTENT_ICMP if it is an error about a TCP segment. Does
 * not verify its checksum. */
struct iw_packet_next iw_icmp_read(struct iw_packet_walk *walk, uint8_t protocol);

/* ---- iw_tunnel_link.c ---- */

/* Reads a stack of MPLS labels (RFC 3032 2.1), and guesses what follows unless the last label is 0 (IPv4) or
 * 2 (IPv6). Takes its octets itself. */
struct iw_packet_next iw_tunnel_mpls(struct iw_packet_walk *walk, const uint8_t *at);
/* Read a PPPoE session header (RFC 2516 4); PPP (RFC 1661 2), which takes its octets itself. */
enum { IW_PPPOE_OCTETS = 6 };
struct iw_packet_next iw_tunnel_pppoe(struct iw_packet_walk *walk, const uint8_t *at);
struct iw_packet_next iw_tunnel_ppp(struct iw_packet_walk *walk, const uint8_t *at);

/* ---- iw_tunnel_gre.c ---- */

/* Reads GRE version 0 (RFC 2784, RFC 2890, routing of RFC 1701) and 1 (RFC 2637), and ERSPAN inside GRE. */
enum { IW_GRE_OCTETS = 4 };
struct iw_packet_next iw_tunnel_gre(struct iw_packet_walk *walk, const uint8_t *at);

/* ---- iw_tunnel_udp.c ---- */

/* Reads UDP. The ports identify tunnels, SCTP (RFC 6951), and contents that are reported but not read. */
struct iw_packet_next iw_tunnel_udp(struct iw_packet_walk *walk);

/* Whether UDP with these ports is read as a tunnel or as SCTP. */
bool iw_tunnel_is_port(uint16_t source, uint16_t destination);

/* ---- iw_transport.c ---- */

/* Read the TCP or SCTP header, with which the walk ends. */
enum iw_packet_kind iw_transport_tcp(struct iw_packet_view view, struct iw_tcp_segment *segment);
enum iw_packet_kind iw_transport_sctp(struct iw_packet_view view, struct iw_tcp_segment *segment);
