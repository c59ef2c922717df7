#include "iw_tcp_checksum.h"

#include <arpa/inet.h>
#include <string.h>

#include "iw_ip.h"
#include "iw_placement.h"

enum { CHECKSUM_AT = 16, DATA_OFFSET_AT = 12 };

/* Folds a 64-bit sum to 16 bits; its value modulo 0xffff stays the same. */
static inline uint16_t checksum_fold(uint64_t sum) {
    sum = (sum & 0xffffffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16); /* at most 18 bits */
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)(sum + (sum >> 16));
}

static inline uint64_t checksum_word(const uint8_t *octets) {
    uint64_t word;

    memcpy(&word, octets, sizeof word);
    return word;
}

static inline uint32_t checksum_half(const uint8_t *octets) {
    uint32_t half;

    memcpy(&half, octets, sizeof half);
    return half;
}

/* Adds with end-around carry (RFC 1071 2). */
static inline uint64_t checksum_add(uint64_t sum, uint64_t word) {
    bool carry = __builtin_add_overflow(sum, word, &sum);

    return sum + carry;
}

/* Returns the sum of the last octets, fewer than eight. */
static inline uint64_t checksum_rest(const uint8_t *octets, size_t count) {
    uint64_t sum = 0;
    uint16_t word;

    if (count & 4) {
        sum += checksum_half(octets);
        octets += 4;
    }
    if (count & 2) {
        memcpy(&word, octets, sizeof word);
        sum += word;
        octets += 2;
    }
    return sum + (count & 1 ? htons((uint16_t)(*octets << 8)) : 0u);
}

/* Computes two independent sums, because the processor adds them up in parallel. */
static inline uint64_t checksum_octets(const uint8_t *octets, size_t count) {
    uint64_t even = 0, odd = 0;

    for (; count >= 32; count -= 32, octets += 32) {
        even = checksum_add(even, checksum_word(octets));
        odd = checksum_add(odd, checksum_word(octets + 8));
        even = checksum_add(even, checksum_word(octets + 16));
        odd = checksum_add(odd, checksum_word(octets + 24));
    }
    if (count & 16) {
        even = checksum_add(even, checksum_word(octets));
        odd = checksum_add(odd, checksum_word(octets + 8));
        octets += 16;
    }
    if (count & 8) {
        even = checksum_add(even, checksum_word(octets));
        octets += 8;
    }
    if (count & 7)
        odd = checksum_add(odd, checksum_rest(octets, count & 7));
    return checksum_add(even, odd);
}

/* Returns the sum of a TCP header: at least 20 octets, and a multiple of four. */
static inline uint64_t checksum_header(const uint8_t *header, uint32_t octets) {
    uint64_t sum = checksum_half(header + 16);

    for (uint32_t at = IW_TCP_OCTETS; at < octets; at += 4)
        sum += checksum_half(header + at);
    return checksum_add(checksum_add(sum, checksum_word(header)), checksum_word(header + 8));
}

IW_HOT uint16_t iw_tcp_checksum_sum(const uint8_t *octets, size_t count) {
    return checksum_fold(checksum_octets(octets, count));
}

/* Returns the sum of the pseudo-header without the length (RFC 9293 3.1, RFC 8200 8.1). */
static inline uint64_t checksum_pseudo(const struct iw_tcp_segment *segment) {
    const uint8_t *source = segment->source.octets, *destination = segment->destination.octets;
    uint64_t sum = checksum_add(checksum_word(source), checksum_word(destination));

    if (segment->source.version == 6)
        sum = checksum_add(checksum_add(sum, checksum_word(source + 8)), checksum_word(destination + 8));
    return checksum_add(sum, htons(IW_IP_TCP));
}

/* Whether the checksum was left to the card: the field is 0, or the pseudo-header sum with or without
 * length. */
static bool checksum_is_offloaded(const struct iw_tcp_segment *segment, uint16_t length) {
    uint64_t pseudo = checksum_pseudo(segment);
    uint16_t field;

    memcpy(&field, segment->tcp + CHECKSUM_AT, sizeof field);
    return field == 0 || field == checksum_fold(pseudo) ||
           field == checksum_fold(checksum_add(pseudo, length));
}

enum iw_tcp_checksum iw_tcp_checksum_verify(const struct iw_tcp_segment *segment, uint16_t *payload) {
    if (segment->tcp == NULL)
        return IW_TCP_CHECKSUM_UNKNOWN;
    uint32_t header = (uint32_t)(segment->tcp[DATA_OFFSET_AT] >> 4) * 4, total = header + segment->length;
    uint64_t sum = checksum_add(checksum_pseudo(segment), checksum_header(segment->tcp, header));
    *payload = 0;
    if (segment->length > 0)
        *payload = iw_tcp_checksum_sum(segment->tcp + header, segment->length);
    if (checksum_fold(checksum_add(sum, (uint64_t)htonl(total) + *payload)) == 0xffff)
        return IW_TCP_CHECKSUM_RIGHT;
    return checksum_is_offloaded(segment, checksum_fold(htonl(total))) ? IW_TCP_CHECKSUM_UNKNOWN
                                                                       : IW_TCP_CHECKSUM_WRONG;
}
