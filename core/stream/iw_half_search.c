#include <string.h>

#include "iw_alignment.h"
#include "iw_half_operation.h"

void iw_half_account(struct iw_half *half, uint64_t reached) {
    uint64_t paid = reached > half->paid_up_to ? IW_RESYNC_SUM_SHARE * (reached - half->paid_up_to) : 0;

    for (unsigned way = 0; way < IW_HALF_WAYS; way++)
        half->spent += half->progress[way].summed;
    half->spent -= paid < half->spent ? paid : half->spent;
    half->paid_up_to = reached;
    memset(half->progress, 0, sizeof half->progress);
}

void iw_half_search(struct iw_half *half, enum iw_half_search search, uint64_t from, uint64_t first_frame) {
    iw_fpdu_reader_dispose(&half->reader);
    half->phase = IW_HALF_SEARCH;
    half->search = search;
    half->lost_from = from;
    half->lost_first_frame = first_frame;
    half->missing = 0;
    half->limited = 0;
    half->cut = false;
    iw_half_account(half, half->store.offset + half->at);
}

/* The capture frame of the first lost octet. */
static uint64_t first_frame_lost(const struct iw_half *half, uint64_t otherwise) {
    if (half->lost_first_frame != 0)
        return half->lost_first_frame;
    return half->at < half->store.length ? iw_store_piece(&half->store, half->at)->frame : otherwise;
}

void iw_half_search_gap(struct iw_half *half, const struct iw_chunk *chunk, uint32_t used) {
    half->lost_first_frame = first_frame_lost(half, chunk->frame);
    half->search = IW_HALF_LOST;
    half->missing += chunk->length - used;
    half->limited += chunk->limited ? chunk->length - used : 0;
    half->cut |= chunk->cut;
    half->gap_frame = chunk->frame;
    half->gap_time_ns = chunk->time_ns;
    iw_store_clear(&half->store, chunk->offset + chunk->length);
    half->segment_from = half->store.offset;
    half->at = 0;
    iw_half_account(half, half->store.offset + half->at);
}

/* Everything from `lost_from` up to octet `end` of the store is lost. */
static void emit_loss(struct iw_half *half, uint32_t end, bool open) {
    struct iw_mpa_event event = iw_half_event(half, IW_MPA_LOSS);
    const struct iw_span *last = end > 0 ? iw_store_piece(&half->store, end - 1) : NULL;

    event.offset = half->lost_from;
    event.octets = half->store.offset + end - half->lost_from;
    event.first_frame = first_frame_lost(half, half->last_frame);
    event.frame = last != NULL ? last->frame : half->gap_frame;
    event.time_ns = last != NULL ? last->time_ns : half->gap_time_ns;
    event.missing = half->missing;
    event.limited = half->limited;
    event.cut = half->cut;
    event.open = open;
    event.private_data = half->private_data;
    event.startup_seen = half->startup_seen;
    half->startup_seen = 0;
    if (event.octets > 0)
        half->sink(half->user, &event);
}

/* ---- the ways to read ---- */

static bool with_markers(enum iw_half_way way) {
    return way == IW_HALF_MARKED || way == IW_HALF_MARKED_HEADERS;
}

static bool by_headers(enum iw_half_way way) {
    return way == IW_HALF_PLAIN_HEADERS || way == IW_HALF_MARKED_HEADERS;
}

/* Only CRCs can prove Markers that the other side did not ask for, or that Markers it asked for are
 * absent. */
static bool way_is_possible(const struct iw_half *half, enum iw_half_way way) {
    if (by_headers(way) && (!half->forced || half->crc == IW_CRC_OFF))
        return false;
    if (with_markers(way) == half->markers)
        return true;
    return !half->markers_forced && (!half->markers_known || (half->crc != IW_CRC_OFF && !by_headers(way)));
}

/* Headers alone do not identify MPA, unless the connection is known to use it. */
static enum iw_crc_use crc_asked(const struct iw_half *half, enum iw_half_way way) {
    if (by_headers(way))
        return IW_CRC_OFF;
    return half->crc == IW_CRC_OFF && !half->origin_known && !half->forced ? IW_CRC_UNKNOWN : half->crc;
}

