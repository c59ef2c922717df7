#include "iw_half_part.h"

#include <string.h>

#include "iw_alignment.h"
#include "iw_opcode.h"
#include "iw_placement.h"

struct iw_resync iw_half_resync(const struct iw_half *half) {
    /* In C, even NULL + 0 is undefined. */
    const uint8_t *octets = half->store.octets == NULL ? NULL : half->store.octets + half->at;

    return iw_half_resync_in(half, octets, half->store.length - half->at, iw_half_next_offset(half));
}

struct iw_resync iw_half_resync_in(
    const struct iw_half *half, const uint8_t *octets, uint32_t length, uint64_t offset) {
    return (struct iw_resync){.octets = octets,
        .length = length,
        .offset = offset,
        .markers = half->framing.markers,
        .revision_0 = half->terms.revision_0,
        .crc = half->terms.crc,
        .aligned = half->framing.origin_known != IW_ORIGIN_UNKNOWN,
        .origin = half->framing.origin_known != IW_ORIGIN_UNKNOWN ? half->framing.origin : half->store.offset,
        .proofs = 1,
        .extensions = IW_EXT_ALL,
        .spent = half->search.spent};
}

bool iw_half_begins_marked(const struct iw_half *half) {
    static const uint8_t first_marker[iw_mpa_marker_octets];

    uint32_t there = half->store.length - half->at;

    if (there > sizeof first_marker)
        there = sizeof first_marker;
    return there >= iw_mpa_fpdu_octets && memcmp(half->store.octets + half->at, first_marker, there) == 0;
}

void iw_half_start_reader(struct iw_half *half) {
    half->phase = IW_HALF_FPDU;
    iw_fpdu_reader_dispose(&half->reader);
    iw_fpdu_reader_init(&half->reader, half->framing.markers, half->terms.crc, half->framing.origin,
        iw_half_next_offset(half));
    half->evidence.chained = 0;
}

void iw_half_change_markers(struct iw_half *half, bool markers) {
    struct iw_half_framing *framing = &half->framing;
    bool known = framing->markers_known != IW_MARKERS_ASSUMED;

    framing->markers_unexpected |=
        known && framing->markers != markers && markers != half->terms.markers_asked;
    if (known || framing->markers || markers)
        framing->markers_known = IW_MARKERS_FOUND;
    framing->markers = markers;
}

void iw_half_set_origin(struct iw_half *half, uint64_t origin) {
    half->framing.origin = origin;
    if (half->framing.origin_known < IW_ORIGIN_EXACT)
        half->framing.origin_known = IW_ORIGIN_EXACT;
}

void iw_half_adopt_framing(struct iw_half *half, bool markers, uint64_t origin, uint64_t start) {
    struct iw_half_framing *framing = &half->framing;

    iw_half_change_markers(half, markers);
    if (markers && framing->origin_known < IW_ORIGIN_EXACT) {
        iw_half_set_origin(half, start - (start - origin) % IW_MARKER_SPACING);
    } else if (framing->origin_known == IW_ORIGIN_UNKNOWN) {
        framing->origin = start;
        framing->origin_known = IW_ORIGIN_ALIGNED;
    }
    half->taken_from = start;
}

bool iw_half_from_startup(const struct iw_half *half) {
    return half->phase == IW_HALF_FPDU && half->framing.origin_known == IW_ORIGIN_STARTUP &&
           half->taken_from == half->framing.origin;
}

/* ---- FPDUs that may be payload ---- */

/* Stored pieces from this stream offset on begin with TCP segments; the first piece may not. */
static uint64_t framing_segments_whole_from(const struct iw_half *half) {
    return half->store.offset + (half->store.offset == half->segmentation.from ? 0 : 1);
}

/* Whether there are no unread octets before octet `at`, or enough for an FPDU. True also without a startup
 * frame, or after unproven FPDUs: then it is unknown where the last FPDU ended. */
static bool framing_fits_gap(const struct iw_half *half, uint32_t at) {
    uint64_t octets = half->store.offset + at - half->loss.from;

    return half->framing.origin_known != IW_ORIGIN_STARTUP || half->unproven || octets == 0 ||
           octets >= IW_ALIGNMENT_FPDU_MIN;
}

