#ifndef IW_EXCHANGE_SIDE_H
#define IW_EXCHANGE_SIDE_H

#include "iw_exchange.h"

/* One side of such a conversation: an endpoint, its memory, and a ULP that sends what it was told to and
 * writes down what comes. */

enum iw_exchange_region {
    IW_EXCHANGE_ALL,        /* every right */
    IW_EXCHANGE_READABLE,   /* to read only */
    IW_EXCHANGE_WRITABLE,   /* to write only */
    IW_EXCHANGE_VERIFIABLE, /* to verify only, by CRC-32C */
    IW_EXCHANGE_SPENT,      /* to be invalidated */
    IW_EXCHANGE_SPENT_TOO,
    IW_EXCHANGE_DEAD,    /* invalidated */
    IW_EXCHANGE_STRANGE, /* of another stream */
    IW_EXCHANGE_FOREIGN, /* of another protection domain */
    IW_EXCHANGE_UNKNOWN, /* there is none */
    IW_EXCHANGE_REGION_COUNT,
};

enum { IW_EXCHANGE_REGION_OCTETS = 8192 };

struct iw_exchange_side {
    struct iw_endpoint *endpoint;
    struct iw_endpoint_config config;
    struct iw_memory *memory;
    struct iw_memory_stream neighbour; /* another stream of its domain: what is not one stream's is shared */
    uint64_t plan;                     /* set of messages to be sent once established */
    struct iw_exchange_side *peer;
    const char *octets; /* its startup frame, in hex */

    /* What it has done, */
    char said[256]; /* a letter for each message that the peer's ULP gets */
    unsigned requests[IW_RDMAP_OP_COUNT];
    unsigned posted;
    bool established;
    /* and what has come. */
    char delivered[256];
    unsigned answered[IW_RDMAP_OP_COUNT]; /* by opcode of the request */
    unsigned answers;
    unsigned completed; /* number of its posts that have completed in the order of posting */
    unsigned terminates;
    uint16_t error; /* of the last Terminate */
    bool ended;     /* the connection */
    bool at_rest;   /* before anybody was told to end it */
    bool reset;
    bool gave_up; /* the peer did not close */
    char log[512];
};

void iw_exchange_side_init(struct iw_exchange_side *side, const struct iw_endpoint_config *both,
    const struct iw_endpoint_config *own, bool initiator, const struct iw_defect *defect);
void iw_exchange_side_plan(
    struct iw_exchange_side *side, uint64_t plan, struct iw_exchange_side *peer, const char *octets);
void iw_exchange_side_dispose(struct iw_exchange_side *side);

/* The sink of its endpoint. */
void iw_exchange_side_event(void *user, struct iw_endpoint *endpoint, const struct iw_event *event);

/* Its requests of that opcode, or 0: all its requests, are answered. */
bool iw_exchange_side_answered(const struct iw_exchange_side *side, uint8_t opcode);
/* What the peer has written and done there. */
bool iw_exchange_side_placed(const struct iw_exchange_side *side, const struct iw_exchange_side *peer);
/* What the peer's Sends invalidate. */
bool iw_exchange_side_invalidated(const struct iw_exchange_side *side, const struct iw_exchange_side *peer);
/* What it has read from the peer. */
bool iw_exchange_side_given(const struct iw_exchange_side *side, const struct iw_exchange_side *peer);
/* What the peer has flushed there, if nothing was done there since. */
bool iw_exchange_side_kept(const struct iw_exchange_side *side, const struct iw_exchange_side *peer);
bool iw_exchange_side_untouched(const struct iw_exchange_side *side);

#endif
