#include "iw_resync.h"

#include "iw_crc32c.h"
#include "iw_segment.h"

/* The version that DV and RV must have: DV and RV 0 are valid only with Rev 0 (RFC 5044 C); 1 is
 * valid with any Rev (RFC 5040 4.1, RFC 5041 4.1). */
static uint8_t resync_version_of(const struct iw_resync *resync, const struct iw_segment *segment) {
    return resync->revision_0 && segment->dv == 0 && segment->rv == 0 ? 0 : 1;
}

static bool resync_ddp_control_fits(const struct iw_resync *resync, const struct iw_segment *segment) {
    return segment->dv == resync_version_of(resync, segment) && segment->rsvd == 0;
}

static bool resync_rdmap_control_fits(const struct iw_resync *resync, const struct iw_segment *segment) {
    return segment->rv == resync_version_of(resync, segment) && segment->rsv == 0 && segment->op != NULL;
}

/* Rejects values that no peer would send: other versions, reserved bits, an opcode with the wrong T or QN. */
static bool resync_could_be_header(
    const struct iw_resync *resync, const uint8_t *ulpdu, uint32_t captured, uint32_t ulpdu_length) {
    struct iw_segment segment;

    return iw_segment_decode(ulpdu, captured, ulpdu_length, resync->extensions, &segment) &&
           resync_ddp_control_fits(resync, &segment) && resync_rdmap_control_fits(resync, &segment) &&
           iw_segment_opcode_fits(&segment);
}

static bool resync_marker_is_due(const struct iw_resync *resync, uint32_t at) {
    return resync->markers && iw_marker_distance(resync->offset + at - resync->origin) == 0;
}

/* Copies the first octets of a ULPDU, at most an untagged header, and leaves out the Marker among them. */
static uint32_t resync_gather(
    const struct iw_resync *resync, uint32_t at, uint8_t ulpdu[iw_ddp_untagged_octets]) {
    uint32_t count = 0;

    while (at < resync->length && count < iw_ddp_untagged_octets) {
        if (resync_marker_is_due(resync, at))
            at += iw_mpa_marker_octets;
        else
            ulpdu[count++] = resync->octets[at++];
    }
    return count;
}

/* The place of ULPDU_Length in an FPDU that begins at octet `at`. */
static uint32_t resync_length_place(const struct iw_resync *resync, uint32_t at) {
    return at + (resync_marker_is_due(resync, at) ? iw_mpa_marker_octets : 0);
}

/* Returns false if ULPDU_Length of the FPDU that begins at octet `at` is incomplete. */
static bool resync_read_length(
    const struct iw_resync *resync, uint32_t at, struct iw_mpa_fpdu *header, uint32_t *ulpdu_at) {
    uint32_t length_at = resync_length_place(resync, at);

    *ulpdu_at = length_at + iw_mpa_fpdu_octets;
    if (*ulpdu_at > resync->length)
        return false;
    iw_mpa_fpdu_decode(resync->octets + length_at, header);
    return true;
}

/* FOUND: a possible header begins at octet `at`. Sets `*wire` to the size of its FPDU; 0 if it is unknown. */
static enum iw_resync_outcome resync_judge_header(
    const struct iw_resync *resync, uint32_t at, uint32_t *wire) {
    uint64_t position = resync->offset + at - resync->origin;
    uint8_t ulpdu[iw_ddp_untagged_octets];
    struct iw_mpa_fpdu header;
    uint32_t ulpdu_at, gathered;

    *wire = 0;
    if (!resync_read_length(resync, at, &header, &ulpdu_at))
        return IW_RESYNC_MORE;
    *wire = iw_fpdu_plain_octets(header.ulpdu_length);
    if (resync->markers)
        *wire = iw_marker_wire_octets(position, *wire);
    if (header.ulpdu_length < iw_ddp_tagged_octets)
        return IW_RESYNC_NONE;

    gathered = resync_gather(resync, ulpdu_at, ulpdu);
    if (gathered < iw_ddp_untagged_octets && gathered < header.ulpdu_length)
        return IW_RESYNC_MORE;
    if (gathered > header.ulpdu_length)
        gathered = header.ulpdu_length;
    return resync_could_be_header(resync, ulpdu, gathered, header.ulpdu_length) ? IW_RESYNC_FOUND
                                                                                : IW_RESYNC_NONE;
}

