#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_trace.h"

/* The lower layers that a capture file gives to the segments of a trace: file format, link layer, tunnels and
 * IP. Written octet by octet from the RFCs; shares no code with the project's packet reader. */

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
    bool ipv6;                       /* maps the IPv4 addresses of the conversation to IPv6 addresses */
    bool extension_headers;          /* IPv6: Hop-by-Hop and Destination Options before TCP */
    uint32_t fragment; /* payload octets of each IP fragment, a multiple of 8; 0: no fragments */
    uint32_t snaplen;  /* snapshot length in octets; 0: frames are not truncated */
    uint16_t edited;   /* added to all TCP checksums, as in an edited capture that kept the old ones; 0: they
                          are right */
    bool pcapng;
    bool big_endian;
    bool nanoseconds;
};

/* Which packet of the trace each frame of the capture carries. */
struct iw_outer_frames {
    uint32_t *packet; /* index of the packet, by frame number - 1 */
    uint32_t count;
};
void iw_outer_frames_dispose(struct iw_outer_frames *frames);

/* Writes the trace as a capture file. Reduces `captured` of the segments that the snapshot length truncates.
 * Returns false on failure. */
bool iw_outer_write(
    const struct iw_outer *outer, struct iw_trace *trace, FILE *file, struct iw_outer_frames *frames);
