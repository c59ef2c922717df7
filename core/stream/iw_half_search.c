#include "iw_half_part.h"

#include <string.h>

void iw_half_account(struct iw_half *half, uint64_t reached) {
    uint64_t paid =
        reached > half->search.paid_up_to ? IW_RESYNC_SUM_SHARE * (reached - half->search.paid_up_to) : 0;

    for (unsigned way = 0; way < IW_HALF_WAYS; way++)
        half->search.spent += half->search.progress[way].summed;
    half->search.spent -= paid < half->search.spent ? paid : half->search.spent;
    half->search.paid_up_to = reached;
    memset(half->search.progress, 0, sizeof half->search.progress);
}

void iw_half_search(struct iw_half *half, enum iw_half_goal goal, uint64_t from, uint64_t first_frame) {
    iw_fpdu_reader_dispose(&half->reader);
    half->phase = IW_HALF_SEARCH;
    half->search.goal = goal;
    iw_half_lose_from(half, from, first_frame);
    iw_half_account(half, iw_half_next_offset(half));
}

void iw_half_search_gap(struct iw_half *half, const struct iw_chunk *chunk, uint32_t used) {
    iw_half_lose_gap(half, chunk, used);
    half->search.goal = IW_HALF_LOST;
    iw_store_clear(&half->store, chunk->offset + chunk->length);
    half->segmentation.from = half->store.offset;
    half->at = 0;
    iw_half_account(half, half->store.offset);
}

/* Bit 0 of a way: with Markers; bit 1: by headers, ignoring CRCs. */
static bool search_with_markers(enum iw_half_way way) {
    return way & IW_HALF_MARKED;
}

static bool search_by_headers(enum iw_half_way way) {
    return way & IW_HALF_PLAIN_HEADERS;
}

/* Only CRCs can prove Markers that were not asked for, or that Markers that were asked for are absent. */
static bool search_way_is_possible(const struct iw_half *half, enum iw_half_way way) {
    if (search_by_headers(way) && (!half->terms.forced || half->terms.crc == IW_CRC_OFF))
        return false;
    if (search_with_markers(way) == half->framing.markers)
        return true;
    return !half->terms.markers_forced && (half->framing.markers_known == IW_MARKERS_ASSUMED ||
                                              (half->terms.crc != IW_CRC_OFF && !search_by_headers(way)));
}

/* Headers alone do not identify MPA, unless the connection is known to use it. */
static enum iw_crc_use search_crc_asked(const struct iw_half *half, enum iw_half_way way) {
    if (search_by_headers(way))
        return IW_CRC_OFF;
    if (half->terms.forced || half->framing.origin_known != IW_ORIGIN_UNKNOWN)
        return half->terms.crc;
    return half->terms.crc == IW_CRC_OFF ? IW_CRC_UNKNOWN : half->terms.crc;
}

static unsigned search_proofs_asked(const struct iw_half *half, enum iw_half_way way) {
    bool known = half->framing.origin_known != IW_ORIGIN_UNKNOWN;

    if (search_crc_asked(half, way) == IW_CRC_OFF)
        return known ? 2 : 3;
    return known && half->terms.crc == IW_CRC_ON && search_with_markers(way) == half->framing.markers ? 1 : 2;
}

/* FPDUs prove that expected Markers are absent only if they span a place where a Marker is due. */
static uint32_t search_span_asked(const struct iw_half *half, enum iw_half_way way) {
    bool expected = half->framing.markers && half->framing.markers_known != IW_MARKERS_ASSUMED;

    return expected && !search_with_markers(way) ? IW_MARKER_SPACING : 0;
}

struct place {
    uint32_t found;  /* octets from `half->at` to the FPDU */
    uint64_t origin; /* stream offset from which Markers count */
};

static enum iw_resync_outcome search_marked(
    const struct iw_resync *resync, bool ended, struct iw_resync_progress *progress, struct place *place) {
    struct iw_resync known = *resync;
    struct iw_resync_progress again = {0};
    enum iw_resync_outcome outcome =
        iw_resync_find_marked(resync, ended, progress, &place->origin, &place->found);

    if (outcome != IW_RESYNC_FOUND)
        return outcome;
    known.aligned = true;
    known.origin = place->origin;
    if (iw_resync_find(&known, ended, &again) == IW_RESYNC_FOUND && again.tried < place->found)
        place->found = again.tried;
    return IW_RESYNC_FOUND;
}

static struct iw_resync search_resync_by(const struct iw_half *half, enum iw_half_way way) {
    struct iw_resync resync = iw_half_resync(half);

