#pragma once

#include "iw_assembly.h"
#include "iw_emit.h"
#include "iw_execute.h"

/* A policy changes what an endpoint sends and checks, how it answers, and how it ends the stream. A policy
 * that is all zero conforms, with the usual choice where the RFCs allow several. */

/* The rules that an endpoint enforces on its peer or obeys itself. */
enum iw_policy_check {
    IW_POLICY_CHECK_KEY,
    IW_POLICY_CHECK_REVISION,
    IW_POLICY_CHECK_PD_LENGTH,
    IW_POLICY_CHECK_ENHANCED,   /* S=1 comes with enhanced data; an enhanced Request gets an enhanced Reply */
    IW_POLICY_CHECK_TRAILING,   /* responder: no octets follow a Request before its Reply */
    IW_POLICY_CHECK_REJECTION,  /* R=1 in a Reply, sent or received, ends MPA */
    IW_POLICY_CHECK_DEPTH,      /* initiator: the responder's ORD does not exceed the initiator's IRD */
    IW_POLICY_CHECK_RTR,        /* initiator with A=1: both sides have an RTR type in common */
    IW_POLICY_CHECK_RTR_SEND,   /* responder: a Send used as RTR is not delivered to the ULP */
    IW_POLICY_CHECK_FIRST_FPDU, /* responder: sends no FPDU before the initiator's first FPDU */

    /* From CRC to SHAPE, each decides whether a received FPDU is in error: IW_POLICY_CHECKS_OF_FPDUS. */
    IW_POLICY_CHECK_CRC,
    IW_POLICY_CHECK_MARKER,
    IW_POLICY_CHECK_DV,
    IW_POLICY_CHECK_RV,
    IW_POLICY_CHECK_RV_ZERO, /* rejects RDMAP version 0; IW_POLICY_CHECK_RV rejects versions 2 and 3 */
    IW_POLICY_CHECK_OPCODE,  /* the opcode is known and fits the T bit and the message in progress */
    IW_POLICY_CHECK_QN,
    IW_POLICY_CHECK_MSN,
    IW_POLICY_CHECK_BUFFER, /* a receive buffer (queue 0) or a place for a request (queue 1) is free */
    IW_POLICY_CHECK_MO,
    IW_POLICY_CHECK_MO_SHORT, /* buffers for untagged messages other than Sends hold only the header */
    IW_POLICY_CHECK_TOO_LONG,
    IW_POLICY_CHECK_RESPONSE,   /* the response matches the outstanding request */
    IW_POLICY_CHECK_IDENTIFIER, /* the Request Identifier of an Atomic Response matches the request */
    IW_POLICY_CHECK_SHAPE,      /* an untagged message other than a Send has one segment, no excess octets */

    IW_POLICY_CHECK_MSN_AHEAD, /* rejects an MSN after the expected MSN, even if a buffer is free for it */
    IW_POLICY_CHECK_INVALIDATE,
    IW_POLICY_CHECK_COMPLETION, /* posts complete in the order in which they were made */

    /* Checks that are off by default. */
    IW_POLICY_CHECK_REQUEST_RTR,    /* responder: rejects a Request with A=1 without a common RTR type */
    IW_POLICY_CHECK_RTR_REQUESTED,  /* responder: names only RTR types of the Request, if it accepts any */
    IW_POLICY_CHECK_REQUEST_IRD,    /* responder: rejects a Request with an IRD below its own ORD */
    IW_POLICY_CHECK_CRC_UNUSED,     /* the CRC is correct, even if the startup has turned CRCs off */
    IW_POLICY_CHECK_EMPTY_RESPONSE, /* an empty Read Response matches STag and TO of its request, too */
    IW_POLICY_CHECK_FENCE,          /* sends no post while a request is outstanding */
    IW_POLICY_CHECK_UNUSUAL = IW_POLICY_CHECK_REQUEST_RTR,
};

#define IW_POLICY_CHECK_SET(name) (UINT64_C(1) << IW_POLICY_CHECK_##name)

/* The set of the checks from CRC to SHAPE. */
#define IW_POLICY_CHECKS_OF_FPDUS (2 * IW_POLICY_CHECK_SET(SHAPE) - IW_POLICY_CHECK_SET(CRC))

struct iw_endpoint_config;
struct iw_terms;

/* An FPDU that the endpoint's own checks accept. */
struct iw_policy_fpdu {
    const struct iw_memory *memory; /* or NULL */
    const struct iw_fpdu *fpdu;
    const struct iw_segment *segment;
};

/* Checks in addition to the endpoint's own, which come first. Those of type int return enum iw_error or
 * IW_NO_ERROR. Each may be NULL. */
struct iw_policy_checks {
    /* Returns a reason to refuse the startup frame, or NULL. Only the check of its Key comes first. */
    const char *(*startup)(const struct iw_startup *frame);
    /* Enhanced startup: whether an initiator with this IRD accepts a responder with this ORD. */
    bool (*ord)(uint16_t ird, uint16_t ord);
    int (*fpdu)(const struct iw_policy_fpdu *arrived);
    /* Checks a Read of 0 octets before it is answered. */
    int (*empty_read)(const struct iw_memory *memory, const struct iw_read_request *read);
    /* Called after each read from TCP, which completed `fpdus` FPDUs. `pending`: octets of the next FPDU. */
    int (*delivery)(unsigned fpdus, size_t pending);
};

