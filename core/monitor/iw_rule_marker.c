#include "iw_judge.h"

/* Rules about Markers (RFC 5044 4.2, 4.3, 7.1.1, 7.1.2). */

IW_COLD static struct iw_finding *report(struct iw_judge *judge, enum iw_requirement_id id,
    enum iw_field_id field, const char *subject, const struct iw_marker *marker) {
    struct iw_finding *finding = iw_judge_report(judge, id, field, subject);

    finding->offset = marker->offset + iw_fields[field].bit / 8u;
    finding->octets = iw_fields[field].bits / 8u;
    return finding;
}

static bool points_right(const struct iw_marker *marker) {
    return (marker->fpduptr & ~3u) == marker->expected;
}

/* Another Marker inside the same FPDU points to its ULPDU_Length. */
static bool another_is_right(const struct iw_fpdu *fpdu, const struct iw_marker *marker) {
    for (uint32_t i = 0; i < fpdu->marker_count; i++)
        if (&fpdu->markers[i] != marker && fpdu->markers[i].expected != 0 && points_right(&fpdu->markers[i]))
            return true;
    return false;
}

/* By which statement FPDUPTR is not right. Octets of another FPDU stand between the Marker before it and the
 * FPDU that it stands in, if that begins neither right behind that Marker nor before it. */
static enum iw_requirement_id pointer_clause(
    const struct iw_judge *judge, const struct iw_fpdu *fpdu, const struct iw_marker *marker) {
    if (marker->expected == 0)
        return iw_mpa_begins_at(&judge->mpa, fpdu->side, marker->offset) ? IW_REQ_RFC5044_7_1_2_19
                                                                         : IW_REQ_RFC5044_4_3_05;
    if (another_is_right(fpdu, marker))
        return IW_REQ_RFC5044_4_3_08;
    return marker->expected < IW_MARKER_SPACING - iw_mpa_marker_octets ? IW_REQ_RFC5044_4_3_09
                                                                       : IW_REQ_RFC5044_4_3_03;
}

static bool marker_is_wrong(
    struct iw_judge *judge, const struct iw_fpdu *fpdu, const struct iw_marker *marker) {
    if (marker->reserved == 0 && marker->fpduptr == marker->expected)
        return false;
    if (marker->reserved != 0)
        iw_judge_values(report(judge, IW_REQ_RFC5044_4_2_02, iw_field_mpa_marker_reserved,
                            "The reserved half of a Marker", marker),
            0, marker->reserved);
    if (marker->fpduptr != marker->expected)
        iw_judge_values(
            report(judge, points_right(marker) ? IW_REQ_RFC5044_4_2_03 : pointer_clause(judge, fpdu, marker),
                iw_field_mpa_marker_fpduptr, "FPDUPTR", marker),
            marker->expected, marker->fpduptr);
    return true;
}

/* What each side sends is as the M of the other side's startup frame asks (RFC 5044 7.1.1); reading has gone
 * on as it is. */
static void contrary(struct iw_judge *judge, const struct iw_fpdu *fpdu) {
    bool sent = fpdu->marker_count > 0;
    struct iw_finding *finding =
        iw_judge_report(judge, sent ? IW_REQ_RFC5044_7_1_1_05 : IW_REQ_RFC5044_7_1_1_06,
            sent ? iw_field_mpa_marker_fpduptr : IW_FIELD_COUNT, sent ? "A Marker" : "The first Marker");

    finding->offset = sent ? fpdu->markers[0].offset : fpdu->offset;
    finding->octets = sent ? iw_mpa_marker_octets : 0;
    if (sent)
        iw_judge_texts(finding, "none, because the other side's M is 0", "present");
    else
        iw_judge_texts(finding, "present, because the other side's M is 1", "missing");
    iw_judge_context(finding, judge->party[iw_side_other(fpdu->side)].startup_frame);
    judge->party[fpdu->side].marker_told = (struct iw_told){0};
    judge->party[fpdu->side].unmarked_told = (struct iw_told){0};
    if (!sent)
        judge->party[fpdu->side].unmarked_told = iw_judge_told(finding);
}

/* If the first Marker is missing, the sender's count for the next ones is unknown: all later findings about
 * Markers follow from that one. After a wrong Marker, the next ones are wrong too: they follow from the first
 * until a Marker is right again. */
void iw_rules_marker_follow(struct iw_judge *judge, size_t first) {
    struct iw_party *party = &judge->party[judge->event.mpa->side];
    const struct iw_told *root =
        party->unmarked_told.number != 0 ? &party->unmarked_told : &party->marker_told;

    for (size_t i = first; i < judge->finding_count; i++)
        if (root == &party->unmarked_told || judge->findings[i].cause == 0)
            iw_judge_because_of(&judge->findings[i], root);
    if (root->number == 0 && first < judge->finding_count) {
        const struct iw_finding *finding = &judge->findings[first];

        party->marker_told = finding->cause != 0 ? (struct iw_told){finding->cause, finding->cause_frame}
                                                 : iw_judge_told(finding);
    }
}

/* The first wrong Marker of an FPDU is told: the others of it are wrong by the same fault. */
void iw_rules_marker(struct iw_judge *judge) {
    const struct iw_fpdu *fpdu = judge->event.mpa->fpdu;
    size_t before;

    if (judge->event.mpa->contrary)
        contrary(judge, fpdu);
    if (iw_crc_differs(fpdu->crc))
        return; /* any octet of it may be the wrong one: iw_rule_crc.c */
    before = judge->finding_count;
    for (uint32_t i = 0; i < fpdu->marker_count; i++) {
        if (marker_is_wrong(judge, fpdu, &fpdu->markers[i])) {
            iw_rules_marker_follow(judge, before);
            return;
        }
        judge->party[fpdu->side].marker_told.number = 0;
    }
}
