#include "iw_sequence_part.h"

void iw_placed_begin(struct iw_placed *placed, bool maybe_lost) {
    iw_extent_clear(&placed->extent);
    placed->maybe_lost = maybe_lost;
    placed->skip_frame = 0;
}

void iw_placed_note(struct iw_placed *placed, bool last, uint64_t frame, struct iw_segment_fact *fact) {
    const struct iw_extent *extent = &placed->extent;

    fact->order_unknown = extent->full;
    if (fact->order != IW_SEGMENT_OVERLAPS && last && extent->count > 1 && !extent->full &&
        !placed->maybe_lost)
        fact->order = IW_SEGMENT_HOLE;
    fact->skip_frame = placed->skip_frame;
    fact->missing = extent->first.to;
    if (fact->order == IW_SEGMENT_AHEAD && placed->skip_frame == 0)
        placed->skip_frame = frame;
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
