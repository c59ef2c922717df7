#pragma once

#include "iw_hash.h"

/* The memory of regions. Persistent memory also has a medium, which is written only by a flush and by the
 * initial fill (iw_region_fill). The draft allows data of the peer to become persistent at any time; here
 * only a flush makes it persistent, so that a peer that forgets to flush is detected
 * (draft-talpey-rdma-commit-01 2.1). */

enum iw_medium {
    IW_MEDIUM_NONE,   /* volatile memory */
    IW_MEDIUM_MEMORY, /* persistent within this process: for runs without a file system */
    IW_MEDIUM_FILE,
};

struct iw_backing {
    uint8_t *octets; /* for Writes and Reads; 64-bit aligned */
    uint64_t size;
    enum iw_medium medium;
    uint8_t *kept; /* MEMORY: the persistent copy */
    int file;      /* FILE: its descriptor; otherwise -1 */
    unsigned references;
};

/* Allocates `size` octets, all zero, with one reference. Returns NULL if memory runs out. */
struct iw_backing *iw_backing_new(uint64_t size, bool persistent);

/* Creates persistent memory whose medium is the file at `path`: creates the file, or extends it to `size`
 * octets, locks it, and reads `size` octets of it. Returns NULL and sets errno if that fails: EINVAL if the
 * file is not a regular one, EWOULDBLOCK if it is locked, by another backing or process. */
struct iw_backing *iw_backing_open(const char *path, uint64_t size);
struct iw_backing *iw_backing_take(struct iw_backing *backing);

/* Drops a reference; dropping the last reference frees the backing, without a flush. NULL is allowed. */
void iw_backing_release(struct iw_backing *backing);

/* Writes octets [at, at + length) to the medium, and waits until they are persistent. Returns false on
 * failure: then an unknown part of the octets was written. Always false for volatile memory. */
bool iw_backing_persist(struct iw_backing *backing, uint64_t at, uint64_t length);

/* Hashes the octets of the medium, or of volatile memory: a Verify reads the underlying storage
 * (draft-talpey-rdma-commit-01 3.1.2). Returns false if they cannot be read or hashed. */
bool iw_backing_hash(const struct iw_backing *backing, enum iw_hash hash, uint64_t at, uint64_t length,
    uint8_t value[IW_HASH_OCTETS_MAX]);

/* Copies the octets of the medium, or of volatile memory. Returns false if they cannot be read. */
bool iw_backing_read(const struct iw_backing *backing, uint64_t at, uint8_t *octets, size_t length);
