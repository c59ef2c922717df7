#include "iw_tcp_checksum.h"

#include <arpa/inet.h>
#include <string.h>

#include "iw_ip.h"

enum { CHECKSUM_AT = 16, DATA_OFFSET_AT = 12 };

/* Sums of 16-bit words are equal if they are equal modulo 0xffff; wider words add up to the same. */
static uint16_t checksum_fold(uint64_t sum) {
    sum = (sum & 0xffffffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

static inline uint64_t checksum_word(const uint8_t *octets) {
    uint64_t word;

    memcpy(&word, octets, sizeof word);
    return word;
}

/* With the carry out of 64 bits added in again: two instructions. */
static inline uint64_t checksum_add(uint64_t sum, uint64_t word) {
    bool carry = __builtin_add_overflow(sum, word, &sum);

    return sum + carry;
}

/* The octets that are left over after the last full word. */
static inline uint64_t checksum_rest(const uint8_t *octets, size_t count) {
    uint64_t sum = 0;
    uint32_t half;
    uint16_t word;

    if (count & 4) {
        memcpy(&half, octets, sizeof half);
        sum += half;
        octets += sizeof half;
    }
    if (count & 2) {
        memcpy(&word, octets, sizeof word);
        sum += word;
        octets += sizeof word;
    }
    return sum + (count & 1 ? htons((uint16_t)(*octets << 8)) : 0u);
}

/* Two chains of additions, so that none waits for the carry of the other. */
static inline uint64_t checksum_long(uint64_t sum, const uint8_t *octets, size_t count) {
    enum { WORD = sizeof(uint64_t) };
    uint64_t odd = 0;

    for (; count >= 4 * WORD; count -= 4 * WORD, octets += 4 * WORD) {
        sum = checksum_add(sum, checksum_word(octets));
        odd = checksum_add(odd, checksum_word(octets + WORD));
        sum = checksum_add(sum, checksum_word(octets + 2 * WORD));
        odd = checksum_add(odd, checksum_word(octets + 3 * WORD));
    }
    for (; count >= WORD; count -= WORD, octets += WORD)
        sum = checksum_add(sum, checksum_word(octets));
    return checksum_add(checksum_add(sum, odd), checksum_rest(octets, count));
}

uint16_t iw_tcp_checksum_sum(const uint8_t *octets, size_t count) {
    return checksum_fold(checksum_long(0, octets, count));
}

/* Over the pseudo-header without the length (RFC 9293 3.1, RFC 8200 8.1). */
static inline uint64_t checksum_pseudo(const struct iw_tcp_segment *segment) {
    const uint8_t *source = segment->source.octets, *destination = segment->destination.octets;
    uint64_t sum = checksum_add(checksum_word(source), checksum_word(destination));

    if (segment->source.version == 6)
        sum = checksum_add(checksum_add(sum, checksum_word(source + 8)), checksum_word(destination + 8));
    return checksum_add(sum, htons(IW_IP_TCP));
}

/* What is in the field before the network card fills it in: nothing, or the sum of the pseudo-header, which
 * some systems form without the length. */
static bool is_offloaded(const struct iw_tcp_segment *segment, uint16_t length) {
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
    uint64_t sum = checksum_add(checksum_pseudo(segment), htonl(total));
    *payload = iw_tcp_checksum_sum(segment->tcp + header, segment->length);
    sum = checksum_add(checksum_long(sum, segment->tcp, header), *payload);
    if (checksum_fold(sum) == 0xffff)
        return IW_TCP_CHECKSUM_RIGHT;
    return is_offloaded(segment, checksum_fold(htonl(total))) ? IW_TCP_CHECKSUM_UNKNOWN
                                                              : IW_TCP_CHECKSUM_WRONG;
}

static void note_right(struct iw_tcp_checksums *checksums, uint32_t length) {
    checksums->right++;
    if (length > checksums->longest)
        checksums->longest = length;
}

bool iw_tcp_checksums_discard(
    struct iw_tcp_checksums *checksums, enum iw_tcp_checksum checksum, uint32_t length, bool first) {
    if (checksum == IW_TCP_CHECKSUM_RIGHT)
        note_right(checksums, length);
    if (checksum != IW_TCP_CHECKSUM_WRONG)
        return false;
    bool known = checksums->right > 0 && checksums->wrong <= checksums->right &&
                 (length <= checksums->longest || (first && length <= IW_TCP_CHECKSUM_FIRST));
    checksums->wrong++;
    return known;
}
