#include "iw_reassembly.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_ip.h"
#include "iw_packet_walk.h"

/* Fragment offsets count units of eight octets; only the last unit of a packet may be shorter. */
enum { UNIT_OCTETS = 8 };

struct datagram {
    struct iw_fragment key; /* first captured fragment; `protocol` is from the one at offset 0 */
    uint32_t hash;
    bool used, whole, other; /* entry in use; packet complete; UDP without a tunnel */
    uint16_t port;           /* with `other`: the lower UDP port; no octets are stored */
    uint64_t frame;          /* frame of the latest fragment */
    uint32_t frames;         /* frames with its fragments that `counts.fragments` includes */
    uint32_t length;         /* length of the packet; 0 until the fragment without M is captured */
    uint32_t units_seen;
    uint32_t octet_capacity, unit_capacity;
    uint8_t *octets;
    uint8_t *units; /* for each unit: 0 if missing, otherwise 1 plus its captured octets */
};

struct iw_reassembly {
    struct datagram datagrams[IW_REASSEMBLY_PACKETS];
    struct iw_reassembly_counts counts;
};

struct iw_reassembly *iw_reassembly_new(void) {
    return calloc(1, sizeof(struct iw_reassembly));
}

static void reassembly_datagram_clear(struct datagram *datagram) {
    free(datagram->octets);
    free(datagram->units);
    *datagram = (struct datagram){.used = false};
}

void iw_reassembly_free(struct iw_reassembly *reassembly) {
    for (unsigned i = 0; reassembly && i < IW_REASSEMBLY_PACKETS; i++)
        reassembly_datagram_clear(&reassembly->datagrams[i]);
    free(reassembly);
}

struct iw_reassembly_counts iw_reassembly_counts(const struct iw_reassembly *reassembly) {
    return reassembly->counts;
}

static uint32_t reassembly_hash_of(const struct iw_fragment *fragment) {
    uint32_t sum = fragment->id ^ fragment->scope;

    for (size_t i = 0; i < sizeof fragment->source.octets; i++)
        sum = (sum * 31 + fragment->source.octets[i]) * 31 + fragment->destination.octets[i];
    return sum;
}

/* The protocol identifies a packet, together with the other members, over IPv4 but not over IPv6. */
static bool reassembly_fragments_share_packet(
    const struct iw_fragment *one, const struct iw_fragment *other) {
    return one->id == other->id && one->scope == other->scope && one->tunnels == other->tunnels &&
           iw_tcp_address_equal(&one->source, &other->source) &&
           iw_tcp_address_equal(&one->destination, &other->destination) &&
           (one->source.version == 6 || one->protocol == other->protocol);
}

static void reassembly_datagram_begin(
    struct datagram *datagram, const struct iw_fragment *fragment, uint32_t hash, uint64_t frame) {
    reassembly_datagram_clear(datagram);
    *datagram = (struct datagram){.key = *fragment, .hash = hash, .used = true, .frame = frame};
}

/* Finds the packet of the fragment. If it is unknown, or had no fragment for IW_REASSEMBLY_FRAMES frames,
 * begins a new packet: in the same entry, an unused one, or that of the oldest packet. */
static struct datagram *reassembly_datagram_of(
    struct iw_reassembly *reassembly, const struct iw_fragment *fragment, uint64_t frame) {
    struct datagram *place = &reassembly->datagrams[0];
    uint32_t hash = reassembly_hash_of(fragment);

    for (unsigned i = 0; i < IW_REASSEMBLY_PACKETS; i++) {
        struct datagram *each = &reassembly->datagrams[i];

        if (each->used && each->hash == hash && reassembly_fragments_share_packet(&each->key, fragment)) {
            if (frame - each->frame > IW_REASSEMBLY_FRAMES)
                reassembly_datagram_begin(each, fragment, hash, frame);
            return each;
        }
        if (place->used && (!each->used || each->frame < place->frame))
            place = each;
    }
    reassembly_datagram_begin(place, fragment, hash, frame);
    return place;
}

static bool reassembly_is_possible(const struct iw_fragment *fragment) {
    return fragment->length > 0 && fragment->length <= IW_REASSEMBLY_OCTETS &&
           fragment->offset + fragment->length <= IW_REASSEMBLY_OCTETS &&
           (!fragment->more || fragment->length % UNIT_OCTETS == 0);
}

static uint32_t reassembly_min_octets(uint32_t one, uint32_t other) {
    return one < other ? one : other;
}

static bool reassembly_datagram_reserve(struct datagram *datagram, uint32_t octets) {
    uint32_t before = datagram->unit_capacity;

    if (!iw_array_reserve(&datagram->octets, &datagram->octet_capacity, octets, 1) ||
        !iw_array_reserve(
            &datagram->units, &datagram->unit_capacity, (octets + UNIT_OCTETS - 1) / UNIT_OCTETS, 1))
        return false;
    memset(datagram->units + before, 0, datagram->unit_capacity - before);
    return true;
}

/* Stores the unit at octet `at` of the fragment. Returns false if it is stored already with other octets. */
static bool reassembly_datagram_take_unit(
    struct datagram *datagram, const struct iw_fragment *fragment, uint32_t at) {
    uint32_t place = fragment->offset + at;
    uint8_t *unit = &datagram->units[place / UNIT_OCTETS];
    uint32_t captured =
        at < fragment->captured ? reassembly_min_octets(UNIT_OCTETS, fragment->captured - at) : 0;

    if (*unit != 0)
        return captured == 0 || memcmp(datagram->octets + place, fragment->octets + at,
                                    reassembly_min_octets(captured, *unit - 1u)) == 0;
    if (captured > 0)
        memcpy(datagram->octets + place, fragment->octets + at, captured);
    *unit = (uint8_t)(1 + captured);
    datagram->units_seen++;
    return true;
}

