#pragma once

/* Numbers of the protocols below MPA and SCTP, assigned by IANA and IEEE, and the sizes of their headers. */

enum {
    IW_ETHERTYPE_LENGTH_MAX = 1500, /* up to this value: the length of an LLC frame (IEEE 802.3 3.2.6) */
    IW_ETHERTYPE_IPV4 = 0x0800,
    IW_ETHERTYPE_IPV6 = 0x86dd,
    IW_ETHERTYPE_BRIDGING = 0x6558,     /* an Ethernet frame inside a tunnel (RFC 1701) */
    IW_ETHERTYPE_VLAN = 0x8100,         /* 802.1Q */
    IW_ETHERTYPE_SERVICE_VLAN = 0x88a8, /* 802.1ad */
    IW_ETHERTYPE_OLD_QINQ = 0x9100,     /* stacked tags before 802.1ad */
    IW_ETHERTYPE_MPLS = 0x8847,         /* RFC 5332 */
    IW_ETHERTYPE_MPLS_MULTICAST = 0x8848,
    IW_ETHERTYPE_PPPOE = 0x8864,  /* PPPoE session stage (RFC 2516 4) */
    IW_ETHERTYPE_PPP = 0x880b,    /* PPP inside GRE (RFC 2637 4.1) */
    IW_ETHERTYPE_ERSPAN = 0x88be, /* ERSPAN types I and II (draft-foschiano-erspan) */
    IW_ETHERTYPE_ERSPAN_III = 0x22eb,
    IW_ETHERTYPE_MACSEC = 0x88e5, /* IEEE 802.1AE */
    IW_ETHERTYPE_ROCE = 0x8915,   /* RoCE version 1 */
};

enum {
    IW_IP_HOP_BY_HOP = 0,
    IW_IP_ICMP = 1,
    IW_IP_IPV4 = 4, /* RFC 2003 */
    IW_IP_TCP = 6,
    IW_IP_UDP = 17,
    IW_IP_IPV6 = 41, /* RFC 2473, RFC 4213 */
    IW_IP_ROUTING = 43,
    IW_IP_FRAGMENT = 44,
    IW_IP_GRE = 47,
    IW_IP_ESP = 50,            /* RFC 4303 */
    IW_IP_AUTHENTICATION = 51, /* RFC 4302 */
    IW_IP_ICMPV6 = 58,
    IW_IP_DESTINATION = 60,
    IW_IP_ETHERIP = 97, /* RFC 3378 */
    IW_IP_SCTP = 132,
    IW_IP_MOBILITY = 135,
    IW_IP_MPLS = 137, /* RFC 4023 */
    IW_IP_HIP = 139,
    IW_IP_SHIM6 = 140,
};

enum {
    IW_UDP_GTP = 2152, /* 3GPP TS 29.281 4.4.2 */
    IW_UDP_PORT_MAPPER = 3935,
    IW_UDP_ESP = 4500,         /* RFC 3948 */
    IW_UDP_GRE = 4754,         /* RFC 8086 */
    IW_UDP_VXLAN = 4789,       /* RFC 7348 */
    IW_UDP_VXLAN_GPE = 4790,   /* draft-ietf-nvo3-vxlan-gpe */
    IW_UDP_ROCE = 4791,        /* InfiniBand Architecture, annex A17 */
    IW_UDP_GENEVE = 6081,      /* RFC 8926 */
    IW_UDP_MPLS = 6635,        /* RFC 7510 */
    IW_UDP_VXLAN_LINUX = 8472, /* default of Linux, chosen before port 4789 was assigned */
    IW_UDP_SCTP = 9899         /* RFC 6951 3 */
};

/* Octets of headers without options. */
enum {
    IW_ETHERNET_OCTETS = 14,
    IW_VLAN_OCTETS = 4,
    IW_IPV4_OCTETS = 20, /* RFC 791 3.1 */
    IW_IPV6_OCTETS = 40, /* RFC 8200 3 */
    IW_TCP_OCTETS = 20,  /* RFC 9293 3.1 */
    IW_UDP_OCTETS = 8,   /* RFC 768 */
    IW_SCTP_OCTETS = 12, /* RFC 9260 3.1 */
};
