#ifndef IW_OUTER_H
#define IW_OUTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_trace.h"

/* What stands around the segments of a trace in a capture file: the form of the file, the link layer, tunnels
 * and IP. Written octet by octet from the documents; it shares no code with what reads packets. */

enum iw_outer_tunnel {
    IW_OUTER_NONE,
    IW_OUTER_VLAN,   /* IEEE 802.1Q */
    IW_OUTER_QINQ,   /* IEEE 802.1ad */
    IW_OUTER_MPLS,   /* RFC 3032, two labels */
    IW_OUTER_PPPOE,  /* RFC 2516, session */
    IW_OUTER_IPIP,   /* RFC 2003, RFC 4213 */
    IW_OUTER_GRE,    /* RFC 2784, with the key of RFC 2890 */
    IW_OUTER_ERSPAN, /* type II in GRE with a sequence number */
    IW_OUTER_VXLAN,  /* RFC 7348 */
    IW_OUTER_GENEVE, /* RFC 8926, with an option */
    IW_OUTER_GTPU,   /* 3GPP TS 29.281 */
    IW_OUTER_TUNNELS,
};

enum iw_outer_link {
    IW_OUTER_ETHERNET,
    IW_OUTER_SLL,
    IW_OUTER_SLL2,
    IW_OUTER_NULL, /* BSD loopback, address family in host order */
    IW_OUTER_RAW,  /* IP without a link layer */
    IW_OUTER_LINKS,
};

struct iw_outer {
    enum iw_outer_link link;
    enum iw_outer_tunnel tunnels[2]; /* the outermost first */
    bool ipv6;                       /* the conversation's addresses become those of IPv6 */
    bool extension_headers;          /* IPv6: Hop-by-Hop and Destination Options before TCP */
    uint32_t fragment;               /* octets of payload of an IP fragment, a multiple of 8; 0: none */
    uint32_t snaplen;                /* octets kept of a frame; 0: all */
    bool pcapng;
    bool big_endian;
    bool nanoseconds;
};

/* Which frames of the capture a packet of the trace has become. */
struct iw_outer_frames {
    uint32_t *packet; /* by frame number - 1: index of the packet */
    uint32_t count, capacity;
};
void iw_outer_frames_dispose(struct iw_outer_frames *frames);

/* Writes the trace as a capture file; also lowers `captured` of the segments of which the snapshot length
 * leaves less. Returns false if that fails. */
bool iw_outer_write(
    const struct iw_outer *outer, struct iw_trace *trace, FILE *file, struct iw_outer_frames *frames);

#endif