/* How to handle what the peer sent, once it is checked. NULL means the default in brackets. */
struct iw_policy_handling {
    /* Places the payload of a tagged segment. [iw_memory_place] */
    void (*place)(void *user, struct iw_memory *memory, const struct iw_segment *segment);
    /* Places what `place` has delayed; called in the next iteration of the loop at the latest. [nothing] */
    void (*settle)(void *user, struct iw_memory *memory);
    /* Called for a tagged segment in error, before the Terminate; `access->rights` is 0. [places nothing] */
    void (*reject)(struct iw_memory *memory, const struct iw_access *access, const struct iw_segment *segment,
        int error);
    /* Executes a request other than a Read, and may change that request. [iw_execute] */
    int (*execute)(void *user, struct iw_memory *memory, const struct iw_access *access, unsigned extensions,
        struct iw_execute_request *request, struct iw_execute_answer *answer);
    /* Whether messages of that opcode are delivered to the ULP. [true] */
    bool (*delivers)(void *user, uint8_t opcode);
    /* Assembles a Send; `received` octets have arrived, this segment included. [iw_assembly_segment] */
    enum iw_assembled (*assemble)(
        const struct iw_segment *segment, uint64_t received, const uint8_t **octets, size_t *count);
    /* Called after each Send or Immediate Data, unless it names an STag that it must not invalidate. Returns
     * the STag to report, or 0. [invalidates the STag of a Send with Invalidate] */
    uint32_t (*invalidate)(
        struct iw_memory *memory, const struct iw_access *access, const struct iw_segment *segment);
};

/* How a stream ends. The first value of each is the usual way; the second conforms, too. */
struct iw_policy_ending {
    /* A Reply with R=1 was sent or received. */
    enum { IW_REJECTED_STAYS_OPEN, IW_REJECTED_CLOSES } rejected;
    /* The Reply to an enhanced Request is invalid (RFC 6581 9.3). */
    enum { IW_INVALID_REPLY_CLOSES, IW_INVALID_REPLY_TERMINATES } invalid_reply;
    /* Responder: the first FPDU has a wrong CRC (RFC 5044 7.1.2). */
    enum { IW_FIRST_CRC_TERMINATES, IW_FIRST_CRC_CLOSES } first_crc;
    /* Whether responses to earlier requests are sent before a Terminate. */
    enum { IW_TERMINATE_AT_ONCE, IW_TERMINATE_AFTER_RESPONSES } terminate;
    /* After a Terminate, the endpoint sends FIN, or awaits the peer's FIN (RFC 5040 6.2.1). */
    enum { IW_TERMINATED_CLOSES, IW_TERMINATED_AWAITS_FIN } terminated;
};

/* What to do with a startup frame that is still incomplete. */
enum iw_partial_frame {
    IW_PARTIAL_FRAME_WAITS,
    IW_PARTIAL_FRAME_REFUSED,
    IW_PARTIAL_FRAME_TAKEN, /* handled as a complete frame, if at least the fixed part has arrived */
};

struct iw_policy {
    void *user;      /* passed to the functions with a `user` */
    void *send_user; /* passed to `send`; NULL: `user` */
    /* For a policy with state per endpoint: `begin` gets `user` and returns the state, which replaces `user`
     * for this endpoint (NULL: out of memory). `end` frees the state. Both or neither may be NULL. */
    void *(*begin)(void *user);
    void (*end)(void *state);

    /* Sees everything that the endpoint sends on its own or by iw_endpoint_post; NULL: sends it unchanged. */
    iw_emit_filter *send;

    enum iw_partial_frame partial_frame;
    const enum iw_rtr *rtr_order; /* initiator: three types in order of preference [Write, Read, Send] */
    /* Changes the terms that the startup frames have negotiated; may be NULL. */
    void (*negotiate)(
        const struct iw_endpoint_config *config, const struct iw_startup *peer, struct iw_terms *terms);
    /* The number of the peer's requests that the endpoint holds at once. [the IRD] */
    uint32_t (*slots)(uint32_t ird);
    /* Changes the access of a tagged segment, a Read or an invalidation before the checks. For other
     * requests, STag, TO and length come from the header: changes of them have no effect. May be NULL. */
    void (*access)(const struct iw_memory *memory, struct iw_access *access);
    uint64_t omitted_checks;   /* set of IW_POLICY_CHECK_SET: checks switched off */
    uint64_t unusual_checks;   /* set of IW_POLICY_CHECK_SET: checks switched on that are off by default */
    unsigned omitted_accesses; /* set of enum iw_memory_check */
    struct iw_policy_checks checks;
    struct iw_policy_handling handling;
    uint64_t response_delay_us; /* a request starts this delay unless it runs; until its end, no response */
    struct iw_policy_ending ending;

    /* Set to true, unless NULL, once `send` changes what is sent, `execute` changes a request's header, or
     * the checks of FPDUs change a verdict. */
    bool *deviated;
};

/* Whether an endpoint makes that check; `policy` NULL: the default. */
static inline bool iw_policy_enforces(const struct iw_policy *policy, enum iw_policy_check check) {
    bool usual = check < IW_POLICY_CHECK_UNUSUAL;

    if (policy == NULL)
        return usual;
    return ((usual ? ~policy->omitted_checks : policy->unusual_checks) >> check & 1) != 0;
}
