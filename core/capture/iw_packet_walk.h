#ifndef IW_PACKET_WALK_H
#define IW_PACKET_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_packet.h"

/* The walk through the headers of a packet, from the link to TCP or SCTP. Each step reads one header: it
 * removes its octets from the front of `view` and returns what follows. Only these steps read packet octets,
 * and never beyond what was captured. */

/* The unread rest of the packet: `captured` octets at `at`; `wire` octets on the wire. A length field may
 * reduce both; inside a tunnel it never increases `wire`. */
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
    uint32_t scope; /* scope (iw_tcp_segment.h) of the headers read so far */
    uint8_t tunnels;
    bool inside;          /* a header has stated the length of the packet: later headers cannot increase it */
    bool checksum_hidden; /* the checksum of TCP cannot be verified: see iw_tcp_segment.h */
    bool whole;           /* begins with reassembled octets, so another fragment needs a tunnel in between */
};

/* ---- octets ---- */

static inline uint16_t iw_packet_16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t iw_packet_24(const uint8_t *at) {
    return (uint32_t)at[0] << 16 | iw_packet_16(at + 1);
}

static inline uint32_t iw_packet_32(const uint8_t *at) {
    return (uint32_t)iw_packet_16(at) << 16 | iw_packet_16(at + 2);
}

/* Removes `octets` octets from the front and returns them. If they were not captured, returns NULL and
 * removes nothing. */
static inline const uint8_t *iw_packet_take(struct iw_packet_view *view, uint32_t octets) {
    const uint8_t *at = view->at;
    if (octets > view->captured)
        return NULL;
    view->at += octets;
    view->captured -= octets;
    view->wire -= octets;
    return at;
}

/* Sets the length of the unread rest to `octets`: anything after it is padding, and what is missing was
 * truncated. */
static inline void iw_packet_trim(struct iw_packet_view *view, uint32_t octets) {
    view->wire = octets;
    if (view->captured > octets)
        view->captured = octets;
}

/* ---- results of a step ---- */

static inline struct iw_packet_next iw_packet_end(enum iw_packet_kind kind) {
    return (struct iw_packet_next){IW_LAYER_END, kind};
}

static inline struct iw_packet_next iw_packet_go(enum iw_packet_layer layer, uint32_t number) {
    return (struct iw_packet_next){layer, number};
}

/* Why `octets` could not be taken: the capture cut them off, or they never were there. */
static inline struct iw_packet_next iw_packet_missing(const struct iw_packet_view *view, uint32_t octets) {
    return iw_packet_end(octets <= view->wire ? IW_PACKET_CUT : IW_PACKET_MALFORMED);
}

static inline struct iw_packet_next iw_packet_other(
    struct iw_packet_walk *walk, enum iw_content content, uint32_t number) {
    walk->facts->content = content;
    walk->facts->number = (uint16_t)number;
    return iw_packet_end(IW_PACKET_OTHER);
}

/* ---- scope ---- */

/* The kinds of identifiers in a scope. */
enum iw_packet_scope {
    IW_SCOPE_VLAN = 1,
    IW_SCOPE_MPLS,
    IW_SCOPE_PPPOE,
    IW_SCOPE_VXLAN,
    IW_SCOPE_GENEVE,
    IW_SCOPE_GRE,
    IW_SCOPE_GTP,
};

/* The scope of an identifier inside `scope`; never 0. */
static inline uint32_t iw_packet_scope(uint32_t scope, enum iw_packet_scope kind, uint32_t identifier) {
    uint64_t mixed = ((uint64_t)scope << 32 | identifier) + (uint64_t)kind * 0x9e3779b97f4a7c15u;

    mixed = (mixed ^ mixed >> 31) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 29) * 0x94d049bb133111ebu;
    return (uint32_t)(mixed >> 32) | 1;
}

/* Enters a tunnel; returns false beyond IW_PACKET_TUNNELS_MAX. */
bool iw_packet_enter(struct iw_packet_walk *walk);
struct iw_packet_next iw_packet_too_deep(struct iw_packet_walk *walk);

/* Continues the walk at `next` until it ends. */
enum iw_packet_kind iw_packet_walk(struct iw_packet_walk *walk, struct iw_packet_next next);

/* ---- iw_link.c ---- */

/* Reads link headers other than Ethernet and Linux cooked: PPP, HDLC, Frame Relay, IEEE 802.11, NFLOG, IPoIB.
 * Returns what follows the link header. */
struct iw_packet_next iw_link_read(struct iw_packet_walk *walk, enum iw_link link);

/* ---- iw_link_80211.c ---- */

/* Reads unencrypted frames of IEEE 802.11 that carry one complete packet: no fragments, no A-MSDU. */

enum iw_link_80211_flag {
    IW_LINK_80211_PADDED = 1 << 0, /* the header is padded to a multiple of 4 octets */
};

/* Reads the 802.11 header; `flags` is a set of enum iw_link_80211_flag. */
struct iw_packet_next iw_link_80211(struct iw_packet_walk *walk, unsigned flags);

/* Reads a radiotap header (https://www.radiotap.org) and the 802.11 header after it. Ignores a frame with a
 * wrong frame check sequence, as receivers do. */
struct iw_packet_next iw_link_radiotap(struct iw_packet_walk *walk);

/* ---- iw_internet.c ---- */

/* Reads IP headers. Each step reads one header and returns what follows it. */

/* IPv4 (RFC 791 3.1). Writes the addresses to the segment. A fragment ends the walk: see struct
 * iw_fragment. */
struct iw_packet_next iw_internet_ipv4(struct iw_packet_walk *walk);
/* RFC 8200 3 */
struct iw_packet_next iw_internet_ipv6(struct iw_packet_walk *walk);

/* Handles what follows an IP header by its `protocol`: an IPv6 extension header (RFC 8200 4), an
 * Authentication Header (RFC 4302), which is skipped, a tunnel, or a transport. */
struct iw_packet_next iw_internet_protocol(struct iw_packet_walk *walk, uint8_t protocol);

#endif
