#ifndef IW_PACKET_WALK_H
#define IW_PACKET_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_packet.h"

/* The way through the headers of a packet, from the link to TCP or SCTP, shared by the modules that each read
 * some of them. A step reads one header: it takes its octets off the front of `view` and says what follows.
 * Nobody else reads packet octets, and no step reads beyond what was captured. */

/* What is left of the packet: `captured` octets at `at`, `wire` octets if nothing had been cut off. A header
 * that states a length may shorten both; inside a tunnel it never makes `wire` longer. */
struct iw_packet_view {
    const uint8_t *at;
    uint32_t captured;
    uint32_t wire;
};

enum iw_packet_layer {
    IW_LAYER_END,       /* `number` is an enum iw_packet_kind */
    IW_LAYER_ETHERNET,  /* destination, source, type */
    IW_LAYER_ETHERTYPE, /* what Ethernet type `number` announces */
    IW_LAYER_IP,        /* IPv4 or IPv6, as the first four bits say */
    IW_LAYER_IPV4,
    IW_LAYER_IPV6,
    IW_LAYER_PROTOCOL, /* what IP protocol `number` announces */
    IW_LAYER_MPLS,
    IW_LAYER_PPP,
    IW_LAYER_GRE,
};

struct iw_packet_next {
    enum iw_packet_layer layer;
    uint32_t number;
};

/* Tunnels inside each other, IP in IP among them; a packet with more is not read. */
enum { IW_PACKET_TUNNELS_MAX = 8 };

struct iw_packet_walk {
    struct iw_packet_view view;
    struct iw_tcp_segment *segment;
    struct iw_packet_facts *facts;
    uint32_t scope; /* of what has been read so far: see iw_tcp_segment.h */
    uint8_t tunnels;
    bool inside; /* of a header that states the packet's length: no later one may state more */
    bool whole;  /* begins with what fragments carried, so no fragment follows before the next tunnel */
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

/* Takes `octets` from the front; NULL, and nothing taken, if they were not captured. */
static inline const uint8_t *iw_packet_take(struct iw_packet_view *view, uint32_t octets) {
    const uint8_t *at = view->at;
    if (octets > view->captured)
        return NULL;
    view->at += octets;
    view->captured -= octets;
    view->wire -= octets;
    return at;
}

/* The length of what is left is `octets`: what follows is padding, and what the capture lacks of it was cut.
 */
static inline void iw_packet_trim(struct iw_packet_view *view, uint32_t octets) {
    view->wire = octets;
    if (view->captured > octets)
        view->captured = octets;
}

/* ---- what follows ---- */

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

/* What gives the identifiers of a scope their meaning. */
enum iw_packet_scope {
    IW_SCOPE_VLAN = 1,
    IW_SCOPE_MPLS,
    IW_SCOPE_PPPOE,
    IW_SCOPE_VXLAN,
    IW_SCOPE_GENEVE,
    IW_SCOPE_GRE,
    IW_SCOPE_GTP,
};

/* The scope inside `scope` that has this identifier: never 0. */
static inline uint32_t iw_packet_scope(uint32_t scope, enum iw_packet_scope kind, uint32_t identifier) {
    uint64_t mixed = ((uint64_t)scope << 32 | identifier) + (uint64_t)kind * 0x9e3779b97f4a7c15u;

    mixed = (mixed ^ mixed >> 31) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 29) * 0x94d049bb133111ebu;
    return (uint32_t)(mixed >> 32) | 1;
}

/* Enters a tunnel; false if that is one too many. */
bool iw_packet_enter(struct iw_packet_walk *walk);
struct iw_packet_next iw_packet_too_deep(struct iw_packet_walk *walk);

/* Walks on from `next` to the end. */
enum iw_packet_kind iw_packet_walk(struct iw_packet_walk *walk, struct iw_packet_next next);

#endif
