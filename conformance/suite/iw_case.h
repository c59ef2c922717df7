#ifndef IW_CASE_H
#define IW_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <lua.h>

#include "iw_factor.h"
#include "iw_requirement.h"
#include "iw_script.h"

/* A test case of the suite: a table of a Lua file, as conformance/cases/README.md describes. */

enum { IW_CASE_ID_MAX = 64 };

enum iw_case_tier { IW_CASE_TIER_NONE, IW_CASE_TIER_RPING, IW_CASE_TIER_AGENT };

enum iw_case_danger { IW_CASE_DANGER_MEMORY = 1 << 0, IW_CASE_DANGER_CONNECTION = 1 << 1 };

enum { IW_CASE_LIST_MAX = 8 };

struct iw_case {
    const char *id;
    const char *title;
    const char *file; /* "send.lua" */
    const struct iw_requirement *requirements[IW_CASE_LIST_MAX];
    size_t requirement_count;
    const char *claims[IW_CASE_LIST_MAX];
    size_t claim_count;
    const char *closes[IW_CASE_LIST_MAX];
    size_t close_count;
    bool initiator; /* role of the device under test */
    enum iw_case_tier tier;
    unsigned dangers;                 /* set of enum iw_case_danger */
    const struct iw_factors *factors; /* or NULL */
    struct iw_choice choice;          /* the value of each factor */
    struct iw_script *script;
    int run; /* reference of the function in the script's registry */
};

/* Parses the table on top of the stack into a case whose `file` and `script` are set. The table stays on
 * the stack and must outlive the case. A mistake in it raises a Lua error. */
void iw_case_read(lua_State *lua, struct iw_case *one);

/* A new JSON array: the ids of the case's requirements. */
json_t *iw_case_requirement_ids(const struct iw_case *one);

/* Whether the case applies only to devices that make this claim. */
bool iw_case_claims(const struct iw_case *one, const char *claim);

/* The severity of a failure: that of the strictest requirement. */
enum iw_severity iw_case_severity(const struct iw_case *one);

/* "MUST", "SHOULD" or "MAY": the level of requirements of that severity. */
const char *iw_case_level(enum iw_severity severity);

/* "none", "rping" or "agent". iw_case_tier_find returns false for an unknown name. */
const char *iw_case_tier_name(enum iw_case_tier tier);
bool iw_case_tier_find(const char *name, enum iw_case_tier *tier);

/* The names of the dangers, in the order of the bits; then NULL. iw_case_danger_find returns false for an
 * unknown name. */
extern const char *const iw_case_dangers[];
bool iw_case_danger_find(const char *name, enum iw_case_danger *danger);

#endif
