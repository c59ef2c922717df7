#include "iw_reassembly.h"

#include <stdlib.h>
#include <string.h>

#include "iw_ip.h"
#include "iw_tunnel.h"

/* Offsets are in units of eight octets, and only the last unit of a packet may be shorter. */
enum { UNIT_OCTETS = 8, FIRST_ROOM = 4096 };

/* A packet on its way. `units` has an octet for each unit: 0 where no fragment has brought it, else 1 and how
 * many of its octets were captured. */
struct datagram {
    struct iw_fragment key; /* of one of its fragments; `protocol` is that of the first, once it has come */
    uint32_t hash;
    bool used, whole, idle;
    uint16_t port;   /* if idle: of UDP */
    uint64_t frame;  /* of the latest fragment */
    uint32_t frames; /* that have brought something of it, and are counted as unread */
    uint32_t length; /* 0 before the last fragment */
    uint32_t units_seen;
    uint32_t room; /* octets at `octets` */
    uint8_t *octets;
    uint8_t *units;
};

struct iw_reassembly {
    struct datagram datagrams[IW_REASSEMBLY_PACKETS];
    uint64_t unread;
    uint64_t differing;
};

struct iw_reassembly *iw_reassembly_new(void) {
    return calloc(1, sizeof(struct iw_reassembly));
}

static void datagram_clear(struct datagram *datagram) {
    free(datagram->octets);
    free(datagram->units);
    *datagram = (struct datagram){.used = false};
}

void iw_reassembly_free(struct iw_reassembly *reassembly) {
    for (unsigned i = 0; reassembly && i < IW_REASSEMBLY_PACKETS; i++)
        datagram_clear(&reassembly->datagrams[i]);
    free(reassembly);
}

uint64_t iw_reassembly_unread(const struct iw_reassembly *reassembly) {
    return reassembly->unread;
}

uint64_t iw_reassembly_differing(const struct iw_reassembly *reassembly) {
    return reassembly->differing;
}

/* ---- which packet ---- */

static uint32_t hash_of(const struct iw_fragment *fragment) {
    uint32_t sum = fragment->id ^ fragment->scope;

    for (size_t i = 0; i < sizeof fragment->source.octets; i++)
        sum = (sum * 31 + fragment->source.octets[i]) * 31 + fragment->destination.octets[i];
    return sum;
}

/* Over IPv4 the protocol is a part of the key, over IPv6 it is not. */
static bool is_same_packet(const struct iw_fragment *one, const struct iw_fragment *other) {
    return one->id == other->id && one->scope == other->scope && one->tunnels == other->tunnels &&
           iw_tcp_address_equal(&one->source, &other->source) &&
           iw_tcp_address_equal(&one->destination, &other->destination) &&
           (one->source.version == 6 || one->protocol == other->protocol);
}

static void datagram_begin(
    struct datagram *datagram, const struct iw_fragment *fragment, uint32_t hash, uint64_t frame) {
    datagram_clear(datagram);
    *datagram = (struct datagram){.key = *fragment, .hash = hash, .used = true, .frame = frame};
}

/* The packet that the fragment is of, or a place for a new one: unused, or that of who has waited longest. */
static struct datagram *datagram_of(
    struct iw_reassembly *reassembly, const struct iw_fragment *fragment, uint64_t frame) {
    struct datagram *place = &reassembly->datagrams[0];
    uint32_t hash = hash_of(fragment);

    for (unsigned i = 0; i < IW_REASSEMBLY_PACKETS; i++) {
        struct datagram *each = &reassembly->datagrams[i];

        if (each->used && each->hash == hash && is_same_packet(&each->key, fragment)) {
            if (frame - each->frame > IW_REASSEMBLY_FRAMES)
                datagram_begin(each, fragment, hash, frame);
            return each;
        }
        if (place->used && (!each->used || each->frame < place->frame))
            place = each;
    }
    datagram_begin(place, fragment, hash, frame);
    return place;
}

/* ---- its octets ---- */

static bool is_possible(const struct iw_fragment *fragment) {
    return fragment->length > 0 && fragment->length <= IW_REASSEMBLY_OCTETS &&
           fragment->offset + fragment->length <= IW_REASSEMBLY_OCTETS &&
           (!fragment->more || fragment->length % UNIT_OCTETS == 0);
}

static uint32_t least(uint32_t one, uint32_t other) {
    return one < other ? one : other;
}

static bool datagram_reserve(struct datagram *datagram, uint32_t octets) {
    uint32_t room = datagram->room > 0 ? datagram->room : FIRST_ROOM;
    uint8_t *larger;

    while (room < octets)
        room *= 2;
    if (room == datagram->room)
        return true;
    larger = realloc(datagram->octets, room);
    if (!larger)
        return false;
    datagram->octets = larger;
    larger = realloc(datagram->units, room / UNIT_OCTETS);
    if (!larger)
        return false;
    memset(larger + datagram->room / UNIT_OCTETS, 0, (room - datagram->room) / UNIT_OCTETS);
    datagram->units = larger;
    datagram->room = room;
    return true;
}

/* Takes the fragment's unit that begins at octet `at` of the fragment, unless it is there. False: it is, and
 * differs. */
static bool datagram_take_unit(struct datagram *datagram, const struct iw_fragment *fragment, uint32_t at) {
    uint32_t place = fragment->offset + at;
    uint8_t *unit = &datagram->units[place / UNIT_OCTETS];
    uint32_t captured = at < fragment->captured ? least(UNIT_OCTETS, fragment->captured - at) : 0;

    if (*unit != 0)
        return captured == 0 ||
               memcmp(datagram->octets + place, fragment->octets + at, least(captured, *unit - 1u)) == 0;
    if (captured > 0)
        memcpy(datagram->octets + place, fragment->octets + at, captured);
    *unit = (uint8_t)(1 + captured);
    datagram->units_seen++;
    return true;
}

