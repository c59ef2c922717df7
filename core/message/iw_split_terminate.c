#include "iw_split_terminate.h"

#include <assert.h>
#include <string.h>

static void split_terminate_append(struct iw_split_terminate *split, const uint8_t *octets, size_t count) {
    size_t left = sizeof split->octets - split->have;
    size_t taken = count < left ? count : left;

    memcpy(split->octets + split->have, octets, taken);
    split->have = (uint8_t)(split->have + taken);
    split->length += (uint32_t)count;
}

bool iw_split_terminate_segment(
    struct iw_split_terminate *split, const struct iw_segment *segment, bool placed) {
    bool whole = segment->payload_captured == segment->payload_octets;
    uint32_t count = (uint32_t)segment->header_octets + segment->payload_octets;

    if (segment->mo == 0 && !(split->open && split->length == 0 && split->msn == segment->msn)) {
        split->have = 0;
        split->length = 0;
        split->msn = segment->msn;
        split->open = true;
    }
    split->open = split->open && placed && whole && segment->msn == split->msn &&
                  segment->mo == split->length && count <= UINT32_MAX - split->length;
    assert(segment->header_octets == 0 || segment->payload == segment->header + segment->header_octets);
    if (split->open && count > 0)
        split_terminate_append(split, segment->header_octets > 0 ? segment->header : segment->payload, count);
    return split->open;
}
