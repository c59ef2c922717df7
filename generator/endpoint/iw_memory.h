#ifndef IW_MEMORY_H
#define IW_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "iw_backing.h"
#include "iw_terminate.h"

/* Memory that a peer may reach by STag and TO: regions, how they are registered, and what a receiver has to
 * check before it touches them (RFC 5041 7.1, RFC 5040 7.2, draft-talpey-rdma-commit-01 3.2.1). Several
 * endpoints may share it. */

/* Of the remote peer. Atomic Write needs WRITE alone (draft-talpey-rdma-commit-01 2.4). */
enum iw_right {
    IW_RIGHT_READ = 1 << 0,
    IW_RIGHT_WRITE = 1 << 1,
    IW_RIGHT_ATOMIC = 1 << 2,
    IW_RIGHT_PERSIST = 1 << 3, /* Flush to persistence */
    IW_RIGHT_EXPOSE = 1 << 4,  /* Flush to global visibility */
    IW_RIGHT_VERIFY = 1 << 5,
};

/* "read" and so on, in the order of the bits; NULL behind the last. */
extern const char *const iw_right_names[];

/* What scripts call them, in that order too. The right to verify has no letter: it comes with a hash. */
#define IW_RIGHT_LETTERS "rwapg"

/* The set that `text` has the letters of. False if there are others in it. */
bool iw_rights_read(const char *text, unsigned *rights);

struct iw_region {
    uint32_t stag;
    uint64_t base;     /* TO of the first octet */
    uint64_t size;     /* octets */
    unsigned rights;   /* set of enum iw_right */
    enum iw_hash hash; /* of Verify */
    bool valid;        /* false once invalidated; may be set again */
    uint64_t stream;   /* number of the one it is associated with, or 0: every stream of the domain */
    uint32_t domain;   /* the protection domain it is associated with, or 0: every one */
    uint8_t *octets;   /* the first of them, in `backing` */
    struct iw_backing *backing;
};

/* Where the region begins in its backing. */
static inline uint64_t iw_region_at(const struct iw_region *region) {
    return (uint64_t)(region->octets - region->backing->octets);
}

/* Fills the region with the `count` octets over and over, on its medium too; not with none. */
void iw_region_fill(struct iw_region *region, const uint8_t *octets, size_t count);

/* So many there can be at the most. */
enum { IW_MEMORY_REGIONS_MAX = 10000 };

struct iw_memory;

/* Memory without regions; NULL if there is none to be had. STags are chosen alike in every run, unless
 * iw_memory_scatter is called before the first: for whoever has peers that are not to guess them. */
struct iw_memory *iw_memory_new(void);
void iw_memory_scatter(struct iw_memory *memory);
void iw_memory_free(struct iw_memory *memory);

/* What is to be registered; values of 0 mean none, or the default in brackets. */
struct iw_registration {
    uint32_t stag; /* [one that is free] */
    uint64_t base;
    uint64_t size;
    unsigned rights;
    enum iw_hash hash;
    uint64_t stream;
    uint32_t domain;
    bool persistent;              /* memory that a flush makes persistent */
    const char *file;             /* the file that it is flushed to */
    const struct iw_region *over; /* the same memory as that region's, from its octet `at` on */
    uint64_t at;
};

/* Why a registration is refused. */
enum iw_refusal {
    IW_REFUSAL_NONE,
    IW_REFUSAL_NO_MEMORY,
    IW_REFUSAL_TOO_MANY, /* there are IW_MEMORY_REGIONS_MAX */
    IW_REFUSAL_STAG_TAKEN,
    IW_REFUSAL_TO_WRAP,          /* base + size is beyond 2^64 */
    IW_REFUSAL_OUTSIDE,          /* not all of it is in the region that it is registered over */
    IW_REFUSAL_FILE,             /* errno tells why */
    IW_REFUSAL_VOLATILE,         /* a right to flush volatile memory to persistence */
    IW_REFUSAL_ATOMIC_SIZE,      /* a right to atomic operations on less than 64 bits */
    IW_REFUSAL_ATOMIC_ALIGNMENT, /* and on memory that is not 64-bit aligned */
    IW_REFUSAL_NO_HASH,          /* a right to verify without a hash algorithm */
};

/* One line about a refusal. */
const char *iw_refusal_text(enum iw_refusal refusal);

/* Registers a valid region; its octets are zero, or what the file or the other region has. NULL, with the
 * first reason that applies in `refusal`, if it cannot be. The pointer stays valid until it is deregistered
 * or the memory freed. */
struct iw_region *iw_memory_offer(
    struct iw_memory *memory, const struct iw_registration *registration, enum iw_refusal *refusal);

