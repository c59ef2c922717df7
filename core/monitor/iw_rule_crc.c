#include "iw_judge.h"

#include <stdlib.h>
#include <string.h>

#include "iw_crc32c.h"

/* Rules about the CRC (RFC 5044 4.4). Where it is wrong, what the sender did instead is looked for: a CRC
 * that is right for something else is no chance. */

/* The octets of an FPDU in the stream, Markers included, as far as they are there. */
struct wire {
    uint8_t *octets;
    uint32_t length;
    uint32_t whole; /* how many ULPDU_Length and Markers in their places would make it */
};

static void put_marker(uint8_t *octets, const struct iw_marker *marker) {
    octets[0] = (uint8_t)(marker->reserved >> 8);
    octets[1] = (uint8_t)marker->reserved;
    octets[2] = (uint8_t)(marker->fpduptr >> 8);
    octets[3] = (uint8_t)marker->fpduptr;
}

/* Puts the Markers back between the octets of the image; false if there is no memory. The caller frees. */
static bool wire_of(const struct iw_fpdu *fpdu, struct wire *wire) {
    uint32_t taken = 0;
    uint32_t at = 0;

    wire->length = fpdu->image_captured + fpdu->marker_count * (uint32_t)iw_mpa_marker_octets;
    wire->whole = fpdu->image_octets + wire->length - fpdu->image_captured;
    wire->octets = malloc(wire->length);
    if (wire->octets == NULL)
        return false;
    for (uint32_t i = 0; i < fpdu->marker_count; i++) {
        uint32_t place = (uint32_t)(fpdu->markers[i].offset - fpdu->offset);

        memcpy(wire->octets + at, fpdu->image + taken, place - at);
        taken += place - at;
        put_marker(wire->octets + place, &fpdu->markers[i]);
        at = place + (uint32_t)iw_mpa_marker_octets;
    }
    memcpy(wire->octets + at, fpdu->image + taken, wire->length - at);
    return true;
}

/* The four octets that end at `end` are the CRC of those before. */
static bool ends_right(const struct wire *wire, uint32_t end) {
    struct iw_mpa_crc trailer;

    if (end > wire->length || end < iw_mpa_fpdu_octets + iw_mpa_crc_octets)
        return false;
    iw_mpa_crc_decode(wire->octets + end - iw_mpa_crc_octets, &trailer);
    return iw_crc32c(wire->octets, end - iw_mpa_crc_octets) == trailer.crc;
}

/* Without one of the Markers that are due the FPDU is four octets shorter, and its CRC is right; or so much
 * shorter without all inside it, of which the last may be due behind its true end. The first that is none is
 * the one that is missing. */
static const struct iw_marker *missing_marker(const struct iw_fpdu *fpdu, const struct wire *wire) {
    const struct iw_marker *first = NULL;
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < fpdu->marker_count; i++) {
        if (fpdu->markers[i].reserved == 0 && fpdu->markers[i].fpduptr == fpdu->markers[i].expected)
            continue;
        if (wrong++ == 0)
            first = &fpdu->markers[i];
    }
    if (wrong > 0 && (ends_right(wire, wire->whole - (uint32_t)iw_mpa_marker_octets) ||
                         ends_right(wire, wire->whole - wrong * (uint32_t)iw_mpa_marker_octets) ||
                         ends_right(wire, wire->whole - (wrong - 1) * (uint32_t)iw_mpa_marker_octets)))
        return first;
    return NULL;
}

/* What the sender has left out of the sum that gives the CRC received, or NULL. */
static const char *left_out(const struct iw_fpdu *fpdu, const struct wire *wire) {
    uint32_t end = wire->whole - (uint32_t)iw_mpa_crc_octets;
    bool leading = fpdu->marker_count > 0 && fpdu->markers[0].offset == fpdu->offset;
    uint32_t length_end = (leading ? (uint32_t)iw_mpa_marker_octets : 0) + (uint32_t)iw_mpa_fpdu_octets;
    uint32_t crc = fpdu->crc_received;

    if (leading && fpdu->image_captured == 0 && fpdu->wire_octets == iw_mpa_marker_octets)
        return "CRC, computed without the first Marker,"; /* after it, a separate FPDU was found */
    if (wire->length < wire->whole)
        return NULL;
    if (fpdu->marker_count > 0 && iw_crc32c(fpdu->image, fpdu->image_octets - iw_mpa_crc_octets) == crc)
        return "CRC, computed without the Markers,";
    if (leading && iw_crc32c(wire->octets + iw_mpa_marker_octets, end - iw_mpa_marker_octets) == crc)
        return "CRC, computed without the first Marker,";
    if (iw_crc32c(wire->octets + length_end, end - length_end) == crc)
        return "CRC, computed without ULPDU_Length,";
    if (fpdu->pad_octets > 0 && iw_crc32c(wire->octets, end - fpdu->pad_octets) == crc)
        return "CRC, computed without the PAD,";
    return NULL;
}

