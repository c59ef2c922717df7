#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "iw_case_member.h"
#include "iw_relay_rule.h"

/* A case of tier relay: what the relay changes in a conversation between two devices, and how one of them may
 * react. The cases of both sides share the conversation. conformance/cases/README.md describes the table. */

enum { IW_CASE_RELAY_RULES_MAX = 4, IW_CASE_RELAY_ERRORS_MAX = IW_CASE_LIST_MAX };

/* A set of these is legal. */
enum iw_case_reaction {
    IW_CASE_REACTION_TERMINATE = 1 << 0, /* sends one of the Terminates that `errors` name, and closes */
    IW_CASE_REACTION_REFUSE = 1 << 1,    /* does not accept the startup frame: closes, or rejects by R=1 */
    IW_CASE_REACTION_CLOSE = 1 << 2,     /* closes without a Terminate */
    IW_CASE_REACTION_CONTINUE = 1 << 3,  /* sends as many messages as without the impairment */
    IW_CASE_REACTION_ABSTAIN = 1 << 4,   /* sends no message */
};

/* What the devices must use for the case to apply. */
enum iw_case_need {
    IW_CASE_NEED_CRC = 1 << 0,
    IW_CASE_NEED_MARKERS = 1 << 1,
    IW_CASE_NEED_ENHANCED = 1 << 2,
    IW_CASE_NEED_DEPTHS = 1 << 3, /* the initiator negotiates its IRD (RFC 6581 9.1) */
};

struct iw_case_relay {
    const char *conversation; /* the same text in the cases of both sides */
    struct iw_relay_rule rules[IW_CASE_RELAY_RULES_MAX];
    size_t rule_count;   /* 0: nothing is impaired */
    unsigned repair;     /* set of enum iw_relay_repair */
    enum iw_side sender; /* of the impaired unit */
    const char *unit;    /* that unit, for people: "an RDMA Read Request"; NULL without rules */
    unsigned reactions;  /* set of enum iw_case_reaction */
    uint16_t errors[IW_CASE_RELAY_ERRORS_MAX]; /* of the legal Terminates, as in iw_error.h */
    size_t error_count;
    bool detects;   /* the sender of the changed frame is the one that must notice what follows from it */
    bool llp;       /* the error is one of MPA: a Terminate is a SHOULD (RFC 5040 6.2.1) */
    unsigned needs; /* set of enum iw_case_need */
    bool again; /* reactions are those to a second conversation, without impairment, after the impaired one */
};

/* Reads the member `relay` of the table of the case `id`. Raises a Lua error if it is invalid. The result
 * lives as long as the Lua state. */
const struct iw_case_relay *iw_case_relay_read(lua_State *lua, int table, const char *id);
