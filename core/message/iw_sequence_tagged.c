#include "iw_sequence_part.h"

/* A tagged message begins at any TO, so its lowest TO is known only once it is complete. */
static void tagged_place(struct iw_tagged_message *message, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact) {
    struct iw_extent *extent = &message->placed.extent;

    if (fact->first) {
        iw_placed_begin(&message->placed, message->lost);
        message->lost = false;
    }
    if (segment->payload_octets > 0 && segment->to <= UINT64_MAX - segment->payload_octets)
        fact->order = iw_extent_add(extent, segment->to, segment->to + segment->payload_octets);
    iw_placed_note(&message->placed, segment->last, frame, fact);
    fact->message_to = extent->count > 0 ? extent->first.from : segment->to;
}

/* Whether the segment begins another message although the open message has no L: its TO is unexpected, and
 * its STag or control octet differs from that of the open message. */
static bool tagged_begins_another(const struct iw_tagged_message *message, const struct iw_segment *segment) {
    if (!message->open || message->octets == 0 || segment->payload_octets == 0)
        return false;
    return segment->to != message->to && (!iw_constant_has(&message->stag, segment->stag) ||
                                             !iw_constant_has(&message->control, segment->control));
}

/* Whether the segment, without L, ends directly below the lowest TO of a message that has no hole so far. */
static bool tagged_is_below(const struct iw_tagged_message *message, const struct iw_segment *segment) {
    const struct iw_extent *extent = &message->placed.extent;

    return !segment->last && segment->payload_octets > 0 && iw_extent_whole(extent) &&
           extent->holed == NULL && segment->to + segment->payload_octets == extent->first.from &&
           iw_constant_has(&message->stag, segment->stag) &&
           iw_constant_has(&message->control, segment->control);
}

/* Whether the segment ends where the open message begins, and the open message ends where the previous
 * message, one segment with L, begins. Then all three are one message, sent in descending order. */
static bool tagged_turns_down(const struct iw_tagged_message *message, const struct iw_segment *segment) {
    const struct iw_ended_message *ended = &message->ended;

    return message->open && tagged_is_below(message, segment) && ended->first_frame != 0 &&
           message->placed.extent.first.to == ended->from && ended->stag == segment->stag &&
           ended->control == segment->control;
}

/* The segment continues the message towards lower TOs. */
static void tagged_take_below(
    struct iw_tagged_message *message, const struct iw_segment *segment, struct iw_segment_fact *fact) {
    if (message->open) {
        message->first_frame = message->ended.first_frame;
        message->placed.extent.first.to = message->ended.to;
    }
    message->open = false;
    message->descending = true;
    message->placed.extent.first.from = segment->to;
    fact->bound = IW_BOUND_LATE;
    fact->bound_frame = fact->message_frame = message->first_frame;
}

static void tagged_note_end(struct iw_tagged_message *message, const struct iw_segment *segment, bool first) {
    bool alone = first && iw_extent_whole(&message->placed.extent);

    message->ended = (struct iw_ended_message){message->placed.extent.first.from,
        message->placed.extent.first.to, alone ? message->first_frame : 0, segment->stag, segment->control};
}

/* Whether the segment fills a hole of a message that has ended. A segment with L is a message of its own. */
static bool tagged_is_late(const struct iw_tagged_message *message, const struct iw_segment *segment) {
    const struct iw_extent *extent = &message->placed.extent;
    uint64_t end = segment->to + segment->payload_octets;

    return !message->open && !segment->last && segment->payload_octets > 0 && extent->count > 1 &&
           !extent->full && segment->to >= extent->first.to &&
           end <= iw_extent_runs(extent)[extent->count - 1].from &&
           !iw_range_meets(iw_extent_runs(extent), extent->count, segment->to, end) &&
           iw_constant_has(&message->stag, segment->stag) &&
           iw_constant_has(&message->control, segment->control);
}

void iw_sequence_tagged(struct iw_tagged_message *message, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact) {
    bool empty = segment->payload_octets == 0;

    fact->bound_frame = message->first_frame;
    if (tagged_is_late(message, segment)) {
        fact->bound = IW_BOUND_LATE;
        fact->message_frame = message->first_frame;
        return;
    }
    if (tagged_turns_down(message, segment) || (message->descending && tagged_is_below(message, segment))) {
        tagged_take_below(message, segment, fact);
        return;
    }
    message->descending = false;
    if (tagged_begins_another(message, segment)) {
        if (iw_sequence_resumes(&message->unfinished, segment->stag, segment->to, segment)) {
            iw_sequence_resume(&message->unfinished, segment, fact);
            return;
        }
        fact->bound = IW_BOUND_OPEN;
        message->unfinished =
            (struct iw_unfinished){message->stag.latest, message->to, message->octets, message->first_frame};
    }
    fact->first = !message->open || fact->bound == IW_BOUND_OPEN;
    if (fact->first) {
        message->octets = 0;
        iw_constant_init(&message->control, segment->control);
        message->first_frame = frame;
    }
    if (message->octets == 0) { /* nothing placed yet */
        iw_constant_init(&message->stag, segment->stag);
        message->to = segment->to;
    }
    tagged_place(message, segment, frame, fact);
    fact->to_expected = message->to;
    fact->to_ok = empty || segment->to == message->to;
    fact->stag_expected = message->stag.latest;
    fact->control_expected = (uint8_t)message->control.latest;
    fact->stag_ok = empty || iw_constant_has(&message->stag, segment->stag);
    fact->same_message = fact->stag_ok && iw_constant_has(&message->control, segment->control);
    fact->message_frame = message->first_frame;

    if (!empty) {
        iw_constant_update(&message->stag, segment->stag);
        message->to = segment->to + segment->payload_octets;
    }
    iw_constant_update(&message->control, segment->control);
    message->octets += segment->payload_octets;
    message->open = !segment->last;
    if (segment->last)
        tagged_note_end(message, segment, fact->first);
    fact->message_octets = message->octets;
}
