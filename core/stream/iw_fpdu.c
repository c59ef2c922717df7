#include "iw_fpdu.h"

const struct iw_span *iw_fpdu_span(const struct iw_fpdu *fpdu, uint32_t at) {
    uint32_t low = 0;
    uint32_t high = fpdu->span_count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (fpdu->spans[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
    return &fpdu->spans[low];
}
