#include "iw_check_shard.h"

/* FNV-1a: simple, and the same on every machine. Crafted addresses could only make shards uneven. */
#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)
#define HASH_FACTOR UINT64_C(0x100000001b3)

static uint64_t shard_hash(uint64_t hash, const uint8_t *octets, size_t count) {
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ octets[i]) * HASH_FACTOR;
    return hash;
}

static uint64_t shard_hash_port(uint64_t hash, uint16_t port) {
    const uint8_t octets[] = {(uint8_t)(port >> 8), (uint8_t)port};

    return shard_hash(hash, octets, sizeof octets);
}

static uint64_t shard_hash_address(const struct iw_tcp_address *address) {
    return shard_hash_port(shard_hash(HASH_BEGIN, address->octets, sizeof address->octets), address->port);
}

/* A sum is the same for both directions. The last steps of MurmurHash3 spread it over all bits. */
static unsigned shard_of(uint64_t one, uint64_t other, unsigned count) {
    uint64_t hash = one + other;

    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (unsigned)((hash ^ hash >> 33) % count) + 1;
}

static unsigned shard_of_addresses(const struct iw_tcp_segment *segment, unsigned count) {
    return shard_of(shard_hash_address(&segment->source), shard_hash_address(&segment->destination), count);
}

unsigned iw_check_shard_of(enum iw_packet_kind kind, const struct iw_tcp_segment *segment,
    const struct iw_packet_facts *facts, unsigned count) {
    switch (kind) {
    case IW_PACKET_TCP:
        return shard_of_addresses(segment, count);
    case IW_PACKET_SCTP:
        return shard_of(shard_hash_port(HASH_BEGIN, segment->source.port),
            shard_hash_port(HASH_BEGIN, segment->destination.port), count);
    case IW_PACKET_FRAGMENT:
        return IW_CHECK_EVERY_SHARD;
    case IW_PACKET_OTHER:
        if (facts->content == IW_CONTENT_ICMP)
            return shard_of_addresses(segment, count);
        return facts->content == IW_CONTENT_PORT_MAPPER ? IW_CHECK_EVERY_SHARD : 1;
    default:
        return 1;
    }
}
