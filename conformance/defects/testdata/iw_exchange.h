#pragma once

#include "iw_defect.h"

/* Exchanges between two endpoints in memory that expose defects (iw_exchange.def). The subject may have
 * a defect. The probe conforms, or sends one invalid message that the subject must reject. The monitor
 * watches both sides; the expectations cover what the probe and the subject's ULP must receive. */

/* Messages that a side can send. A set of them has bit 1 << message for each. */
enum iw_exchange_message {
#define IW_EXCHANGE_MESSAGE(name, ...) IW_EXCHANGE_##name,
#include "iw_exchange_message.def"
#undef IW_EXCHANGE_MESSAGE
    IW_EXCHANGE_MESSAGE_COUNT,
};

/* Every set of valid messages is less than this value. */
#define IW_EXCHANGE_FIRST_WRONG (UINT64_C(1) << IW_EXCHANGE_TERMINATE)

/* What the subject must do. */
enum iw_exchange_due {
    IW_EXCHANGE_NOTHING_DUE,
    IW_EXCHANGE_ANSWERS,     /* answer the probe's requests: those of the opcode, or all */
    IW_EXCHANGE_DELIVERS,    /* deliver each of the probe's messages to its ULP once, in order */
    IW_EXCHANGE_WITHHOLDS,   /* deliver nothing */
    IW_EXCHANGE_INVALIDATES, /* invalidate the STags that the probe's Sends name */
    IW_EXCHANGE_COMPLETES,   /* complete all its posts in order */
    IW_EXCHANGE_PLACES,      /* place the probe's Writes and execute its Atomic Operations */
    IW_EXCHANGE_RETURNS,     /* answer the probe's Reads with the contents of its memory */
    IW_EXCHANGE_PERSISTS,    /* make the ranges of the probe's Flushes persistent */
    IW_EXCHANGE_REJECTS,     /* end the stream without a response or a delivery */
    IW_EXCHANGE_ENDS,        /* end the stream; it may have answered before */
    IW_EXCHANGE_TERMINATES,  /* send a Terminate */
    IW_EXCHANGE_REPORTS,     /* report `error` in its Terminate, if it sends one */
    IW_EXCHANGE_PRESERVES,   /* leave memory and STags unchanged */
    IW_EXCHANGE_TOLERATES,   /* send no Terminate and not reset the connection */
    IW_EXCHANGE_CLOSES,      /* close its half of the connection */
    IW_EXCHANGE_GRACEFUL,    /* not reset the connection */
    IW_EXCHANGE_REPLIES,     /* reach full operation, or send the required Reply */
    IW_EXCHANGE_ABANDONS,    /* keep both sides out of full operation */
};

struct iw_exchange_expectation {
    enum iw_exchange_due due;
    uint8_t opcode; /* ANSWERS: opcode of the request; 0: all */
    enum iw_requirement_id broken;
};

enum { IW_EXCHANGE_EXPECTATIONS_MAX = 12 };

struct iw_exchange {
    const char *name;
    unsigned roles;                  /* of the subject: set of enum iw_defect_role */
    struct iw_endpoint_config both;  /* differences from the defaults, for both sides */
    struct iw_endpoint_config probe; /* and for the probe; nonzero members apply */
    struct iw_endpoint_config subject;
    uint64_t probe_sends; /* set of messages */
    uint64_t subject_sends;
    struct iw_defect wrong; /* the probe's violation; `words` NULL: none */
    const char *octets;     /* the probe's startup frame in hex; NULL: its own */
    uint16_t error;
    bool probe_ends; /* the probe closes when both sides are idle, instead of the initiator */
    struct iw_exchange_expectation expects[IW_EXCHANGE_EXPECTATIONS_MAX];
};

extern const struct iw_exchange iw_exchanges[];
extern const size_t iw_exchange_count;

struct iw_exchange_outcome {
    bool broken[IW_REQUIREMENT_COUNT]; /* by the subject */
    bool blamed[IW_REQUIREMENT_COUNT]; /* violations of the probe, found by the monitor */
    bool deviated;                     /* of the subject: see iw_policy */
    char report[2][1024]; /* for people: findings on the subject; findings on the probe and the event logs */
};

/* Runs the exchange with the subject in that role, with that defect or NULL. */
void iw_exchange_hold(const struct iw_exchange *exchange, enum iw_defect_role role,
    const struct iw_defect *defect, struct iw_exchange_outcome *outcome);