/* Stores the fragment up to the end of the packet. Returns false if it contradicts an earlier fragment. */
static bool reassembly_datagram_take(struct datagram *datagram, const struct iw_fragment *fragment) {
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
            agrees &= reassembly_datagram_take_unit(datagram, fragment, at);
    return agrees;
}

/* Whether all units up to the end are present. Units after it may have come before the end was known. */
static bool reassembly_datagram_is_whole(const struct datagram *datagram) {
    uint32_t units = (datagram->length + UNIT_OCTETS - 1) / UNIT_OCTETS;

    return datagram->length != 0 && datagram->units_seen >= units &&
           memchr(datagram->units, 0, units) == NULL;
}

/* Returns the number of captured octets from the start of the packet to the first missing octet. */
static uint32_t reassembly_datagram_captured(const struct datagram *datagram) {
    uint32_t octets = 0;

    while (octets < datagram->length) {
        uint32_t unit = datagram->units[octets / UNIT_OCTETS] - 1u;

        octets += unit;
        if (unit < UNIT_OCTETS)
            break;
    }
    return reassembly_min_octets(octets, datagram->length);
}

/* Whether the fragment only repeats octets of the complete packet. */
static bool reassembly_datagram_has(const struct datagram *datagram, const struct iw_fragment *fragment) {
    if (fragment->offset + fragment->length > datagram->length)
        return false;
    for (uint32_t at = 0; at < reassembly_min_octets(fragment->length, fragment->captured);
         at += UNIT_OCTETS) {
        uint32_t place = fragment->offset + at;
        uint32_t octets = reassembly_min_octets(
            reassembly_min_octets(UNIT_OCTETS, fragment->captured - at), fragment->length - at);

        if (memcmp(datagram->octets + place, fragment->octets + at,
                reassembly_min_octets(octets, datagram->units[place / UNIT_OCTETS] - 1u)) != 0)
            return false;
    }
    return true;
}

/* Whether the fragment begins a UDP datagram whose ports are not those of a tunnel or of SCTP in UDP. */
static bool reassembly_is_of_other_udp(const struct iw_fragment *fragment) {
    return fragment->offset == 0 && fragment->protocol == IW_IP_UDP && fragment->captured >= 4 &&
           !iw_tunnel_is_port(iw_packet_16(fragment->octets), iw_packet_16(fragment->octets + 2));
}

static enum iw_reassembly_step reassembly_datagram_other(struct iw_reassembly *reassembly,
    struct datagram *datagram, const struct iw_fragment *fragment, struct iw_fragment *whole) {
    if (!datagram->other) {
        uint16_t source = iw_packet_16(fragment->octets), destination = iw_packet_16(fragment->octets + 2);

        reassembly->counts.fragments -= datagram->frames;
        datagram->frames = 0;
        datagram->other = true;
        datagram->port = source < destination ? source : destination;
        free(datagram->octets);
        free(datagram->units);
        datagram->octets = datagram->units = NULL;
        datagram->octet_capacity = datagram->unit_capacity = 0;
    }
    whole->offset = datagram->port;
    return IW_REASSEMBLY_OTHER;
}

static enum iw_reassembly_step reassembly_finish(
    struct iw_reassembly *reassembly, struct datagram *datagram, struct iw_fragment *whole) {
    reassembly->counts.fragments -= datagram->frames;
    datagram->frames = 0;
    datagram->whole = true;
    *whole = datagram->key;
    whole->more = false;
    whole->offset = 0;
    whole->length = datagram->length;
    whole->captured = reassembly_datagram_captured(datagram);
    whole->octets = datagram->octets;
    return IW_REASSEMBLY_WHOLE;
}

enum iw_reassembly_step iw_reassembly_add(struct iw_reassembly *reassembly,
    const struct iw_fragment *fragment, uint64_t frame, struct iw_fragment *whole) {
    struct datagram *datagram;

    if (!reassembly_is_possible(fragment))
        return IW_REASSEMBLY_MALFORMED;
    datagram = reassembly_datagram_of(reassembly, fragment, frame);
    if (datagram->whole) {
        if (reassembly_datagram_has(datagram, fragment))
            return IW_REASSEMBLY_REPEATED;
        reassembly_datagram_begin(datagram, fragment, datagram->hash, frame);
    }
    datagram->frame = frame;
    if (datagram->other || reassembly_is_of_other_udp(fragment))
        return reassembly_datagram_other(reassembly, datagram, fragment, whole);
    reassembly->counts.fragments++;
    if (!reassembly_datagram_reserve(datagram, fragment->offset + fragment->length)) {
        reassembly->counts.no_memory = true;
        reassembly_datagram_clear(datagram);
        return IW_REASSEMBLY_NO_MEMORY;
    }
    datagram->frames++;
    reassembly->counts.differing += !reassembly_datagram_take(datagram, fragment);
    return reassembly_datagram_is_whole(datagram) ? reassembly_finish(reassembly, datagram, whole)
                                                  : IW_REASSEMBLY_WAITS;
}
