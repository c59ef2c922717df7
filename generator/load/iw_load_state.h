#pragma once

#include "iw_endpoint.h"
#include "iw_load.h"

enum {
    IW_LOAD_SHIFTS = 4096,  /* payloads begin at offsets below this in the pattern */
    IW_LOAD_SHIFT_STEP = 8, /* the next payload begins this many octets later in the pattern */
};

/* Where a load keeps its octets in the peer's region and in local memory; derived from the configuration. */
struct iw_load_layout {
    uint32_t largest;          /* largest payload of an operation, in octets */
    uint64_t area;             /* octets that Reads and Verifies use, at the start of both memories */
    uint64_t region;           /* octets that the peer's region needs */
    uint64_t counters_to;      /* Tagged Offset of the first counter for Atomic Operations */
    uint64_t atomic_writes_to; /* Tagged Offset of the first value of Atomic Writes */
    uint32_t slot_octets;      /* local memory for each slot, after the area */
    uint64_t local_octets;     /* local memory in total */
};

struct iw_load_layout iw_load_layout_of(const struct iw_load_config *config);

/* What the last Write or Atomic Write of a slot wrote. */
struct iw_load_written {
    bool dirty; /* not verified yet */
    uint32_t octets;
    uint32_t shift;
};

/* A slot for one outstanding operation. */
struct iw_load_slot {
    enum iw_load_op op;
    bool checking; /* a Read of what the slot wrote is outstanding */
    uint32_t octets;
    uint32_t shift; /* where in the pattern the payload begins */
    uint64_t begun_ns;

    /* Kept from operation to operation. */
    struct iw_load_written written[IW_LOAD_OP_COUNT]; /* by operation: Write and Atomic Write */
    bool counted;                                     /* `counter` is known */
    uint64_t counter;                                 /* expected by the next Atomic Operation */
};

enum iw_load_link_phase {
    IW_LOAD_LINK_OPENING,
    IW_LOAD_LINK_SEEDING,
    IW_LOAD_LINK_READY,
    IW_LOAD_LINK_ENDED
};

struct iw_load_link {
    struct iw_load *load;
    struct iw_endpoint *endpoint; /* NULL: not opened yet, or closed */
    enum iw_load_link_phase phase;
    bool failed; /* an error of this connection was counted */
    size_t number;
    uint64_t moved_ns; /* time of its last progress */
    uint32_t until_check;
    struct iw_load_slot *slots; /* `depth` slots */
    unsigned *idle;             /* stack of free slot numbers */
    unsigned idle_count;
    unsigned *echoes; /* ring of slot numbers that wait for their echo, oldest first */
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
    uint32_t shift; /* offset of the last payload in the pattern */
    unsigned next_size;
    struct iw_load_link *links;
    size_t begun_links;   /* opened or attempted */
    size_t pending_links; /* being opened: not ready yet (IW_LOAD_LINK_READY) */
    size_t live_links;
    size_t next_link;      /* with a rate: the connection whose turn it is */
    uint64_t begun;        /* operations begun */
    uint64_t busy;         /* slots in use */
    uint64_t begun_ns;     /* when the load began to open connections, then to run, then to close */
    uint64_t ticked_ns;    /* time of the last tick */
    struct iw_timer watch; /* for stalled connections and the duration */
    struct iw_timer tick;  /* for the rate */
    struct iw_timer turn;
};

/* Sets `octets` to the payload of an Atomic Write: the pattern at `shift`, mirrored. */
void iw_load_atomic_value(const struct iw_load *load, uint32_t shift, uint8_t octets[sizeof(uint64_t)]);
/* Counts an error with that text. While connections are being opened, an error ends the load. */
void iw_load_fail(struct iw_load *load, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether an operation may begin now. If so, counts it and sets when its latency begins. */
bool iw_load_take(struct iw_load *load, uint64_t now_ns, uint64_t *begun_ns);
void iw_load_link_opened(struct iw_load_link *link);
void iw_load_link_gone(struct iw_load_link *link);
void iw_load_idle(struct iw_load *load); /* a slot became free */

/* The kind of a posted operation. Its id consists of the kind and the slot number. */
enum iw_load_kind { IW_LOAD_OPERATION, IW_LOAD_CHECK, IW_LOAD_SEED, IW_LOAD_SEED_CHECK };
uint64_t iw_load_local_place(const struct iw_load_link *link, unsigned slot);
/* Post operations. If memory runs out, they reset the connection and return false. */
bool iw_load_post_seed(struct iw_load_link *link, uint32_t octets);
bool iw_load_post_operation(struct iw_load_link *link, unsigned number);
bool iw_load_post_check(struct iw_load_link *link, unsigned number);

void iw_load_link_open(struct iw_load_link *link);
/* Starts operations while slots are free and iw_load_take allows it. */
void iw_load_link_fill(struct iw_load_link *link, uint64_t now_ns);
bool iw_load_link_begin(struct iw_load_link *link, uint64_t begun_ns);
void iw_load_link_check(struct iw_load_link *link);
void iw_load_link_end(struct iw_load_link *link); /* resets the connection */