/* The same for volatile memory of its own, for every stream. */
struct iw_region *iw_memory_register(
    struct iw_memory *memory, uint32_t stag, uint64_t base, uint64_t size, unsigned rights);

/* What other regions are registered over stays theirs. */
void iw_memory_deregister(struct iw_memory *memory, struct iw_region *region);

/* The region with that STag, valid or not, or NULL. */
struct iw_region *iw_memory_find(const struct iw_memory *memory, uint32_t stag);

/* The region number `index` in the order of STags, or NULL behind the last. */
struct iw_region *iw_memory_at(const struct iw_memory *memory, size_t index);

/* Octets that all regions take. Those over others have none of their own. */
uint64_t iw_memory_octets(const struct iw_memory *memory);

/* A number for a stream, from 1 on. It is never given again: what is associated with a stream is nobody's
 * when that has ended (RFC 5041 8.2). */
uint64_t iw_memory_number(struct iw_memory *memory);

/* A stream that can use the memory, as long as it has joined it; {0} has not. */
struct iw_memory_stream {
    bool joined;
    uint32_t domain;
    LIST_ENTRY(iw_memory_stream) others;
};

/* The stream, of that protection domain, can use the memory from now on. It stays where it is until it
 * leaves, or the memory is freed. */
void iw_memory_join(struct iw_memory *memory, struct iw_memory_stream *stream, uint32_t domain);
/* And from now on not any more; nothing if it has not joined. */
void iw_memory_leave(struct iw_memory_stream *stream);

enum { IW_NO_ERROR = -1 }; /* beside enum iw_error, where 0 is an error */

/* The checks that can be left out by name, for a receiver that is meant to be wrong. */
enum iw_memory_check {
    IW_MEMORY_STAG = 1 << 0, /* known and valid */
    IW_MEMORY_STREAM = 1 << 1,
    IW_MEMORY_RIGHTS = 1 << 2,
    IW_MEMORY_WRAP = 1 << 3,
    IW_MEMORY_BOUNDS = 1 << 4,
    IW_MEMORY_ALIGNMENT = 1 << 5, /* of atomic operations */
    IW_MEMORY_PERSIST = 1 << 6,   /* a flush reaches the medium */
    IW_MEMORY_HASH = 1 << 7,      /* the hash of a Verify is the one expected */
    IW_MEMORY_SHARED = 1 << 8,    /* what is invalidated is for no other stream */
};

struct iw_access {
    uint32_t stag;
    uint64_t to;
    uint64_t length; /* octets */
    unsigned rights; /* that the access needs; 0 for the answer to an own Read */
    uint64_t stream; /* number of the one it comes through */
    uint32_t domain; /* and the protection domain of that */
    unsigned skip;   /* set of enum iw_memory_check not to be made */
};

/* Checks a tagged segment as DDP has to: Terminate codes 1/1/xx, a missing right counting as Invalid STag.
 * Returns the first of enum iw_error that applies in the order STag, stream, rights, wrap, bounds, or
 * IW_NO_ERROR. Nothing is checked for a length of 0 (RFC 5041 7.1). `memory` may be NULL: no STag is valid.
 */
int iw_memory_check_tagged(const struct iw_memory *memory, const struct iw_access *access);

/* The same for the Data Source of a Read Request: codes 0/1/xx (RFC 5040 7.2). */
int iw_memory_check_source(const struct iw_memory *memory, const struct iw_access *access);

/* The same for what an Atomic Operation, Flush, Verify or Atomic Write targets: also with a length of 0. */
int iw_memory_check_target(const struct iw_memory *memory, const struct iw_access *access);

/* Whether the STag can be invalidated by a message of the stream that `access` comes through: IW_NO_ERROR, or
 * IW_ERROR_RDMAP_CANNOT_INVALIDATE (RFC 5040 5.3). It cannot while two streams have joined that can use it:
 * the peer of one would take it from the other (RFC 5040 8.1.1). Changes nothing. */
int iw_memory_check_invalidate(const struct iw_memory *memory, const struct iw_access *access);

/* The STag is not valid any more; nothing if there is none. */
void iw_memory_invalidate(struct iw_memory *memory, uint32_t stag);

/* Copies `length` octets to `to` on. What lies outside the region is left out, so that a receiver with checks
 * left out still stays inside; octets of an unknown STag go nowhere. */
void iw_memory_place(
    struct iw_memory *memory, uint32_t stag, uint64_t to, const uint8_t *octets, size_t length);

/* The octets of the region at `to`, in place, or NULL if not all `length` are there. */
uint8_t *iw_memory_fetch(const struct iw_memory *memory, uint32_t stag, uint64_t to, size_t length);

#endif
