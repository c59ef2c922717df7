#pragma once

#include "iw_chunk.h"
#include "iw_segment.h"

/* The STags that a conversation uses, and the lifetime of each. An STag names memory of one side, its owner:
 * a Write names memory of the receiver, a Read Request names memory of both sides. Owners advertise STags in
 * ULP messages, which are not parsed here, so an STag seems to begin at its first use. Only the Data Sink
 * STag of a Read Request is sent by its owner here. A Send with Invalidate ends an STag; the owner may then
 * use the number for another buffer (RFC 5040 5.3, 8.1.1). */

/* One lifetime of an STag, from its first use to its invalidation. */
struct iw_stag_life {
    uint32_t stag;
    uint64_t first_frame;       /* capture frame of its first use; 0: unknown */
    uint64_t advertised_frame;  /* frame of the first Read Request with this Data Sink STag; 0: none so far */
    uint64_t invalidated_frame; /* frame of the Send that invalidates the STag; 0: none so far */
    uint64_t ended_before;      /* frame of the Send that ended the previous lifetime; 0: none */
    void *user;                 /* for the caller; NULL at first */
    uint64_t used;              /* ordinal of its latest use; 0: the slot is free */
};

enum { IW_STAG_MAX = 1024 }; /* limit of STags kept per owner: a power of two */

struct iw_stags {
    struct iw_stag_life *lives; /* NULL before the first STag */
    uint32_t capacity;          /* a power of two, at most IW_STAG_MAX */
    uint32_t count;
    uint64_t uses;
    uint32_t capacity_max;
    bool forgotten;       /* an STag was dropped to make space: an unknown STag may be that STag */
    bool ended_forgotten; /* some dropped STags had been invalidated */
    uint64_t doubtful; /* STags first used after an invalidated STag was dropped: perhaps that STag again; and
                          uses not stored because memory ran out */
};

struct iw_stag_use {
    enum iw_field_id field;    /* the field that holds the STag */
    enum iw_side owner;        /* the side whose memory the STag names */
    struct iw_stag_life *life; /* the lifetime of the STag, this use included; valid until the next segment */
};

enum { IW_STAG_USES_MAX = 2 };

/* Starts empty, for `most` STags: a power of two from 8 to IW_STAG_MAX. Allocates memory when used. */
void iw_stags_init(struct iw_stags *stags, uint32_t most);
void iw_stags_dispose(struct iw_stags *stags);

/* Takes the next segment, sent by `side`, which ends in capture frame `frame`; `stags` is indexed by owner.
 * Returns how many of `uses` it sets: an STag is left out if memory runs out. Ignores an STag that places no
 * octets and so may have any value (RFC 5041 5.2, RFC 5040 5.2.1). */
unsigned iw_stags_segment(struct iw_stags *const stags[2], enum iw_side side,
    const struct iw_segment *segment, uint64_t frame, struct iw_stag_use uses[IW_STAG_USES_MAX]);

/* Returns the current lifetime of the STag, or NULL. The pointer is valid until the next segment. */
struct iw_stag_life *iw_stags_find(const struct iw_stags *stags, uint32_t stag);
