#include "iw_hash_table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 64 };

/* ---- the hash: SipHash-1-3 (Aumasson and Bernstein 2012) ---- */

static uint64_t hash_table_rotate(uint64_t value, unsigned bits) {
    return value << bits | value >> (64 - bits);
}

static void hash_table_sip_round(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = hash_table_rotate(v[1], 13) ^ v[0];
    v[3] = hash_table_rotate(v[3], 16) ^ v[2];
    v[0] = hash_table_rotate(v[0], 32) + v[3];
    v[2] += v[1];
    v[3] = hash_table_rotate(v[3], 21) ^ v[0];
    v[1] = hash_table_rotate(v[1], 17) ^ v[2];
    v[2] = hash_table_rotate(v[2], 32);
}

static void hash_table_sip_word(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    hash_table_sip_round(v);
    v[0] ^= word;
}

static void hash_table_sip_address(uint64_t v[4], const struct iw_tcp_address *address) {
    uint64_t word[2];
    memcpy(word, address->octets, sizeof word);
    hash_table_sip_word(v, word[0]);
    hash_table_sip_word(v, word[1]);
}

static void hash_table_sip_begin(uint64_t v[4], const uint64_t key[2]) {
    v[0] = key[0] ^ 0x736f6d6570736575;
    v[1] = key[1] ^ 0x646f72616e646f6d;
    v[2] = key[0] ^ 0x6c7967656e657261;
    v[3] = key[1] ^ 0x7465646279746573;
}

static uint64_t hash_table_sip_end(uint64_t v[4]) {
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        hash_table_sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t iw_hash_table_addresses(
    const struct iw_hash_table *table, const struct iw_tcp_address *one, const struct iw_tcp_address *other) {
    int order = memcmp(one->octets, other->octets, sizeof one->octets);
    if (order > 0 || (order == 0 && one->port > other->port)) {
        const struct iw_tcp_address *swap = one;
        one = other;
        other = swap;
    }
    uint64_t v[4];
    hash_table_sip_begin(v, table->key);
    hash_table_sip_address(v, one);
    hash_table_sip_address(v, other);
    hash_table_sip_word(v, (uint64_t)one->port << 32 | (uint64_t)other->port << 16 | one->version);
    return hash_table_sip_end(v);
}

uint64_t iw_hash_table_number(const struct iw_hash_table *table, uint64_t number) {
    uint64_t v[4];
    hash_table_sip_begin(v, table->key);
    hash_table_sip_word(v, number);
    return hash_table_sip_end(v);
}

static struct iw_hash_entry **hash_bucket(const struct iw_hash_table *table, uint64_t hash) {
    return &table->buckets[hash & (table->bucket_count - 1)];
}

/* Moves the entries of bucket `i` to two buckets of `grown`, and keeps their order. */
static void hash_split(const struct iw_hash_table *table, size_t i, struct iw_hash_entry **grown) {
    struct iw_hash_entry **end[2] = {&grown[i], &grown[i + table->bucket_count]};

    for (struct iw_hash_entry *entry = table->buckets[i]; entry != NULL; entry = entry->next) {
        bool upper = entry->hash & table->bucket_count;

        *end[upper] = entry;
        end[upper] = &entry->next;
    }
    *end[0] = *end[1] = NULL;
}

bool iw_hash_table_reserve(struct iw_hash_table *table) {
    size_t count = table->bucket_count > 0 ? table->bucket_count * 2 : FIRST_BUCKETS;
    struct iw_hash_entry **grown;

    if (table->count < table->bucket_count)
        return true;
    grown = calloc(count, sizeof(struct iw_hash_entry *));
    if (grown == NULL)
        return table->buckets != NULL; /* without more buckets, each bucket gets more entries */
    if (table->buckets == NULL) {
        /* Memory addresses vary from run to run: the key is hard to guess. No output depends on the key. */
        table->key[0] = (uint64_t)(uintptr_t)table;
        table->key[1] = (uint64_t)(uintptr_t)grown ^ (uint64_t)(uintptr_t)&count << 32;
    }
    for (size_t i = 0; i < table->bucket_count; i++)
        hash_split(table, i, grown);
    free(table->buckets);
    table->buckets = grown;
    table->bucket_count = count;
    return true;
}

void iw_hash_table_add(struct iw_hash_table *table, struct iw_hash_entry *entry, uint64_t hash) {
    struct iw_hash_entry **bucket = hash_bucket(table, hash);

    *entry = (struct iw_hash_entry){*bucket, hash};
    *bucket = entry;
    table->count++;
}

void iw_hash_table_remove(struct iw_hash_table *table, struct iw_hash_entry *entry) {
    struct iw_hash_entry **place = hash_bucket(table, entry->hash);

    while (*place != entry)
        place = &(*place)->next;
    *place = entry->next;
    table->count--;
}

static void *hash_seek(struct iw_hash_entry *entry, uint64_t hash) {
    while (entry != NULL && entry->hash != hash)
        entry = entry->next;
    return entry;
}

void *iw_hash_table_first(const struct iw_hash_table *table, uint64_t hash) {
    return table->buckets == NULL ? NULL : hash_seek(*hash_bucket(table, hash), hash);
}

void *iw_hash_table_next(const struct iw_hash_entry *entry) {
    return hash_seek(entry->next, entry->hash);
}

void iw_hash_table_dispose(struct iw_hash_table *table) {
    free(table->buckets);
    *table = (struct iw_hash_table){0};
}
