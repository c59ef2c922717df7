#ifndef IW_SPAN_H
#define IW_SPAN_H

#include <stdint.h>

/* A run of octets that were put together from several capture frames: where they stand in the stream, and in
 * which frame they came. */
struct iw_span {
    uint32_t at; /* octets from the start of what was put together */
    uint32_t octets;
    uint64_t offset; /* stream offset */
    uint64_t frame;
    uint64_t time_ns;
};

/* The one of `count` spans, at least one, that holds octet `at`: they follow each other without a hole from
 * octet 0 on, and `at` is less than all their octets. In logarithmic time. */
const struct iw_span *iw_span_find(const struct iw_span *spans, uint32_t count, uint32_t at);

#endif
