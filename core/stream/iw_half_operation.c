#include "iw_half_part.h"

#include "iw_placement.h"

IW_HOT static void half_operation_emit_fpdu(struct iw_half *half, const struct iw_fpdu *fpdu) {
    struct iw_llp_event event = iw_llp_event_of_fpdu(fpdu);

    event.unproven = half->unproven;
    if (!half->unproven) {
        event.markers_unexpected = half->framing.markers_unexpected;
        half->framing.markers_unexpected = false;
    }
    half->sink(half->user, &event);
}

/* Whether the first FPDU of this side begins at stream offset `offset` and may be in doubt. */
static bool half_operation_is_first_fpdu(const struct iw_half *half, uint64_t offset) {
    return half->framing.origin_known >= IW_ORIGIN_EXACT && offset == half->framing.origin &&
           !half->terms.markers_forced && half->search.undoubted != offset + 1;
}

/* Whether FPDUs are read without Markers although the stream may have Markers. */
static bool half_operation_may_have_markers(const struct iw_half *half) {
    return !half->framing.markers && half->framing.markers_known == IW_MARKERS_ASSUMED &&
           !half->terms.markers_forced;
}

/* Whether to read the FPDU again, with Markers instead of without, or vice versa. Never if this was decided
 * before (search.undoubted). First FPDU: if its header is invalid. Later FPDU: if it was read without Markers
 * but the stream may have them, CRCs may be in use, and some of its octets look like a Marker. */
static bool half_operation_is_doubtful(const struct iw_half *half, const struct iw_fpdu *fpdu) {
    const struct iw_resync resync = iw_half_resync(half);

    if (half_operation_is_first_fpdu(half, fpdu->offset))
        return !iw_resync_could_be(&resync, fpdu);
    return half_operation_may_have_markers(half) && half->search.undoubted != fpdu->offset + 1 &&
           fpdu->crc != IW_CRC_UNCHECKED && iw_fpdu_could_hold_marker(fpdu, 0);
}

/* Whether octets of the FPDU, not the first, are missing, and it may have Markers although read without: some
 * octets look like a Marker, or its header is impossible, perhaps because a Marker precedes it. */
static bool half_operation_is_hidden(const struct iw_half *half, const struct iw_fpdu *fpdu) {
    struct iw_resync resync;

    if (fpdu->crc != IW_CRC_NOT_CAPTURED || !half_operation_may_have_markers(half) ||
        half_operation_is_first_fpdu(half, fpdu->offset) || half->terms.resynchronise_off)
        return false;
    resync = iw_half_resync_in(half, fpdu->image, fpdu->image_captured, fpdu->offset);
    return iw_fpdu_could_hold_marker(fpdu, 0) || iw_resync_begins(&resync) == IW_RESYNC_NONE;
}

/* Whether an unproven FPDU continues the chain. True if octets are missing, or right after the startup frame
 * if its CRC is good. False if its CRC is wrong. Otherwise its header must be one that a peer would send. */
static bool half_operation_chain_continues(const struct iw_half *half, const struct iw_fpdu *fpdu) {
    const struct iw_resync resync = iw_half_resync(half);
    bool begins = iw_half_from_startup(half);

    if (fpdu->crc == IW_CRC_NOT_CAPTURED || (begins && fpdu->crc == IW_CRC_GOOD))
        return true;
    if (fpdu->crc == IW_CRC_BAD || (fpdu->crc == IW_CRC_UNPROVEN && !half->terms.forced && !begins))
        return false;
    return iw_resync_could_be(&resync, fpdu) &&
           (fpdu->crc == IW_CRC_GOOD || !half_operation_is_doubtful(half, fpdu));
}

/* Stores the octets from the start of the FPDU, at stream offset `offset`, to the end of the chunk, unless
 * they are stored. `chunk` NULL: the reader has them. Without memory, ends reading and returns false. */