static unsigned proofs_asked(const struct iw_half *half, enum iw_half_way way) {
    if (crc_asked(half, way) == IW_CRC_OFF)
        return half->origin_known ? 2 : 3;
    return half->origin_known && half->crc == IW_CRC_ON && with_markers(way) == half->markers ? 1 : 2;
}

/* FPDUs without the expected Markers prove their absence only if they span the place of a Marker: shorter
 * ones may lie between two Markers. */
static uint32_t span_asked(const struct iw_half *half, enum iw_half_way way) {
    return half->markers_known && half->markers && !with_markers(way) ? IW_MARKER_SPACING : 0;
}

struct place {
    uint32_t found;  /* octets after `at` */
    uint64_t origin; /* stream offset from which Markers count */
};

/* NULL if the store is empty: in C, even NULL + 0 is undefined. */
static const uint8_t *kept_octets(const struct iw_half *half) {
    return half->store.octets == NULL ? NULL : half->store.octets + half->at;
}

static enum iw_resync_outcome search_marked(struct iw_half *half, const struct iw_resync *resync, bool ended,
    struct iw_resync_progress *progress, struct place *place) {
    const uint8_t *octets = kept_octets(half);
    uint32_t length = half->store.length - half->at;
    uint64_t offset = half->store.offset + half->at;
    struct iw_resync known = *resync;
    struct iw_resync_progress again = {0};
    enum iw_resync_outcome outcome =
        iw_resync_find_marked(resync, octets, length, offset, ended, progress, &place->origin, &place->found);

    if (outcome != IW_RESYNC_FOUND)
        return outcome;
    known.aligned = true;
    known.origin = place->origin;
    if (iw_resync_find(&known, octets, length, offset, ended, &again) == IW_RESYNC_FOUND &&
        again.tried < place->found)
        place->found = again.tried;
    return IW_RESYNC_FOUND;
}

static struct iw_resync resync_by(const struct iw_half *half, enum iw_half_way way) {
    struct iw_resync resync = iw_half_resync(half);

    resync.markers = with_markers(way);
    resync.crc = crc_asked(half, way);
    resync.proofs = proofs_asked(half, way);
    resync.span = span_asked(half, way);
    return resync;
}

static enum iw_resync_outcome search_way(
    struct iw_half *half, enum iw_half_way way, bool ended, struct place *place) {
    struct iw_resync resync = resync_by(half, way);
    struct iw_resync_progress *progress = &half->progress[way];
    enum iw_resync_outcome outcome;

    if (resync.markers && !half->origin_exact)
        return search_marked(half, &resync, ended, progress, place);
    outcome = iw_resync_find(&resync, kept_octets(half), half->store.length - half->at,
        half->store.offset + half->at, ended, progress);
    place->found = progress->tried;
    place->origin = half->origin;
    return outcome;
}

/* The first kept octet begins a TCP segment if it follows a gap or begins the stream; otherwise it may be in
 * the middle of one. */
static uint64_t segments_whole_from(const struct iw_half *half) {
    return half->store.offset + (half->store.offset == half->segment_from ? 0 : 1);
}

/* Whether the octets between the last one read and the place are none, or enough for an FPDU. */
static bool fits_gap(const struct iw_half *half, const struct place *place) {
    uint64_t octets = half->store.offset + half->at + place->found - half->lost_from;

    return !half->origin_sure || half->unproven || octets == 0 || octets >= IW_ALIGNMENT_FPDU_MIN;
}

/* FPDUs found after a gap, or in mid-stream, may be payload of an FPDU that began earlier. */
static bool is_proven(const struct iw_half *half, enum iw_half_way way, const struct place *place) {
    const struct iw_alignment_view view = {.fin = half->fin,
        .segmented = half->segmented && !half->unsegmented,
        .whole_from = segments_whole_from(half),
        .largest = half->largest};
    struct iw_resync resync = resync_by(half, way);

    if (half->missing == 0 && half->origin_known && !half->unproven)
        return true;
    resync.origin = place->origin;
    return !half->misfit && iw_alignment_proven(&resync, &half->store, half->at + place->found, &view);
}

