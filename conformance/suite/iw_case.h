#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <lua.h>

#include "iw_case_member.h"
#include "iw_case_relay.h"
#include "iw_factor.h"
#include "iw_requirement.h"
#include "iw_script.h"

/* A test case of the suite. A Lua file describes it as a table: see conformance/cases/README.md. */

enum { IW_CASE_ID_MAX = 64 };

/* What a case needs. RELAY: two devices, with the relay between them (iw_case_relay.h). */
enum iw_case_tier { IW_CASE_TIER_NONE, IW_CASE_TIER_RPING, IW_CASE_TIER_AGENT, IW_CASE_TIER_RELAY };

enum iw_case_danger {
    IW_CASE_DANGER_MEMORY = 1 << 0,
    IW_CASE_DANGER_CONNECTION = 1 << 1,
    IW_CASE_DANGER_HOST = 1 << 2,
};

struct iw_case {
    const char *id;
    const char *title;
    const char *file; /* its Lua file, such as "send.lua" */
    const struct iw_requirement *requirements[IW_CASE_LIST_MAX];
    size_t requirement_count;
    const char *claims[IW_CASE_LIST_MAX];
    size_t claim_count;
    const char *closes[IW_CASE_LIST_MAX];
    size_t close_count;
    bool initiator; /* role of the device under test */
    enum iw_case_tier tier;
    unsigned dangers;                  /* set of enum iw_case_danger */
    bool segments;                     /* it is about the bounds of TCP segments */
    const struct iw_factors *factors;  /* NULL: none */
    struct iw_choice choice;           /* the factor values, or the seed, to run the case with */
    const struct iw_case_relay *relay; /* of tier RELAY, which has no function `run`; otherwise NULL */
    struct iw_script *script;
    int run; /* registry reference of the function `run` in `script` */
};

/* Sets *one from the table on top of the Lua stack. The caller has set `file` and `script`, and all other
 * members to 0. Leaves the table, which must outlive the case. Raises a Lua error if it is invalid. */
void iw_case_read(lua_State *lua, struct iw_case *one);

/* Returns a new JSON array with the ids of the requirements of the case. */
json_t *iw_case_requirement_ids(const struct iw_case *one);

/* Returns whether the case applies only to devices that make this claim. */
bool iw_case_claims(const struct iw_case *one, const char *claim);

/* Returns how severe a failure of the case is: the highest severity of its requirements. */
enum iw_severity iw_case_severity(const struct iw_case *one);

/* Returns the RFC 2119 word for a severity: "MUST", "SHOULD" or "MAY". */
const char *iw_case_level(enum iw_severity severity);

/* Names: "none", "rping", "agent", "relay". iw_case_tier_find returns false for any other name. */
const char *iw_case_tier_name(enum iw_case_tier tier);
bool iw_case_tier_find(const char *name, enum iw_case_tier *tier);

/* The names of the dangers, by bit, then NULL. iw_case_danger_find returns false for any other name. */
extern const char *const iw_case_dangers[];
bool iw_case_danger_find(const char *name, enum iw_case_danger *danger);
