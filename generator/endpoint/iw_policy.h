#ifndef IW_POLICY_H
#define IW_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_emit.h"
#include "iw_execute.h"
#include "iw_fpdu.h"
#include "iw_memory.h"
#include "iw_segment.h"

/* How an endpoint decides where it could decide otherwise: what to send, what to check, how to answer. A
 * policy that is all zero conforms, with the usual choices where the RFCs leave one. */

/* The checks of a receiver. */
enum iw_check {
    IW_CHECK_KEY,
    IW_CHECK_REVISION,
    IW_CHECK_PD_LENGTH,
    IW_CHECK_ENHANCED,  /* enhanced data are present with S=1, and answer an enhanced Request */
    IW_CHECK_TRAILING,  /* no octets follow a Request */
    IW_CHECK_REJECTION, /* R=1 in a Reply, sent or received, ends MPA */
    IW_CHECK_DEPTH,     /* initiator: the responder's ORD does not exceed the initiator's IRD */
    IW_CHECK_RTR,       /* initiator: both sides have an RTR type in common */

    IW_CHECK_CRC,
    IW_CHECK_MARKER,
    IW_CHECK_DV,
    IW_CHECK_RV,
    IW_CHECK_OPCODE, /* known, with its T bit */
    IW_CHECK_QN,
    IW_CHECK_MSN,
    IW_CHECK_BUFFER, /* a receive buffer, or a slot of IRD, is free */
    IW_CHECK_MO,
    IW_CHECK_TOO_LONG,
    IW_CHECK_RESPONSE, /* the response matches the outstanding request */
    IW_CHECK_SHAPE,    /* a message other than a ULP Message has one segment and no excess octets */
    IW_CHECK_INVALIDATE,
};

/* Correct alternatives where the RFCs leave a choice. */
enum iw_behaviour {
    IW_BEHAVIOUR_FENCED = 1 << 0,     /* nothing is sent while a request is outstanding */
    IW_BEHAVIOUR_MATCHED = 1 << 1,    /* an empty Read Response must also match STag and TO of its request */
    IW_BEHAVIOUR_AHEAD = 1 << 2,      /* a message with a later MSN waits in its buffer */
    IW_BEHAVIOUR_IRD_RAISED = 1 << 3, /* initiator: raises its IRD to the ORD of the Reply */
    IW_BEHAVIOUR_TACIT = 1 << 4,      /* responder: no Terminate before the first valid FPDU */
    IW_BEHAVIOUR_RV_ZERO = 1 << 5,    /* accepts RDMAP version 0, too */
    IW_BEHAVIOUR_PLACED = 1 << 6,     /* places a segment that DDP accepts and RDMAP rejects */
    IW_BEHAVIOUR_RTR_SEND = 1 << 7,   /* delivers a Send used as RTR to the ULP */
    IW_BEHAVIOUR_LARGE_BUFFERS = 1 << 8, /* RDMAP's buffers hold more than the header at MO 0 */
    IW_BEHAVIOUR_RTR_REFUSED = 1 << 9,   /* responder: rejects a Request without a common RTR type */
    IW_BEHAVIOUR_SENDS_FIRST = 1 << 10,  /* responder: sends before the initiator's first FPDU (RFC 6581 7) */
    IW_BEHAVIOUR_IN_ORDER = 1 << 11,     /* matches Atomic Responses by order alone */
    IW_BEHAVIOUR_REPLY_TERMINATED =
        1 << 12, /* enhanced initiator: sends a Terminate for an invalid Reply (RFC 6581 9.3) */
    IW_BEHAVIOUR_ANSWERS_FIRST = 1 << 13, /* answers earlier requests before it sends a Terminate */
    IW_BEHAVIOUR_ANSWERS_LATE = 1 << 14,  /* delays responses by a millisecond; posts of that time go first */
    IW_BEHAVIOUR_RTR_ASKED =
        1 << 15, /* responder: names only RTR types that the Request names, if any are common */
    IW_BEHAVIOUR_RTR_SMALLEST = 1 << 16,  /* initiator: prefers Send, then Read, as RTR */
    IW_BEHAVIOUR_CLOSES_SECOND = 1 << 17, /* waits after its Terminate for the peer's FIN */
    IW_BEHAVIOUR_IRD_REFUSED = 1 << 18,   /* responder: rejects a Request with an IRD below its own ORD */
    IW_BEHAVIOUR_REJECT_CLOSES = 1 << 19, /* closes after a Reply with R=1, sent or received */
};

struct iw_endpoint_config;
struct iw_terms;

/* Checks in addition to the endpoint's own, which come first. They return enum iw_error or IW_NO_ERROR. Any
 * may be NULL. */