/* What is beyond the end that the last fragment states is not taken. False: something differs. */
static bool datagram_take(struct datagram *datagram, const struct iw_fragment *fragment) {
    uint32_t end = fragment->offset + fragment->length;
    bool agrees = fragment->more || datagram->length == 0 || datagram->length == end;

    if (!fragment->more && datagram->length == 0)
        datagram->length = end;
    if (datagram->length != 0 && end > datagram->length)
        agrees = false;
    if (fragment->offset == 0)
        datagram->key.protocol = fragment->protocol;
    for (uint32_t at = 0; at < fragment->length; at += UNIT_OCTETS)
        if (datagram->length == 0 || fragment->offset + at < datagram->length)
            agrees &= datagram_take_unit(datagram, fragment, at);
    return agrees;
}

/* Every unit up to the end is there; one beyond it may have come before the end was known. */
static bool datagram_is_whole(const struct datagram *datagram) {
    uint32_t units = (datagram->length + UNIT_OCTETS - 1) / UNIT_OCTETS;

    return datagram->length != 0 && datagram->units_seen >= units &&
           memchr(datagram->units, 0, units) == NULL;
}

/* Octets from the beginning that the capture has without a hole. */
static uint32_t datagram_captured(const struct datagram *datagram) {
    uint32_t octets = 0;

    while (octets < datagram->length) {
        uint32_t unit = datagram->units[octets / UNIT_OCTETS] - 1u;

        octets += unit;
        if (unit < UNIT_OCTETS)
            break;
    }
    return least(octets, datagram->length);
}

/* The fragment brings nothing that the whole packet does not have. */
static bool datagram_has(const struct datagram *datagram, const struct iw_fragment *fragment) {
    if (fragment->offset + fragment->length > datagram->length)
        return false;
    for (uint32_t at = 0; at < least(fragment->length, fragment->captured); at += UNIT_OCTETS) {
        uint32_t place = fragment->offset + at;
        uint32_t octets = least(least(UNIT_OCTETS, fragment->captured - at), fragment->length - at);

        if (memcmp(datagram->octets + place, fragment->octets + at,
                least(octets, datagram->units[place / UNIT_OCTETS] - 1u)) != 0)
            return false;
    }
    return true;
}

/* ---- packets of UDP that are of no interest ---- */

/* The beginning of the packet is at hand, and it is UDP with ports that are no tunnel's. */
static bool is_idle(const struct iw_fragment *fragment) {
    return fragment->offset == 0 && fragment->protocol == IW_IP_UDP && fragment->captured >= 4 &&
           !iw_tunnel_is_port(iw_packet_16(fragment->octets), iw_packet_16(fragment->octets + 2));
}

static enum iw_reassembly_step datagram_idle(struct iw_reassembly *reassembly, struct datagram *datagram,
    const struct iw_fragment *fragment, struct iw_fragment *whole) {
    if (!datagram->idle) {
        uint16_t source = (uint16_t)(fragment->octets[0] << 8 | fragment->octets[1]);
        uint16_t destination = (uint16_t)(fragment->octets[2] << 8 | fragment->octets[3]);

        reassembly->unread -= datagram->frames;
        datagram->frames = 0;
        datagram->idle = true;
        datagram->port = source < destination ? source : destination;
        free(datagram->octets);
        free(datagram->units);
        datagram->octets = datagram->units = NULL;
        datagram->room = 0;
    }
    whole->offset = datagram->port;
    return IW_REASSEMBLY_OTHER;
}

/* ---- the whole ---- */

static enum iw_reassembly_step give_up(struct iw_reassembly *reassembly, struct datagram *datagram) {
    reassembly->unread++;
    datagram_clear(datagram);
    return IW_REASSEMBLY_NO_MEMORY;
}

static enum iw_reassembly_step finish(
    struct iw_reassembly *reassembly, struct datagram *datagram, struct iw_fragment *whole) {
    reassembly->unread -= datagram->frames;
    datagram->frames = 0;
    datagram->whole = true;
    *whole = datagram->key;
    whole->more = false;
    whole->offset = 0;
    whole->length = datagram->length;
    whole->captured = datagram_captured(datagram);
    whole->octets = datagram->octets;
    return IW_REASSEMBLY_WHOLE;
}

enum iw_reassembly_step iw_reassembly_add(struct iw_reassembly *reassembly,
    const struct iw_fragment *fragment, uint64_t frame, struct iw_fragment *whole) {
    struct datagram *datagram;

    if (!is_possible(fragment))
        return IW_REASSEMBLY_MALFORMED;
    datagram = datagram_of(reassembly, fragment, frame);
    if (datagram->whole) {
        if (datagram_has(datagram, fragment))
            return IW_REASSEMBLY_REPEATED;
        datagram_begin(datagram, fragment, datagram->hash, frame);
    }
    datagram->frame = frame;
    if (datagram->idle || is_idle(fragment))
        return datagram_idle(reassembly, datagram, fragment, whole);
    if (!datagram_reserve(datagram, fragment->offset + fragment->length))
        return give_up(reassembly, datagram);
    datagram->frames++;
    reassembly->unread++;
    reassembly->differing += !datagram_take(datagram, fragment);
    return datagram_is_whole(datagram) ? finish(reassembly, datagram, whole) : IW_REASSEMBLY_WAITS;
}
