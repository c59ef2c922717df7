#pragma once

#include "iw_exchange.h"

/* One side of an exchange: an endpoint, its memory, and a ULP that sends the planned messages and
 * records the received ones. */

enum iw_exchange_region {
    IW_EXCHANGE_ALL,        /* all rights */
    IW_EXCHANGE_READABLE,   /* read only */
    IW_EXCHANGE_WRITABLE,   /* write only */
    IW_EXCHANGE_VERIFIABLE, /* verify only, with CRC-32C */
    IW_EXCHANGE_SPENT,      /* to be invalidated */
    IW_EXCHANGE_SPENT_TOO,
    IW_EXCHANGE_DEAD,    /* already invalidated */
    IW_EXCHANGE_STRANGE, /* of another stream */
    IW_EXCHANGE_FOREIGN, /* of another protection domain */
    IW_EXCHANGE_UNKNOWN, /* no such region */
    IW_EXCHANGE_REGION_COUNT,
};

enum { IW_EXCHANGE_REGION_OCTETS = 8192 };

struct iw_exchange_side {
    struct iw_endpoint *endpoint;
    struct iw_endpoint_config config;
    struct iw_memory *memory;
    struct iw_memory_stream neighbour; /* a second stream: regions for all streams are then shared */
    uint64_t plan;                     /* set of messages to send once established */
    struct iw_exchange_side *peer;
    const char *octets; /* its startup frame, in hex */

    /* Sent so far. */
    char sent[256]; /* one letter for each message that the peer's ULP receives */
    unsigned requests[IW_RDMAP_OP_COUNT];
    unsigned posted;
    bool established;
    /* Received so far. */
    char delivered[256];
    unsigned answered[IW_RDMAP_OP_COUNT]; /* by opcode of the request */
    unsigned answers;
    unsigned completed; /* posts completed in posting order */
    unsigned terminates;
    uint16_t error; /* of the last Terminate */
    bool ended;     /* the connection has ended */
    bool at_rest;   /* the connection had ended before the exchange closed it */
    bool reset;
    bool gave_up; /* timed out waiting for the peer's close */
    char log[512];
};

void iw_exchange_side_init(struct iw_exchange_side *side, const struct iw_endpoint_config *both,
    const struct iw_endpoint_config *own, bool initiator, const struct iw_defect *defect);
void iw_exchange_side_plan(
    struct iw_exchange_side *side, uint64_t plan, struct iw_exchange_side *peer, const char *octets);
void iw_exchange_side_dispose(struct iw_exchange_side *side);

/* Appends to a text of `octets` octets, as printf does. */
void iw_exchange_side_append(char *text, size_t octets, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The event handler of its endpoint. */
void iw_exchange_side_event(void *user, struct iw_endpoint *endpoint, const struct iw_event *event);

/* Whether its requests of that opcode are answered; 0: all its requests. */
bool iw_exchange_side_answered(const struct iw_exchange_side *side, uint8_t opcode);
/* Whether the peer's Writes and Atomic Operations were executed here. */
bool iw_exchange_side_placed(const struct iw_exchange_side *side, const struct iw_exchange_side *peer);
/* Whether the STags named by the peer's Sends are invalid. */
bool iw_exchange_side_invalidated(const struct iw_exchange_side *side, const struct iw_exchange_side *peer);
/* Whether its last Read returned the peer's memory. */
bool iw_exchange_side_given(const struct iw_exchange_side *side, const struct iw_exchange_side *peer);
/* Whether the ranges that the peer flushed are persistent with their present octets. */
bool iw_exchange_side_kept(const struct iw_exchange_side *side, const struct iw_exchange_side *peer);
bool iw_exchange_side_untouched(const struct iw_exchange_side *side);
