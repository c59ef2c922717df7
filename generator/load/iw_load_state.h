#ifndef IW_LOAD_STATE_H
#define IW_LOAD_STATE_H

#include "iw_endpoint.h"
#include "iw_load_layout.h"

/* The inside of a load, and what its modules ask of each other. */

enum { IW_LOAD_SHIFT_STEP = 8 }; /* octets of the pattern, from one payload to the next */

/* What was written to a place last. */
struct iw_load_written {
    bool dirty; /* and not read back since */
    uint32_t octets;
    uint32_t shift;
};

/* An operation that is open, or a place for one. */
struct iw_load_slot {
    enum iw_load_op op;
    bool checking; /* what was written is being read back */
    uint32_t octets;
    uint32_t shift; /* where in the pattern the payload begins */
    uint64_t begun_ns;

    /* What stays from one operation to the next. */
    struct iw_load_written written; /* by Writes, */
    struct iw_load_written marker;  /* and by Atomic Writes */
    bool counted;                   /* `counter` is known */
    uint64_t counter;               /* what the next Atomic Operation has to find */
};

enum iw_load_link_phase {
    IW_LOAD_LINK_OPENING,
    IW_LOAD_LINK_SEEDING,
    IW_LOAD_LINK_READY,
    IW_LOAD_LINK_ENDED
};

/* One connection. */
struct iw_load_link {
    struct iw_load *load;
    struct iw_endpoint *endpoint; /* NULL: not opened yet, or gone */
    enum iw_load_link_phase phase;
    bool failed; /* its error is counted */
    size_t number;
    uint64_t moved_ns; /* when it last finished something */
    uint32_t until_check;
    struct iw_load_slot *slots; /* as many as the depth */
    unsigned *idle;             /* the numbers of those that are free, on a stack */
    unsigned idle_count;
    unsigned *echoes; /* the numbers of those whose Send is to be echoed, oldest first, in a ring */
    unsigned echo_first;
    unsigned echo_count;
};

struct iw_load {
    struct iw_load_config config;
    struct iw_load_layout layout;
    struct iw_load_result result;
    struct iw_memory *memory;
    const struct iw_region *sink;
    uint8_t *pattern;
    uint32_t shift; /* of the last payload */
    unsigned next_size;
    struct iw_load_link *links;
    size_t begun_links;   /* opened, or tried */
    size_t pending_links; /* not in full operation yet */
    size_t live_links;
    size_t next_link;   /* in whose turn it is, with a rate */
    uint64_t begun;     /* operations */
    uint64_t busy;      /* slots */
    uint64_t begun_ns;  /* of running, then of closing */
    uint64_t ticked_ns; /* the last tick */
    uint64_t opening_ns;
    struct iw_timer watch; /* for what does not move, and the duration */
    struct iw_timer tick;  /* of the rate */
    struct iw_timer turn;
};

uint64_t iw_load_now_ns(void);
/* What an Atomic Write with that shift writes. */
void iw_load_marker(const struct iw_load *load, uint32_t shift, uint8_t octets[sizeof(uint64_t)]);
/* Counts an error of that text, which a load that has not begun to run ends with. */
void iw_load_fail(struct iw_load *load, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* iw_load.c, for iw_load_link.c */
/* Whether an operation may begin; then it has begun. */
bool iw_load_take(struct iw_load *load, uint64_t now_ns, uint64_t *begun_ns);
void iw_load_link_opened(struct iw_load_link *link);
void iw_load_link_gone(struct iw_load_link *link);
void iw_load_idle(struct iw_load *load); /* a slot is free again */

/* iw_load_post.c: what a post is, beside the number of its slot, in its id, */
enum iw_load_kind { IW_LOAD_OPERATION, IW_LOAD_CHECK, IW_LOAD_SEED, IW_LOAD_SEED_CHECK };
/* where an operation has its place in local memory, */
uint64_t iw_load_local_place(const struct iw_load_link *link, unsigned slot);
/* and the posts. False if there is no memory; then the connection is gone. */
bool iw_load_post_seed(struct iw_load_link *link, uint32_t octets);
bool iw_load_post_operation(struct iw_load_link *link, unsigned number);
/* Reads back what was written to the slot's place, or to that of its Atomic Writes. */
bool iw_load_post_check(struct iw_load_link *link, unsigned number);

/* iw_load_link.c */
void iw_load_link_open(struct iw_load_link *link);
/* Begins operations as long as there are places and they may. */
void iw_load_link_fill(struct iw_load_link *link, uint64_t now_ns);
bool iw_load_link_begin(struct iw_load_link *link, uint64_t begun_ns);
void iw_load_link_check(struct iw_load_link *link);
void iw_load_link_end(struct iw_load_link *link); /* at once */

#endif
