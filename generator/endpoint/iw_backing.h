#ifndef IW_BACKING_H
#define IW_BACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_hash.h"

/* The memory behind regions: octets, and for the persistent kind a medium behind those, which a flush alone
 * reaches. The draft lets data become persistent at any time; here it never does unasked, so that a peer that
 * has forgotten to flush can be told from one that has not (draft-talpey-rdma-commit-01 2.1). */

enum iw_medium {
    IW_MEDIUM_NONE,   /* volatile memory */
    IW_MEDIUM_MEMORY, /* persistent as far as this process goes: for runs without a file system */
    IW_MEDIUM_FILE,
};

struct iw_backing {
    uint8_t *octets; /* what Writes are placed in and Reads are answered from; 64-bit aligned */
    uint64_t size;
    enum iw_medium medium;
    uint8_t *kept; /* MEMORY */
    int file;      /* FILE; -1 else */
    unsigned references;
};

/* `size` octets, all zero, with one reference. NULL if there is no memory. */
struct iw_backing *iw_backing_new(uint64_t size, bool persistent);

/* The same over the file at `path`, which is made as long as that if it is shorter; the octets begin as the
 * file has them. NULL with errno. */
struct iw_backing *iw_backing_open(const char *path, uint64_t size);

struct iw_backing *iw_backing_take(struct iw_backing *backing);

/* Gives one reference back; what was not flushed is lost. NULL is allowed. */
void iw_backing_release(struct iw_backing *backing);

/* Returns once the octets from `at` to before `at + length` are on the medium. False if that cannot be, of
 * volatile memory always; then nobody knows how much of it is there. */
bool iw_backing_persist(struct iw_backing *backing, uint64_t at, uint64_t length);

/* The hash of what the medium has there, or the octets of volatile memory: a Verify reads the underlying
 * storage (draft-talpey-rdma-commit-01 3.1.2). False if it cannot be read. */
bool iw_backing_hash(const struct iw_backing *backing, enum iw_hash hash, uint64_t at, uint64_t length,
    uint8_t value[IW_HASH_OCTETS_MAX]);

/* Copies what the medium has there, or the octets of volatile memory. False if it cannot be read. */
bool iw_backing_read(const struct iw_backing *backing, uint64_t at, uint8_t *octets, size_t length);

#endif
