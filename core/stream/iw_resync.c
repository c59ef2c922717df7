#include "iw_resync.h"

#include "iw_crc32c.h"
#include "iw_segment.h"

enum verdict { RIGHT, WRONG, SHORT };

struct search {
    const struct iw_resync *resync;
    const uint8_t *octets;
    uint32_t length;
    uint64_t offset;
    struct iw_resync_progress *progress;
};

/* Whether the DDP and RDMAP versions are possible: DV and RV 0 are valid only with Rev 0 (RFC 5044 C); 1 is
 * valid with any Rev (RFC 5040 4.1, RFC 5041 4.1). */
static uint8_t version_of(const struct iw_resync *resync, const struct iw_segment *segment) {
    return resync->revision_0 && segment->dv == 0 && segment->rv == 0 ? 0 : 1;
}

/* Values no peer has a reason to send: other versions, reserved bits, an opcode with the wrong T or QN. */
static bool could_be_header(
    const struct iw_resync *resync, const uint8_t *ulpdu, uint32_t captured, uint32_t ulpdu_length) {
    struct iw_segment segment;
    uint8_t version;

    if (!iw_segment_decode(ulpdu, captured, ulpdu_length, resync->extensions, &segment))
        return false;
    version = version_of(resync, &segment);
    return segment.dv == version && segment.rsvd == 0 && segment.rv == version && segment.rsv == 0 &&
           segment.op != NULL && iw_segment_opcode_fits(&segment);
}

/* The first octets of a ULPDU with the markers taken out: at most an untagged header, so at most one marker.
 */
static uint32_t gather(const struct search *search, uint32_t at, uint8_t ulpdu[iw_ddp_untagged_octets]) {
    uint32_t count = 0;

    while (at < search->length && count < iw_ddp_untagged_octets) {
        if (search->resync->markers && iw_marker_distance(search->offset + at - search->resync->origin) == 0)
            at += iw_mpa_marker_octets;
        else
            ulpdu[count++] = search->octets[at++];
    }
    return count;
}

/* Where ULPDU_Length stands in an FPDU that begins at octet `at`. */
static uint32_t length_place(const struct search *search, uint32_t at) {
    const struct iw_resync *resync = search->resync;
    bool marked = resync->markers && iw_marker_distance(search->offset + at - resync->origin) == 0;

    return at + (marked ? iw_mpa_marker_octets : 0);
}

/* Whether a header stands at octet `at`. `*wire` is the size of the FPDU that it begins, right or wrong; 0 if
 * ULPDU_Length is not there. */
static enum verdict judge_header(const struct search *search, uint32_t at, uint32_t *wire) {
    const struct iw_resync *resync = search->resync;
    uint64_t position = search->offset + at - resync->origin;
    uint32_t length_at = length_place(search, at);
    uint8_t ulpdu[iw_ddp_untagged_octets];
    struct iw_mpa_fpdu header;
    uint32_t gathered;

    *wire = 0;
    if (length_at + iw_mpa_fpdu_octets > search->length)
        return SHORT;
    iw_mpa_fpdu_decode(search->octets + length_at, &header);
    *wire = iw_fpdu_plain_octets(header.ulpdu_length);
    if (resync->markers)
        *wire = iw_marker_wire_octets(position, *wire);
    if (header.ulpdu_length < iw_ddp_tagged_octets)
        return WRONG;

    gathered = gather(search, length_at + iw_mpa_fpdu_octets, ulpdu);
    if (gathered < iw_ddp_untagged_octets && gathered < header.ulpdu_length)
        return SHORT;
    if (gathered > header.ulpdu_length)
        gathered = header.ulpdu_length;
    return could_be_header(resync, ulpdu, gathered, header.ulpdu_length) ? RIGHT : WRONG;
}

static bool crc_is_right(struct search *search, uint32_t at, uint32_t wire) {
    struct iw_mpa_crc trailer;

    search->progress->summed += wire;
    iw_mpa_crc_decode(search->octets + at + wire - iw_mpa_crc_octets, &trailer);
    return iw_crc32c(search->octets + at, wire - iw_mpa_crc_octets) == trailer.crc;
}