IW_COLD static bool half_operation_keep_from_fpdu(
    struct iw_half *half, uint64_t offset, const struct iw_chunk *chunk) {
    bool kept = half->store.length > 0;
    bool in_chunk = chunk != NULL && offset >= chunk->offset;
    uint32_t from = in_chunk ? (uint32_t)(offset - chunk->offset) : half->reader.used;

    if (!kept)
        iw_store_clear(&half->store, offset);
    half->at = (uint32_t)(offset - half->store.offset);
    if (kept)
        return true;
    if ((in_chunk || iw_store_append_store(&half->store, &half->reader.store)) &&
        (chunk == NULL || iw_store_append(&half->store, chunk, from, chunk->length - from)))
        return true;
    iw_half_fail(half, offset);
    return false;
}

/* Looks for FPDUs inside an invalid or incomplete FPDU, whose ULPDU_Length is then wrong. Returns the place
 * of the first, or 0. Requires three, or a chain to the end, so that payload is not taken for an FPDU. */
static uint32_t half_operation_fpdus_inside(
    struct iw_half *half, const uint8_t *octets, uint32_t length, uint64_t offset) {
    struct iw_resync resync = iw_half_resync_in(half, octets, length, offset);
    struct iw_resync_progress progress = {.tried = iw_mpa_marker_octets, .chained = iw_mpa_marker_octets};
    enum iw_resync_outcome outcome;

    resync.proofs = 3;
    if (half->terms.crc == IW_CRC_OFF || length < iw_mpa_marker_octets)
        return 0;
    iw_half_account(half, offset);
    resync.spent = half->search.spent;
    outcome = iw_resync_find(&resync, true, &progress);
    half->search.spent += progress.summed;
    return outcome == IW_RESYNC_FOUND ? progress.tried : 0;
}

/* Handles an FPDU with a wrong CRC or header, which may end anywhere (RFC 5044 6). */
IW_COLD static void half_operation_handle_bad_fpdu(
    struct iw_half *half, struct iw_fpdu *fpdu, const struct iw_chunk *chunk) {
    uint32_t inside = 0;

    if (!half_operation_keep_from_fpdu(half, fpdu->offset, chunk))
        return;
    if (half_operation_is_doubtful(half, fpdu)) {
        iw_half_search(half, IW_HALF_DOUBT, fpdu->offset, fpdu->first_frame);
        return;
    }
    if (half->unproven) {
        iw_half_restore_framing(half);
        half->evidence.broken = fpdu->offset + 1;
        half->search.spent += fpdu->wire_octets;
        iw_half_search(half, IW_HALF_LOST, fpdu->offset, fpdu->first_frame);
        return;
    }
    /* If perhaps CRCs are not in use, FPDUs inside may be payload. */
    if (fpdu->crc != IW_CRC_UNPROVEN)
        inside =
            half_operation_fpdus_inside(half, half->store.octets + half->at, fpdu->wire_octets, fpdu->offset);
    if (inside > 0)
        iw_fpdu_reader_clip(&half->reader, fpdu, inside);
    half->at += fpdu->wire_octets;
    half_operation_emit_fpdu(half, fpdu);
    if (half->phase != IW_HALF_FPDU)
        return;
    if (inside > 0)
        iw_half_start_reader(half);
    else
        iw_half_search(half, IW_HALF_AFTER_BAD, iw_half_next_offset(half), 0);
}

/* Counts the captured part of the FPDU as lost, and searches the rest of the chunk for FPDUs. */
IW_COLD static void half_operation_lose_hidden_fpdu(
    struct iw_half *half, const struct iw_fpdu *fpdu, const struct iw_chunk *chunk) {
    uint32_t missing = fpdu->wire_octets - fpdu->image_captured;
    uint32_t used = half->reader.used;
    bool gap = chunk->kind == IW_CHUNK_GAP;

    iw_half_restore_framing(half);
    iw_half_search(half, IW_HALF_LOST, fpdu->offset, fpdu->first_frame);
    half->loss.missing = gap ? missing - used : missing;
    if (gap) {
        iw_half_search_gap(half, chunk, 0);
    } else if (half->store.length > 0) {
        half->at = (uint32_t)(chunk->offset + used - half->store.offset);
    } else {
        iw_store_clear(&half->store, chunk->offset + used);
        half->at = 0;
        if (!iw_store_append(&half->store, chunk, used, chunk->length - used))
            iw_half_fail(half, fpdu->offset);
    }
}

