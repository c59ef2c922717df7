#include "iw_judge.h"

#include <stdio.h>

#include "iw_mulpdu.h"

/* Rules about FPDU, PAD, Markers and CRC (RFC 5044 4), and about the end of a stream. */

static void length(struct iw_judge *judge, const struct iw_fpdu *fpdu) {
    if (fpdu->ulpdu_length > IW_MULPDU_MAX)
        iw_judge_at_most(
            iw_judge_report(judge, IW_REQ_RFC5044_3_05, iw_field_mpa_fpdu_ulpdu_length, "ULPDU_Length"),
            IW_MULPDU_MAX, fpdu->ulpdu_length);
    if (judge->event.segment == NULL && iw_fpdu_ulpdu_captured(fpdu) == fpdu->ulpdu_length) {
        bool untagged = fpdu->ulpdu_length > 0 &&
                        iw_field_get(&iw_fields[iw_field_ddp_tagged_t], iw_fpdu_ulpdu(fpdu)) == 0;

        iw_judge_at_least(
            iw_judge_report(judge, IW_REQ_RFC5044_4_1_04, iw_field_mpa_fpdu_ulpdu_length, "ULPDU_Length"),
            untagged ? iw_ddp_untagged_octets : iw_ddp_tagged_octets, fpdu->ulpdu_length);
    }
}

static void pad(struct iw_judge *judge, const struct iw_fpdu *fpdu) {
    uint32_t at = (uint32_t)iw_mpa_fpdu_octets + fpdu->ulpdu_length;

    for (uint32_t i = 0; i < fpdu->pad_octets && at + i < fpdu->image_captured; i++) {
        if (fpdu->image[at + i] != 0) {
            struct iw_finding *finding =
                iw_judge_report(judge, IW_REQ_RFC5044_4_1_02, IW_FIELD_COUNT, "A PAD octet");
            const struct iw_span *span = iw_fpdu_span(fpdu, at + i);

            finding->offset = span->offset + (at + i - span->at);
            finding->octets = 1;
            iw_judge_values(finding, 0, fpdu->image[at + i]);
            return;
        }
    }
}

static struct iw_finding *report_marker(struct iw_judge *judge, enum iw_requirement_id id,
    enum iw_field_id field, const char *subject, const struct iw_marker *marker) {
    struct iw_finding *finding = iw_judge_report(judge, id, field, subject);

    finding->offset = marker->offset + iw_fields[field].bit / 8u;
    finding->octets = iw_fields[field].bits / 8u;
    return finding;
}

/* The first wrong Marker of an FPDU: the others of it are wrong by the same fault. */
static void markers(struct iw_judge *judge, const struct iw_fpdu *fpdu) {
    for (uint32_t i = 0; i < fpdu->marker_count; i++) {
        const struct iw_marker *marker = &fpdu->markers[i];
        uint16_t pointer = marker->fpduptr & (uint16_t)~3u;
        size_t before = judge->finding_count;

        if (marker->reserved != 0)
            iw_judge_values(report_marker(judge, IW_REQ_RFC5044_4_2_02, iw_field_mpa_marker_reserved,
                                "The reserved half of a Marker", marker),
                0, marker->reserved);
        if (pointer != marker->expected)
            iw_judge_values(
                report_marker(judge, marker->expected == 0 ? IW_REQ_RFC5044_4_3_05 : IW_REQ_RFC5044_4_3_03,
                    iw_field_mpa_marker_fpduptr, "FPDUPTR", marker),
                marker->expected, marker->fpduptr);
        else if (marker->fpduptr != pointer)
            iw_judge_values(
                report_marker(judge, IW_REQ_RFC5044_4_2_03, iw_field_mpa_marker_fpduptr, "FPDUPTR", marker),
                pointer, marker->fpduptr);
        if (judge->finding_count > before)
            return;
    }
}

/* The header of an FPDU behind one with a wrong CRC tells whether it begins where it seems to: ULPDU_Length
 * of that one may be what was wrong. */
static bool believable(const struct iw_judge *judge) {
    const struct iw_segment *segment = judge->event.segment;
    uint8_t version = iw_judge_version(judge);

    return segment != NULL && segment->dv == version && segment->rv == version && segment->op != NULL &&
           iw_segment_opcode_fits(segment);
}

static void crc(struct iw_judge *judge, const struct iw_fpdu *fpdu) {
    if (judge->party[fpdu->side].crc_bad && !believable(judge))
        judge->counts.unjudged[IW_UNJUDGED_UNREAD] += fpdu->wire_octets;
    else
        iw_judge_values(iw_judge_report(judge, IW_REQ_RFC5044_4_4_11, iw_field_mpa_crc_crc, "CRC"),
            fpdu->crc_computed, fpdu->crc_received);
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
        iw_judge_texts(finding, "none, for the other side's M is 0", "there");
    else
        iw_judge_texts(finding, "there, for the other side's M is 1", "missing");
    iw_judge_context(finding, judge->party[iw_side_other(fpdu->side)].startup_frame);
}

void iw_rules_fpdu(struct iw_judge *judge) {
    const struct iw_fpdu *fpdu = judge->event.mpa->fpdu;

    if (judge->event.mpa->contrary)
        contrary(judge, fpdu);
    if (fpdu->crc == IW_CRC_BAD) {
        crc(judge, fpdu);
        return; /* any octet of it may be the wrong one */
    }
    length(judge, fpdu);
    pad(judge, fpdu);
    markers(judge, fpdu);
}

/* A message of this side that has begun, and whose last segment has not come. */
static bool open_message(const struct iw_sequence *sequence, uint64_t *frame) {
    if (sequence->tagged.open) {
        *frame = sequence->tagged.first_frame;
        return true;
    }
    for (int qn = 0; qn < IW_QN_COUNT; qn++) {
        if (sequence->queue[qn].known && sequence->queue[qn].open) {
            *frame = sequence->queue[qn].first_frame;
            return true;
        }
    }
    return false;
}

static void unfinished(struct iw_judge *judge, enum iw_requirement_id id, const char *subject) {
    char text[64];

    snprintf(text, sizeof text, "%u octets of it", judge->event.mpa->pending);
    iw_judge_texts(iw_judge_report(judge, id, IW_FIELD_COUNT, subject), "whole", text);
}

/* A side that has sent or received a Terminate may stop where it is (RFC 5040 6.2.1); octets that it has
 * received and that are missing may hold one. Behind a wrong CRC it is not known where FPDUs end. */
void iw_rules_close(struct iw_judge *judge) {
    const struct iw_mpa_event *mpa = judge->event.mpa;
    bool terminated = judge->party[IW_SIDE_A].terminate_sent || judge->party[IW_SIDE_B].terminate_sent;
    uint64_t frame;

    if (mpa->close != IW_MPA_CLOSE_FIN || terminated || judge->party[mpa->side].crc_bad ||
        judge->party[mpa->side].answers_unseen)
        return;
    if (mpa->pending > 0 && judge->mpa.half[mpa->side].phase == IW_HALF_STARTUP) {
        unfinished(judge, IW_REQ_RFC5044_7_1_1_15, "The startup frame before the FIN");
    } else if (mpa->pending > 0) {
        unfinished(judge, IW_REQ_RFC5041_6_2_1_01, "The last FPDU before the FIN");
    } else if (open_message(&judge->party[mpa->side].sequence, &frame)) {
        struct iw_finding *finding = iw_judge_report(
            judge, IW_REQ_RFC5041_6_2_1_01, IW_FIELD_COUNT, "The last message before the FIN");

        iw_judge_texts(finding, "sent to its last segment", "open");
        iw_judge_context(finding, frame);
    }
}
