#ifndef IW_STORE_H
#define IW_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_span.h"

/* Contiguous octets of one direction that had to be kept because the rest of what they belong to had not come
 * yet, and the frame each came in. */

enum { IW_STORE_MAX = 1 << 30 }; /* octets that a store takes at the most */

struct iw_store {
    uint64_t offset; /* stream offset of the first octet */
    uint8_t *octets;
    uint32_t length;
    uint32_t capacity;
    struct iw_span *pieces; /* by frame */
    uint32_t piece_count;
    uint32_t piece_capacity;
};

/* Makes an empty store, which takes no memory before the first append; iw_store_dispose releases what it has
 * taken and leaves it empty. */
void iw_store_init(struct iw_store *store);
void iw_store_dispose(struct iw_store *store);

/* Empties it; the next octets will come from stream offset `offset`. Keeps the memory. */
void iw_store_clear(struct iw_store *store, uint64_t offset);

/* Makes room for exactly `octets` octets in total, more than there is room for now. If memory runs out,
 * returns false and changes nothing. */
bool iw_store_reserve(struct iw_store *store, uint32_t octets);

/* Appends `count` octets of a DATA chunk from its octet `from` on. Returns false, and takes
 * nothing, when there is no memory or that would be more than IW_STORE_MAX. */
bool iw_store_append(struct iw_store *store, const struct iw_chunk *chunk, uint32_t from, uint32_t count);

/* Appends all octets of another store. Returns false, and may have taken some of them, when there is no room.
 */
bool iw_store_append_store(struct iw_store *store, const struct iw_store *other);

/* Drops the first `count` octets, at the most all of them. */
void iw_store_trim(struct iw_store *store, uint32_t count);

/* The piece that holds the octet `at` (less than length). */
const struct iw_span *iw_store_piece(const struct iw_store *store, uint32_t at);

#endif
