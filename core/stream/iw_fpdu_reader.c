#include "iw_fpdu_reader.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_crc32c.h"
#include "iw_placement.h"

/* Capacity that a reader keeps between two FPDUs. */
enum { KEPT_OCTETS = 512, KEPT_ITEMS = 8 };

void iw_fpdu_reader_init(
    struct iw_fpdu_reader *reader, bool markers, enum iw_crc_use crc, uint64_t origin, uint64_t start) {
    memset(reader, 0, sizeof *reader);
    reader->markers = markers;
    reader->crc = crc;
    reader->origin = origin;
    reader->start = start;
    iw_store_clear(&reader->store, start);
}

void iw_fpdu_reader_dispose(struct iw_fpdu_reader *reader) {
    iw_store_dispose(&reader->store);
    free(reader->image);
    free(reader->spans);
    free(reader->found);
    memset(reader, 0, sizeof *reader);
}

/* Frees an array whose capacity exceeds `kept`. `items` is the address of its pointer. */
static void fpdu_reader_release_large(void *items, uint32_t *capacity, uint32_t kept) {
    void *old;

    if (*capacity <= kept)
        return;
    memcpy(&old, items, sizeof old);
    free(old);
    memset(items, 0, sizeof old);
    *capacity = 0;
}

/* Frees large buffers, except the store of an incomplete FPDU: idle connections must take little memory. */
IW_HOT static void fpdu_reader_release(struct iw_fpdu_reader *reader) {
    if ((reader->store.capacity | reader->span_capacity) == 0)
        return; /* every FPDU so far was delivered in place */
    if (reader->have == 0) {
        iw_store_clear(&reader->store, reader->start);
        if (reader->store.capacity > KEPT_OCTETS || reader->store.piece_capacity > KEPT_ITEMS)
            iw_store_dispose(&reader->store);
    }
    fpdu_reader_release_large(&reader->image, &reader->image_capacity, KEPT_OCTETS);
    fpdu_reader_release_large(&reader->spans, &reader->span_capacity, KEPT_ITEMS);
    fpdu_reader_release_large(&reader->found, &reader->found_capacity, KEPT_ITEMS);
}

IW_HOT void iw_fpdu_reader_feed(struct iw_fpdu_reader *reader, const struct iw_chunk *chunk) {
    assert(reader->used == reader->chunk.length);
    assert(chunk->offset == reader->start + reader->have);
    reader->chunk = *chunk;
    reader->used = 0;
}

uint32_t iw_fpdu_reader_pending(const struct iw_fpdu_reader *reader) {
    return reader->have;
}

uint32_t iw_fpdu_reader_missing(const struct iw_fpdu_reader *reader) {
    return reader->have > reader->store.length ? reader->have - reader->store.length : 0;
}

bool iw_fpdu_reader_ends_with_crc(const struct iw_fpdu_reader *reader) {
    const uint8_t *octets = reader->store.octets;
    struct iw_mpa_crc trailer;

    if (reader->have <= iw_mpa_crc_octets || reader->store.length < reader->have)
        return false;
    iw_mpa_crc_decode(octets + reader->have - iw_mpa_crc_octets, &trailer);
    return iw_crc32c(octets, reader->have - iw_mpa_crc_octets) == trailer.crc;
}

/* Octets up to the end of ULPDU_Length, including a Marker that is due before it. */
static uint32_t fpdu_reader_length_end(const struct iw_fpdu_reader *reader) {
    bool marked = reader->markers && iw_marker_distance(reader->start - reader->origin) == 0;

    return iw_mpa_fpdu_octets + (marked ? iw_mpa_marker_octets : 0);
}

bool iw_fpdu_reader_marker_alone(const struct iw_fpdu_reader *reader) {
    static const uint8_t marker[iw_mpa_marker_octets];

    return reader->have == sizeof marker && reader->store.length == sizeof marker &&
           fpdu_reader_length_end(reader) > sizeof marker &&
           memcmp(reader->store.octets, marker, sizeof marker) == 0;
}

