#pragma once

#include <stdint.h>

/* Consecutive octets of one capture frame, in a buffer that has octets of several frames. */
struct iw_span {
    uint32_t at; /* position in the buffer */
    uint32_t octets;
    uint64_t offset; /* stream offset */
    uint64_t frame;
    uint64_t time_ns;
};

/* Returns the span that contains octet `at` of the buffer, in logarithmic time. The spans, at least one,
 * follow each other without a hole from octet 0 on, and `at` lies within them. */
const struct iw_span *iw_span_find(const struct iw_span *spans, uint32_t count, uint32_t at);
