#include "iw_half.h"

#include <string.h>

#include "iw_opcode.h"

void iw_half_init(struct iw_half *half, enum iw_side side, iw_mpa_sink *sink, void *user) {
    memset(half, 0, sizeof *half);
    half->side = side;
    half->crc = IW_CRC_UNKNOWN;
    half->sink = sink;
    half->user = user;
    iw_store_init(&half->store);
    iw_fpdu_reader_init(&half->reader, false, IW_CRC_UNKNOWN, 0, 0);
}

void iw_half_dispose(struct iw_half *half) {
    iw_store_dispose(&half->store);
    iw_fpdu_reader_dispose(&half->reader);
}

static struct iw_mpa_event event_of(const struct iw_half *half, enum iw_mpa_event_kind kind) {
    return (struct iw_mpa_event){.kind = kind,
        .side = half->side,
        .offset = half->reached,
        .frame = half->last_frame,
        .first_frame = half->last_frame,
        .time_ns = half->last_time_ns};
}

void iw_half_leave(struct iw_half *half) {
    half->phase = IW_HALF_OTHER;
    iw_store_dispose(&half->store);
    iw_fpdu_reader_dispose(&half->reader);
}

/* ---- full operation ---- */

static void seek(struct iw_half *half, uint64_t from);
static void seek_gap(struct iw_half *half, const struct iw_chunk *chunk, uint32_t used);

static void emit_fpdu(struct iw_half *half, const struct iw_fpdu *fpdu) {
    struct iw_mpa_event event = event_of(half, IW_MPA_FPDU);

    event.offset = fpdu->offset;
    event.octets = fpdu->wire_octets;
    event.frame = fpdu->frame;
    event.time_ns = fpdu->time_ns;
    event.first_frame = fpdu->first_frame;
    event.fpdu = fpdu;
    half->sink(half->user, &event);
}

static void read_fpdus(struct iw_half *half, const struct iw_chunk *chunk) {
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

        seek(half, half->reader.start);
        seek_gap(half, chunk, used);
    }
}

/* Reads kept octets again, from octet `from` of the store on. Reading cannot break here: the store has no
 * gap. */
static void replay(struct iw_half *half, struct iw_store *store, uint32_t from) {
    for (uint32_t i = 0; i < store->piece_count && half->phase == IW_HALF_FPDU; i++) {
        const struct iw_piece *piece = &store->pieces[i];
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
            read_fpdus(half, &chunk);
    }
}

/* Starts reading at octet `from` of the store. */
static void start_reader(struct iw_half *half, uint32_t from) {
    struct iw_store store = half->store;

    half->phase = IW_HALF_FPDU;
    iw_store_init(&half->store);
    iw_fpdu_reader_dispose(&half->reader);
    iw_fpdu_reader_init(&half->reader, half->markers, half->crc, half->origin, store.offset + from);
    half->reader.chunk.side = half->side;
    replay(half, &store, from);
    iw_store_dispose(&store);
}

void iw_half_go(struct iw_half *half, bool markers, enum iw_crc_use crc) {
    if (half->phase != IW_HALF_HOLD)
        return;
    half->markers = markers;
    half->crc = crc;
    start_reader(half, 0);
}

void iw_half_go_unsettled(struct iw_half *half) {
    static const uint8_t first_marker[iw_mpa_marker_octets];
    bool markers = half->store.length >= sizeof first_marker &&
                   memcmp(half->store.octets, first_marker, sizeof first_marker) == 0;

    iw_half_go(half, markers, half->crc);
}

/* ---- seeking ---- */

static void seek(struct iw_half *half, uint64_t from) {
    iw_fpdu_reader_dispose(&half->reader);
    half->phase = IW_HALF_SEEK;
    half->lost_from = from;
    half->missing = 0;
    half->cut = false;
    memset(&half->progress, 0, sizeof half->progress);
}

/* Nothing before the gap can be chained to what comes behind it. `used` octets of it lie in an FPDU that was
 * read. */
static void seek_gap(struct iw_half *half, const struct iw_chunk *chunk, uint32_t used) {
    half->missing += chunk->length - used;
    half->cut |= chunk->cut;
    memset(&half->progress, 0, sizeof half->progress);
    iw_store_clear(&half->store, chunk->offset + chunk->length);
}

static void emit_loss(struct iw_half *half, uint64_t end, bool open) {
    struct iw_mpa_event event = event_of(half, IW_MPA_LOSS);

    event.offset = half->lost_from;
    event.octets = end - half->lost_from;
    event.missing = half->missing;
    event.cut = half->cut;
    event.open = open;
    if (event.octets > 0)
        half->sink(half->user, &event);
}