bool iw_half_startup_may_be_data(const struct iw_half *half) {
    bool first = half->from_start && half->startup.received.offset == 0;

    return half->terms.unanswered && !first && !half->terms.forced && !half->terms.expected;
}

/* Whether the FPDUs found are proven. After a gap, in mid-stream, or not directly after such a startup frame,
 * they may be payload of another FPDU or data of the ULP. */
static bool framing_is_proven(const struct iw_half *half, const struct iw_resync *resync, uint32_t at) {
    const struct iw_alignment_view view = {.fin = half->fin,
        .segmented = half->segmentation.segments == IW_HALF_SEGMENTS_BEGIN_FPDUS,
        .whole_from = framing_segments_whole_from(half),
        .largest = half->segmentation.largest};

    if (iw_half_startup_may_be_data(half))
        return false;
    if (half->loss.missing == 0 && half->framing.origin_known != IW_ORIGIN_UNKNOWN && !half->unproven)
        return true;
    return !half->evidence.gap_too_short && iw_alignment_proven(resync, &half->store, at, &view);
}

/* Counts TCP segments from the next segment on, or from octet `at` of the store if a segment begins there. */
static void framing_begin_segments(struct iw_half *half, uint32_t at) {
    const struct iw_span *piece = iw_store_piece(&half->store, at);
    bool begins = piece->at == at && half->store.offset + at >= framing_segments_whole_from(half);

    half->evidence.segments = 0;
    half->evidence.segment_aligned = false;
    half->evidence.segment_frame = begins ? 0 : piece->frame;
}

void iw_half_note_found(struct iw_half *half, const struct iw_resync *resync, uint32_t at) {
    half->evidence.gap_too_short = !framing_fits_gap(half, at);
    half->unproven = !framing_is_proven(half, resync, at);
    half->evidence.adopted = half->unproven;
    half->evidence.before = half->framing;
    framing_begin_segments(half, at);
}

void iw_half_restore_framing(struct iw_half *half) {
    if (!half->unproven || !half->evidence.adopted)
        return;
    half->evidence.adopted = false;
    half->framing = half->evidence.before;
}

/* A chain of FPDUs inside the payload of an FPDU cannot be longer than that FPDU. Octets hidden by a hole do
 * not count: ULPDU_Length may be two arbitrary octets and lead into the payload of a different FPDU. Right
 * after the startup frame, a good CRC cannot be a coincidence; nor can several good headers. */
IW_COLD void iw_half_note_unproven(struct iw_half *half, const struct iw_fpdu *fpdu) {
    enum { HEADERS = 3 };

    half->evidence.chain++;
    half->evidence.chained += fpdu->crc == IW_CRC_NOT_CAPTURED ? fpdu->image_captured : fpdu->wire_octets;
    if (half->framing.origin_known == IW_ORIGIN_STARTUP && half->terms.markers_asked &&
        half->framing.markers && iw_alignment_by_markers(fpdu))
        half->unproven = false;
    else if (iw_half_from_startup(half))
        half->unproven = fpdu->crc != IW_CRC_GOOD && half->evidence.chain < HEADERS;
    else
        half->unproven = half->evidence.chained <= iw_alignment_proof_octets(half->terms.crc);
}

/* A TCP segment begins: counts the previous segment if it consists of whole FPDUs. */
IW_COLD static void framing_count_segment(struct iw_half *half) {
    bool between = half->reader.have == 0;

    if (!half->evidence.segment_aligned || !between)
        half->evidence.segments = 0;
    else if (iw_alignment_counts(half->evidence.segment_octets, half->segmentation.largest))
        half->evidence.segments++;
    if (!half->evidence.gap_too_short &&
        half->evidence.segments >= iw_alignment_segments(half->terms.crc, false))
        half->unproven = false;
    half->evidence.segment_aligned = between;
    half->evidence.segment_octets = 0;
}

void iw_half_note_segment(struct iw_half *half, const struct iw_chunk *chunk) {
    if (chunk->kind == IW_CHUNK_GAP) {
        half->evidence.segment_aligned = false;
        half->evidence.segments = 0;
    } else if (chunk->frame != half->evidence.segment_frame) {
        framing_count_segment(half);
        half->evidence.segment_frame = chunk->frame;
    }
    half->evidence.segment_octets += chunk->length;
}