IW_HOT static void fpdu_reader_read_length(struct iw_fpdu_reader *reader, const uint8_t *wire) {
    struct iw_mpa_fpdu header;
    uint32_t plain;

    iw_mpa_fpdu_decode(wire + fpdu_reader_length_end(reader) - iw_mpa_fpdu_octets, &header);
    plain = iw_fpdu_plain_octets(header.ulpdu_length);
    reader->ulpdu_length = header.ulpdu_length;
    reader->wire = reader->markers ? iw_marker_wire_octets(reader->start - reader->origin, plain) : plain;
}

/* Reserves memory for `count` more octets, not for the whole FPDU: 100,000 connections may wait in one. */
IW_COLD static bool fpdu_reader_reserve(struct iw_fpdu_reader *reader, uint32_t count) {
    uint32_t need = reader->store.length + count;

    if (need <= reader->store.capacity || reader->wire == 0)
        return true;
    return iw_store_reserve(&reader->store, 2 * need < reader->wire ? 2 * need : reader->wire);
}

/* Adds `count` octets of the chunk to the current FPDU. Octets after a hole are not stored. */
static bool fpdu_reader_take(struct iw_fpdu_reader *reader, uint32_t count) {
    bool whole = reader->store.length == reader->have;

    if (reader->chunk.kind == IW_CHUNK_DATA && whole &&
        (!fpdu_reader_reserve(reader, count) ||
            !iw_store_append(&reader->store, &reader->chunk, reader->used, count)))
        return false;
    reader->used += count;
    reader->have += count;
    return true;
}

/* Takes octets until the FPDU has `need` of them, stored or not. */
static enum iw_read fpdu_reader_take_until(struct iw_fpdu_reader *reader, uint32_t need) {
    uint32_t left = reader->chunk.length - reader->used;
    uint32_t want = need - reader->have;

    if (!fpdu_reader_take(reader, left < want ? left : want)) {
        reader->failed = true;
        return IW_READ_BROKEN;
    }
    return reader->have == need ? IW_READ_DONE : IW_READ_MORE;
}

/* Appends octets between Markers to the image, with one span for each piece of the store. */
static void fpdu_reader_copy_run(struct iw_fpdu_reader *reader, const struct iw_store *store,
    uint32_t wire_at, uint32_t count, struct iw_fpdu *fpdu) {
    if (reader->markers)
        memcpy(reader->image + fpdu->image_captured, store->octets + wire_at, count);
    while (count > 0) {
        const struct iw_span *piece = iw_store_piece(store, wire_at);
        uint32_t in_piece = piece->at + piece->octets - wire_at;
        uint32_t run = in_piece < count ? in_piece : count;

        reader->spans[fpdu->span_count++] = (struct iw_span){.at = fpdu->image_captured,
            .octets = run,
            .offset = store->offset + wire_at,
            .frame = piece->frame,
            .time_ns = piece->time_ns};
        fpdu->image_captured += run;
        wire_at += run;
        count -= run;
    }
}

static void fpdu_reader_note_marker(
    struct iw_fpdu_reader *reader, const struct iw_store *store, uint32_t wire_at, struct iw_fpdu *fpdu) {
    struct iw_mpa_marker marker;
    uint32_t length_at = fpdu_reader_length_end(reader) - iw_mpa_fpdu_octets;

    iw_mpa_marker_decode(store->octets + wire_at, &marker);
    reader->found[fpdu->marker_count++] = (struct iw_marker){.offset = store->offset + wire_at,
        .reserved = marker.reserved,
        .fpduptr = marker.fpduptr,
        .expected = (uint16_t)(wire_at < length_at ? 0 : wire_at - length_at),
        .frame = iw_store_piece(store, wire_at + iw_mpa_marker_octets - 1)->frame};
}

