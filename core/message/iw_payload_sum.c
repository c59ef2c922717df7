#include "iw_payload_sum.h"

#include "iw_crc32c.h"

enum { PAYLOAD_SUM_FIRST = 4 }; /* octets in `first` */

static void payload_sum_take(struct iw_payload_sum *sum, const struct iw_segment *segment) {
    sum->captured &= segment->payload_captured == segment->payload_octets;
    sum->ended = segment->last;
    for (uint32_t i = 0; sum->captured && sum->octets + i < PAYLOAD_SUM_FIRST && i < segment->payload_octets;
         i++)
        sum->first = sum->first << 8 | segment->payload[i];
    if (sum->captured && segment->payload_octets > 0)
        sum->state = iw_crc32c_update(sum->state, segment->payload, segment->payload_octets);
    sum->octets += segment->payload_octets;
}

void iw_payload_sum_begin(struct iw_payload_sum *sum, const struct iw_segment *segment) {
    *sum = (struct iw_payload_sum){.state = iw_crc32c_begin(), .placed = true, .captured = true};
    payload_sum_take(sum, segment);
}

void iw_payload_sum_add(struct iw_payload_sum *sum, const struct iw_segment *segment, uint8_t header) {
    sum->placed &= !sum->ended && segment->mo == (uint64_t)sum->octets + header;
    payload_sum_take(sum, segment);
}

bool iw_payload_sum_whole(const struct iw_payload_sum *sum) {
    return sum->placed && sum->ended;
}

uint32_t iw_payload_sum_crc(const struct iw_payload_sum *sum) {
    return iw_crc32c_end(sum->state);
}