static bool half_operation_is_credible(const struct iw_half *half, const struct iw_fpdu *fpdu) {
    if (half->terms.resynchronise_off)
        return true;
    if (half->unproven)
        return half_operation_chain_continues(half, fpdu);
    if (fpdu->crc == IW_CRC_UNCHECKED)
        return !half_operation_is_doubtful(half, fpdu);
    return !iw_crc_differs(fpdu->crc);
}

/* 512 octets without a Marker prove that there are no Markers. */
static void half_operation_note_no_markers(struct iw_half *half, const struct iw_fpdu *fpdu) {
    if (half->framing.markers_known == IW_MARKERS_ASSUMED && fpdu->crc == IW_CRC_GOOD &&
        fpdu->offset + fpdu->wire_octets >= half->taken_from + IW_MARKER_SPACING)
        half->framing.markers_known = IW_MARKERS_KNOWN;
}

/* Starts a search if the header of the first FPDU, or of an unproven FPDU, shows that it is not an FPDU. */
static void half_operation_doubt_header(struct iw_half *half) {
    const struct iw_fpdu_reader *reader = &half->reader;
    bool first = half_operation_is_first_fpdu(half, reader->start);
    struct iw_resync resync;

    if ((!first && (!half->unproven || iw_half_from_startup(half))) || half->terms.resynchronise_off ||
        reader->have == 0 || reader->have > reader->store.length)
        return;
    resync = iw_half_resync_in(half, reader->store.octets, reader->have, reader->start);
    if (iw_resync_begins(&resync) != IW_RESYNC_NONE)
        return;
    if (!half_operation_keep_from_fpdu(half, reader->start, NULL))
        return;
    iw_half_restore_framing(half);
    half->evidence.broken = first ? half->evidence.broken : reader->start + 1;
    iw_half_search(half, first ? IW_HALF_DOUBT : IW_HALF_LOST, iw_half_next_offset(half), 0);
}

/* A wrong CRC of 0 from a sender with C=0 means no CRC: corruption would hardly produce exactly 0. */
static void half_operation_note_no_crc(const struct iw_half *half, struct iw_fpdu *fpdu) {
    if (fpdu->crc == IW_CRC_UNPROVEN && fpdu->crc_received == 0 && half->frame.declines_crc &&
        iw_half_from_startup(half))
        fpdu->crc = IW_CRC_UNCHECKED;
}

/* Reads until the chunk is used up or the rest of it is in the store. */
IW_HOT static void half_read_chunk(struct iw_half *half, const struct iw_chunk *chunk) {
    struct iw_fpdu fpdu;
    enum iw_read outcome;

    if (half->unproven)
        iw_half_note_segment(half, chunk);
    iw_fpdu_reader_feed(&half->reader, chunk);
    while ((outcome = iw_fpdu_reader_next(&half->reader, &fpdu)) == IW_READ_DONE) {
        half_operation_note_no_crc(half, &fpdu);
        if (half_operation_is_hidden(half, &fpdu)) {
            half_operation_lose_hidden_fpdu(half, &fpdu, chunk);
            return;
        }
        if (!half_operation_is_credible(half, &fpdu)) {
            half_operation_handle_bad_fpdu(half, &fpdu, chunk);
            return;
        }
        half_operation_note_no_markers(half, &fpdu);
        if (half->unproven)
            iw_half_note_unproven(half, &fpdu);
        half_operation_emit_fpdu(half, &fpdu);
        if (half->phase != IW_HALF_FPDU)
            return; /* the sink made the half leave MPA */
    }
    if (outcome == IW_READ_MORE) {
        half_operation_doubt_header(half);
    } else if (half->reader.failed) {
        iw_half_fail(half, half->reader.start);
    } else {
        uint32_t used = half->reader.used;

        iw_half_restore_framing(half);
        iw_half_search(half, IW_HALF_LOST, half->reader.start,
            half->reader.have > 0 ? half->reader.store.pieces[0].frame : chunk->frame);
        iw_half_search_gap(half, chunk, used);
    }
}

