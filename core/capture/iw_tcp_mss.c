#include "iw_tcp_mss.h"

enum { OPTION_END = 0, OPTION_NONE = 1, OPTION_MSS = 2, MSS_OCTETS = 4 };

uint16_t iw_tcp_mss(const uint8_t *options, size_t count) {
    size_t at = 0;

    while (at + 1 < count && options[at] != OPTION_END) {
        size_t length = options[at] == OPTION_NONE ? 1 : options[at + 1];

        if (length == 0 || length > count - at)
            break;
        if (options[at] == OPTION_MSS && length == MSS_OCTETS)
            return (uint16_t)(options[at + 2] << 8 | options[at + 3]);
        at += length;
    }
    return 0;
}