static void try_resync(struct iw_half *half, bool ended) {
    const struct iw_resync resync = {.markers = half->markers,
        .crc = half->crc,
        .aligned = half->origin_known,
        .origin = half->origin_known ? half->origin : half->store.offset,
        .proofs = half->origin_known && half->crc == IW_CRC_ON ? 1 : 2,
        .extensions = IW_EXT_ALL};
    enum iw_resync_outcome outcome = IW_RESYNC_NONE;

    /* Markers whose places are not known cannot be taken out. */
    if (half->origin_known || !half->markers)
        outcome = iw_resync_find(
            &resync, half->store.octets, half->store.length, half->store.offset, ended, &half->progress);
    if (outcome == IW_RESYNC_FOUND) {
        uint32_t found = half->progress.tried;

        emit_loss(half, half->store.offset + found, false);
        half->resynchronised = true;
        if (!half->origin_known)
            half->origin = half->store.offset + found;
        start_reader(half, found);
    } else if (outcome == IW_RESYNC_NONE || ended || half->store.length > IW_HALF_SEEK_MAX) {
        emit_loss(half, half->reached, true);
        iw_half_leave(half);
    }
}

static void feed_seek(struct iw_half *half, const struct iw_chunk *chunk) {
    if (chunk->kind == IW_CHUNK_GAP) {
        seek_gap(half, chunk, 0);
    } else if (!iw_store_append(&half->store, chunk, 0, chunk->length)) {
        iw_half_leave(half);
    } else {
        try_resync(half, false);
    }
}

/* ---- startup ---- */

/* What an attempt at a startup frame begins with, right or wrong in the rest. */
static bool begins_like_startup(const uint8_t *octets, uint32_t length) {
    uint32_t compared = length < 8 ? length : 8;

    return memcmp(octets, iw_startup_key_request, compared) == 0;
}

static void emit_startup(struct iw_half *half) {
    struct iw_mpa_event event = event_of(half, IW_MPA_STARTUP);
    struct iw_startup startup;

    iw_startup_decode(half->store.octets, half->store.length, &startup);
    event.offset = half->store.offset;
    event.octets = half->frame_octets;
    event.first_frame = iw_store_piece(&half->store, 0)->frame;
    event.startup = &startup;
    event.startup_octets = half->store.octets;
    event.startup_captured = half->store.length;
    half->origin = half->store.offset + half->frame_octets;
    half->origin_known = true;
    half->sink(half->user, &event);

    /* Of a frame without a key, or with more private data than there can be, nobody can say where it ends. */
    if (half->phase == IW_HALF_STARTUP) {
        half->phase = IW_HALF_HOLD;
        if (startup.key == IW_STARTUP_UNKNOWN || startup.header.pd_length > IW_STARTUP_PD_MAX)
            iw_half_leave(half);
    }
    iw_store_clear(&half->store, half->origin);
}

/* How large the frame at the start of the store is; 20 octets of it are there. */
static uint32_t startup_octets(const struct iw_half *half) {
    size_t octets = iw_startup_octets(half->store.octets);
    struct iw_startup startup;

    iw_startup_decode(half->store.octets, iw_mpa_startup_octets, &startup);
    if (startup.key == IW_STARTUP_UNKNOWN || octets > iw_mpa_startup_octets + IW_STARTUP_PD_MAX)
        return iw_mpa_startup_octets;
    return (uint32_t)octets;
}

/* Takes octets of the chunk up to the end of the frame; returns how many. */
static uint32_t collect_startup(struct iw_half *half, const struct iw_chunk *chunk) {
    uint32_t used = 0;

    if (half->store.length == 0)
        iw_store_clear(&half->store, chunk->offset);
    for (;;) {
        uint32_t need = half->frame_octets > 0 ? half->frame_octets : iw_mpa_startup_octets;
        uint32_t want = need - half->store.length;
        uint32_t left = chunk->length - used;
        uint32_t count = left < want ? left : want;

        if (!iw_store_append(&half->store, chunk, used, count)) {
            iw_half_leave(half);
            return chunk->length;
        }
        used += count;
        if (half->store.length < need)
            return used;
        if (half->frame_octets == 0)
            half->frame_octets = startup_octets(half);
        if (half->store.length == half->frame_octets) {
            emit_startup(half);
            return used;
        }
    }
}

