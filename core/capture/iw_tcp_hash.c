#include "iw_tcp_hash.h"

#include <string.h>

static uint64_t rotate(uint64_t value, unsigned bits) {
    return value << bits | value >> (64 - bits);
}

static void sip_round(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32) + v[3];
    v[2] += v[1];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

static void sip_address(uint64_t v[4], const struct iw_tcp_address *address) {
    uint64_t word[2];
    memcpy(word, address->octets, sizeof word);
    sip_word(v, word[0]);
    sip_word(v, word[1]);
}

/* SipHash-1-3 (Aumasson and Bernstein 2012) */
uint64_t iw_tcp_hash(
    const uint64_t key[2], const struct iw_tcp_address *one, const struct iw_tcp_address *other) {
    int order = memcmp(one->octets, other->octets, sizeof one->octets);
    if (order > 0 || (order == 0 && one->port > other->port)) {
        const struct iw_tcp_address *swap = one;
        one = other;
        other = swap;
    }
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
        key[1] ^ 0x7465646279746573};
    sip_address(v, one);
    sip_address(v, other);
    sip_word(v, (uint64_t)one->port << 32 | (uint64_t)other->port << 16 | one->version);
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
