#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_tcp_segment.h"
#include "iw_wrap_tunnel.h"

/* A pcap file of Ethernet packets around given octets: TCP or SCTP over IPv4 or IPv6. Shares no MPA, DDP or
 * RDMAP encoder with the project, so that its captures can disprove the project's own. */

/* The content of the TCP checksum field. */
enum iw_wrap_checksum {
    IW_WRAP_CHECKSUM_RIGHT,
    IW_WRAP_CHECKSUM_ZERO,   /* left to the network card: zero */
    IW_WRAP_CHECKSUM_PSEUDO, /* left to the network card: the sum of the pseudo-header */
    IW_WRAP_CHECKSUM_WRONG,  /* as an editor of captures leaves it */
};

/* Damage to a segment after its checksum was computed. */
struct iw_wrap_damage {
    bool closed; /* the window is 0 */
    bool damaged;
    uint32_t octet; /* inverted octet of the payload */
    uint32_t joint; /* the checksum covers a segment with only this many first octets; 0: all */
};

struct iw_wrap_file {
    FILE *out;
    uint32_t packets;
    uint32_t waited;  /* seconds added to the time of each packet, besides its millisecond */
    uint32_t snaplen; /* octets kept of each packet */
    unsigned ip;      /* 4 or 6 */
    unsigned vlan;    /* 802.1Q VLAN; 0 for none */
    enum iw_wrap_checksum checksum;
    uint8_t hops;     /* Time to Live or Hop Limit of the next packet; 0: 64 */
    uint16_t mss;     /* announced in a SYN; 0: none */
    uint16_t port[2]; /* by sender: 0 or 1 */
    uint16_t udp[2];  /* UDP ports that carry SCTP (RFC 6951), by sender; 0: SCTP directly over IP */
    struct iw_wrap_tunnels tunnels;
    uint8_t quoted[48]; /* of the latest TCP packet: its IP header and 8 octets of TCP */
    size_t quoted_octets;
    unsigned quoted_sender;
};

/* Writes the header of the file; false if that fails. */
bool iw_wrap_begin(struct iw_wrap_file *file);

/* Writes a packet from `sender` (0 or 1) with a TCP header, whose ports are the file's, and the payload. */
void iw_wrap_tcp(struct iw_wrap_file *file, unsigned sender, const struct iw_tcp_segment *segment,
    const struct iw_wrap_damage *damage);

/* Writes an ICMP error (RFC 792), or over IPv6 an ICMPv6 error (RFC 4443), about the latest TCP packet. It
 * comes from a router, whose address ends with 254. `rest`: the second 32 bits of its header. */
void iw_wrap_icmp(struct iw_wrap_file *file, uint8_t type, uint8_t code, uint32_t rest);

/* Writes a packet with a UDP header with these ports. */
void iw_wrap_udp(struct iw_wrap_file *file, unsigned sender, uint16_t source, uint16_t destination,
    const uint8_t *octets, size_t count);

/* Writes a packet with an SCTP common header and `count` octets of chunks. Fills in the checksum. The packet
 * is inside UDP if the recipe asks for it. */
void iw_wrap_sctp(
    struct iw_wrap_file *file, unsigned sender, uint32_t tag, const uint8_t *chunks, size_t count);
