#ifndef IW_STAG_H
#define IW_STAG_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_segment.h"

/* STags as a conversation names them: which buffer of whom, since when, and until when. An STag names memory
 * of one side, its owner: a Write names that of the receiver, a Read Request that of both. Owners tell their
 * STags in ULP Messages, which nobody reads here, so that an STag seems to begin where it is first used;
 * except the Data Sink STag of a Read Request, which the owner itself sends. A Send with Invalidate ends it;
 * its owner may use the same number again for another buffer (RFC 5040 5.3, 8.1.1). */

/* One life of an STag. */
struct iw_stag_life {
    uint32_t stag;
    uint64_t first_frame;       /* capture frame that names it first; 0 if nobody remembers */
    uint64_t advertised_frame;  /* of the first Read Request that has it as Data Sink STag; 0 before it */
    uint64_t invalidated_frame; /* of the Send that ends it; 0 before it */
    uint64_t ended_before;      /* of the Send that ended the life before this one; 0 if there was none */
    void *user;                 /* whoever follows STags may hang something of its own here; NULL at first */
    uint64_t used;              /* ordinal of the last segment that names it; 0: no life */
};

enum { IW_STAG_MAX = 1024 }; /* STags of one owner that are remembered at a time: a power of two */

/* The STags of one owner. */
struct iw_stags {
    struct iw_stag_life *lives; /* NULL before the first */
    uint32_t capacity;          /* a power of two, at most IW_STAG_MAX */
    uint32_t count;
    uint64_t uses;
    uint32_t capacity_max;
    uint64_t doubtful;    /* STags whose state (valid or invalidated) was unknown when they came into use, and
                             uses of STags that found no memory */
    bool forgotten;       /* some STags were dropped at the limit: an unknown STag may not be new */
    bool ended_forgotten; /* some of them had been invalidated */
};

/* A segment names an STag. */
struct iw_stag_use {
    enum iw_field_id field;    /* where in the segment */
    enum iw_side owner;        /* whose memory it is */
    struct iw_stag_life *life; /* with this use counted; valid until the next segment */
};

enum { IW_STAG_USES_MAX = 2 };

/* Without STags, and room for `most` of them: a power of two, from 8 up to IW_STAG_MAX. Takes no memory
 * before the first; iw_stags_dispose releases it. */
void iw_stags_init(struct iw_stags *stags, uint32_t most);
void iw_stags_dispose(struct iw_stags *stags);

/* Takes the next segment, sent by `side`, which ends in capture frame `frame`; `stags` by owner. Returns how
 * many STags it names. An STag that may be anything, since nothing is placed by it (RFC 5041 5.2, RFC 5040
 * 5.2.1), is none. */
unsigned iw_stags_segment(struct iw_stags *const stags[2], enum iw_side side,
    const struct iw_segment *segment, uint64_t frame, struct iw_stag_use uses[IW_STAG_USES_MAX]);

#endif
