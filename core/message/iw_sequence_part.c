#include "iw_sequence_part.h"

enum iw_segment_order iw_sequence_place(struct iw_extent *extent, uint64_t from, uint64_t octets) {
    static const enum iw_segment_order orders[] = {
        [IW_EXTENT_NEXT] = IW_SEGMENT_IN_ORDER,
        [IW_EXTENT_AHEAD] = IW_SEGMENT_AHEAD,
        [IW_EXTENT_BACK] = IW_SEGMENT_BACK,
        [IW_EXTENT_OVER] = IW_SEGMENT_OVER,
        [IW_EXTENT_FULL] = IW_SEGMENT_IN_ORDER,
    };

    return orders[iw_extent_add(extent, from, from + octets)];
}

bool iw_sequence_resumes(
    const struct iw_unfinished *unfinished, uint32_t key, uint64_t at, const struct iw_segment *segment) {
    return unfinished->first_frame != 0 && key == unfinished->key && at == unfinished->at &&
           segment->payload_octets > 0;
}

void iw_sequence_resume(
    struct iw_unfinished *unfinished, const struct iw_segment *segment, struct iw_segment_fact *fact) {
    unfinished->at += segment->length - segment->ddp_octets;
    unfinished->octets += segment->payload_octets;
    fact->bound = IW_BOUND_RESUMED;
    fact->bound_frame = fact->message_frame = unfinished->first_frame;
    fact->message_octets = unfinished->octets;
    if (segment->last)
        unfinished->first_frame = 0;
}
