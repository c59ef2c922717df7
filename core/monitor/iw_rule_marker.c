#include "iw_rules.h"

/* Rules about Markers (RFC 5044 4.2, 4.3, 7.1.1, 7.1.2). */

IW_COLD static void marker_report(struct iw_judge *judge, enum iw_requirement_id id, enum iw_field_id field,
    const char *subject, uint64_t expected, uint64_t actual, const struct iw_marker *marker) {
    struct iw_finding *finding = iw_judge_report_value(judge, id, field, subject, expected, actual);

    finding->offset = marker->offset + iw_fields[field].bit / 8u;
    finding->octets = iw_fields[field].bits / 8u;
}

static bool marker_points_right(const struct iw_marker *marker) {
    return (marker->fpduptr & ~3u) == marker->expected;
}

/* Whether another Marker inside the same FPDU points to the FPDU's ULPDU_Length. */
static bool marker_another_is_right(const struct iw_fpdu *fpdu, const struct iw_marker *marker) {
    for (uint32_t i = 0; i < fpdu->marker_count; i++)
        if (&fpdu->markers[i] != marker && fpdu->markers[i].expected != 0 &&
            marker_points_right(&fpdu->markers[i]))
            return true;
    return false;
}

/* The clause that FPDUPTR violates. If the FPDU begins 4 octets or more after the end of the previous Marker,
 * octets of a different FPDU are in the same interval between Markers. */
static enum iw_requirement_id marker_pointer_clause(
    const struct iw_judge *judge, const struct iw_fpdu *fpdu, const struct iw_marker *marker) {
    if (marker->expected == 0)
        return iw_mpa_begins_at(&judge->mpa, fpdu->side, marker->offset) ? IW_REQ_RFC5044_7_1_2_19
                                                                         : IW_REQ_RFC5044_4_3_05;
    if (marker_another_is_right(fpdu, marker))
        return IW_REQ_RFC5044_4_3_08;
    return marker->expected < IW_MARKER_SPACING - iw_mpa_marker_octets ? IW_REQ_RFC5044_4_3_09
                                                                       : IW_REQ_RFC5044_4_3_03;
}

static bool marker_report_if_wrong(
    struct iw_judge *judge, const struct iw_fpdu *fpdu, const struct iw_marker *marker) {
    if (marker->reserved == 0 && marker->fpduptr == marker->expected)
        return false;
    if (marker->reserved != 0)
        marker_report(judge, IW_REQ_RFC5044_4_2_02, iw_field_mpa_marker_reserved,
            "The reserved half of a Marker", 0, marker->reserved, marker);
    if (marker->fpduptr != marker->expected)
        marker_report(judge,
            marker_points_right(marker) ? IW_REQ_RFC5044_4_2_03 : marker_pointer_clause(judge, fpdu, marker),
            iw_field_mpa_marker_fpduptr, "FPDUPTR", marker->expected, marker->fpduptr, marker);
    return true;
}

/* Whether the startup frames may be those of an earlier connection between the same ports: the capture lacks
 * octets of both sides, among which a later connection may have begun. */
static bool marker_terms_may_be_old(const struct iw_judge *judge) {
    return judge->sender->lost && (judge->peer->lost || iw_judge_answers_missing(judge));
}

/* M of the other side decides about Markers of this side (RFC 5044 7.1.1): this side does the opposite. After
 * a loss, the first FPDU may be too short for a Marker. */
static void marker_report_unexpected(struct iw_judge *judge, const struct iw_fpdu *fpdu) {
    bool sent = judge->mpa.terms.markers[fpdu->side];
    struct iw_finding *finding =
        sent ? iw_judge_report(judge, IW_REQ_RFC5044_7_1_1_05, iw_field_mpa_marker_fpduptr, "A Marker",
                   "none, because the other side's M is 0", "present")
             : iw_judge_report(judge, IW_REQ_RFC5044_7_1_1_06, IW_FIELD_COUNT, "The first Marker",
                   "present, because the other side's M is 1", "missing");

    finding->offset = fpdu->marker_count > 0 ? fpdu->markers[0].offset : fpdu->offset;
    finding->octets = fpdu->marker_count > 0 ? iw_mpa_marker_octets : 0;
    iw_judge_context(finding, judge->peer->begin.startup_frame);
    judge->sender->tcp.marker = (struct iw_marker_faults){0};
    if (!sent)
        judge->sender->tcp.marker.first = iw_judge_finding_ref(finding);
}

/* If the first Marker is missing, it is unknown where the sender counts Markers from: all later findings
 * about Markers follow from that. Otherwise they follow from the first after the last right Marker. */
void iw_rules_marker_follow(struct iw_judge *judge, size_t first) {
    struct iw_marker_faults *faults = &judge->sender->tcp.marker;
    const struct iw_finding_ref *root = faults->first.number != 0 ? &faults->first : &faults->since_right;

    for (size_t i = first; i < judge->finding_count; i++)
        if (root == &faults->first || judge->findings[i].cause == 0)
            iw_judge_because_of(&judge->findings[i], root);
    if (root->number == 0 && first < judge->finding_count) {
        const struct iw_finding *finding = &judge->findings[first];

        faults->since_right = finding->cause != 0
                                  ? (struct iw_finding_ref){finding->cause, finding->cause_frame}
                                  : iw_judge_finding_ref(finding);
    }
}

const struct iw_finding_ref *iw_rules_marker_cause(const struct iw_party *party, const struct iw_fpdu *fpdu) {
    const struct iw_marker_faults *faults = &party->tcp.marker;

    if (faults->first.number != 0) /* an FPDU that was read without Markers may have a Marker */
        return fpdu->marker_count == 0 && iw_fpdu_could_hold_marker(fpdu, iw_mpa_marker_octets)
                   ? &faults->first
                   : NULL;
    return faults->since_right.number != 0 && fpdu->marker_count > 0 ? &faults->since_right : NULL;
}

bool iw_rules_marker_place_is_unknown(const struct iw_judge *judge, const struct iw_marker *marker) {
    return !judge->sender->tcp.marker.placed && marker->fpduptr != marker->expected &&
           marker_terms_may_be_old(judge);
}

/* Reports only the first wrong Marker of an FPDU: the same fault makes the other Markers wrong. */
void iw_rules_marker(struct iw_judge *judge) {
    const struct iw_fpdu *fpdu = judge->event.llp->fpdu;
    size_t before;

    if (judge->event.llp->markers_unexpected && !marker_terms_may_be_old(judge))
        marker_report_unexpected(judge, fpdu);
    if (judge->event.llp->damaged)
        return; /* any of its octets may be wrong; iw_rule_crc.c judges the CRC */
    before = judge->finding_count;
    for (uint32_t i = 0; i < fpdu->marker_count; i++) {
        if (iw_rules_marker_place_is_unknown(judge, &fpdu->markers[i]))
            return;
        if (marker_report_if_wrong(judge, fpdu, &fpdu->markers[i])) {
            iw_rules_marker_follow(judge, before);
            return;
        }
        judge->sender->tcp.marker.since_right.number = 0;
        judge->sender->tcp.marker.placed = true;
    }
}
