#ifndef IW_TCP_PASSED_H
#define IW_TCP_PASSED_H

#include <stdint.h>

/* The latest segments of a stream that were handed over: their place and the sum of their octets, to see
 * whether a retransmission repeats them. The octets themselves are not kept. */

enum { IW_TCP_PASSED = 4 };

struct iw_tcp_passed {
    struct {
        uint32_t seq;
        uint16_t octets; /* 0: none */
        uint16_t sum;    /* iw_tcp_checksum_sum */
    } segment[IW_TCP_PASSED];
};

/* Remembers `octets` octets from sequence number `seq` on in place number `turn` of the latest ones. */
static inline void iw_tcp_passed_add(
    struct iw_tcp_passed *passed, uint32_t turn, uint32_t seq, uint32_t octets, uint16_t sum) {
    unsigned place = turn % IW_TCP_PASSED;

    passed->segment[place].seq = seq;
    passed->segment[place].octets = (uint16_t)(octets <= UINT16_MAX ? octets : 0);
    passed->segment[place].sum = sum;
}

/* Compares `count` octets from `seq` on with the kept segments that they repeat completely and that end
 * after `from`. Returns how many octets those segments have whose content differs. */
uint32_t iw_tcp_passed_differing(
    const struct iw_tcp_passed *passed, uint32_t from, uint32_t seq, const uint8_t *octets, uint32_t count);

#endif
