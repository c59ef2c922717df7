#ifndef IW_CASE_H
#define IW_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

#include "iw_factor.h"
#include "iw_requirement.h"
#include "iw_script.h"

/* A test case of the suite: a table of a Lua file,
 *
 *     {id="mpa-startup-001", title="...", requirements={"RFC5044-7.1.1-02"}, role="responder", tier="none",
 *      claims={"markers"}, close={"fin", "rst"}, danger={"connection"}, run=function(dut) ... end}
 *
 * The role is that of the device under test. With tier "none" any device serves; "rping" needs one
 * whose ULP is rping of rdma-core, unmodified; "agent" one that says and does for the case what its ULP
 * would. `claims` are abilities that a device may do without. `close` are
 * the ways to end the connection that are right here, the best first: "fin", "rst", "terminate+fin",
 * "terminate+rst", "open". `danger` is what the case may do to who uses the device beside the suite:
 * "memory", it writes, or does an Atomic Operation, where the device has not let it: to an STag that is none
 * or of another stream, beyond a buffer, to one that is no more or not to be written, which a device that is
 * wrong does to memory of somebody else's; "connection", it makes the device give up a connection, as each
 * does that has a Terminate among its closes. With `factors` (iw_factor.h) the
 * function has a second argument, and each combination is a case of its own: "sweep-001.0100"; that of the
 * first values has the plain id. An id has at most 64 letters of ASCII, digits, - and _, and does not begin
 * with -. */

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
    struct iw_choice choice;          /* of their values */
    struct iw_script *script;
    int run; /* reference of the function in the script's registry */
};

/* Reads the table on top of the stack, which stays there and has to live as long as the case, into one whose
 * `file` and `script` are set already. A mistake in it is an error of Lua. */
void iw_case_read(lua_State *lua, struct iw_case *one);

/* Whether the device has to make that claim for the case. */
bool iw_case_claims(const struct iw_case *one, const char *claim);

/* How much it weighs that a device fails the case: as much as the strongest of its requirements. */
enum iw_severity iw_case_severity(const struct iw_case *one);

/* "MUST", "SHOULD" or "MAY": the level of a requirement that weighs so much. */
const char *iw_case_level(enum iw_severity severity);

/* "none", "rping", "agent"; and by that, false if there is none. */
const char *iw_case_tier_name(enum iw_case_tier tier);
bool iw_case_tier_find(const char *name, enum iw_case_tier *tier);

/* The name of the danger of that bit, or NULL behind the last; and the bit by that, false if there is none.
 */
const char *iw_case_danger(size_t bit);
bool iw_case_danger_find(const char *name, enum iw_case_danger *danger);

#endif
