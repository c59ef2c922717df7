#include "iw_store.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"

void iw_store_dispose(struct iw_store *store) {
    free(store->octets);
    free(store->pieces);
    *store = (struct iw_store){0};
}

void iw_store_clear(struct iw_store *store, uint64_t offset) {
    store->offset = offset;
    store->length = 0;
    store->piece_count = 0;
}

/* Adds octets to the last piece if they came in the same frame. */
static bool store_extend_last(struct iw_store *store, const struct iw_chunk *chunk, uint32_t count) {
    struct iw_span *last = store->piece_count == 0 ? NULL : &store->pieces[store->piece_count - 1];

    if (last == NULL || last->frame != chunk->frame || last->time_ns != chunk->time_ns)
        return false;
    last->octets += count;
    return true;
}

bool iw_store_reserve(struct iw_store *store, uint32_t octets) {
    uint8_t *larger = realloc(store->octets, octets);

    if (larger == NULL)
        return false;
    store->octets = larger;
    store->capacity = octets;
    return true;
}

bool iw_store_append(struct iw_store *store, const struct iw_chunk *chunk, uint32_t from, uint32_t count) {
    if (count == 0)
        return true;
    if (count > IW_STORE_MAX - store->length ||
        !iw_array_reserve(&store->octets, &store->capacity, store->length + count, 1) ||
        !iw_array_reserve(
            &store->pieces, &store->piece_capacity, store->piece_count + 1, sizeof *store->pieces))
        return false;
    memcpy(store->octets + store->length, chunk->octets + from, count);
    if (!store_extend_last(store, chunk, count))
        store->pieces[store->piece_count++] = (struct iw_span){.at = store->length,
            .offset = store->offset + store->length,
            .octets = count,
            .frame = chunk->frame,
            .time_ns = chunk->time_ns};
    store->length += count;
    return true;
}

bool iw_store_append_store(struct iw_store *store, const struct iw_store *other) {
    for (uint32_t i = 0; i < other->piece_count; i++) {
        const struct iw_span *piece = &other->pieces[i];
        const struct iw_chunk chunk = {
            .octets = other->octets, .frame = piece->frame, .time_ns = piece->time_ns};

        if (!iw_store_append(store, &chunk, piece->at, piece->octets))
            return false;
    }
    return true;
}

void iw_store_trim(struct iw_store *store, uint32_t count) {
    uint32_t kept = 0;

    if (count == 0)
        return;
    store->offset += count;
    store->length -= count;
    memmove(store->octets, store->octets + count, store->length);
    for (uint32_t i = 0; i < store->piece_count; i++) {
        struct iw_span piece = store->pieces[i];
        uint32_t dropped = piece.at < count ? count - piece.at : 0;

        if (dropped >= piece.octets)
            continue;
        piece.at = piece.at + dropped - count;
        piece.octets -= dropped;
        piece.offset += dropped;
        store->pieces[kept++] = piece;
    }
    store->piece_count = kept;
}

static size_t store_grown(size_t capacity, size_t count) {
    return capacity > 2 * count ? capacity : 2 * count;
}

size_t iw_store_grown_memory(const struct iw_store *store) {
    return store_grown(store->capacity, store->length) +
           store_grown(store->piece_capacity, store->piece_count) * sizeof *store->pieces;
}

const struct iw_span *iw_store_piece(const struct iw_store *store, uint32_t at) {
    return iw_span_find(store->pieces, store->piece_count, at);
}
