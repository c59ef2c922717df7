#include "iw_judge_segment.h"

#include <stdlib.h>

static void terminate_take_alone(struct iw_judge *judge, struct iw_judge_parts *parts) {
    const struct iw_segment *segment = judge->event.segment;

    if (judge->event.terminate == NULL)
        return;
    judge->terminate = &parts->judged; /* judge_follow_terminate() has set `sent` and `meant` */
    parts->judged.octets = (uint32_t)segment->header_octets + segment->payload_octets;
    parts->judged.captured = segment->payload_captured == segment->payload_octets;
    parts->judged.complete = segment->last || !parts->judged.sent->truncated;
    parts->judged.progress = (struct iw_party_terminate_progress){0};
}

/* Joins the segment to the earlier segments of the Terminate. Returns false if one cannot be joined. */
static bool terminate_join(struct iw_judge *judge, struct iw_party *party) {
    const struct iw_segment_fact *fact = judge->event.fact;
    const struct iw_segment *segment = judge->event.segment;
    bool placed = fact->msn_ok && fact->mo_ok && (fact->sequence_known || segment->mo == 0);
    bool open;

    if (party->split == NULL && segment->mo == 0)
        party->split = calloc(1, sizeof *party->split);
    if (party->split == NULL) {
        judge->counts.unjudged[IW_UNJUDGED_LIMIT] += segment->mo == 0;
        return false;
    }
    if (segment->mo == 0)
        party->split->progress = (struct iw_party_terminate_progress){0};
    open = party->split->terminate.open;
    if (iw_split_terminate_segment(&party->split->terminate, segment, placed))
        return true;
    /* Counts a Terminate once, at its first segment that cannot be joined; a segment whose sequence is
     * unknown was counted before. */
    judge->counts.unjudged[IW_UNJUDGED_SEQUENCE] += open && segment->mo > 0 && fact->sequence_known;
    return false;
}

static void judge_terminate_split_decode(
    struct iw_judge *judge, const struct iw_split *split, struct iw_judge_parts *parts) {
    const struct iw_split_terminate *terminate = &split->terminate;
    unsigned extensions = judge->config.extensions;

    if (!iw_terminate_message_decode(terminate->octets, terminate->have, extensions, &parts->joined))
        return;
    parts->judged = (struct iw_judged_terminate){.sent = &parts->joined,
        .meant = &parts->joined,
        .octets = terminate->length,
        .captured = true,
        .complete = judge->event.segment->last || !parts->joined.truncated,
        .progress = split->progress};
    if (terminate->length == terminate->have &&
        iw_terminate_message_reversed(terminate->octets, terminate->have, extensions, &parts->reversed))
        parts->judged.meant = &parts->reversed;
    judge->terminate = &parts->judged;
}

void iw_judge_join_terminate(struct iw_judge *judge, struct iw_judge_parts *parts) {
    const struct iw_segment *segment = judge->event.segment;
    bool split = iw_segment_opcode_fits(segment) && !(segment->last && segment->mo == 0);

    if (split && terminate_join(judge, judge->sender))
        judge_terminate_split_decode(judge, judge->sender->split, parts);
    else if (segment->mo == 0)
        terminate_take_alone(judge, parts);
}
