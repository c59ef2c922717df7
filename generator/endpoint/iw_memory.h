#pragma once

#include <sys/queue.h>

#include "iw_backing.h"
#include "iw_error.h"

/* Memory that a peer may access by STag and TO: regions, their registration, and the checks before each
 * access (RFC 5041 7.1, RFC 5040 7.2, draft-talpey-rdma-commit-01 3.2.1). Endpoints may share it. */

/* Rights of the remote peer. Atomic Write needs only WRITE (draft-talpey-rdma-commit-01 2.4). */
enum iw_right {
    IW_RIGHT_READ = 1 << 0,
    IW_RIGHT_WRITE = 1 << 1,
    IW_RIGHT_ATOMIC = 1 << 2,
    IW_RIGHT_PERSIST = 1 << 3, /* Flush to persistence */
    IW_RIGHT_EXPOSE = 1 << 4,  /* Flush to global visibility */
    IW_RIGHT_VERIFY = 1 << 5,
};

/* The names of the rights in the order of their bits, beginning with "read"; then NULL. */
extern const char *const iw_right_names[];

/* The letters of the rights in scripts, in that order. Verify has no letter: a hash algorithm gives it. */
#define IW_RIGHT_LETTERS "rwapg"

/* Reads the letters in `text` as a set of rights. Returns false for an unknown letter. */
bool iw_rights_read(const char *text, unsigned *rights);

struct iw_region {
    uint32_t stag;
    uint64_t base;     /* TO of the first octet */
    uint64_t size;     /* octets */
    unsigned rights;   /* set of enum iw_right */
    enum iw_hash hash; /* algorithm of Verify */
    bool valid;        /* false once invalidated; may become true again */
    uint64_t stream;   /* number of the only stream that may access it; 0: every stream of the domain */
    uint32_t domain;   /* the only protection domain that may access it; 0: every domain */
    uint8_t *octets;   /* start of the region in `backing` */
    struct iw_backing *backing;
};

static inline uint64_t iw_region_at(const struct iw_region *region) {
    return (uint64_t)(region->octets - region->backing->octets);
}

/* Fills the region, and its medium, with the `count` octets repeatedly; does nothing if `count` is 0. */
void iw_region_fill(struct iw_region *region, const uint8_t *octets, size_t count);

enum { IW_MEMORY_REGIONS_MAX = 10000 };

struct iw_memory;

/* Creates memory without regions; returns NULL if memory runs out. STags are the same in every run. If peers
 * must not guess STags, call iw_memory_scatter before the first registration. */
struct iw_memory *iw_memory_new(void);
void iw_memory_scatter(struct iw_memory *memory);
void iw_memory_free(struct iw_memory *memory);

/* A registration. 0 means unset, or the default in brackets. */
struct iw_registration {
    uint32_t stag; /* [an unused STag] */
    uint64_t base;
    uint64_t size;
    unsigned rights;
    enum iw_hash hash;
    uint64_t stream;
    uint32_t domain;
    bool persistent;              /* memory that a flush makes persistent */
    const char *file;             /* the file that a flush writes */
    const struct iw_region *over; /* shares the memory of that region, from its octet `at` on */
    uint64_t at;
};

/* Why a registration is refused. */
enum iw_refusal {
    IW_REFUSAL_NONE,
    IW_REFUSAL_NO_MEMORY,
    IW_REFUSAL_TOO_MANY, /* IW_MEMORY_REGIONS_MAX are registered */
    IW_REFUSAL_STAG_TAKEN,
    IW_REFUSAL_TO_WRAP,          /* base + size is beyond 2^64 */
    IW_REFUSAL_OUTSIDE,          /* not inside the region whose memory it shares */
    IW_REFUSAL_FILE,             /* see errno */
    IW_REFUSAL_VOLATILE,         /* right to persist requested for volatile memory */
    IW_REFUSAL_ATOMIC_SIZE,      /* atomic right requested for less than 64 bits */
    IW_REFUSAL_ATOMIC_ALIGNMENT, /* atomic right requested for unaligned memory */
    IW_REFUSAL_NO_HASH,          /* verify right requested without a hash algorithm */
};

const char *iw_refusal_text(enum iw_refusal refusal);

/* Registers a valid region; its octets are zero, or those of the file or the shared region. On an error,
 * returns NULL and sets `refusal` to a reason. Valid until iw_memory_deregister or iw_memory_free. */
struct iw_region *iw_memory_offer(
    struct iw_memory *memory, const struct iw_registration *registration, enum iw_refusal *refusal);

/* Registers a region with its own volatile memory, for every stream. Returns NULL on an error. */
struct iw_region *iw_memory_register(
    struct iw_memory *memory, uint32_t stag, uint64_t base, uint64_t size, unsigned rights);