/* The stream does not begin with a startup frame: streaming mode before MPA (RFC 5044 7.1), another protocol,
 * or a capture that began later. */
static void feed_streaming(struct iw_half *half, const struct iw_chunk *chunk) {
    half->streaming += chunk->length;
    if (half->from_start) {
        if (half->streaming > IW_HALF_STREAMING_MAX)
            iw_half_leave(half);
        return;
    }
    seek(half, chunk->offset);
    iw_store_clear(&half->store, chunk->offset);
    feed_seek(half, chunk);
}

static void startup_gap(struct iw_half *half, const struct iw_chunk *chunk) {
    uint64_t frame_end = half->store.offset + half->frame_octets;

    if (half->frame_octets > 0 && chunk->offset + chunk->length <= frame_end) {
        /* Only private data is missing. */
        half->frame_cut += chunk->length;
        if (half->store.length + half->frame_cut == half->frame_octets)
            emit_startup(half);
        return;
    }
    seek(half, half->store.length > 0 ? half->store.offset : chunk->offset);
    seek_gap(half, chunk, 0);
}

static void feed_hold(struct iw_half *half, const struct iw_chunk *chunk, uint32_t from) {
    if (!iw_store_append(&half->store, chunk, from, chunk->length - from))
        iw_half_leave(half);
}

static void feed_startup(struct iw_half *half, const struct iw_chunk *chunk) {
    uint32_t used;

    if (chunk->kind == IW_CHUNK_GAP) {
        startup_gap(half, chunk);
        return;
    }
    if (half->frame_cut > 0)
        return; /* octets behind a hole in the frame */
    if (half->store.length == 0 && !half->expected && !begins_like_startup(chunk->octets, chunk->length)) {
        feed_streaming(half, chunk);
        return;
    }
    used = collect_startup(half, chunk);
    if (half->phase == IW_HALF_HOLD && used < chunk->length)
        feed_hold(half, chunk, used);
}

/* ---- all together ---- */

static uint32_t pending(const struct iw_half *half) {
    switch (half->phase) {
    case IW_HALF_STARTUP:
        return half->store.length;
    case IW_HALF_FPDU:
        return iw_fpdu_reader_pending(&half->reader);
    case IW_HALF_HOLD:
    case IW_HALF_SEEK:
    case IW_HALF_OTHER:
        break;
    }
    return 0;
}

static void settle_open_ends(struct iw_half *half) {
    if (half->phase == IW_HALF_HOLD && half->store.length > 0)
        iw_half_go_unsettled(half);
    if (half->phase == IW_HALF_SEEK)
        try_resync(half, true);
}

static void emit_close(struct iw_half *half, enum iw_mpa_close how) {
    struct iw_mpa_event event = event_of(half, IW_MPA_CLOSE);

    event.close = how;
    event.pending = pending(half);
    half->closed = true;
    half->sink(half->user, &event);
}

static void feed_octets(struct iw_half *half, const struct iw_chunk *chunk) {
    half->reached = chunk->offset + chunk->length;
    if (half->phase == IW_HALF_HOLD &&
        (chunk->kind == IW_CHUNK_GAP || half->store.length + chunk->length > IW_HALF_HOLD_MAX))
        iw_half_go_unsettled(half);

    switch (half->phase) {
    case IW_HALF_STARTUP:
        feed_startup(half, chunk);
        break;
    case IW_HALF_HOLD:
        feed_hold(half, chunk, 0);
        break;
    case IW_HALF_FPDU:
        read_fpdus(half, chunk);
        break;
    case IW_HALF_SEEK:
        feed_seek(half, chunk);
        break;
    case IW_HALF_OTHER:
        break;
    }
}

void iw_half_feed(struct iw_half *half, const struct iw_chunk *chunk) {
    half->last_frame = chunk->frame;
    half->last_time_ns = chunk->time_ns;
    switch (chunk->kind) {
    case IW_CHUNK_START:
        half->from_start = true;
        break;
    case IW_CHUNK_DATA:
    case IW_CHUNK_GAP:
        feed_octets(half, chunk);
        break;
    case IW_CHUNK_FIN:
    case IW_CHUNK_RST:
        settle_open_ends(half);
        emit_close(half, chunk->kind == IW_CHUNK_FIN ? IW_MPA_CLOSE_FIN : IW_MPA_CLOSE_RST);
        break;
    }
}

void iw_half_finish(struct iw_half *half) {
    if (half->closed)
        return;
    settle_open_ends(half);
    emit_close(half, IW_MPA_CLOSE_INPUT);
}