/* Reads the octets of the store that came in one frame. The store has no gap, so reading cannot break. */
IW_COLD static void half_read_store(struct iw_half *half) {
    const struct iw_span *piece = iw_store_piece(&half->store, half->at);
    uint32_t end = piece->at + piece->octets;
    struct iw_chunk chunk = {.kind = IW_CHUNK_DATA,
        .side = half->side,
        .length = end - half->at,
        .offset = iw_half_next_offset(half),
        .octets = half->store.octets + half->at,
        .frame = piece->frame,
        .time_ns = piece->time_ns};

    half->at = end;
    half_read_chunk(half, &chunk);
}

void iw_half_pump(struct iw_half *half, bool ended) {
    for (;;) {
        if (half->phase == IW_HALF_FPDU && half->at < half->store.length)
            half_read_store(half);
        else if (half->phase != IW_HALF_SEARCH || !iw_half_search_step(half, ended))
            break;
    }
    if (half->phase == IW_HALF_FPDU)
        iw_store_dispose(&half->store);
    else if (half->phase == IW_HALF_SEARCH)
        iw_store_trim(&half->store, half->at);
    half->at = 0;
}

static void half_operation_note_segmentation(struct iw_half *half, const struct iw_chunk *chunk) {
    struct iw_half_segmentation *segmentation = &half->segmentation;

    if (half->reader.have > 0 && chunk->frame != segmentation->frame)
        segmentation->segments = IW_HALF_SEGMENTS_SPLIT_FPDUS;
    else if (segmentation->segments == IW_HALF_SEGMENTS_UNSEEN && chunk->kind == IW_CHUNK_DATA)
        segmentation->segments = IW_HALF_SEGMENTS_BEGIN_FPDUS;
    segmentation->frame = chunk->frame;
}

IW_HOT void iw_half_read(struct iw_half *half, const struct iw_chunk *chunk) {
    half_operation_note_segmentation(half, chunk);
    half_read_chunk(half, chunk);
    if (half->phase != IW_HALF_FPDU || half->store.length > 0)
        iw_half_pump(half, false);
}

void iw_half_read_end(struct iw_half *half) {
    const struct iw_fpdu_reader *reader = &half->reader;

    while (half->phase == IW_HALF_FPDU && !half->terms.resynchronise_off && reader->have > 0 &&
           reader->store.length == reader->have) {
        uint32_t inside =
            half_operation_fpdus_inside(half, reader->store.octets, reader->have, reader->start);

        if (inside == 0 || !half_operation_keep_from_fpdu(half, reader->start, NULL))
            return;
        iw_half_search(half, IW_HALF_LOST, half->store.offset, 0);
        if (iw_half_startup_may_be_data(half))
            half->taken_from = half->store.offset + inside; /* not directly after the startup frame */
        iw_half_resume(half, inside);
        iw_half_pump(half, true);
    }
}

/* Before another gap, reads a complete FPDU if its CRC proves it: no later octet can prove it. */
static void half_operation_search_before_gap(struct iw_half *half, const struct iw_chunk *chunk) {
    if (half->search.goal != IW_HALF_LOST || half->terms.crc != IW_CRC_OFF)
        iw_half_pump(half, true);
    if (half->phase == IW_HALF_FPDU)
        iw_half_read(half, chunk);
    else if (half->phase == IW_HALF_SEARCH)
        iw_half_search_gap(half, chunk, 0);
}

void iw_half_search_feed(struct iw_half *half, const struct iw_chunk *chunk) {
    if (chunk->kind == IW_CHUNK_GAP) {
        half_operation_search_before_gap(half, chunk);
        return;
    }
    if (!iw_store_append(&half->store, chunk, 0, chunk->length)) {
        iw_half_fail(half, half->loss.from);
        return;
    }
    iw_half_pump(half, false);
    if (half->phase == IW_HALF_SEARCH && half->store.length > IW_HALF_SEARCH_MAX)
        iw_half_search_give_up(half, IW_HALF_LEFT_LIMIT);
}

void iw_half_search_end(struct iw_half *half) {
    iw_half_pump(half, true);
    if (half->phase == IW_HALF_SEARCH)
        iw_half_search_give_up(half, IW_HALF_LEFT_UNFRAMED);
}