/* Every Marker of the FPDU points to its start. */
static bool markers_are_right(const struct search *search, uint32_t at, uint32_t wire) {
    uint64_t position = search->offset + at - search->resync->origin;
    uint32_t length_at = length_place(search, at);

    for (uint32_t i = at + iw_marker_distance(position); i < at + wire; i += IW_MARKER_SPACING) {
        struct iw_mpa_marker marker;

        iw_mpa_marker_decode(search->octets + i, &marker);
        if (marker.reserved != 0 || marker.fpduptr != (i < length_at ? 0 : i - length_at))
            return false;
    }
    return true;
}

/* Whether an FPDU starts at octet `at`; `*wire` is its size then. */
static enum verdict judge(struct search *search, uint32_t at, uint32_t *wire) {
    const struct iw_resync *resync = search->resync;
    enum verdict verdict = judge_header(search, at, wire);
    bool right;

    if (verdict != RIGHT)
        return verdict;
    if (*wire > search->length - at)
        return SHORT;
    if (resync->crc != IW_CRC_OFF)
        right = crc_is_right(search, at, *wire);
    else
        right = !resync->markers || markers_are_right(search, at, *wire);
    return right ? RIGHT : WRONG;
}

/* What stands at the end may be the beginning of one more. Where neither CRC nor origin is known, one header
 * alone is proof only if its FPDU ends where the octets do. */
static bool enough_at_the_end(const struct search *search) {
    const struct iw_resync_progress *progress = search->progress;

    if (progress->chained - progress->tried < search->resync->span)
        return false;
    if (search->resync->crc != IW_CRC_OFF || search->resync->aligned)
        return progress->proofs > 0;
    return progress->proofs > 1 || (progress->proofs > 0 && progress->chained == search->length);
}

/* Goes on with the FPDUs that follow each other from `tried` on. */
static enum verdict judge_chain(struct search *search, bool ended) {
    struct iw_resync_progress *progress = search->progress;

    while (progress->proofs < search->resync->proofs ||
           progress->chained - progress->tried < search->resync->span) {
        uint32_t wire = 0;
        enum verdict verdict = judge(search, progress->chained, &wire);

        if (verdict == SHORT && ended)
            return enough_at_the_end(search) ? RIGHT : WRONG;
        if (verdict != RIGHT)
            return verdict;
        progress->proofs++;
        progress->chained += wire;
    }
    return RIGHT;
}

static void try_next(struct iw_resync_progress *progress) {
    progress->tried++;
    progress->chained = progress->tried;
    progress->proofs = 0;
}

static bool too_costly(const struct search *search) {
    return search->progress->summed + search->resync->spent >
           (uint64_t)IW_RESYNC_SUM_SHARE * search->progress->tried + IW_RESYNC_SUM_ALLOWANCE;
}

enum iw_resync_outcome iw_resync_find(const struct iw_resync *resync, const uint8_t *octets, uint32_t length,
    uint64_t offset, bool ended, struct iw_resync_progress *progress) {
    struct search search = {
        .resync = resync, .octets = octets, .length = length, .offset = offset, .progress = progress};

    for (; progress->tried < length; try_next(progress)) {
        enum verdict verdict;

        if (resync->aligned && (offset + progress->tried - resync->origin) % 4 != 0)
            continue;
        verdict = judge_chain(&search, ended);
        if (verdict != WRONG)
            return verdict == RIGHT ? IW_RESYNC_FOUND : IW_RESYNC_MORE;
        if (too_costly(&search))
            return IW_RESYNC_NONE;
    }
    return IW_RESYNC_MORE;
}

enum iw_resync_outcome iw_resync_at(const struct iw_resync *resync, const uint8_t *octets, uint32_t length,
    uint64_t offset, bool ended, struct iw_resync_progress *progress) {
    struct search search = {
        .resync = resync, .octets = octets, .length = length, .offset = offset, .progress = progress};
    enum verdict verdict = judge_chain(&search, ended);

    if (verdict == SHORT)
        return IW_RESYNC_MORE;
    return verdict == RIGHT ? IW_RESYNC_FOUND : IW_RESYNC_NONE;
}

