#pragma once

#include "iw_tcp_segment.h"

/* Errors of ICMP (RFC 792) and ICMPv6 (RFC 4443): a router or a host says why a packet did not arrive. */

enum iw_icmp_kind {
    IW_ICMP_TOO_BIG,     /* larger than the MTU of the next hop (RFC 1191 4, RFC 4443 3.2) */
    IW_ICMP_UNREACHABLE, /* no way to the network or the host */
    IW_ICMP_REFUSED,     /* the host has nothing at this port, or no TCP */
    IW_ICMP_PROHIBITED,  /* a firewall forbids it (RFC 1812 5.2.7.1, RFC 4443 3.1) */
    IW_ICMP_OTHER,       /* another message, or not an error */
};

/* An error, whose packet iw_packet_find has found. */
struct iw_icmp {
    enum iw_icmp_kind kind;
    uint8_t type, code;
    uint32_t mtu;                   /* TOO_BIG: octets that an IP packet may have; 0: not stated */
    struct iw_tcp_address reporter; /* without port */
};

/* Returns the kind of a message of IP version `version`: 4 or 6. */
enum iw_icmp_kind iw_icmp_kind(uint8_t version, uint8_t type, uint8_t code);

/* Writes what an error says, such as "the host is unreachable (ICMP type 3, code 1)". Returns `text`. */
enum { IW_ICMP_TEXT_OCTETS = 80 };
const char *iw_icmp_text(const struct iw_icmp *icmp, char text[IW_ICMP_TEXT_OCTETS]);