static bool resync_crc_is_right(
    const struct iw_resync *resync, uint32_t at, uint32_t wire, struct iw_resync_progress *progress) {
    struct iw_mpa_crc trailer;

    progress->summed += wire;
    iw_mpa_crc_decode(resync->octets + at + wire - iw_mpa_crc_octets, &trailer);
    return iw_crc32c(resync->octets + at, wire - iw_mpa_crc_octets) == trailer.crc;
}

static bool resync_is_marker(const uint8_t *octets, uint32_t fpduptr) {
    struct iw_mpa_marker marker;

    iw_mpa_marker_decode(octets, &marker);
    return marker.reserved == 0 && marker.fpduptr == fpduptr;
}

static bool resync_markers_are_right(const struct iw_resync *resync, uint32_t at, uint32_t wire) {
    uint64_t position = resync->offset + at - resync->origin;
    uint32_t length_at = resync_length_place(resync, at);

    for (uint32_t i = at + iw_marker_distance(position); i < at + wire; i += IW_MARKER_SPACING)
        if (!resync_is_marker(resync->octets + i, i < length_at ? 0 : i - length_at))
            return false;
    return true;
}

/* Whether an FPDU starts at octet `at`; `*wire` is its size then. */
static enum iw_resync_outcome resync_judge_fpdu(
    const struct iw_resync *resync, uint32_t at, uint32_t *wire, struct iw_resync_progress *progress) {
    enum iw_resync_outcome outcome = resync_judge_header(resync, at, wire);
    bool right;

    if (outcome != IW_RESYNC_FOUND)
        return outcome;
    if (*wire > resync->length - at)
        return IW_RESYNC_MORE;
    if (resync->crc != IW_CRC_OFF)
        right = resync_crc_is_right(resync, at, *wire, progress);
    else
        right = !resync->markers || resync_markers_are_right(resync, at, *wire);
    return right ? IW_RESYNC_FOUND : IW_RESYNC_NONE;
}

/* Whether the FPDUs so far are enough if no more octets come. Without CRCs, and without a known origin, a
 * single header is proof only if its FPDU ends where the octets end. */
static bool resync_enough_at_the_end(
    const struct iw_resync *resync, const struct iw_resync_progress *progress) {
    if (progress->chained - progress->tried < resync->span)
        return false;
    if (resync->crc != IW_CRC_OFF || resync->aligned)
        return progress->proofs > 0;
    return progress->proofs > 1 || (progress->proofs > 0 && progress->chained == resync->length);
}

/* Continues the chain of FPDUs that starts at octet `progress->tried`: 0, unless a search has advanced it. */
enum iw_resync_outcome iw_resync_at(
    const struct iw_resync *resync, bool ended, struct iw_resync_progress *progress) {
    while (progress->proofs < resync->proofs || progress->chained - progress->tried < resync->span) {
        uint32_t wire = 0;
        enum iw_resync_outcome outcome = resync_judge_fpdu(resync, progress->chained, &wire, progress);

        if (outcome == IW_RESYNC_MORE && ended)
            return resync_enough_at_the_end(resync, progress) ? IW_RESYNC_FOUND : IW_RESYNC_NONE;
        if (outcome != IW_RESYNC_FOUND)
            return outcome;
        progress->proofs++;
        progress->chained += wire;
    }
    return IW_RESYNC_FOUND;
}

static void resync_try_next(struct iw_resync_progress *progress) {
    progress->tried++;
    progress->chained = progress->tried;
    progress->proofs = 0;
}

