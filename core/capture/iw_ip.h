#ifndef IW_IP_H
#define IW_IP_H

/* What those who read packets and those who make them have to agree on below MPA and SCTP's chunks: sizes in
 * octets, and numbers that IANA and IEEE have assigned. */

enum {
    IW_ETHERTYPE_IPV4 = 0x0800,
    IW_ETHERTYPE_IPV6 = 0x86dd,
    IW_ETHERTYPE_VLAN = 0x8100,         /* 802.1Q */
    IW_ETHERTYPE_SERVICE_VLAN = 0x88a8, /* 802.1ad */
    IW_ETHERTYPE_OLD_QINQ = 0x9100,     /* stacked tags before 802.1ad */
};

/* Protocols of IP. */
enum { IW_IP_TCP = 6, IW_IP_SCTP = 132 };

/* Headers without options. */
enum {
    IW_ETHERNET_OCTETS = 14,
    IW_VLAN_OCTETS = 4,
    IW_IPV4_OCTETS = 20, /* RFC 791 3.1 */
    IW_IPV6_OCTETS = 40, /* RFC 8200 3 */
    IW_TCP_OCTETS = 20,  /* RFC 9293 3.1 */
    IW_SCTP_OCTETS = 12, /* RFC 9260 3.1 */
};

#endif
