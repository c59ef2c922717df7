#include "iw_icmp.h"

#include <stdio.h>

#include "iw_ip.h"
#include "iw_packet_walk.h"

enum {
    ICMP_OCTETS = 8,   /* of an error (RFC 792, RFC 4443 3) */
    QUOTED_OCTETS = 8, /* of the TCP header: ports and sequence number; RFC 792 requires no more */
    FRAGMENT_OFFSET = 0x1fff,
};

/* RFC 792; codes 6 to 13 by RFC 1122 3.2.2.1 and RFC 1812 5.2.7.1 */
static enum iw_icmp_kind icmp_kind_4(uint8_t type, uint8_t code) {
    enum { DESTINATION_UNREACHABLE = 3 };

    if (type != DESTINATION_UNREACHABLE)
        return IW_ICMP_OTHER;
    switch (code) {
    case 4:
        return IW_ICMP_TOO_BIG;
    case 2:
    case 3:
        return IW_ICMP_REFUSED;
    case 9:
    case 10:
    case 13:
        return IW_ICMP_PROHIBITED;
    default:
        return IW_ICMP_UNREACHABLE;
    }
}

/* RFC 4443 3.1 and 3.2 */
static enum iw_icmp_kind icmp_kind_6(uint8_t type, uint8_t code) {
    enum { DESTINATION_UNREACHABLE = 1, PACKET_TOO_BIG = 2 };

    if (type == PACKET_TOO_BIG)
        return IW_ICMP_TOO_BIG;
    if (type != DESTINATION_UNREACHABLE)
        return IW_ICMP_OTHER;
    switch (code) {
    case 4:
        return IW_ICMP_REFUSED;
    case 1:
    case 5:
    case 6:
        return IW_ICMP_PROHIBITED;
    default:
        return IW_ICMP_UNREACHABLE;
    }
}

enum iw_icmp_kind iw_icmp_kind(uint8_t version, uint8_t type, uint8_t code) {
    return version == 6 ? icmp_kind_6(type, code) : icmp_kind_4(type, code);
}

const char *iw_icmp_text(const struct iw_icmp *icmp, char text[IW_ICMP_TEXT_OCTETS]) {
    static const char *const texts[] = {[IW_ICMP_TOO_BIG] = "the packet is too big",
        [IW_ICMP_UNREACHABLE] = "the host is unreachable",
        [IW_ICMP_REFUSED] = "the port is unreachable",
        [IW_ICMP_PROHIBITED] = "the communication is prohibited",
        [IW_ICMP_OTHER] = "another error"};

    snprintf(text, IW_ICMP_TEXT_OCTETS, "%s (%s type %u, code %u)", texts[icmp->kind],
        icmp->reporter.version == 6 ? "ICMPv6" : "ICMP", icmp->type, icmp->code);
    return text;
}

/* Reads the quoted IPv4 header and the beginning of TCP. Returns false if that is not TCP, or not captured.
 */
static bool icmp_read_ipv4(struct iw_packet_view *view, struct iw_tcp_segment *segment) {
    const uint8_t *header = iw_packet_take(view, IW_IPV4_OCTETS);

    if (header == NULL || header[0] >> 4 != 4 || (header[0] & 15) * 4 < IW_IPV4_OCTETS ||
        header[9] != IW_IP_TCP || (iw_packet_16(header + 6) & FRAGMENT_OFFSET) != 0 ||
        iw_packet_take(view, (header[0] & 15) * 4u - IW_IPV4_OCTETS) == NULL)
        return false;
    iw_internet_addresses(segment, 4, header + 12);
    return true;
}

static bool icmp_read_ipv6(struct iw_packet_view *view, struct iw_tcp_segment *segment) {
    const uint8_t *header = iw_packet_take(view, IW_IPV6_OCTETS);

    if (header == NULL || header[0] >> 4 != 6 || header[6] != IW_IP_TCP)
        return false;
    iw_internet_addresses(segment, 6, header + 8);
    return true;
}

struct iw_packet_next iw_icmp_read(struct iw_packet_walk *walk, uint8_t protocol) {
    struct iw_icmp *icmp = &walk->facts->icmp;
    struct iw_tcp_segment *segment = walk->segment;
    struct iw_packet_view view = walk->view;
    const uint8_t *error = iw_packet_take(&view, ICMP_OCTETS), *tcp;
    uint8_t version = segment->source.version;

    if (error == NULL || version != (protocol == IW_IP_ICMP ? 4 : 6))
        return iw_packet_other(walk, IW_CONTENT_IP_PROTOCOL, protocol);
    *icmp = (struct iw_icmp){.kind = iw_icmp_kind(version, error[0], error[1]),
        .type = error[0],
        .code = error[1],
        .reporter = segment->source};
    icmp->reporter.port = 0;
    if (icmp->kind == IW_ICMP_OTHER ||
        !(version == 4 ? icmp_read_ipv4(&view, segment) : icmp_read_ipv6(&view, segment)) ||
        (tcp = iw_packet_take(&view, QUOTED_OCTETS)) == NULL)
        return iw_packet_other(walk, IW_CONTENT_IP_PROTOCOL, protocol);
    if (icmp->kind == IW_ICMP_TOO_BIG)
        icmp->mtu = version == 4 ? iw_packet_16(error + 6) : iw_packet_32(error + 4);
    segment->source.port = iw_packet_16(tcp);
    segment->destination.port = iw_packet_16(tcp + 2);
    segment->seq = iw_packet_32(tcp + 4);
    return iw_packet_other(walk, IW_CONTENT_ICMP, 0);
}