    resync.markers = search_with_markers(way);
    resync.crc = search_crc_asked(half, way);
    resync.proofs = search_proofs_asked(half, way);
    resync.span = search_span_asked(half, way);
    return resync;
}

static enum iw_resync_outcome search_way(
    struct iw_half *half, enum iw_half_way way, bool ended, struct place *place) {
    struct iw_resync resync = search_resync_by(half, way);
    struct iw_resync_progress *progress = &half->search.progress[way];
    enum iw_resync_outcome outcome;

    if (resync.markers && half->framing.origin_known < IW_ORIGIN_EXACT)
        return search_marked(&resync, ended, progress, place);
    outcome = iw_resync_find(&resync, ended, progress);
    place->found = progress->tried;
    place->origin = half->framing.origin;
    return outcome;
}

void iw_half_resume(struct iw_half *half, uint32_t found) {
    iw_half_emit_loss(half, half->at + found, false);
    if (half->phase != IW_HALF_SEARCH)
        return;
    half->at += found;
    iw_half_account(half, iw_half_next_offset(half));
    iw_half_start_reader(half);
}

/* FPDUs begin after private data that PD_Length leaves out, and Markers count from there. */
static void search_resume_after_private_data(struct iw_half *half, uint32_t found) {
    half->framing.origin += found;
    half->taken_from = half->framing.origin;
    half->search.undoubted = half->framing.origin + 1;
    half->search.private_data = true;
    iw_half_resume(half, found);
    half->search.private_data = false;
}

void iw_half_search_give_up(struct iw_half *half, enum iw_half_left why) {
    iw_half_emit_loss(half, half->store.length, true);
    iw_half_give_up(half, why, half->reached);
}

static void search_accept_place(struct iw_half *half, enum iw_half_way way, const struct place *place) {
    struct iw_resync resync = search_resync_by(half, way);

    resync.origin = place->origin;
    iw_half_note_found(half, &resync, half->at + place->found);
    iw_half_adopt_framing(half, resync.markers, place->origin, iw_half_next_offset(half) + place->found);
    half->search.found = true;
    iw_half_resume(half, place->found);
}

/* Tries each enum iw_half_way: with CRCs, then by headers; each as read now, then the opposite. */
static bool search_step_lost(struct iw_half *half, bool ended) {
    bool gives_up = true;

    for (unsigned i = 0; i < IW_HALF_WAYS && !half->terms.resynchronise_off; i++) {
        enum iw_half_way way = half->framing.markers ? i ^ IW_HALF_MARKED : i;
        enum iw_resync_outcome outcome = IW_RESYNC_NONE;
        struct place place = {0};

        if (search_way_is_possible(half, way))
            outcome = search_way(half, way, ended, &place);
        if (outcome == IW_RESYNC_FOUND && iw_half_next_offset(half) + place.found < half->evidence.broken) {
            /* an unproven chain would end again where it ended before */
            outcome = IW_RESYNC_NONE;
        } else if (outcome == IW_RESYNC_FOUND) {
            search_accept_place(half, way, &place);
            return true;
        }
        gives_up &= outcome == IW_RESYNC_NONE;
    }
    if (gives_up)
        iw_half_search_give_up(half, IW_HALF_LEFT_UNFRAMED);
    return gives_up;
}

static bool search_step_after_bad(struct iw_half *half, bool ended) {
    const struct iw_resync resync = iw_half_resync(half);
    enum iw_resync_outcome outcome =
        iw_resync_continues(&resync, ended, &half->search.progress[IW_HALF_PLAIN]);

    if (outcome == IW_RESYNC_FOUND) {
        iw_half_start_reader(half);
        return true;
    }
    if (outcome == IW_RESYNC_MORE)
        return search_step_lost(half, ended);
    half->search.goal = IW_HALF_LOST;
    return true;
}

/* Whether to read the FPDU with Markers instead of without, or vice versa. EITHER: `*wire` is its size. */
static enum iw_resync_outcome search_judge_doubt(struct iw_half *half, bool ended, uint32_t *wire) {
    bool first = half->search.goal == IW_HALF_DOUBT_FIRST;
    enum iw_resync_outcome outcome;
    struct iw_resync_progress *progress = &half->search.progress[first ? IW_HALF_MARKED : IW_HALF_PLAIN];
    struct iw_resync resync = iw_half_resync(half);