static bool resync_too_costly(const struct iw_resync *resync, const struct iw_resync_progress *progress) {
    return progress->summed + resync->spent >
           (uint64_t)IW_RESYNC_SUM_SHARE * progress->tried + IW_RESYNC_SUM_ALLOWANCE;
}

enum iw_resync_outcome iw_resync_find(
    const struct iw_resync *resync, bool ended, struct iw_resync_progress *progress) {
    for (; progress->tried < resync->length; resync_try_next(progress)) {
        enum iw_resync_outcome outcome;

        if (resync->aligned && (resync->offset + progress->tried - resync->origin) % 4 != 0)
            continue;
        outcome = iw_resync_at(resync, ended, progress);
        if (outcome != IW_RESYNC_NONE)
            return outcome;
        if (resync_too_costly(resync, progress))
            return IW_RESYNC_NONE;
    }
    return IW_RESYNC_MORE;
}

/* If the octets are a Marker, sets `*start` to its FPDU: at ULPDU_Length, or at a Marker right before it. */
static bool resync_follow_pointer(const struct iw_resync *resync, uint32_t at, uint32_t *start) {
    struct iw_mpa_marker marker;
    uint32_t length_at;

    iw_mpa_marker_decode(resync->octets + at, &marker);
    if (marker.reserved != 0 || marker.fpduptr % 4 != 0 || marker.fpduptr > at)
        return false;
    length_at = at - marker.fpduptr;
    if (marker.fpduptr == 0)
        *start = at;
    else if (marker.fpduptr % IW_MARKER_SPACING != IW_MARKER_SPACING - iw_mpa_marker_octets)
        *start = length_at;
    else if (length_at >= iw_mpa_marker_octets)
        *start = length_at - iw_mpa_marker_octets;
    else
        return false;
    return marker.fpduptr == 0 || marker.fpduptr % IW_MARKER_SPACING != 0;
}

enum iw_resync_outcome iw_resync_at_marked(const struct iw_resync *resync, bool ended,
    struct iw_resync_progress *progress, uint64_t *origin, uint32_t *wire) {
    struct iw_resync marked = *resync;
    unsigned places = 0;

    marked.markers = true;
    for (uint32_t at = 0; at < IW_MARKER_SPACING && at + iw_mpa_marker_octets <= resync->length;
         at += iw_mpa_marker_octets) {
        struct iw_resync_progress trial = {.summed = progress->summed};
        enum iw_resync_outcome outcome;

        if (!resync_is_marker(resync->octets + at, at))
            continue;
        marked.origin = resync->offset + at;
        outcome = iw_resync_at(&marked, ended, &trial);
        progress->summed = trial.summed;
        if (outcome == IW_RESYNC_MORE)
            return IW_RESYNC_MORE;
        if (resync_too_costly(&marked, &trial))
            return IW_RESYNC_NONE;
        if (outcome != IW_RESYNC_FOUND)
            continue;
        *origin = marked.origin;
        if (places++ == 0)
            resync_judge_header(&marked, 0, wire);
    }
    if (places == 0)
        return IW_RESYNC_NONE;
    return places == 1 ? IW_RESYNC_FOUND : IW_RESYNC_EITHER;
}

/* Whether the Markers of the FPDU that starts at octet `start` have only one possible place. */
static enum iw_resync_outcome resync_judge_marker_place(const struct iw_resync *resync, uint32_t start,
    bool ended, struct iw_resync_progress *progress, uint32_t *wire) {
    struct iw_resync rest = *resync;
    uint64_t origin;

    rest.octets += start;
    rest.length -= start;
    rest.offset += start;
    return iw_resync_at_marked(&rest, ended, progress, &origin, wire);
}

