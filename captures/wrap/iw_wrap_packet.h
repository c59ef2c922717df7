#ifndef IW_WRAP_PACKET_H
#define IW_WRAP_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A pcap file of Ethernet packets around given octets: TCP or SCTP over IPv4 or IPv6. It shares no code with
 * the project's own writers, so that captures made by it can speak against them. */

enum { WRAP_TCP_FIN = 0x01, WRAP_TCP_SYN = 0x02, WRAP_TCP_RST = 0x04, WRAP_TCP_ACK = 0x10 };

struct iw_wrap_file {
    FILE *out;
    uint32_t packets;
    uint32_t snaplen; /* octets kept of each packet */
    unsigned ip;      /* 4 or 6 */
    unsigned vlan;    /* 802.1Q VLAN; 0 for none */
    uint16_t port[2]; /* by sender: 0 or 1 */
};

struct iw_wrap_tcp {
    unsigned flags;
    uint32_t seq;
    uint32_t ack;
};

/* Writes the header of the file; false if that fails. */
bool iw_wrap_begin(struct iw_wrap_file *file);

/* Writes a packet from `sender` (0 or 1) with a TCP header and `count` octets behind it. */
void iw_wrap_tcp(struct iw_wrap_file *file, unsigned sender, const struct iw_wrap_tcp *tcp,
    const uint8_t *octets, size_t count);

/* Writes a packet with an SCTP common header, its checksum filled in, and `count` octets of chunks. */
void iw_wrap_sctp(
    struct iw_wrap_file *file, unsigned sender, uint32_t tag, const uint8_t *chunks, size_t count);

#endif
