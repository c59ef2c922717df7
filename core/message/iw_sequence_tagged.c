#include "iw_sequence_part.h"

/* A tagged message begins at any TO, so that its lowest is known when it is all there. */
static void place_tagged(struct iw_tagged_message *message, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact) {
    struct iw_extent *extent = &message->extent;

    if (fact->first) {
        iw_extent_clear(extent);
        message->skip_frame = 0;
        message->hidden = message->lost;
        message->lost = false;
    }
    if (segment->payload_octets > 0 && segment->to <= UINT64_MAX - segment->payload_octets)
        fact->order = iw_sequence_place(extent, segment->to, segment->payload_octets);
    fact->order_unknown = extent->full;
    if (fact->order != IW_SEGMENT_OVER && segment->last && extent->count > 1 && !extent->full &&
        !message->hidden)
        fact->order = IW_SEGMENT_HOLE;
    fact->skip_frame = message->skip_frame;
    fact->missing = extent->first.to;
    fact->message_to = extent->count > 0 ? extent->first.from : segment->to;
    if (fact->order == IW_SEGMENT_AHEAD && message->skip_frame == 0)
        message->skip_frame = frame;
}

/* It neither goes on where the open message has got to nor has its STag, or its control octet: what is wrong
 * is not these two but that the message before has no L. */
static bool begins_another(const struct iw_tagged_message *message, const struct iw_segment *segment) {
    if (!message->open || message->octets == 0 || segment->payload_octets == 0)
        return false;
    return segment->to != message->to && (!iw_alike_has(&message->stag, segment->stag) ||
                                             !iw_alike_has(&message->control, segment->control));
}

/* It ends where the message begins that has come so far. */
static bool is_below(const struct iw_tagged_message *message, const struct iw_segment *segment) {
    const struct iw_extent *extent = &message->extent;

    return !segment->last && segment->payload_octets > 0 && iw_extent_whole(extent) &&
           extent->holed == NULL && segment->to + segment->payload_octets == extent->first.from &&
           iw_alike_has(&message->stag, segment->stag) && iw_alike_has(&message->control, segment->control);
}

/* The open message goes downwards, too, and it ends where the one before begins, which was one segment with
 * L: all of them are one message, whose last segment came first. */
static bool turns_down(const struct iw_tagged_message *message, const struct iw_segment *segment) {
    const struct iw_ended *ended = &message->ended;

    return message->open && is_below(message, segment) && ended->first_frame != 0 &&
           message->extent.first.to == ended->from && ended->stag == segment->stag &&
           ended->control == segment->control;
}

/* Then what comes below is of it. */
static void take_below(
    struct iw_tagged_message *message, const struct iw_segment *segment, struct iw_segment_fact *fact) {
    if (message->open) {
        message->first_frame = message->ended.first_frame;
        message->extent.first.to = message->ended.to;
    }
    message->open = false;
    message->downwards = true;
    message->extent.first.from = segment->to;
    fact->bound = IW_BOUND_LATE;
    fact->bound_frame = fact->message_frame = message->first_frame;
}

static void note_end(struct iw_tagged_message *message, const struct iw_segment *segment, bool first) {
    bool alone = first && iw_extent_whole(&message->extent);

    message->ended = (struct iw_ended){message->extent.first.from, message->extent.first.to,
        alone ? message->first_frame : 0, segment->stag, segment->control};
}

/* The message has had its segment with L, and this stands where octets of it have not come. One with L may be
 * a message of its own. */
static bool is_late(const struct iw_tagged_message *message, const struct iw_segment *segment) {
    const struct iw_extent *extent = &message->extent;
    uint64_t end = segment->to + segment->payload_octets;

    return !message->open && !segment->last && segment->payload_octets > 0 && extent->count > 1 &&
           !extent->full && segment->to >= extent->first.to &&
           end <= iw_extent_runs(extent)[extent->count - 1].from &&
           !iw_range_meets(iw_extent_runs(extent), extent->count, segment->to, end) &&
           iw_alike_has(&message->stag, segment->stag) && iw_alike_has(&message->control, segment->control);
}

void iw_sequence_tagged(struct iw_tagged_message *message, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact) {
    bool empty = segment->payload_octets == 0;

    fact->bound_frame = message->first_frame;
    if (is_late(message, segment)) {
        fact->bound = IW_BOUND_LATE;
        fact->message_frame = message->first_frame;
        return;
    }
    if (turns_down(message, segment) || (message->downwards && is_below(message, segment))) {
        take_below(message, segment, fact);
        return;
    }
    message->downwards = false;
    if (begins_another(message, segment)) {
        if (iw_sequence_resumes(&message->left, segment->stag, segment->to, segment)) {
            iw_sequence_resume(&message->left, segment, fact);
            return;
        }
        fact->bound = IW_BOUND_OPEN;
        message->left =
            (struct iw_left){message->stag.latest, message->to, message->octets, message->first_frame};
    }
    fact->first = !message->open || fact->bound == IW_BOUND_OPEN;
    if (fact->first) {
        message->octets = 0;
        iw_alike_first(&message->control, segment->control);
        message->first_frame = frame;
    }
    if (message->octets == 0) { /* nothing placed yet */
        iw_alike_first(&message->stag, segment->stag);
        message->to = segment->to;
    }
    place_tagged(message, segment, frame, fact);
    fact->to_expected = message->to;
    fact->to_ok = empty || segment->to == message->to;
    fact->stag_expected = message->stag.latest;
    fact->control_expected = (uint8_t)message->control.latest;
    fact->stag_ok = empty || iw_alike_has(&message->stag, segment->stag);
    fact->same_message = fact->stag_ok && iw_alike_has(&message->control, segment->control);
    fact->message_frame = message->first_frame;

    if (!empty) {
        iw_alike_next(&message->stag, segment->stag);
        message->to = segment->to + segment->payload_octets;
    }
    iw_alike_next(&message->control, segment->control);
    message->octets += segment->payload_octets;
    message->open = !segment->last;
    if (segment->last)
        note_end(message, segment, fact->first);
    fact->message_octets = message->octets;
}
