#pragma once

#include <stddef.h>
#include <string.h>

#include "iw_outer.h"

/* A frame under construction, for the modules of iw_outer only. */

enum {
    IW_OUTER_HEADROOM = 512, /* octets for all headers */
    IW_OUTER_FRAME_MAX = IW_OUTER_HEADROOM + (1 << 17),
    IW_OUTER_ETHERTYPE_IPV4 = 0x0800,
    IW_OUTER_ETHERTYPE_IPV6 = 0x86DD,
    IW_OUTER_ETHERTYPE_BRIDGED = 0x6558,
    IW_OUTER_PROTOCOL_HOP_BY_HOP = 0,
    IW_OUTER_PROTOCOL_IPIP = 4,
    IW_OUTER_PROTOCOL_TCP = 6,
    IW_OUTER_PROTOCOL_UDP = 17,
    IW_OUTER_PROTOCOL_IPV6 = 41,
    IW_OUTER_PROTOCOL_FRAGMENT = 44,
    IW_OUTER_PROTOCOL_GRE = 47,
    IW_OUTER_PROTOCOL_DESTINATION = 60,
    IW_OUTER_PROTOCOL_SCTP = 132,
};

/* Built from the innermost header outwards: each new header goes to the front. */
struct iw_outer_frame {
    uint8_t octets[IW_OUTER_FRAME_MAX];
    uint8_t *begin;
    size_t count;    /* octets on the wire */
    size_t kept;     /* octets present at `begin`; less than `count` if the payload was truncated */
    uint16_t type;   /* EtherType of the outermost header so far; ..._BRIDGED for an Ethernet frame */
    uint8_t version; /* IP version of the outermost header so far */
};

/* Adds `count` zero octets at the front, and returns them. */
static inline uint8_t *iw_outer_grow(struct iw_outer_frame *frame, size_t count) {
    frame->begin -= count;
    frame->count += count;
    frame->kept += count;
    memset(frame->begin, 0, count);
    return frame->begin;
}

/* Write a number in network order. */
static inline void iw_outer_put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void iw_outer_put32(uint8_t *at, uint32_t value) {
    iw_outer_put16(at, value >> 16);
    iw_outer_put16(at + 2, value);
}

/* Add the header of the transport protocol; TCP's with the checksum for the addresses that `outer` asks for.
 */
void iw_outer_put_tcp(
    struct iw_outer_frame *frame, const struct iw_outer *outer, const struct iw_trace_packet *packet);
void iw_outer_put_sctp(struct iw_outer_frame *frame, const struct iw_tcp_segment *segment);

/* Adds an IPv4 header (RFC 791) with addresses of 4 octets; `fragment` is its field of flags and offset. */
void iw_outer_put_ipv4(struct iw_outer_frame *frame, uint8_t protocol, const uint8_t *source,
    const uint8_t *destination, uint16_t id, uint32_t fragment);

/* Adds the IP headers that `outer` asks for, with the addresses of the segment. `fragment` has the layout of
 * the field in IPv4: flags and offset. */
void iw_outer_put_ip(struct iw_outer_frame *frame, const struct iw_outer *outer,
    const struct iw_tcp_segment *segment, uint8_t protocol, uint32_t id, uint32_t fragment);

/* Adds the tunnels that `outer` asks for. */
void iw_outer_put_tunnels(struct iw_outer_frame *frame, const struct iw_outer *outer);

/* The link layer to write: Ethernet if the chosen one carries only IP and the frame is not IP. */
enum iw_outer_link iw_outer_link_of(const struct iw_outer_frame *frame, const struct iw_outer *outer);

/* Adds the header of the link layer. */
void iw_outer_put_link(struct iw_outer_frame *frame, enum iw_outer_link link);