enum iw_resync_outcome iw_resync_find_marked(const struct iw_resync *resync, bool ended,
    struct iw_resync_progress *progress, uint64_t *origin, uint32_t *start) {
    struct iw_resync marked = *resync;
    uint32_t wire = 0;

    marked.markers = true;
    for (; progress->tried + iw_mpa_marker_octets <= resync->length; resync_try_next(progress)) {
        enum iw_resync_outcome outcome;

        if (!resync_follow_pointer(&marked, progress->tried, start))
            continue;
        if (progress->proofs == 0)
            progress->chained = *start;
        marked.origin = resync->offset + progress->tried;
        outcome = iw_resync_at(&marked, ended, progress);
        if (outcome == IW_RESYNC_FOUND) {
            enum iw_resync_outcome place = resync_judge_marker_place(&marked, *start, ended, progress, &wire);

            *origin = marked.origin;
            if (place == IW_RESYNC_EITHER && *start + wire > progress->tried) {
                progress->tried = *start + wire - 1;
                continue;
            }
            return place == IW_RESYNC_MORE ? IW_RESYNC_MORE : IW_RESYNC_FOUND;
        }
        if (outcome == IW_RESYNC_MORE)
            return IW_RESYNC_MORE;
        if (resync_too_costly(&marked, progress))
            return IW_RESYNC_NONE;
    }
    return IW_RESYNC_MORE;
}

enum iw_resync_outcome iw_resync_continues(
    const struct iw_resync *resync, bool ended, struct iw_resync_progress *progress) {
    uint32_t wire;
    enum iw_resync_outcome outcome = resync_judge_header(resync, 0, &wire);

    if (outcome != IW_RESYNC_NONE)
        return ended ? IW_RESYNC_FOUND : outcome;
    if (wire > resync->length)
        return ended ? IW_RESYNC_NONE : IW_RESYNC_MORE;
    return !resync_too_costly(resync, progress) && resync_crc_is_right(resync, 0, wire, progress)
               ? IW_RESYNC_FOUND
               : IW_RESYNC_NONE;
}

enum iw_resync_outcome iw_resync_begins(const struct iw_resync *resync) {
    uint32_t wire;

    return resync_judge_header(resync, 0, &wire);
}

/* Whether T and QN match the opcode, with T as sent or inverted. */
static bool resync_fits_either_way(
    const struct iw_resync *resync, uint8_t ulpdu[iw_ddp_untagged_octets], const struct iw_segment *segment) {
    enum { T = 0x80 };
    struct iw_segment turned;

    if (iw_segment_opcode_fits(segment))
        return true;
    ulpdu[0] ^= T;
    iw_segment_decode(ulpdu, iw_ddp_untagged_octets, iw_ddp_untagged_octets, resync->extensions, &turned);
    return iw_segment_opcode_fits(&turned);
}

/* Number of wrong fields if this is a header: ULPDU_Length, the DDP and the RDMAP control octet, and T or QN
 * if it does not fit the opcode. A wrong DDP control octet includes a wrong T. */
static unsigned resync_wrong_octets(
    const struct iw_resync *resync, uint8_t ulpdu[iw_ddp_untagged_octets], uint32_t ulpdu_length) {
    unsigned wrong = ulpdu_length < iw_ddp_tagged_octets;
    struct iw_segment segment;
    bool fits;

    iw_segment_decode(ulpdu, iw_ddp_untagged_octets, iw_ddp_untagged_octets, resync->extensions, &segment);
    fits = resync_ddp_control_fits(resync, &segment);
    wrong += !fits;
    wrong += !resync_rdmap_control_fits(resync, &segment);
    wrong += fits ? !iw_segment_opcode_fits(&segment) : !resync_fits_either_way(resync, ulpdu, &segment);
    return wrong;
}

enum iw_resync_outcome iw_resync_begins_otherwise(
    const struct iw_resync *resync, struct iw_resync_progress *progress) {
    uint8_t ulpdu[iw_ddp_untagged_octets];
    struct iw_mpa_fpdu header;
    uint32_t ulpdu_at, wire;

    if (!resync_read_length(resync, 0, &header, &ulpdu_at))
        return IW_RESYNC_MORE;
    resync_judge_header(resync, 0, &wire);
    if (resync->crc != IW_CRC_OFF && wire <= resync->length && progress->summed == 0)
        progress->proofs = resync_crc_is_right(resync, 0, wire, progress);
    if (progress->proofs > 0)
        return IW_RESYNC_NONE;
    if (resync_gather(resync, ulpdu_at, ulpdu) < iw_ddp_untagged_octets)
        return IW_RESYNC_MORE;
    return resync_wrong_octets(resync, ulpdu, header.ulpdu_length) < 2 ? IW_RESYNC_NONE : IW_RESYNC_FOUND;
}

