#include "iw_half_operation.h"

#include <string.h>

#include "iw_opcode.h"

struct iw_mpa_event iw_half_event(const struct iw_half *half, enum iw_mpa_event_kind kind) {
    return (struct iw_mpa_event){.kind = kind,
        .side = half->side,
        .offset = half->reached,
        .frame = half->last_frame,
        .first_frame = half->last_frame,
        .time_ns = half->last_time_ns};
}

/* ---- reading ---- */

static void emit_fpdu(struct iw_half *half, const struct iw_fpdu *fpdu) {
    struct iw_mpa_event event = iw_half_event(half, IW_MPA_FPDU);

    event.offset = fpdu->offset;
    event.octets = fpdu->wire_octets;
    event.frame = fpdu->frame;
    event.time_ns = fpdu->time_ns;
    event.first_frame = fpdu->first_frame;
    event.fpdu = fpdu;
    half->sink(half->user, &event);
}

void iw_half_read(struct iw_half *half, const struct iw_chunk *chunk) {
    struct iw_fpdu fpdu;
    enum iw_read outcome;

    iw_fpdu_reader_feed(&half->reader, chunk);
    while ((outcome = iw_fpdu_reader_next(&half->reader, &fpdu)) == IW_READ_DONE) {
        emit_fpdu(half, &fpdu);
        if (half->phase != IW_HALF_FPDU)
            return; /* the sink made the half leave MPA */
    }
    if (outcome == IW_READ_BROKEN && half->reader.failed) {
        iw_half_leave(half);
    } else if (outcome == IW_READ_BROKEN) {
        uint32_t used = half->reader.used;

        iw_half_seek(half, half->reader.start, iw_fpdu_reader_first_frame(&half->reader));
        iw_half_seek_gap(half, chunk, used);
    }
}

/* Reads kept octets again, from octet `from` of the store on. Reading cannot break here: the store has no
 * gap. */
static void replay(struct iw_half *half, struct iw_store *store, uint32_t from) {
    for (uint32_t i = 0; i < store->piece_count && half->phase == IW_HALF_FPDU; i++) {
        const struct iw_span *piece = &store->pieces[i];
        uint32_t end = piece->at + piece->octets;
        uint32_t at = piece->at < from ? from : piece->at;
        struct iw_chunk chunk = {.kind = IW_CHUNK_DATA,
            .side = half->side,
            .length = end - at,
            .offset = store->offset + at,
            .octets = store->octets + at,
            .frame = piece->frame,
            .time_ns = piece->time_ns};

        if (end > from)
            iw_half_read(half, &chunk);
    }
}

void iw_half_start_reader(struct iw_half *half, uint32_t from) {
    struct iw_store store = half->store;

    half->phase = IW_HALF_FPDU;
    iw_store_init(&half->store);
    iw_fpdu_reader_dispose(&half->reader);
    iw_fpdu_reader_init(&half->reader, half->markers, half->crc, half->origin, store.offset + from);
    replay(half, &store, from);
    iw_store_dispose(&store);
}

/* ---- seeking ---- */

void iw_half_seek(struct iw_half *half, uint64_t from, uint64_t first_frame) {
    iw_fpdu_reader_dispose(&half->reader);
    half->phase = IW_HALF_SEEK;
    half->lost_from = from;
    half->lost_first_frame = first_frame;
    half->missing = 0;
    half->cut = false;
    memset(&half->progress, 0, sizeof half->progress);
}

void iw_half_seek_gap(struct iw_half *half, const struct iw_chunk *chunk, uint32_t used) {
    half->missing += chunk->length - used;
    half->cut |= chunk->cut;
    half->gap_frame = chunk->frame;
    half->gap_time_ns = chunk->time_ns;
    memset(&half->progress, 0, sizeof half->progress);
    iw_store_clear(&half->store, chunk->offset + chunk->length);
}

/* Everything from `lost_from` up to octet `end` of the store is lost. */
static void emit_loss(struct iw_half *half, uint32_t end, bool open) {
    struct iw_mpa_event event = iw_half_event(half, IW_MPA_LOSS);
    const struct iw_span *last = end > 0 ? iw_store_piece(&half->store, end - 1) : NULL;

    event.offset = half->lost_from;
    event.octets = half->store.offset + end - half->lost_from;
    event.first_frame = half->lost_first_frame;
    event.frame = last != NULL ? last->frame : half->gap_frame;
    event.time_ns = last != NULL ? last->time_ns : half->gap_time_ns;
    event.missing = half->missing;
    event.cut = half->cut;
    event.open = open;
    if (event.octets > 0)
        half->sink(half->user, &event);
}

static enum iw_resync_outcome look(struct iw_half *half, bool ended) {
    const struct iw_resync resync = {.markers = half->markers,
        .crc = half->crc,
        .aligned = half->origin_known,
        .origin = half->origin_known ? half->origin : half->store.offset,
        .proofs = half->origin_known && half->crc == IW_CRC_ON ? 1 : 2,
        .extensions = IW_EXT_ALL};

    if (half->resynchronise_off)
        return IW_RESYNC_NONE;
    /* Markers whose places are not known cannot be taken out. */
    if (!half->origin_known && half->markers)
        return IW_RESYNC_NONE;
    return iw_resync_find(
        &resync, half->store.octets, half->store.length, half->store.offset, ended, &half->progress);
}

/* Reads on where the search has found an FPDU. */
static void take_up(struct iw_half *half) {
    uint32_t found = half->progress.tried;

    half->resynchronised = true;
    if (!half->origin_known)
        half->origin = half->store.offset + found;
    emit_loss(half, found, false);
    if (half->phase == IW_HALF_SEEK)
        iw_half_start_reader(half, found);
}

static void give_up(struct iw_half *half) {
    emit_loss(half, half->store.length, true);
    iw_half_leave(half);
}

/* An FPDU that stands whole before another gap is worth reading if its CRC proves it: nothing else will. */
static void look_before_gap(struct iw_half *half, const struct iw_chunk *chunk) {
    if (half->crc == IW_CRC_OFF || look(half, true) != IW_RESYNC_FOUND) {
        iw_half_seek_gap(half, chunk, 0);
        return;
    }
    take_up(half);
    if (half->phase == IW_HALF_FPDU)
        iw_half_read(half, chunk);
}

void iw_half_seek_feed(struct iw_half *half, const struct iw_chunk *chunk) {
    enum iw_resync_outcome outcome;

    if (chunk->kind == IW_CHUNK_GAP) {
        look_before_gap(half, chunk);
        return;
    }
    if (!iw_store_append(&half->store, chunk, 0, chunk->length)) {
        iw_half_leave(half);
        return;
    }
    outcome = look(half, false);
    if (outcome == IW_RESYNC_FOUND)
        take_up(half);
    else if (outcome == IW_RESYNC_NONE || half->store.length > IW_HALF_SEEK_MAX)
        give_up(half);
}

void iw_half_seek_end(struct iw_half *half) {
    if (look(half, true) == IW_RESYNC_FOUND)
        take_up(half);
    else
        give_up(half);
}
