#include "iw_exchange.h"

#define SENDS(message) (UINT64_C(1) << IW_EXCHANGE_##message)
#define OPCODE(name) (UINT32_C(1) << IW_RDMAP_OP_##name)
#define DUE(what, requirement)                                                                               \
    { IW_EXCHANGE_##what, 0, IW_REQ_##requirement }
#define ANSWERED(message, requirement)                                                                       \
    { IW_EXCHANGE_ANSWERS, IW_RDMAP_OP_##message, IW_REQ_##requirement }

enum {
    INITIATOR = IW_DEFECT_INITIATOR,
    RESPONDER = IW_DEFECT_RESPONDER,
    BOTH = INITIATOR | RESPONDER,
    PLAIN = 1 << 16, /* no extensions; 0 would mean the default */
};

/* All valid messages. */
#define EVERYTHING (IW_EXCHANGE_FIRST_WRONG - 1)
/* The first message of a side; the responder may not send before it (RFC 5044 7.1.2). */
#define GREETING SENDS(SEND)

/* Expectations that follow every rejected message. */
#define REJECTED_ALSO                                                                                        \
    DUE(TERMINATES, RFC5040_7_1_02), DUE(CLOSES, RFC5040_7_03), DUE(GRACEFUL, RFC5040_6_2_1_04)
#define REJECTED_BY_DDP(requirement) DUE(REJECTS, requirement), DUE(REPORTS, RFC5041_7_2_01), REJECTED_ALSO
#define REJECTED(requirement) DUE(REJECTS, requirement), DUE(REPORTS, requirement), REJECTED_ALSO

/* Expectations if the probe conforms. */
#define SMOOTH                                                                                               \
    DUE(DELIVERS, RFC5040_5_3_05), DUE(PLACES, RFC5041_5_2_04), DUE(RETURNS, RFC5040_4_4_04),                \
        DUE(TOLERATES, RFC5040_6_2_1_01), DUE(CLOSES, RFC5041_6_2_1_05), DUE(GRACEFUL, RFC5041_6_2_1_05)

const struct iw_exchange iw_exchanges[] = {
#define IW_EXCHANGE(named, role, ...) {.name = named, .roles = role, __VA_ARGS__},
#include "iw_exchange.def"
#undef IW_EXCHANGE
};

const size_t iw_exchange_count = sizeof iw_exchanges / sizeof *iw_exchanges;