/* From now on the stream has Markers, or none, whatever the startup says. */
static void change_markers(struct iw_half *half, bool markers) {
    half->contrary |= half->markers_known && half->markers != markers && markers != half->markers_asked;
    half->markers_known |= markers != half->markers || markers;
    half->markers_found |= half->markers_known;
    half->markers = markers;
}

/* Markers count modulo 512, so an origin before the first octet of the stream works as well. */
static void adopt_framing(struct iw_half *half, enum iw_half_way way, const struct place *place) {
    uint64_t start = half->store.offset + half->at + place->found;

    half->resynchronised = true;
    change_markers(half, with_markers(way));
    if (half->markers && !half->origin_exact) {
        half->origin = start - (start - place->origin) % IW_MARKER_SPACING;
        half->origin_exact = true;
    } else if (!half->origin_known) {
        half->origin = start;
    }
    half->origin_known = true;
    half->taken_from = start;
}

/* Stores the framing before reading resumes at a place that may be wrong. */
static void remember_framing(struct iw_half *half) {
    half->before = (struct iw_half_framing){.origin = half->origin,
        .origin_known = half->origin_known,
        .origin_exact = half->origin_exact,
        .markers = half->markers,
        .markers_known = half->markers_known,
        .markers_found = half->markers_found,
        .contrary = half->contrary};
}

void iw_half_disown(struct iw_half *half) {
    const struct iw_half_framing *before = &half->before;

    if (!half->unproven || !half->adopted)
        return;
    half->adopted = false;
    half->origin = before->origin;
    half->origin_known = before->origin_known;
    half->origin_exact = before->origin_exact;
    half->markers = before->markers;
    half->markers_known = before->markers_known;
    half->markers_found = before->markers_found;
    half->contrary = before->contrary;
}

/* ---- the search ---- */

void iw_half_resume(struct iw_half *half, uint32_t found) {
    emit_loss(half, half->at + found, false);
    if (half->phase != IW_HALF_SEARCH)
        return;
    half->at += found;
    iw_half_account(half, half->store.offset + half->at);
    iw_half_start_reader(half);
}

/* FPDUs begin after private data that PD_Length leaves out (RFC 5044 7.1.1), and Markers count from
 * there. */
static void resume_after_private_data(struct iw_half *half, uint32_t found) {
    half->origin += found;
    half->taken_from = half->origin;
    half->undoubted = half->origin + 1;
    half->private_data = true;
    iw_half_resume(half, found);
    half->private_data = false;
}

static void search_give_up(struct iw_half *half, enum iw_half_left why) {
    emit_loss(half, half->store.length, true);
    iw_half_give_up(half, why, half->reached);
}

/* Searches from the next TCP segment on, or from octet `at` of the store if one begins there. */
static void begin_segments(struct iw_half *half, uint32_t at) {
    const struct iw_span *piece = iw_store_piece(&half->store, at);
    bool begins = piece->at == at && half->store.offset + at >= segments_whole_from(half);

    half->segments = 0;
    half->segment_aligned = false;
    half->segment_frame = begins ? 0 : piece->frame;
}

static void accept_place(struct iw_half *half, enum iw_half_way way, const struct place *place) {
    bool proven;

    half->misfit = !fits_gap(half, place);
    proven = is_proven(half, way, place);
    remember_framing(half);
    adopt_framing(half, way, place);
    half->adopted = !proven;
    half->unproven = !proven;
    begin_segments(half, half->at + place->found);
    iw_half_resume(half, place->found);
}

/* Whether the place leads back to the FPDU at which an unproven chain ended. */
static bool leads_back_to_broken(const struct iw_half *half, const struct place *place) {
    return half->store.offset + half->at + place->found < half->broken;
}

