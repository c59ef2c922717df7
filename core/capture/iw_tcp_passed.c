#include "iw_tcp_passed.h"

#include "iw_tcp_checksum.h"
#include "iw_tcp_seq.h"

uint32_t iw_tcp_passed_differing(
    const struct iw_tcp_passed *passed, uint32_t from, uint32_t seq, const uint8_t *octets, uint32_t count) {
    uint32_t differing = 0;

    for (unsigned i = 0; i < IW_TCP_PASSED; i++) {
        uint32_t length = passed->segment[i].octets;
        uint32_t at = passed->segment[i].seq - seq;

        if (length == 0 || length > count || at > count - length ||
            iw_tcp_seq_distance(from, passed->segment[i].seq + length) <= 0)
            continue;
        if (iw_tcp_checksum_sum(octets + at, length) != passed->segment[i].sum)
            differing += length;
    }
    return differing;
}