IW_COLD static void report_missing(
    struct iw_judge *judge, const struct iw_fpdu *fpdu, const struct iw_marker *marker) {
    size_t first = judge->finding_count;
    struct iw_finding *finding =
        iw_judge_report(judge, IW_REQ_RFC5044_4_3_02, IW_FIELD_COUNT, "A Marker inside the FPDU");

    finding->offset = marker->offset;
    finding->octets = 0;
    iw_judge_texts(finding, "present, 512 octets after the previous one", "missing");
    iw_rules_marker_follow(judge, first);
    iw_judge_context(finding, judge->party[iw_side_other(fpdu->side)].startup_frame);
}

/* Of a stream whose first Marker is missing: octets in an FPDU that was read without Markers are one, which
 * tells where it stands (RFC 5044 4.3). */
static bool holds_marker(const struct iw_fpdu *fpdu) {
    for (uint32_t at = iw_mpa_marker_octets; at + iw_mpa_marker_octets <= fpdu->image_captured;
         at += iw_mpa_marker_octets) {
        struct iw_mpa_marker marker;

        iw_mpa_marker_decode(fpdu->image + at, &marker);
        if (fpdu->marker_count == 0 && marker.reserved == 0 && marker.fpduptr == at)
            return true;
    }
    return false;
}

/* A side of which no CRC has been right yet does one thing wrong: it sums otherwise, or not at all, or the
 * PD_Length of its startup frame leads elsewhere. */
IW_COLD static void report_wrong(struct iw_judge *judge, const struct iw_fpdu *fpdu, const char *left_out) {
    struct iw_party *party = &judge->party[fpdu->side];
    struct iw_finding *finding =
        iw_judge_report(judge, left_out != NULL ? IW_REQ_RFC5044_4_4_12 : IW_REQ_RFC5044_4_4_11,
            iw_field_mpa_crc_crc, left_out != NULL ? left_out : "CRC");
    const struct iw_told *marker;
    bool unmarked = party->unmarked_told.number != 0;

    iw_judge_values(finding, fpdu->crc_computed, fpdu->crc_received);
    marker = unmarked ? &party->unmarked_told : &party->marker_told;
    if (marker->number != 0 && (unmarked ? holds_marker(fpdu) : fpdu->marker_count > 0)) {
        iw_judge_because_of(finding, marker);
        return;
    }
    if (party->fpdus == 1)
        party->crc_told =
            party->lost || party->pd_length_told.number == 0 ? iw_judge_told(finding) : party->pd_length_told;
    else if (!party->crc_bad)
        party->crc_told = (struct iw_told){0};
    if (party->crc_told.number != finding->number)
        iw_judge_because_of(finding, &party->crc_told);
}

/* Reports the requirement that explains the wrong CRC. Without memory to find out which, none is reported. */
IW_COLD static void why(struct iw_judge *judge, const struct iw_fpdu *fpdu) {
    struct wire wire;
    const struct iw_marker *marker;

    if (!wire_of(fpdu, &wire)) {
        judge->findings_lost = true;
        judge->counts.unjudged[IW_UNJUDGED_GIVEN_UP] += fpdu->wire_octets;
        return;
    }
    marker = missing_marker(fpdu, &wire);
    if (marker != NULL)
        report_missing(judge, fpdu, marker);
    else
        report_wrong(judge, fpdu, left_out(fpdu, &wire));
    free(wire.octets);
}

/* The header of an FPDU behind one with a wrong CRC tells whether it begins where it seems to: ULPDU_Length
 * of that one may be what was wrong. */
static bool believable(const struct iw_judge *judge) {
    const struct iw_segment *segment = judge->event.segment;
    uint8_t version = iw_judge_version(judge);

    return segment != NULL && segment->dv == version && segment->rv == version && segment->op != NULL &&
           iw_segment_opcode_fits(segment);
}

void iw_rules_crc(struct iw_judge *judge) {
    const struct iw_fpdu *fpdu = judge->event.mpa->fpdu;

    if (fpdu->crc != IW_CRC_BAD)
        return;
    if (judge->party[fpdu->side].crc_bad && !believable(judge))
        judge->counts.unjudged[IW_UNJUDGED_UNREAD] += fpdu->wire_octets;
    else
        why(judge, fpdu);
}