/* A Marker so many octets behind ULPDU_Length, or in front of it. */
static bool is_marker(const uint8_t *octets, uint32_t fpduptr) {
    struct iw_mpa_marker marker;

    iw_mpa_marker_decode(octets, &marker);
    return marker.reserved == 0 && marker.fpduptr == fpduptr;
}

/* Where the FPDU starts that the octets at `at` point to, if they are a Marker: at the Marker right before
 * its ULPDU_Length, if there is one. */
static bool follow_pointer(const struct search *search, uint32_t at, uint32_t *start) {
    struct iw_mpa_marker marker;
    uint32_t length_at;

    iw_mpa_marker_decode(search->octets + at, &marker);
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

enum iw_resync_outcome iw_resync_at_marked(const struct iw_resync *resync, const uint8_t *octets,
    uint32_t length, uint64_t offset, bool ended, struct iw_resync_progress *progress, uint64_t *origin,
    uint32_t *wire) {
    struct iw_resync marked = *resync;
    unsigned places = 0;

    marked.markers = true;
    for (uint32_t at = 0; at < IW_MARKER_SPACING && at + iw_mpa_marker_octets <= length;
         at += iw_mpa_marker_octets) {
        struct iw_resync_progress trial = {.summed = progress->summed};
        struct search search = {
            .resync = &marked, .octets = octets, .length = length, .offset = offset, .progress = &trial};
        enum verdict verdict;

        if (!is_marker(octets + at, at))
            continue;
        marked.origin = offset + at;
        verdict = judge_chain(&search, ended);
        progress->summed = trial.summed;
        if (verdict == SHORT)
            return IW_RESYNC_MORE;
        if (too_costly(&search))
            return IW_RESYNC_NONE;
        if (verdict != RIGHT)
            continue;
        *origin = marked.origin;
        if (places++ == 0)
            judge_header(&search, 0, wire);
    }
    if (places == 0)
        return IW_RESYNC_NONE;
    return places == 1 ? IW_RESYNC_FOUND : IW_RESYNC_EITHER;
}

/* Which Markers the FPDU holds that starts at octet `start`, when some were found. */
static enum iw_resync_outcome weigh(struct search *search, uint32_t start, bool ended, uint32_t *wire) {
    uint64_t origin;

    return iw_resync_at_marked(search->resync, search->octets + start, search->length - start,
        search->offset + start, ended, search->progress, &origin, wire);
}

enum iw_resync_outcome iw_resync_find_marked(const struct iw_resync *resync, const uint8_t *octets,
    uint32_t length, uint64_t offset, bool ended, struct iw_resync_progress *progress, uint64_t *origin,
    uint32_t *start) {
    struct iw_resync marked = *resync;
    struct search search = {
        .resync = &marked, .octets = octets, .length = length, .offset = offset, .progress = progress};
    uint32_t wire = 0;

    marked.markers = true;
    for (; progress->tried + iw_mpa_marker_octets <= length; try_next(progress)) {
        enum verdict verdict;

        if (!follow_pointer(&search, progress->tried, start))
            continue;
        if (progress->proofs == 0)
            progress->chained = *start;
        marked.origin = offset + progress->tried;
        verdict = judge_chain(&search, ended);
        if (verdict == RIGHT) {
            enum iw_resync_outcome outcome = weigh(&search, *start, ended, &wire);

            *origin = marked.origin;
            if (outcome == IW_RESYNC_MORE)
                return IW_RESYNC_MORE;
            if (outcome == IW_RESYNC_EITHER && *start + wire > progress->tried) {
                progress->tried = *start + wire - 1;
                continue;
            }
        }
        if (verdict != WRONG)
            return verdict == RIGHT ? IW_RESYNC_FOUND : IW_RESYNC_MORE;
        if (too_costly(&search))
            return IW_RESYNC_NONE;
    }
    return IW_RESYNC_MORE;
}

enum iw_resync_outcome iw_resync_goes_on(const struct iw_resync *resync, const uint8_t *octets,
    uint32_t length, uint64_t offset, bool ended, struct iw_resync_progress *progress) {
    struct search search = {
        .resync = resync, .octets = octets, .length = length, .offset = offset, .progress = progress};
    uint32_t wire;
    enum verdict verdict = judge_header(&search, 0, &wire);

    if (verdict == RIGHT || (verdict == SHORT && ended))
        return IW_RESYNC_FOUND;
    if (verdict == SHORT)
        return IW_RESYNC_MORE;
    if (wire > length)
        return ended ? IW_RESYNC_NONE : IW_RESYNC_MORE;
    return !too_costly(&search) && crc_is_right(&search, 0, wire) ? IW_RESYNC_FOUND : IW_RESYNC_NONE;
}

enum iw_resync_outcome iw_resync_begins(
    const struct iw_resync *resync, const uint8_t *octets, uint32_t length, uint64_t offset) {
    const struct search search = {.resync = resync, .octets = octets, .length = length, .offset = offset};
    uint32_t wire;
    enum verdict verdict = judge_header(&search, 0, &wire);

    if (verdict == SHORT)
        return IW_RESYNC_MORE;
    return verdict == RIGHT ? IW_RESYNC_FOUND : IW_RESYNC_NONE;
}

/* T and QN are what the opcode asks for; where the octet of T is wrong, with either T. */
static bool fits_either_way(
    const struct iw_resync *resync, uint8_t ulpdu[iw_ddp_untagged_octets], const struct iw_segment *segment) {
    enum { T = 0x80 };
    struct iw_segment turned;

    if (iw_segment_opcode_fits(segment))
        return true;
    ulpdu[0] ^= T;
    iw_segment_decode(ulpdu, iw_ddp_untagged_octets, iw_ddp_untagged_octets, resync->extensions, &turned);
    return iw_segment_opcode_fits(&turned);
}

/* How many octets at least would have to be others to make these a header: of ULPDU_Length, the two control
 * octets, and T or QN. */
static unsigned wrong_octets(
    const struct iw_resync *resync, uint8_t ulpdu[iw_ddp_untagged_octets], uint32_t ulpdu_length) {
    unsigned wrong = ulpdu_length < iw_ddp_tagged_octets;
    struct iw_segment segment;
    uint8_t version;
    bool first;

    iw_segment_decode(ulpdu, iw_ddp_untagged_octets, iw_ddp_untagged_octets, resync->extensions, &segment);
    version = version_of(resync, &segment);
    first = segment.dv != version || segment.rsvd != 0;
    if (first)
        wrong++;
    if (segment.rv != version || segment.rsv != 0 || segment.op == NULL)
        wrong++;
    if (first ? !fits_either_way(resync, ulpdu, &segment) : !iw_segment_opcode_fits(&segment))
        wrong++;
    return wrong;
}

enum iw_resync_outcome iw_resync_begins_otherwise(const struct iw_resync *resync, const uint8_t *octets,
    uint32_t length, uint64_t offset, struct iw_resync_progress *progress) {
    struct search search = {
        .resync = resync, .octets = octets, .length = length, .offset = offset, .progress = progress};
    uint32_t length_at = length_place(&search, 0);
    uint8_t ulpdu[iw_ddp_untagged_octets];
    struct iw_mpa_fpdu header;
    uint32_t wire;

    if (length_at + iw_mpa_fpdu_octets > length)
        return IW_RESYNC_MORE;
    iw_mpa_fpdu_decode(octets + length_at, &header);
    judge_header(&search, 0, &wire);
    if (resync->crc != IW_CRC_OFF && wire <= length && progress->summed == 0)
        progress->proofs = crc_is_right(&search, 0, wire);
    if (progress->proofs > 0)
        return IW_RESYNC_NONE;
    if (gather(&search, length_at + iw_mpa_fpdu_octets, ulpdu) < iw_ddp_untagged_octets)
        return IW_RESYNC_MORE;
    return wrong_octets(resync, ulpdu, header.ulpdu_length) < 2 ? IW_RESYNC_NONE : IW_RESYNC_FOUND;
}

/* As many octets of a header as there are do not contradict one. */
static bool may_begin_header(const struct search *search, uint32_t at) {
    uint8_t ulpdu[iw_ddp_untagged_octets] = {0};
    uint32_t gathered = gather(search, length_place(search, at) + iw_mpa_fpdu_octets, ulpdu);
    struct iw_segment segment;
    uint8_t version;

    iw_segment_decode(ulpdu, sizeof ulpdu, iw_ddp_untagged_octets, search->resync->extensions, &segment);
    version = version_of(search->resync, &segment);
    return (gathered < 1 || (segment.dv == version && segment.rsvd == 0)) &&
           (gathered < 2 || (segment.rv == version && segment.rsv == 0 && segment.op != NULL));
}

/* After one FPDU the octets end within a possible header or FPDU. */
static bool leads_to_header(const struct search *search) {
    uint32_t at = search->progress->chained;
    uint32_t wire;

    if (search->progress->proofs != 1)
        return false;
    switch (judge_header(search, at, &wire)) {
    case RIGHT:
        return wire > search->length - at;
    case SHORT:
        return may_begin_header(search, at);
    case WRONG:
        break;
    }
    return false;
}

enum iw_resync_outcome iw_resync_find_shifted(const struct iw_resync *resync, const uint8_t *octets,
    uint32_t length, uint64_t offset, uint32_t limit, bool ended, struct iw_resync_progress *progress) {
    struct iw_resync shifted = *resync;
    struct search search = {
        .resync = &shifted, .octets = octets, .length = length, .offset = offset, .progress = progress};
    struct search unshifted = {.resync = resync, .octets = octets, .length = length, .offset = offset};
    uint32_t wire;

    shifted.aligned = false;
    judge_header(&unshifted, 0, &wire);
    if (progress->tried == 0)
        try_next(progress);
    for (; progress->tried < length && progress->tried <= limit; try_next(progress)) {
        enum verdict verdict;

        shifted.origin = offset + progress->tried;
        verdict = judge_chain(&search, ended);
        if (verdict == RIGHT || (ended && leads_to_header(&search)))
            return progress->tried == wire ? IW_RESYNC_NONE : IW_RESYNC_FOUND;
        if (verdict == SHORT)
            return IW_RESYNC_MORE;
        if (too_costly(&search))
            return IW_RESYNC_NONE;
    }
    return progress->tried > limit || ended ? IW_RESYNC_NONE : IW_RESYNC_MORE;
}

bool iw_resync_begins_cut(
    const struct iw_resync *resync, const uint8_t *octets, uint32_t length, uint64_t offset) {
    enum { CONTROLS = 2, QN_END = 10 }; /* octets of a ULPDU */
    const struct search search = {.resync = resync, .octets = octets, .length = length, .offset = offset};
    uint32_t length_at = length_place(&search, 0);
    uint8_t ulpdu[iw_ddp_untagged_octets] = {0};
    struct iw_mpa_fpdu header;
    uint32_t gathered;

    if (length_at + iw_mpa_fpdu_octets > length)
        return false;
    iw_mpa_fpdu_decode(octets + length_at, &header);
    gathered = gather(&search, length_at + iw_mpa_fpdu_octets, ulpdu);
    if (gathered < CONTROLS)
        return false;
    for (uint8_t qn = 0; qn < IW_QN_COUNT; qn++) {
        if (gathered < QN_END)
            ulpdu[QN_END - 1] = qn; /* which it has, the capture has cut */
        if (could_be_header(resync, ulpdu, sizeof ulpdu, header.ulpdu_length))
            return true;
    }
    return false;
}

bool iw_resync_could_be(const struct iw_resync *resync, const struct iw_fpdu *fpdu) {
    return could_be_header(resync, iw_fpdu_ulpdu(fpdu), iw_fpdu_ulpdu_captured(fpdu), fpdu->ulpdu_length);
}
