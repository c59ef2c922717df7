#pragma once

#include <stddef.h>

#include "iw_chunk.h"
#include "iw_span.h"

/* Contiguous octets of one direction, kept until the rest of a startup frame or FPDU comes, with the
 * capture frame of each. All zero: empty, without memory. */

enum { IW_STORE_MAX = 1 << 30 }; /* maximum number of octets in a store */

struct iw_store {
    uint64_t offset; /* stream offset of the first octet */
    uint8_t *octets;
    uint32_t length;
    uint32_t capacity;
    struct iw_span *pieces; /* consecutive octets, one piece for each capture frame */
    uint32_t piece_count;
    uint32_t piece_capacity;
};

/* Frees the memory and leaves the store empty. */
void iw_store_dispose(struct iw_store *store);

/* Empties the store; the next octets will come from stream offset `offset`. Keeps the memory. */
void iw_store_clear(struct iw_store *store, uint64_t offset);

/* Sets the capacity to more octets than now. If memory runs out, returns false and changes nothing. */
bool iw_store_reserve(struct iw_store *store, uint32_t octets);

/* Appends `count` octets of a DATA chunk from its octet `from` on. Returns false and appends nothing if
 * memory runs out or the total would exceed IW_STORE_MAX. */
bool iw_store_append(struct iw_store *store, const struct iw_chunk *chunk, uint32_t from, uint32_t count);

/* Appends another store. Returns false, perhaps after a part, without memory or beyond IW_STORE_MAX. */
bool iw_store_append_store(struct iw_store *store, const struct iw_store *other);

/* Drops the first `count` octets, at most all of them. */
void iw_store_trim(struct iw_store *store, uint32_t count);

/* An upper estimate of the memory, in octets, that the store takes, or will take when it next grows.
 * Appending `count` octets of a chunk raises it by at most 2 * `count` + IW_STORE_MEMORY_STEP. */
enum { IW_STORE_MEMORY_STEP = 256 };
size_t iw_store_grown_memory(const struct iw_store *store);
static inline size_t iw_store_memory(const struct iw_store *store) {
    return store->capacity == 0 ? 0 : iw_store_grown_memory(store);
}

/* The piece that holds the octet `at` (less than length). */
const struct iw_span *iw_store_piece(const struct iw_store *store, uint32_t at);
