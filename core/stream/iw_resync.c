#include "iw_resync.h"

#include "iw_crc32c.h"
#include "iw_segment.h"

/* Headers that could be one but whose CRC is wrong cost a sum over the FPDU they claim. Hostile octets could
 * be full of them, so the sums together may be as long as a few FPDUs and this many times the octets tried.
 */
enum { SUM_BUDGET = 16, SUM_ALLOWANCE = 4 * 65536 };

enum verdict { RIGHT, WRONG, SHORT };

struct search {
    const struct iw_resync *resync;
    const uint8_t *octets;
    uint32_t length;
    uint64_t offset;
    struct iw_resync_progress *progress;
};

/* Values no peer has a reason to send: other versions, reserved bits, an opcode with the wrong T or QN. */
static bool could_be_header(
    const uint8_t *ulpdu, uint32_t captured, uint32_t ulpdu_length, unsigned extensions) {
    struct iw_segment segment;

    if (!iw_segment_decode(ulpdu, captured, ulpdu_length, extensions, &segment))
        return false;
    if (segment.dv != 1 || segment.rsvd != 0 || segment.rv != 1 || segment.rsv != 0 || segment.op == NULL)
        return false;
    if (segment.op->tagged != segment.tagged)
        return false;
    return segment.tagged || segment.qn == segment.op->qn;
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

/* Whether an FPDU starts at octet `at`; `*wire` is its size then. */
static enum verdict judge(struct search *search, uint32_t at, uint32_t *wire) {
    const struct iw_resync *resync = search->resync;
    uint64_t position = search->offset + at - resync->origin;
    uint32_t length_at = at;
    uint8_t ulpdu[iw_ddp_untagged_octets];
    struct iw_mpa_fpdu header;
    struct iw_mpa_crc trailer;
    uint32_t gathered;

    if (resync->markers && iw_marker_distance(position) == 0)
        length_at += iw_mpa_marker_octets;
    if (length_at + iw_mpa_fpdu_octets > search->length)
        return SHORT;
    iw_mpa_fpdu_decode(search->octets + length_at, &header);
    if (header.ulpdu_length < iw_ddp_tagged_octets)
        return WRONG;

    gathered = gather(search, length_at + iw_mpa_fpdu_octets, ulpdu);
    if (gathered < iw_ddp_untagged_octets && gathered < header.ulpdu_length)
        return SHORT;
    if (gathered > header.ulpdu_length)
        gathered = header.ulpdu_length;
    if (!could_be_header(ulpdu, gathered, header.ulpdu_length, resync->extensions))
        return WRONG;

    *wire = iw_fpdu_plain_octets(header.ulpdu_length);
    if (resync->markers)
        *wire = iw_marker_wire_octets(position, *wire);
    if (*wire > search->length - at)
        return SHORT;
    if (resync->crc == IW_CRC_OFF)
        return RIGHT;
    search->progress->summed += *wire;
    iw_mpa_crc_decode(search->octets + at + *wire - iw_mpa_crc_octets, &trailer);
    return iw_crc32c(search->octets + at, *wire - iw_mpa_crc_octets) == trailer.crc ? RIGHT : WRONG;
}

/* Goes on with the FPDUs that follow each other from `tried` on. */
static enum verdict judge_chain(struct search *search, bool ended) {
    struct iw_resync_progress *progress = search->progress;

    while (progress->proofs < search->resync->proofs) {
        uint32_t wire = 0;
        enum verdict verdict = judge(search, progress->chained, &wire);

        if (verdict == SHORT && ended)
            return progress->proofs > 0 ? RIGHT : WRONG;
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
        if (progress->summed > (uint64_t)SUM_BUDGET * progress->tried + SUM_ALLOWANCE)
            return IW_RESYNC_NONE;
    }
    return IW_RESYNC_MORE;
}