/* Splits the octets of the store into image and Markers. */
static bool fpdu_reader_separate(
    struct iw_fpdu_reader *reader, const struct iw_store *store, struct iw_fpdu *fpdu) {
    uint32_t marker_max = reader->markers ? store->length / IW_MARKER_SPACING + 2 : 0;
    uint32_t at = 0;

    if ((reader->markers && !iw_array_reserve(&reader->image, &reader->image_capacity, store->length, 1)) ||
        !iw_array_reserve(
            &reader->spans, &reader->span_capacity, store->piece_count + marker_max, sizeof *reader->spans) ||
        !iw_array_reserve(&reader->found, &reader->found_capacity, marker_max, sizeof *reader->found))
        return false;

    while (at < store->length) {
        uint32_t run = store->length - at;

        if (reader->markers) {
            uint32_t due = iw_marker_distance(reader->start - reader->origin + at);

            if (due == 0) {
                if (run < iw_mpa_marker_octets)
                    break; /* the capture ends inside the marker */
                fpdu_reader_note_marker(reader, store, at, fpdu);
                at += iw_mpa_marker_octets;
                continue;
            }
            run = due < run ? due : run;
        }
        fpdu_reader_copy_run(reader, store, at, run, fpdu);
        at += run;
    }
    fpdu->wire = store->octets;
    fpdu->image = reader->markers ? reader->image : store->octets;
    fpdu->spans = reader->spans;
    fpdu->markers = reader->found;
    return true;
}

/* The CRC covers everything before it in `wire`, the octets in the stream (RFC 5044 4.4). */
IW_HOT static void fpdu_reader_check_crc(
    const struct iw_fpdu_reader *reader, const uint8_t *wire, uint32_t captured, struct iw_fpdu *fpdu) {
    uint32_t covered = reader->wire - iw_mpa_crc_octets;
    struct iw_mpa_crc trailer;

    if (captured < reader->wire) {
        fpdu->crc = IW_CRC_NOT_CAPTURED;
        return;
    }
    iw_mpa_crc_decode(wire + covered, &trailer);
    fpdu->crc_received = trailer.crc;
    if (reader->crc == IW_CRC_OFF) {
        fpdu->crc = IW_CRC_UNCHECKED;
        return;
    }
    fpdu->crc_computed = iw_crc32c(wire, covered);
    if (fpdu->crc_computed == fpdu->crc_received)
        fpdu->crc = IW_CRC_GOOD;
    else
        fpdu->crc = reader->crc == IW_CRC_ON ? IW_CRC_BAD : IW_CRC_UNPROVEN;
}

static void fpdu_reader_describe(const struct iw_fpdu_reader *reader, struct iw_fpdu *fpdu) {
    memset(fpdu, 0, sizeof *fpdu);
    fpdu->side = reader->chunk.side;
    fpdu->offset = reader->start;
    fpdu->position = reader->start - reader->origin;
    fpdu->wire_octets = reader->wire;
    fpdu->ulpdu_length = reader->ulpdu_length;
    fpdu->pad_octets = (uint8_t)iw_fpdu_pad(reader->ulpdu_length);
    fpdu->image_octets = iw_fpdu_plain_octets(reader->ulpdu_length);
    fpdu->frame = reader->chunk.frame;
    fpdu->time_ns = reader->chunk.time_ns;
}

/* Delivers an FPDU without Markers that is completely in the chunk: copies no octet. */
static void fpdu_reader_deliver_in_place(
    struct iw_fpdu_reader *reader, const uint8_t *wire, struct iw_fpdu *fpdu) {
    fpdu_reader_describe(reader, fpdu);
    fpdu->first_frame = reader->chunk.frame;
    fpdu->wire = fpdu->image = wire;
    fpdu->image_captured = reader->wire;
    reader->one_span = (struct iw_span){.octets = reader->wire,
        .offset = reader->start,
        .frame = reader->chunk.frame,
        .time_ns = reader->chunk.time_ns};
    fpdu->spans = &reader->one_span;
    fpdu->span_count = 1;
    fpdu_reader_check_crc(reader, wire, reader->wire, fpdu);
    reader->used += reader->wire;
}

