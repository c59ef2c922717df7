#pragma once

#include <stddef.h>

/* The hash algorithms of RDMA Verify. The draft names no algorithm: the memory region determines it, and a
 * message carries only the octets of the hash (draft-talpey-rdma-commit-01 2.3, 2.4). */
enum iw_hash {
    IW_HASH_NONE,
    IW_HASH_CRC32C, /* least significant octet first, as MPA sends it */
    IW_HASH_SHA256,
    IW_HASH_SHA512,
    IW_HASH_COUNT,
};

enum { IW_HASH_OCTETS_MAX = 64 };

/* Octets of a hash value; 0 for NONE. */
size_t iw_hash_octets(enum iw_hash hash);

/* The names in the order of enum iw_hash, without NONE: "crc32c", "sha256", "sha512"; then NULL. */
extern const char *const iw_hash_names[];
