#include "iw_span.h"

const struct iw_span *iw_span_find(const struct iw_span *spans, uint32_t count, uint32_t at) {
    uint32_t low = 0;
    uint32_t high = count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (spans[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
    return &spans[low];
}