struct iw_policy_checks {
    /* A reason to refuse the startup frame, or NULL; made right after the check of its Key. */
    const char *(*startup)(void *user, const struct iw_startup *frame);
    /* Initiator with `ird`, in an enhanced startup: whether it can serve a responder with that ORD. */
    bool (*ord)(void *user, uint16_t ird, uint16_t ord);
    int (*fpdu)(void *user, const struct iw_memory *memory, const struct iw_fpdu *fpdu,
        const struct iw_segment *segment);
    /* A Read of no octets, before it is answered. */
    int (*empty_read)(void *user, const struct iw_memory *memory, const struct iw_read_request *read);
    /* Octets that TCP delivered together: complete FPDUs, and octets of the next one. */
    int (*delivery)(void *user, unsigned fpdus, size_t pending);
};

/* Which messages of the peer's ULP are delivered. */
enum iw_delivery {
    IW_DELIVERY_OF_MESSAGE,
    IW_DELIVERY_OF_FIRST_SEGMENT, /* as if it were the message */
    IW_DELIVERY_OF_NOTHING,
};

/* Which STag a Send invalidates. */
enum iw_invalidation {
    IW_INVALIDATION_OF_SEND_INV, /* the one that a Send with Invalidate names */
    IW_INVALIDATION_OF_ANY_SEND, /* whatever is in that field of any Send */
    IW_INVALIDATION_REPORTED,    /* none; the message is reported as if it did */
};

/* How to handle what the peer sent, once it is checked. Any may be NULL. */
struct iw_policy_handling {
    /* Places the payload of a tagged segment. [iw_memory_place] */
    void (*place)(void *user, struct iw_memory *memory, const struct iw_segment *segment);
    /* Places what `place` has delayed, at the latest in the next turn of the loop. [`place` delays nothing]
     */
    void (*settle)(void *user, struct iw_memory *memory);
    /* A tagged segment in error, before the Terminate. [nothing is placed] */
    void (*reject)(void *user, struct iw_memory *memory, const struct iw_segment *segment);
    /* Executes a request, which it may change. [iw_execute] */
    int (*execute)(void *user, struct iw_memory *memory, const struct iw_access *access, unsigned extensions,
        struct iw_execute_request *request, struct iw_execute_answer *answer);
    /* A message of that opcode. [IW_DELIVERY_OF_MESSAGE] */
    enum iw_delivery (*deliver)(void *user, uint8_t opcode);
    enum iw_invalidation invalidation;
};

/* What to do with the first octets of a startup frame. */
enum iw_partial_frame {
    IW_PARTIAL_FRAME_WAITS,
    IW_PARTIAL_FRAME_REFUSED,
    IW_PARTIAL_FRAME_TAKEN, /* as a whole frame, if they have at least the fixed part */
};

struct iw_policy {
    void *user;      /* of all functions below */
    void *send_user; /* of `send`, if it has another one */
    /* For a policy with state per endpoint: begin makes the `user` of this endpoint from the given one (NULL:
     * out of memory), end releases it. Both or neither may be NULL. */
    void *(*begin)(void *user);
    void (*end)(void *state);

    /* Sees everything that the endpoint sends on its own or by iw_endpoint_post; NULL: sends it unchanged. */
    iw_emit_filter *send;

    /* Changes the terms that the startup frames have negotiated; may be NULL. */
    void (*negotiate)(void *user, const struct iw_endpoint_config *config, struct iw_terms *terms);
    /* The number of the peer's requests that it holds at once. [the IRD] */
    uint32_t (*slots)(void *user, uint32_t ird);
    /* Changes the access of the peer that is checked against the memory; may be NULL. */
    void (*access)(void *user, const struct iw_memory *memory, struct iw_access *access);
    struct iw_policy_handling handling;
    bool completes_unordered; /* posts complete before earlier requests are answered */
    /* Whether it omits that check. [it omits none] */
    bool (*omits)(void *user, enum iw_check check);
    struct iw_policy_checks checks;
    enum iw_partial_frame partial_frame;
    bool crc_always;     /* checks the CRC of FPDUs even if the startup has turned CRCs off */
    unsigned behaviours; /* set of enum iw_behaviour */

    /* Set to true, unless NULL, once `send` changes what is sent, `execute` changes a header, or
     * `omits` and `checks` change the verdict on an FPDU. */
    bool *deviated;
};

/* Whether an endpoint makes that check; `policy` NULL: by the RFCs alone. */
static inline bool iw_policy_enforces(const struct iw_policy *policy, enum iw_check check) {
    return policy == NULL || policy->omits == NULL || !policy->omits(policy->user, check);
}

#endif