/* Tries all ways, starting with the way the half reads now. */
static bool step_lost(struct iw_half *half, bool ended) {
    static const enum iw_half_way order[2][IW_HALF_WAYS] = {
        {IW_HALF_PLAIN, IW_HALF_MARKED, IW_HALF_PLAIN_HEADERS, IW_HALF_MARKED_HEADERS},
        {IW_HALF_MARKED, IW_HALF_PLAIN, IW_HALF_MARKED_HEADERS, IW_HALF_PLAIN_HEADERS},
    };
    bool hopeless = true;

    for (unsigned i = 0; i < IW_HALF_WAYS && !half->resynchronise_off; i++) {
        enum iw_half_way way = order[half->markers][i];
        enum iw_resync_outcome outcome = IW_RESYNC_NONE;
        struct place place = {0};

        if (way_is_possible(half, way))
            outcome = search_way(half, way, ended, &place);
        if (outcome == IW_RESYNC_FOUND && leads_back_to_broken(half, &place)) {
            outcome = IW_RESYNC_NONE;
        } else if (outcome == IW_RESYNC_FOUND) {
            accept_place(half, way, &place);
            return true;
        }
        hopeless &= outcome == IW_RESYNC_NONE;
    }
    if (hopeless)
        search_give_up(half, IW_HALF_LEFT_UNFRAMED);
    return hopeless;
}

static bool step_after_bad(struct iw_half *half, bool ended) {
    const struct iw_resync resync = iw_half_resync(half);
    enum iw_resync_outcome outcome = iw_resync_continues(&resync, kept_octets(half),
        half->store.length - half->at, half->store.offset + half->at, ended, &half->progress[IW_HALF_PLAIN]);

    if (outcome == IW_RESYNC_FOUND) {
        iw_half_start_reader(half);
        return true;
    }
    if (outcome == IW_RESYNC_MORE)
        return step_lost(half, ended);
    half->search = IW_HALF_LOST;
    return true;
}

/* With EITHER, `*wire` is the size of the FPDU. */
static enum iw_resync_outcome judge_doubt(struct iw_half *half, bool ended, uint32_t *wire) {
    bool first = half->search == IW_HALF_DOUBT_FIRST;
    enum iw_resync_outcome outcome;
    struct iw_resync_progress *progress = &half->progress[first ? IW_HALF_MARKED : IW_HALF_PLAIN];
    const uint8_t *octets = kept_octets(half);
    uint32_t length = half->store.length - half->at;
    uint64_t offset = half->store.offset + half->at;
    struct iw_resync resync = iw_half_resync(half);

    resync.markers = !half->markers;
    resync.origin = half->origin;
    resync.proofs = half->crc == IW_CRC_OFF ? 2 : 1;
    half->doubt_origin = half->origin;
    if (!half->origin_exact)
        return iw_resync_at_marked(
            &resync, octets, length, offset, ended, progress, &half->doubt_origin, wire);
    if (!first)
        return iw_resync_at(&resync, octets, length, offset, ended, progress);
    if (resync.markers && !iw_half_begins_marked(half))
        return IW_RESYNC_NONE;
    outcome = iw_resync_continues(&resync, octets, length, offset, false, progress);
    if (outcome == IW_RESYNC_MORE && ended && iw_resync_begins_cut(&resync, octets, length, offset))
        return IW_RESYNC_FOUND;
    return outcome;
}

/* Whether the first FPDU begins `*found` octets after the place that PD_Length states. A single FPDU is
 * proof only if its CRC is correct, or if nothing follows it and the other side has sent more meanwhile. */
static enum iw_resync_outcome search_after_private_data(struct iw_half *half, bool ended, uint32_t *found) {
    struct iw_resync resync = iw_half_resync(half);
    struct iw_resync_progress *progress = &half->progress[IW_HALF_PLAIN_HEADERS];
    const uint8_t *octets = kept_octets(half);
    uint32_t length = half->store.length - half->at;
    uint64_t offset = half->store.offset + half->at;
    enum iw_resync_outcome outcome;

    if (!half->origin_exact || half->lost_from != half->origin || half->private_limit == 0)
        return IW_RESYNC_NONE;
    outcome =
        iw_resync_begins_otherwise(&resync, octets, length, offset, &half->progress[IW_HALF_MARKED_HEADERS]);
    if (outcome != IW_RESYNC_FOUND)
        return ended ? IW_RESYNC_NONE : outcome;
    resync.proofs = half->crc == IW_CRC_ON ? 1 : 3;
    outcome = iw_resync_find_shifted(&resync, octets, length, offset, half->private_limit, ended, progress);
    *found = progress->tried;
    return outcome;
}

/* The place of the Marker in this FPDU is ambiguous; later FPDUs will show it. */
static void skip_ambiguous_fpdu(struct iw_half *half, uint32_t wire) {
    half->taken_from = half->store.offset + half->at + wire;
    iw_half_resume(half, wire);
}

