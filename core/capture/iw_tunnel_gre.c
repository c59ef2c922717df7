#include "iw_ip.h"
#include "iw_packet_walk.h"

/* Bits in the first two octets of GRE (RFC 2784 2.1, RFC 2890 2, RFC 1701, RFC 2637 4.1). */
enum {
    GRE_CHECKSUM = 0x8000,
    GRE_ROUTING = 0x4000,
    GRE_KEY = 0x2000,
    GRE_SEQUENCE = 0x1000,
    GRE_ACKNOWLEDGEMENT = 0x0080,
    GRE_VERSION = 0x0007,
};

enum { ROUTE_OCTETS = 4, ERSPAN_II_OCTETS = 8, ERSPAN_III_OCTETS = 12, PLATFORM_OCTETS = 8 };

/* ERSPAN type II has a header and a GRE sequence number, type I has neither (draft-foschiano-erspan-03 4). */
static struct iw_packet_next gre_enter_erspan(struct iw_packet_walk *walk, bool sequence) {
    if (!sequence)
        return iw_packet_go(IW_LAYER_ETHERNET, 0);
    if (!iw_packet_take(&walk->view, ERSPAN_II_OCTETS))
        return iw_packet_missing(&walk->view, ERSPAN_II_OCTETS);
    return iw_packet_go(IW_LAYER_ETHERNET, 0);
}

/* ERSPAN type III (draft 4.3) states the frame type; a flag adds a subheader of eight octets. */
static struct iw_packet_next gre_enter_erspan_iii(struct iw_packet_walk *walk, const uint8_t *header) {
    if ((header[11] & 1) && !iw_packet_take(&walk->view, PLATFORM_OCTETS))
        return iw_packet_missing(&walk->view, PLATFORM_OCTETS);
    switch (header[10] >> 2 & 0x1f) {
    case 0:
        return iw_packet_go(IW_LAYER_ETHERNET, 0);
    case 2:
        return iw_packet_go(IW_LAYER_IP, 0);
    default:
        return iw_packet_other(walk, IW_CONTENT_TUNNEL, 0);
    }
}

/* Skips the Source Route Entries, up to an entry with family 0 and length 0 (RFC 1701). */
static bool gre_skip_routes(struct iw_packet_view *view) {
    const uint8_t *entry;

    do {
        entry = iw_packet_take(view, ROUTE_OCTETS);
        if (!entry || !iw_packet_take(view, entry[3]))
            return false;
    } while (iw_packet_16(entry) != 0 || entry[3] != 0);
    return true;
}

static uint32_t gre_optional_octets(uint16_t flags) {
    return (flags & (GRE_CHECKSUM | GRE_ROUTING) ? 4u : 0) + (flags & GRE_KEY ? 4u : 0) +
           (flags & GRE_SEQUENCE ? 4u : 0);
}

static struct iw_packet_next gre_payload(struct iw_packet_walk *walk, uint16_t flags, uint16_t protocol) {
    static const struct iw_packet_header erspan_iii = {ERSPAN_III_OCTETS, gre_enter_erspan_iii, 0};

    if (protocol == IW_ETHERTYPE_ERSPAN)
        return gre_enter_erspan(walk, flags & GRE_SEQUENCE);
    if (protocol == IW_ETHERTYPE_ERSPAN_III)
        return iw_packet_read_header(walk, &erspan_iii);
    return iw_packet_go(IW_LAYER_ETHERTYPE, protocol);
}

/* Reads GRE version 1: the key holds a length and a call ID; an acknowledgement number may follow. */
static struct iw_packet_next gre_enter_pptp(struct iw_packet_walk *walk, uint16_t flags, uint16_t protocol) {
    uint32_t octets = gre_optional_octets(flags) + (flags & GRE_ACKNOWLEDGEMENT ? 4u : 0);

    if (!iw_packet_take(&walk->view, octets))
        return iw_packet_missing(&walk->view, octets);
    if (protocol != IW_ETHERTYPE_PPP)
        return iw_packet_other(walk, IW_CONTENT_TUNNEL, protocol);
    if (walk->view.wire == 0) /* an acknowledgement alone */
        return iw_packet_other(walk, IW_CONTENT_IP_PROTOCOL, IW_IP_GRE);
    return iw_packet_go(IW_LAYER_PPP, 0);
}

struct iw_packet_next iw_tunnel_gre(struct iw_packet_walk *walk, const uint8_t *header) {
    uint16_t flags = iw_packet_16(header), protocol = iw_packet_16(header + 2);
    uint32_t octets = gre_optional_octets(flags);
    walk->scope = 0;
    struct iw_packet_next entered = iw_packet_enter(walk, IW_LAYER_GRE, 0);
    if (entered.layer == IW_LAYER_END)
        return entered;
    if ((flags & GRE_VERSION) == 1)
        return gre_enter_pptp(walk, flags, protocol);
    if ((flags & GRE_VERSION) != 0)
        return iw_packet_other(walk, IW_CONTENT_TUNNEL, protocol);
    const uint8_t *options = iw_packet_take(&walk->view, octets);
    if (!options)
        return iw_packet_missing(&walk->view, octets);
    if (flags & GRE_KEY)
        walk->scope = iw_packet_scope(
            0, IW_SCOPE_GRE, iw_packet_32(options + (flags & (GRE_CHECKSUM | GRE_ROUTING) ? 4 : 0)));
    if ((flags & GRE_ROUTING) && !gre_skip_routes(&walk->view))
        return iw_packet_missing(&walk->view, ROUTE_OCTETS);
    return gre_payload(walk, flags, protocol);
}
