#ifndef IW_EXCHANGE_H
#define IW_EXCHANGE_H

#include "iw_defect.h"

/* Conversations of two endpoints in memory that bring defects to light (iw_exchange.def): the subject, which
 * may have one, and the probe, which conforms or sends the one wrong thing that the subject has to refuse.
 * The monitor watches both, and what the probe and the subject's ULP are entitled to is expected besides. */

/* Messages that a side can be told to send, a set of 1 << each. */
enum iw_exchange_message {
#define IW_EXCHANGE_MESSAGE(name, ...) IW_EXCHANGE_##name,
#include "iw_exchange_message.def"
#undef IW_EXCHANGE_MESSAGE
    IW_EXCHANGE_MESSAGE_COUNT,
};

/* Sets of right messages are less than that. */
#define IW_EXCHANGE_FIRST_WRONG (UINT64_C(1) << IW_EXCHANGE_TERMINATE)

/* What is due from the subject. */
enum iw_exchange_due {
    IW_EXCHANGE_NOTHING_DUE,
    IW_EXCHANGE_ANSWERS,     /* the probe's requests are answered: the opcode's, or all */
    IW_EXCHANGE_DELIVERS,    /* the probe's messages come to the subject's ULP, in their order and once */
    IW_EXCHANGE_WITHHOLDS,   /* nothing is delivered */
    IW_EXCHANGE_INVALIDATES, /* what the probe's Sends invalidate is not valid any more */
    IW_EXCHANGE_COMPLETES,   /* all that the subject says completes, in that order */
    IW_EXCHANGE_PLACES,      /* the probe's Writes are in the memory, and its atomic operations done */
    IW_EXCHANGE_GIVES,       /* what the probe reads is what the memory has */
    IW_EXCHANGE_KEEPS,       /* what the probe's Flushes name is on the medium */
    IW_EXCHANGE_REFUSES,     /* the subject ends the stream, and answers and delivers nothing */
    IW_EXCHANGE_ENDS,        /* the subject ends the stream, whatever it has answered before */
    IW_EXCHANGE_TELLS,       /* by a Terminate */
    IW_EXCHANGE_TELLS_WHY,   /* that names `error`, if there is one */
    IW_EXCHANGE_SPARES,      /* the memory is as it was, and no STag is invalidated */
    IW_EXCHANGE_BEARS,       /* no Terminate, and no end before the probe's */
    IW_EXCHANGE_CLOSES,      /* the connection is closed from its side */
    IW_EXCHANGE_GRACE,       /* and not reset */
    IW_EXCHANGE_REPLIES,     /* full operation is reached, or the Reply sent that is due */
    IW_EXCHANGE_LEAVES,      /* neither side goes to full operation */
};

struct iw_exchange_expectation {
    enum iw_exchange_due due;
    uint8_t opcode; /* ANSWERS: of the request; 0: all */
    enum iw_requirement_id broken;
};

enum { IW_EXCHANGE_EXPECTATIONS_MAX = 12 };

struct iw_exchange {
    const char *name;
    unsigned roles;                  /* of the subject: set of enum iw_defect_role */
    struct iw_endpoint_config both;  /* what differs from the defaults, of both sides */
    struct iw_endpoint_config probe; /* and of the probe: whatever is not 0 */
    struct iw_endpoint_config subject;
    uint64_t probe_says; /* set of messages */
    uint64_t subject_says;
    struct iw_defect wrong; /* what the probe does wrong; with `words` NULL: nothing */
    const char *octets;     /* the probe's startup frame, in hex, instead of its own; or NULL */
    uint16_t error;
    bool probe_ends; /* and not the initiator, when nobody says anything any more */
    struct iw_exchange_expectation expects[IW_EXCHANGE_EXPECTATIONS_MAX];
};

extern const struct iw_exchange iw_exchanges[];
extern const size_t iw_exchange_count;

struct iw_exchange_outcome {
    bool broken[IW_REQUIREMENT_COUNT]; /* by the subject */
    bool blamed[IW_REQUIREMENT_COUNT]; /* the probe, by the monitor */
    bool deviated;                     /* the subject: see iw_endpoint_config */
    char said[2][1024];                /* for people: findings on the subject, and the log of events */
};

/* Holds the conversation, the subject in that role and with that defect, or none. */
void iw_exchange_hold(const struct iw_exchange *talk, enum iw_defect_role role,
    const struct iw_defect *defect, struct iw_exchange_outcome *outcome);

#endif