/* With a Marker the FPDU would end in octets that the capture lacks, so whether it has one is unknown. After
 * a FIN there are no such octets. */
static bool ends_unseen(struct iw_half *half, bool ended) {
    uint32_t wire = 0;

    return ended && !half->fin && half->search == IW_HALF_DOUBT && !half->origin_exact &&
           judge_doubt(half, false, &wire) == IW_RESYNC_MORE;
}

/* DOUBT_FIRST: the header of the first FPDU is invalid as it should be read. If no valid header with a
 * correct CRC results the other way, one of the two is proof where CRCs are in use. */
static bool step_doubt(struct iw_half *half, bool ended) {
    uint32_t wire = 0;
    uint32_t found = 0;
    enum iw_resync_outcome outcome;
    enum iw_resync_outcome after_private_data = IW_RESYNC_NONE;

    if (ends_unseen(half, ended)) {
        iw_half_disown(half);
        return false;
    }
    outcome = judge_doubt(half, ended, &wire);
    if (outcome == IW_RESYNC_EITHER) {
        skip_ambiguous_fpdu(half, wire);
        return true;
    }
    if (outcome == IW_RESYNC_NONE && half->search == IW_HALF_DOUBT && half->crc != IW_CRC_OFF &&
        half->origin_exact && half->lost_from == half->origin) {
        half->search = IW_HALF_DOUBT_FIRST;
        return true;
    }
    if (outcome != IW_RESYNC_FOUND)
        after_private_data = search_after_private_data(half, ended || half->answered, &found);
    if (after_private_data == IW_RESYNC_FOUND) {
        resume_after_private_data(half, found);
        return true;
    }
    if ((outcome == IW_RESYNC_MORE || after_private_data == IW_RESYNC_MORE) && !ended)
        return false;
    if (outcome == IW_RESYNC_FOUND) {
        change_markers(half, !half->markers);
        half->origin = half->doubt_origin;
        half->origin_exact = true;
    }
    half->undoubted = half->lost_from + 1;
    iw_half_account(half, half->store.offset + half->at);
    iw_half_start_reader(half);
    return true;
}

bool iw_half_search_step(struct iw_half *half, bool ended) {
    switch (half->search) {
    case IW_HALF_DOUBT:
    case IW_HALF_DOUBT_FIRST:
        return step_doubt(half, ended);
    case IW_HALF_AFTER_BAD:
        return step_after_bad(half, ended);
    case IW_HALF_LOST:
        break;
    }
    return step_lost(half, ended);
}

void iw_half_answer(struct iw_half *half) {
    if (half->phase != IW_HALF_SEARCH ||
        (half->search != IW_HALF_DOUBT && half->search != IW_HALF_DOUBT_FIRST))
        return;
    half->answered = true;
    iw_half_pump(half, false);
    half->answered = false;
}

/* A complete FPDU before another gap is read if its CRC proves it: no later octet can. */
static void search_before_gap(struct iw_half *half, const struct iw_chunk *chunk) {
    if (half->search != IW_HALF_LOST || half->crc != IW_CRC_OFF)
        iw_half_pump(half, true);
    if (half->phase == IW_HALF_FPDU)
        iw_half_read(half, chunk);
    else if (half->phase == IW_HALF_SEARCH)
        iw_half_search_gap(half, chunk, 0);
}

void iw_half_search_feed(struct iw_half *half, const struct iw_chunk *chunk) {
    if (chunk->kind == IW_CHUNK_GAP) {
        search_before_gap(half, chunk);
        return;
    }
    if (!iw_store_append(&half->store, chunk, 0, chunk->length)) {
        iw_half_fail(half, half->lost_from);
        return;
    }
    iw_half_pump(half, false);
    if (half->phase == IW_HALF_SEARCH && half->store.length > IW_HALF_SEARCH_MAX)
        search_give_up(half, IW_HALF_LEFT_LIMIT);
}

void iw_half_search_end(struct iw_half *half) {
    iw_half_pump(half, true);
    if (half->phase == IW_HALF_SEARCH)
        search_give_up(half, IW_HALF_LEFT_UNFRAMED);
}