/* Frees the region; regions that share its memory keep that memory. */
void iw_memory_deregister(struct iw_memory *memory, struct iw_region *region);

/* The region with that STag, valid or not, or NULL. */
struct iw_region *iw_memory_find(const struct iw_memory *memory, uint32_t stag);

/* The region number `index` in the order of STags, or NULL after the last. */
struct iw_region *iw_memory_at(const struct iw_memory *memory, size_t index);

/* Octets of all regions; shared memory counts once. */
uint64_t iw_memory_octets(const struct iw_memory *memory);

/* A new number for a stream, from 1 on. It is never used again, so that no later stream can access the
 * regions of an ended stream (RFC 5041 8.2). */
uint64_t iw_memory_number(struct iw_memory *memory);

/* A stream that counts as a user of the memory from iw_memory_join to iw_memory_leave; {0} has not joined. */
struct iw_memory_stream {
    bool joined;
    uint32_t domain;
    LIST_ENTRY(iw_memory_stream) others;
};

/* Counts the stream, of that protection domain, as a user of the memory: an STag that two users can access is
 * not invalidated for the peer of one. No check of an access depends on it. `stream` must keep its address
 * until it leaves or the memory is freed. */
void iw_memory_join(struct iw_memory *memory, struct iw_memory_stream *stream, uint32_t domain);
/* The stream no longer counts as a user of the memory; does nothing if it has not joined. */
void iw_memory_leave(struct iw_memory_stream *stream);

enum { IW_NO_ERROR = -1 }; /* used with enum iw_error, where 0 is an error */

/* The checks before an access. */
enum iw_memory_check {
    IW_MEMORY_STAG = 1 << 0, /* known and valid */
    IW_MEMORY_STREAM = 1 << 1,
    IW_MEMORY_RIGHTS = 1 << 2,
    IW_MEMORY_WRAP = 1 << 3,
    IW_MEMORY_BOUNDS = 1 << 4,
    IW_MEMORY_ALIGNMENT = 1 << 5, /* of Atomic Operations and Atomic Writes */
    IW_MEMORY_PERSIST = 1 << 6,   /* a flush writes the medium */
    IW_MEMORY_HASH = 1 << 7,      /* the hash in a Verify Request is that of the memory */
    IW_MEMORY_SHARED = 1 << 8,    /* no other stream can use the STag to be invalidated */
};

struct iw_access {
    uint32_t stag;
    uint64_t to;
    uint64_t length; /* octets */
    unsigned rights; /* needed for the access; 0 for a Read Response */
    uint64_t stream; /* number of the stream of the access */
    uint32_t domain; /* its protection domain */
    unsigned skip;   /* set of enum iw_memory_check to omit */
};

/* Checks the access of a tagged segment in the order STag, stream, rights, wrap, bounds. Returns the first
 * enum iw_error (Terminate codes 1/1/xx; a missing right is an Invalid STag), or IW_NO_ERROR. A length of 0
 * is not checked (RFC 5041 7.1). With `memory` NULL each STag is invalid. */
int iw_memory_check_tagged(const struct iw_memory *memory, const struct iw_access *access);

/* As iw_memory_check_tagged for the Data Source of a Read Request: codes 0/1/xx (RFC 5040 7.2). */
int iw_memory_check_source(const struct iw_memory *memory, const struct iw_access *access);

/* As iw_memory_check_source for the target of other requests; a length of 0 is checked, too. */
int iw_memory_check_target(const struct iw_memory *memory, const struct iw_access *access);

/* Checks whether a message of the stream in `access` may invalidate the STag: IW_NO_ERROR or
 * IW_ERROR_RDMAP_CANNOT_INVALIDATE (RFC 5040 5.3). Not allowed while two joined streams can use the STag: the
 * peer of one stream would take it from the other stream (RFC 5040 8.1.1). Changes nothing. */
int iw_memory_check_invalidate(const struct iw_memory *memory, const struct iw_access *access);

/* Makes the STag invalid; does nothing if it is unknown. */
void iw_memory_invalidate(struct iw_memory *memory, uint32_t stag);

/* Copies `length` octets into the region, from its Tagged Offset `to` on. Octets outside the region are
 * ignored, so that skipped checks do no damage; an unknown STag is ignored. */
void iw_memory_place(
    struct iw_memory *memory, uint32_t stag, uint64_t to, const uint8_t *octets, size_t length);

/* The octets of the region at `to`, in place; NULL if the region does not contain `length` octets there. */
uint8_t *iw_memory_fetch(const struct iw_memory *memory, uint32_t stag, uint64_t to, size_t length);
