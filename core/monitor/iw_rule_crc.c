#include "iw_rules.h"

#include "iw_crc32c.h"

/* Rules about the CRC (RFC 5044 4.4). A wrong CRC that is right for a part of the FPDU shows the mistake. */

/* Captured octets of the FPDU in the stream, Markers included. */
static uint32_t crc_wire_captured(const struct iw_fpdu *fpdu) {
    return fpdu->image_captured + fpdu->marker_count * (uint32_t)iw_mpa_marker_octets;
}

/* Length of the FPDU by ULPDU_Length, with all Markers that are due. */
static uint32_t crc_wire_whole(const struct iw_fpdu *fpdu) {
    return fpdu->image_octets + fpdu->marker_count * (uint32_t)iw_mpa_marker_octets;
}

/* Whether the four octets that end at `end` are the CRC of the octets before them. */
static bool crc_ends_at(const struct iw_fpdu *fpdu, uint32_t end) {
    struct iw_mpa_crc trailer;

    if (end > crc_wire_captured(fpdu) || end < iw_mpa_fpdu_octets + iw_mpa_crc_octets)
        return false;
    iw_mpa_crc_decode(fpdu->wire + end - iw_mpa_crc_octets, &trailer);
    return iw_crc32c(fpdu->wire, end - iw_mpa_crc_octets) == trailer.crc;
}

/* The first wrong Marker if the sender omitted it, otherwise NULL. The sender did if the CRC is right for an
 * FPDU without one Marker, all wrong Markers, or all of these except the last, perhaps due after the end. */
static const struct iw_marker *crc_missing_marker(const struct iw_fpdu *fpdu) {
    uint32_t whole = crc_wire_whole(fpdu);
    const struct iw_marker *first = NULL;
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < fpdu->marker_count; i++) {
        if (fpdu->markers[i].reserved == 0 && fpdu->markers[i].fpduptr == fpdu->markers[i].expected)
            continue;
        if (wrong++ == 0)
            first = &fpdu->markers[i];
    }
    if (wrong > 0 && (crc_ends_at(fpdu, whole - (uint32_t)iw_mpa_marker_octets) ||
                         crc_ends_at(fpdu, whole - wrong * (uint32_t)iw_mpa_marker_octets) ||
                         crc_ends_at(fpdu, whole - (wrong - 1) * (uint32_t)iw_mpa_marker_octets)))
        return first;
    return NULL;
}

/* The subject of a finding about a CRC that omits something; NULL if no omission explains it. */
static const char *crc_omission_subject(const struct iw_fpdu *fpdu) {
    uint32_t end = crc_wire_whole(fpdu) - (uint32_t)iw_mpa_crc_octets;
    bool leading = fpdu->marker_count > 0 && fpdu->markers[0].offset == fpdu->offset;
    uint32_t length_end = (leading ? (uint32_t)iw_mpa_marker_octets : 0) + (uint32_t)iw_mpa_fpdu_octets;
    uint32_t crc = fpdu->crc_received;

    if (leading && fpdu->image_captured == 0 && fpdu->wire_octets == iw_mpa_marker_octets)
        return "CRC, computed without the first Marker,"; /* after the Marker, a separate FPDU was found */
    if (crc_wire_captured(fpdu) < crc_wire_whole(fpdu))
        return NULL;
    if (fpdu->marker_count > 0 && iw_crc32c(fpdu->image, fpdu->image_octets - iw_mpa_crc_octets) == crc)
        return "CRC, computed without the Markers,";
    if (leading && iw_crc32c(fpdu->wire + iw_mpa_marker_octets, end - iw_mpa_marker_octets) == crc)
        return "CRC, computed without the first Marker,";
    if (iw_crc32c(fpdu->wire + length_end, end - length_end) == crc)
        return "CRC, computed without ULPDU_Length,";
    if (fpdu->pad_octets > 0 && iw_crc32c(fpdu->wire, end - fpdu->pad_octets) == crc)
        return "CRC, computed without the PAD,";
    return NULL;
}

IW_COLD static void crc_report_missing(struct iw_judge *judge, const struct iw_marker *marker) {
    size_t first = judge->finding_count;
    struct iw_finding *finding = iw_judge_report(judge, IW_REQ_RFC5044_4_3_02, IW_FIELD_COUNT,
        "A Marker inside the FPDU", "present, 512 octets after the previous one", "missing");

    finding->offset = marker->offset;
    finding->octets = 0;
    iw_rules_marker_follow(judge, first);
    iw_judge_context(finding, judge->peer->begin.startup_frame);
}

/* If no CRC of a side was right so far, all are one fault: no or a different CRC, or a wrong PD_Length. */
IW_COLD static void crc_report_wrong(
    struct iw_judge *judge, const struct iw_fpdu *fpdu, const char *left_out) {
    struct iw_finding *finding = iw_judge_report_value(judge,
        left_out != NULL ? IW_REQ_RFC5044_4_4_12 : IW_REQ_RFC5044_4_4_11, iw_field_mpa_crc_crc,
        left_out != NULL ? left_out : "CRC", fpdu->crc_computed, fpdu->crc_received);
    const struct iw_finding_ref *marker = iw_rules_marker_cause(judge->sender, fpdu);

    if (marker != NULL) {
        iw_judge_because_of(finding, marker);
        return;
    }
    if (judge->sender->fpdus == 1)
        judge->sender->tcp.crc = judge->sender->lost || judge->sender->tcp.pd_length.number == 0
                                     ? iw_judge_finding_ref(finding)
                                     : judge->sender->tcp.pd_length;
    else if (!judge->sender->crc_bad)
        judge->sender->tcp.crc = (struct iw_finding_ref){0};
    if (judge->sender->tcp.crc.number != finding->number)
        iw_judge_because_of(finding, &judge->sender->tcp.crc);
}

IW_COLD static void crc_explain_wrong(struct iw_judge *judge, const struct iw_fpdu *fpdu) {
    const struct iw_marker *marker = crc_missing_marker(fpdu);

    if (marker != NULL && iw_rules_marker_place_is_unknown(judge, marker))
        judge->counts.unjudged[IW_UNJUDGED_UNREAD] += fpdu->wire_octets;
    else if (marker != NULL)
        crc_report_missing(judge, marker);
    else
        crc_report_wrong(judge, fpdu, crc_omission_subject(fpdu));
}

/* After a wrong CRC, the length may be wrong too: the next wrong CRC is reported only if the header fits. */
void iw_rules_crc(struct iw_judge *judge) {
    const struct iw_fpdu *fpdu = judge->event.llp->fpdu;
    const struct iw_segment *segment = judge->event.segment;

    if (fpdu->crc != IW_CRC_BAD)
        return;
    if (judge->sender->crc_bad &&
        !(segment != NULL && segment->op != NULL && iw_judge_header_is_right(judge, segment)))
        judge->counts.unjudged[IW_UNJUDGED_UNREAD] += fpdu->wire_octets;
    else
        crc_explain_wrong(judge, fpdu);
}