    resync.markers = !half->framing.markers;
    resync.origin = half->framing.origin;
    resync.proofs = half->terms.crc == IW_CRC_OFF ? 2 : 1;
    half->search.doubt_origin = half->framing.origin;
    if (half->framing.origin_known < IW_ORIGIN_EXACT)
        return iw_resync_at_marked(&resync, ended, progress, &half->search.doubt_origin, wire);
    if (!first)
        return iw_resync_at(&resync, ended, progress);
    if (resync.markers && !iw_half_begins_marked(half))
        return IW_RESYNC_NONE;
    outcome = iw_resync_continues(&resync, false, progress);
    if (outcome == IW_RESYNC_MORE && ended && iw_resync_begins_cut(&resync))
        return IW_RESYNC_FOUND;
    return outcome;
}

/* Whether the first FPDU begins `*found` octets after the place that PD_Length states. A single FPDU is
 * proof only if its CRC is correct, or if nothing follows it and the other side has sent more meanwhile. */
static enum iw_resync_outcome search_after_private_data(struct iw_half *half, bool ended, uint32_t *found) {
    struct iw_resync resync = iw_half_resync(half);
    struct iw_resync_progress *progress = &half->search.progress[IW_HALF_PLAIN_HEADERS];
    enum iw_resync_outcome outcome;

    if (half->framing.origin_known < IW_ORIGIN_EXACT || half->loss.from != half->framing.origin ||
        half->frame.private_limit == 0 || iw_half_startup_may_be_data(half))
        return IW_RESYNC_NONE;
    outcome = iw_resync_begins_otherwise(&resync, &half->search.progress[IW_HALF_MARKED_HEADERS]);
    if (outcome != IW_RESYNC_FOUND)
        return ended ? IW_RESYNC_NONE : outcome;
    resync.proofs = half->terms.crc == IW_CRC_ON ? 1 : 3;
    outcome = iw_resync_find_shifted(&resync, half->frame.private_limit, ended, progress);
    *found = progress->tried;
    return outcome;
}

/* Whether the FPDU, if it has a Marker, ends in octets that the capture lacks, so that the Marker can be
 * neither confirmed nor ruled out. After a FIN, no octets are missing at the end. */
static bool search_ends_unseen(struct iw_half *half, bool ended) {
    uint32_t wire = 0;

    return ended && !half->fin && half->search.goal == IW_HALF_DOUBT &&
           half->framing.origin_known < IW_ORIGIN_EXACT &&
           search_judge_doubt(half, false, &wire) == IW_RESYNC_MORE;
}

/* Decides whether to read the FPDU with Markers instead of without, or vice versa. DOUBT requires a valid
 * header and a correct CRC. DOUBT_FIRST requires one of them for the first FPDU, if CRCs may be in use. */
static bool search_step_doubt(struct iw_half *half, bool ended) {
    uint32_t wire = 0;
    uint32_t found = 0;
    enum iw_resync_outcome outcome;
    enum iw_resync_outcome after_private_data = IW_RESYNC_NONE;

    if (search_ends_unseen(half, ended)) {
        iw_half_restore_framing(half);
        return false;
    }
    outcome = search_judge_doubt(half, ended, &wire);
    if (outcome == IW_RESYNC_EITHER) {
        /* later FPDUs will show the place of Markers */
        half->taken_from = iw_half_next_offset(half) + wire;
        iw_half_resume(half, wire);
        return true;
    }
    if (outcome == IW_RESYNC_NONE && half->search.goal == IW_HALF_DOUBT && half->terms.crc != IW_CRC_OFF &&
        half->framing.origin_known >= IW_ORIGIN_EXACT && half->loss.from == half->framing.origin) {
        half->search.goal = IW_HALF_DOUBT_FIRST;
        return true;
    }
    if (outcome != IW_RESYNC_FOUND)
        after_private_data = search_after_private_data(half, ended || half->search.answered, &found);
    if (after_private_data == IW_RESYNC_FOUND) {
        search_resume_after_private_data(half, found);
        return true;
    }
    if ((outcome == IW_RESYNC_MORE || after_private_data == IW_RESYNC_MORE) && !ended)
        return false;
    if (outcome == IW_RESYNC_FOUND) {
        iw_half_change_markers(half, !half->framing.markers);
        iw_half_set_origin(half, half->search.doubt_origin);
    }
    half->search.undoubted = half->loss.from + 1;
    iw_half_account(half, iw_half_next_offset(half));
    iw_half_start_reader(half);
    return true;
}

bool iw_half_search_step(struct iw_half *half, bool ended) {
    switch (half->search.goal) {
    case IW_HALF_DOUBT:
    case IW_HALF_DOUBT_FIRST:
        return search_step_doubt(half, ended);
    case IW_HALF_AFTER_BAD:
        return search_step_after_bad(half, ended);
    case IW_HALF_LOST:
        break;
    }
    return search_step_lost(half, ended);
}
