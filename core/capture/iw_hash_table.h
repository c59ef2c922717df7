#pragma once

#include <stddef.h>

#include "iw_tcp_segment.h"

/* A hash table of objects that the caller owns; each begins with a struct iw_hash_entry. The key of the hash
 * is secret, so crafted input cannot put all objects into one bucket. A zeroed struct is an empty table. */

struct iw_hash_entry {
    struct iw_hash_entry *next; /* next entry of the same bucket */
    uint64_t hash;
};

struct iw_hash_table {
    struct iw_hash_entry **buckets;
    size_t bucket_count; /* 0, or a power of two */
    size_t count;        /* number of objects */
    uint64_t key[2];
};

/* Ensures buckets for one more object. Must be called before the hash of the object is computed, because the
 * first call sets the key. Returns false if the table has no bucket because memory ran out. */
bool iw_hash_table_reserve(struct iw_hash_table *table);

/* Return a hash: of two addresses and ports, the same in either order; of a number. */
uint64_t iw_hash_table_addresses(
    const struct iw_hash_table *table, const struct iw_tcp_address *one, const struct iw_tcp_address *other);
uint64_t iw_hash_table_number(const struct iw_hash_table *table, uint64_t number);

/* Adds an entry; it must not move until it is removed. Several entries may have the same hash. */
void iw_hash_table_add(struct iw_hash_table *table, struct iw_hash_entry *entry, uint64_t hash);
void iw_hash_table_remove(struct iw_hash_table *table, struct iw_hash_entry *entry);

/* iw_hash_table_first returns the object with this hash that was added last; iw_hash_table_next returns the
 * object with the same hash that was added before `entry`. They return NULL if there is no such object. */
void *iw_hash_table_first(const struct iw_hash_table *table, uint64_t hash);
void *iw_hash_table_next(const struct iw_hash_entry *entry);

/* Frees the buckets, not the objects. */
void iw_hash_table_dispose(struct iw_hash_table *table);
