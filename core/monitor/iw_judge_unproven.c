#include "iw_judge_segment.h"

#include <string.h>

IW_COLD void iw_judge_note_before_gap(struct iw_judge *judge, enum iw_side side) {
    const struct iw_sequence *sequence = &judge->party[side].sequence;
    struct iw_expected_before_gap expected = {.offset = iw_mpa_lost_from(&judge->mpa, side)};

    if (sequence->tagged.first_frame != 0) {
        expected.tagged = true;
        expected.stag = sequence->tagged.stag.latest;
        expected.to = sequence->tagged.to;
    }
    for (uint8_t qn = 0; qn < IW_QN_COUNT && !expected.untagged; qn++) {
        const struct iw_queue *queue = iw_sequence_queue(sequence, qn);

        expected.untagged = queue->known && queue->open;
        expected.qn = qn;
        expected.msn = queue->msn;
        expected.mo = queue->mo;
    }
    if (expected.tagged || expected.untagged)
        judge->party[side].before_gap = expected;
}

/* Whether `lost` octets fit one FPDU with `payload`, or FPDUs of the size of `segment` with that in total. */
static bool unproven_gap_carries(uint64_t lost, uint64_t payload, const struct iw_segment *segment) {
    uint64_t each = iw_fpdu_plain_octets(segment->length);

    if (payload == 0 || payload >= lost)
        return false;
    return (payload + segment->ddp_octets <= UINT16_MAX &&
               iw_fpdu_plain_octets((uint16_t)(payload + segment->ddp_octets)) == lost) ||
           (payload % segment->payload_octets == 0 && payload / segment->payload_octets * each == lost);
}

/* Whether the segment continues a message from before the gap: STag, or QN and MSN, are equal, and TO or MO
 * has advanced by exactly what the gap of `lost` octets can carry. Copies in payload fail this. */
static bool unproven_continues_before_gap(
    const struct iw_expected_before_gap *expected, const struct iw_segment *segment, uint64_t lost) {
    if (segment->payload_octets == 0)
        return false;
    if (segment->tagged)
        return expected->tagged && segment->stag == expected->stag &&
               unproven_gap_carries(lost, segment->to - expected->to, segment);
    return expected->untagged && segment->qn == expected->qn && segment->msn == expected->msn &&
           segment->mo > expected->mo && unproven_gap_carries(lost, segment->mo - expected->mo, segment);
}

bool iw_judge_disproves(struct iw_judge *judge, const struct iw_llp_event *llp) {
    const struct iw_sequence *sequence = &judge->sender->sequence;
    struct iw_segment segment;

    if (!judge->mpa.terms.seen[llp->side] || !iw_mpa_by_segments(&judge->mpa, llp->side) ||
        !iw_judge_decode(judge, llp, &segment) || segment.tagged || segment.qn >= IW_QN_COUNT ||
        iw_sequence_queue(sequence, segment.qn)->known ||
        segment.msn >= iw_sequence_queue(sequence, segment.qn)->msn)
        return false;
    iw_mpa_disprove(&judge->mpa, llp->side);
    return true;
}

static void unproven_set_lone_fact(const struct iw_llp_event *llp, struct iw_judge_parts *parts) {
    memset(&parts->fact, 0, sizeof parts->fact);
    parts->fact.first = true;
    parts->fact.stag_ok = parts->fact.to_ok = parts->fact.same_message = true;
    parts->fact.message_to = parts->segment.to;
    parts->fact.message_frame = llp->frame;
    parts->fact.message_octets = parts->segment.payload_octets;
}

IW_COLD bool iw_judge_unproven(
    struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts) {
    const struct iw_fpdu *fpdu = llp->fpdu;
    struct iw_monitor_event *event = &judge->event;
    bool readable = iw_judge_decode(judge, llp, &parts->segment);

    if (readable && judge->defined && fpdu->crc == IW_CRC_GOOD && fpdu->marker_count == 0 &&
        unproven_continues_before_gap(
            &judge->sender->before_gap, &parts->segment, fpdu->offset - judge->sender->before_gap.offset)) {
        iw_mpa_prove(&judge->mpa, llp->side);
        return false;
    }
    event->judged = judge->defined ? IW_FPDU_MAY_BE_PAYLOAD : IW_FPDU_UNKNOWN_REVISION;
    judge->sender->lost = true;
    iw_judge_forget(judge, llp->side);
    judge->counts.unjudged[judge->defined ? IW_UNJUDGED_FRAMING : IW_UNJUDGED_REVISION]++;
    if (!readable)
        return true;
    unproven_set_lone_fact(llp, parts);
    event->segment = &parts->segment;
    event->fact = &parts->fact;
    if (iw_segment_terminate(&parts->segment, judge->config.extensions, &parts->terminate)) {
        event->terminate = &parts->terminate;
        judge->sender->terminate.perhaps = true;
    }
    return true;
}