static bool fpdu_reader_deliver_stored(struct iw_fpdu_reader *reader, struct iw_fpdu *fpdu) {
    const struct iw_store *store = &reader->store;

    fpdu_reader_describe(reader, fpdu);
    fpdu->first_frame = store->pieces[0].frame;
    if (!fpdu_reader_separate(reader, store, fpdu)) {
        reader->failed = true;
        return false;
    }
    fpdu_reader_check_crc(reader, store->octets, store->length, fpdu);
    return true;
}

void iw_fpdu_reader_clip(struct iw_fpdu_reader *reader, struct iw_fpdu *fpdu, uint32_t octets) {
    struct iw_span *spans = fpdu->spans == &reader->one_span ? &reader->one_span : reader->spans;
    uint64_t end = fpdu->offset + octets;

    fpdu->wire_octets = octets;
    while (
        fpdu->marker_count > 0 && fpdu->markers[fpdu->marker_count - 1].offset + iw_mpa_marker_octets > end)
        fpdu->marker_count--;
    while (fpdu->span_count > 1 && spans[fpdu->span_count - 1].offset >= end)
        fpdu->span_count--;
    if (fpdu->span_count > 0) {
        struct iw_span *last = &spans[fpdu->span_count - 1];

        if (last->offset + last->octets > end)
            last->octets = end > last->offset ? (uint32_t)(end - last->offset) : 0;
        fpdu->image_captured = last->at + last->octets;
        fpdu->frame = last->frame;
        fpdu->time_ns = last->time_ns;
    }
}

static void fpdu_reader_begin_next(struct iw_fpdu_reader *reader) {
    reader->start += reader->wire;
    reader->wire = 0;
    reader->have = 0;
}

static bool fpdu_reader_try_in_place(struct iw_fpdu_reader *reader, struct iw_fpdu *fpdu) {
    uint32_t left = reader->chunk.length - reader->used;
    const uint8_t *wire;

    if (reader->have > 0 || reader->markers || reader->chunk.kind != IW_CHUNK_DATA ||
        left < fpdu_reader_length_end(reader))
        return false;
    wire = reader->chunk.octets + reader->used;
    fpdu_reader_read_length(reader, wire);
    if (left < reader->wire) {
        reader->wire = 0;
        return false;
    }
    fpdu_reader_deliver_in_place(reader, wire, fpdu);
    fpdu_reader_begin_next(reader);
    return true;
}

IW_HOT static enum iw_read fpdu_reader_step(struct iw_fpdu_reader *reader, struct iw_fpdu *fpdu) {
    enum iw_read outcome;

    if (reader->have == 0 && reader->used == reader->chunk.length)
        return IW_READ_MORE;
    if (fpdu_reader_try_in_place(reader, fpdu))
        return IW_READ_DONE;
    if (reader->have == 0)
        iw_store_clear(&reader->store, reader->start);
    if (reader->wire == 0) {
        if (reader->chunk.kind == IW_CHUNK_GAP && reader->used < reader->chunk.length)
            return IW_READ_BROKEN;
        outcome = fpdu_reader_take_until(reader, fpdu_reader_length_end(reader));
        if (outcome != IW_READ_DONE)
            return outcome;
        fpdu_reader_read_length(reader, reader->store.octets);
    }
    outcome = fpdu_reader_take_until(reader, reader->wire);
    if (outcome != IW_READ_DONE)
        return outcome;
    if (!fpdu_reader_deliver_stored(reader, fpdu))
        return IW_READ_BROKEN;
    fpdu_reader_begin_next(reader);
    return IW_READ_DONE;
}

enum iw_read iw_fpdu_reader_next(struct iw_fpdu_reader *reader, struct iw_fpdu *fpdu) {
    enum iw_read outcome = fpdu_reader_step(reader, fpdu);

    if (outcome == IW_READ_MORE)
        fpdu_reader_release(reader);
    return outcome;
}
