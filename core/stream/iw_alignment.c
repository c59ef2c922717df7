#include "iw_alignment.h"

uint64_t iw_alignment_proof_octets(enum iw_crc_use crc) {
    return crc == IW_CRC_OFF ? 2 * IW_ALIGNMENT_FPDU_MAX : IW_ALIGNMENT_FPDU_MAX;
}

bool iw_alignment_counts(uint32_t octets, uint32_t largest) {
    enum { FULL_MIN = 536 }; /* segment size in octets that every host accepts (RFC 9293 3.7.1) */

    return octets < (largest < FULL_MIN ? FULL_MIN : largest);
}

unsigned iw_alignment_segments(enum iw_crc_use crc, bool segmented) {
    return (crc == IW_CRC_OFF ? 3u : 2u) - (segmented ? 1u : 0u);
}

bool iw_alignment_by_markers(const struct iw_fpdu *fpdu) {
    for (uint32_t i = 0; i < fpdu->marker_count; i++)
        if (fpdu->markers[i].reserved != 0 || fpdu->markers[i].fpduptr != fpdu->markers[i].expected)
            return false;
    return fpdu->marker_count > 0;
}

/* Returns the position in the store after the FPDU at octet `at`; 0 if it is invalid or incomplete. */
static uint32_t alignment_fpdu_end(
    const struct iw_resync *resync, const struct iw_store *store, uint32_t at) {
    struct iw_resync one = *resync;
    struct iw_resync_progress progress = {0};

    one.proofs = 1;
    one.span = 0;
    one.octets = store->octets + at;
    one.length = store->length - at;
    one.offset = store->offset + at;
    return iw_resync_at(&one, false, &progress) == IW_RESYNC_FOUND ? at + progress.chained : 0;
}

/* Follows FPDUs from octet `at` until one ends at or beyond `end`. Returns its end; 0 if one is not valid. */
static uint32_t alignment_follow(
    const struct iw_resync *resync, const struct iw_store *store, uint32_t at, uint32_t end) {
    do
        at = alignment_fpdu_end(resync, store, at);
    while (at != 0 && at < end);
    return at;
}

static bool alignment_by_segments(const struct iw_resync *resync, const struct iw_store *store, uint32_t at,
    const struct iw_alignment_view *view) {
    enum { SEGMENTS_MAX = 8 };
    unsigned counted = 0;

    for (unsigned i = 0; i < SEGMENTS_MAX && at < store->length; i++) {
        const struct iw_span *piece = iw_store_piece(store, at);
        uint32_t end = piece->at + piece->octets;

        if (piece->at != at || store->offset + at < view->whole_from ||
            alignment_follow(resync, store, at, end) != end)
            return false;
        at = end;
        counted += iw_alignment_counts(piece->octets, view->largest);
        if (counted >= iw_alignment_segments(resync->crc, view->segmented))
            return true;
    }
    return false;
}

/* Whether the FPDUs, with CRCs, form a chain that ends exactly at the FIN. A chain inside the payload of
 * another FPDU cannot end there: the CRC of that FPDU would follow. */
static bool alignment_leads_to_fin(const struct iw_resync *resync, const struct iw_store *store, uint32_t at,
    const struct iw_alignment_view *view) {
    return view->fin && resync->crc != IW_CRC_OFF &&
           alignment_follow(resync, store, at, store->length) == store->length;
}

bool iw_alignment_proven(const struct iw_resync *resync, const struct iw_store *store, uint32_t at,
    const struct iw_alignment_view *view) {
    return alignment_by_segments(resync, store, at, view) || alignment_leads_to_fin(resync, store, at, view);
}
