#include "iw_tcp_option.h"

#include "iw_packet_walk.h"

/* Returns the first option of `kind`, or NULL, and sets `*length` to its length in octets. */
static const uint8_t *find_option(const uint8_t *options, size_t count, uint8_t kind, size_t *length) {
    size_t at = 0;

    while (at + 1 < count && options[at] != IW_TCP_OPTION_END) {
        *length = options[at] == IW_TCP_OPTION_NONE ? 1 : options[at + 1];
        if (*length == 0 || *length > count - at)
            break;
        if (options[at] == kind)
            return options + at;
        at += *length;
    }
    return NULL;
}

uint16_t iw_tcp_option_mss(const uint8_t *options, size_t count) {
    size_t length;
    const uint8_t *mss = find_option(options, count, IW_TCP_OPTION_MSS, &length);

    if (!mss || length != IW_TCP_OPTION_MSS_OCTETS)
        return 0;
    return iw_packet_16(mss + 2);
}

uint32_t iw_tcp_option_sacked(const uint8_t *options, size_t count, uint32_t ack) {
    size_t length;
    const uint8_t *sack = find_option(options, count, IW_TCP_OPTION_SACK, &length);
    uint32_t sacked = 0;

    for (size_t at = IW_TCP_OPTION_HEADER_OCTETS; sack && at + IW_TCP_OPTION_SACK_BLOCK_OCTETS <= length;
         at += IW_TCP_OPTION_SACK_BLOCK_OCTETS) {
        uint32_t end = iw_packet_32(sack + at + 4) - ack;
        if (end <= INT32_MAX && end > sacked)
            sacked = end;
    }
    return sacked;
}
