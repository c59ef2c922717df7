#ifndef IW_MEMORY_H
#define IW_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_terminate.h"

/* Memory that a peer may reach by STag and TO: the regions of one protection domain, and what a receiver has
 * to check before it touches them (RFC 5041 7.1, RFC 5040 7.2). Several endpoints may share one domain. */

enum iw_right { IW_RIGHT_READ = 1 << 0, IW_RIGHT_WRITE = 1 << 1 }; /* of the remote peer */

struct iw_region {
    uint32_t stag;
    uint64_t base;      /* TO of the first octet */
    uint64_t size;      /* octets */
    unsigned rights;    /* set of enum iw_right */
    bool valid;         /* false once invalidated; may be set again */
    const void *stream; /* the one endpoint it is associated with, or NULL: every endpoint of the domain */
    uint8_t *octets;    /* the memory itself, owned by the domain */
};

struct iw_memory;

/* A domain without regions; NULL if there is no memory. */
struct iw_memory *iw_memory_new(void);
void iw_memory_free(struct iw_memory *memory);

/* Registers a region of `size` octets, all zero, valid. `stag` 0 lets the domain choose one (never 0, the
 * same ones in every run). NULL if the STag is taken, base + size goes beyond 2^64, or there is no memory.
 * The pointer stays valid until it is deregistered or the domain freed. */
struct iw_region *iw_memory_register(
    struct iw_memory *memory, uint32_t stag, uint64_t base, uint64_t size, unsigned rights);
void iw_memory_deregister(struct iw_memory *memory, struct iw_region *region);

/* The region with that STag, valid or not, or NULL. */
struct iw_region *iw_memory_find(const struct iw_memory *memory, uint32_t stag);

/* The region number `index` in order of registration, or NULL behind the last. */
struct iw_region *iw_memory_at(const struct iw_memory *memory, size_t index);

enum { IW_NO_ERROR = -1 }; /* beside enum iw_error, where 0 is an error */

/* The checks that can be left out by name, for a receiver that is meant to be wrong. */
enum iw_memory_check {
    IW_MEMORY_STAG = 1 << 0, /* known and valid */
    IW_MEMORY_STREAM = 1 << 1,
    IW_MEMORY_RIGHTS = 1 << 2,
    IW_MEMORY_WRAP = 1 << 3,
    IW_MEMORY_BOUNDS = 1 << 4,
};

struct iw_access {
    uint32_t stag;
    uint64_t to;
    uint64_t length;    /* octets */
    unsigned rights;    /* that the access needs; 0 for the answer to an own Read */
    const void *stream; /* the endpoint it comes through */
    unsigned skip;      /* set of enum iw_memory_check not to be made */
};

/* Checks a tagged segment as DDP has to: Terminate codes 1/1/xx, a missing right counting as Invalid STag.
 * Returns the first of enum iw_error that applies in the order STag, stream, rights, wrap, bounds, or
 * IW_NO_ERROR. Nothing is checked for a length of 0 (RFC 5041 7.1). `memory` may be NULL: no STag is valid.
 */
int iw_memory_check_tagged(const struct iw_memory *memory, const struct iw_access *access);

/* The same for the Data Source of a Read Request: codes 0/1/xx (RFC 5040 7.2). */
int iw_memory_check_source(const struct iw_memory *memory, const struct iw_access *access);

/* Whether the STag can be invalidated by a Send with Invalidate of that stream: IW_NO_ERROR, or
 * IW_ERROR_RDMAP_CANNOT_INVALIDATE (RFC 5040 5.3). Changes nothing. */
int iw_memory_check_invalidate(const struct iw_memory *memory, uint32_t stag, const void *stream);

/* Copies `length` octets to `to` on. What lies outside the region is left out, so that a receiver with checks
 * left out still stays inside; octets of an unknown STag go nowhere. */
void iw_memory_place(
    struct iw_memory *memory, uint32_t stag, uint64_t to, const uint8_t *octets, size_t length);

/* The octets of the region at `to`, in place, or NULL if not all `length` are there. */
const uint8_t *iw_memory_fetch(const struct iw_memory *memory, uint32_t stag, uint64_t to, size_t length);

#endif
