#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_hash_name.h"

/* Returns NULL for NONE. */
const char *iw_hash_name(enum iw_hash hash);

/* The algorithm of that name, or NONE. */
enum iw_hash iw_hash_find(const char *name);

struct iw_hasher {
    enum iw_hash hash;
    uint32_t crc;
    void *context; /* EVP_MD_CTX of libcrypto; NULL for CRC32C */
    bool failed;
};

/* Hash octets in several parts: call begin, update for each part, and end, which frees. Each returns false if
 * the library fails, begin also for NONE. Then call only end, and ignore its result. */
bool iw_hasher_begin(struct iw_hasher *hasher, enum iw_hash hash);
bool iw_hasher_update(struct iw_hasher *hasher, const uint8_t *octets, size_t count);
bool iw_hasher_end(struct iw_hasher *hasher, uint8_t value[IW_HASH_OCTETS_MAX]);

/* Hashes all octets in one call. Returns false on failure, and for NONE. */
bool iw_hash_compute(
    enum iw_hash hash, const uint8_t *octets, size_t count, uint8_t value[IW_HASH_OCTETS_MAX]);