/* Whether the incomplete header at octet `at` is possible so far. */
static bool resync_may_begin_header(const struct iw_resync *resync, uint32_t at) {
    uint8_t ulpdu[iw_ddp_untagged_octets] = {0};
    uint32_t gathered = resync_gather(resync, resync_length_place(resync, at) + iw_mpa_fpdu_octets, ulpdu);
    struct iw_segment segment;

    iw_segment_decode(ulpdu, sizeof ulpdu, iw_ddp_untagged_octets, resync->extensions, &segment);
    return (gathered < 1 || resync_ddp_control_fits(resync, &segment)) &&
           (gathered < 2 || resync_rdmap_control_fits(resync, &segment));
}

/* Whether, after exactly one FPDU, the other octets are an incomplete but possible header or FPDU. */
static bool resync_leads_to_header(
    const struct iw_resync *resync, const struct iw_resync_progress *progress) {
    uint32_t at = progress->chained;
    uint32_t wire;
    enum iw_resync_outcome outcome = resync_judge_header(resync, at, &wire);

    if (progress->proofs != 1 || outcome == IW_RESYNC_NONE)
        return false;
    return outcome == IW_RESYNC_FOUND ? wire > resync->length - at : resync_may_begin_header(resync, at);
}

enum iw_resync_outcome iw_resync_find_shifted(
    const struct iw_resync *resync, uint32_t limit, bool ended, struct iw_resync_progress *progress) {
    struct iw_resync shifted = *resync;
    uint32_t wire;

    shifted.aligned = false;
    resync_judge_header(resync, 0, &wire);
    if (progress->tried == 0)
        resync_try_next(progress);
    for (; progress->tried < resync->length && progress->tried <= limit; resync_try_next(progress)) {
        enum iw_resync_outcome outcome;

        shifted.origin = resync->offset + progress->tried;
        outcome = iw_resync_at(&shifted, ended, progress);
        if (outcome == IW_RESYNC_FOUND || (ended && resync_leads_to_header(&shifted, progress)))
            return progress->tried == wire ? IW_RESYNC_NONE : IW_RESYNC_FOUND;
        if (outcome == IW_RESYNC_MORE)
            return IW_RESYNC_MORE;
        if (resync_too_costly(&shifted, progress))
            return IW_RESYNC_NONE;
    }
    return progress->tried > limit || ended ? IW_RESYNC_NONE : IW_RESYNC_MORE;
}

bool iw_resync_begins_cut(const struct iw_resync *resync) {
    enum { CONTROLS = 2, QN_END = 10 }; /* octets from the start of the ULPDU up to the end of the field */
    uint8_t ulpdu[iw_ddp_untagged_octets] = {0};
    struct iw_mpa_fpdu header;
    uint32_t ulpdu_at, gathered;

    if (!resync_read_length(resync, 0, &header, &ulpdu_at))
        return false;
    gathered = resync_gather(resync, ulpdu_at, ulpdu);
    if (gathered < CONTROLS)
        return false;
    for (uint8_t qn = 0; qn < IW_QN_COUNT; qn++) {
        if (gathered < QN_END)
            ulpdu[QN_END - 1] = qn; /* the capture lacks the real QN */
        if (resync_could_be_header(resync, ulpdu, sizeof ulpdu, header.ulpdu_length))
            return true;
    }
    return false;
}

bool iw_resync_could_be(const struct iw_resync *resync, const struct iw_fpdu *fpdu) {
    return resync_could_be_header(
        resync, iw_fpdu_ulpdu(fpdu), iw_fpdu_ulpdu_captured(fpdu), fpdu->ulpdu_length);
}
