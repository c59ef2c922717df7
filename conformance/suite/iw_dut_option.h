#ifndef IW_DUT_OPTION_H
#define IW_DUT_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

/* The options of the methods of `dut`: the table at index 2 of the stack. */

/* Makes it an empty table if there is none. Raises an error for a name that is not among `names`, which ends
 * with NULL. */
void iw_dut_option_check(lua_State *lua, const char *method, const char *const *names);

/* The value of an option, or `otherwise`. */
uint64_t iw_dut_option_integer(lua_State *lua, const char *name, uint64_t otherwise);
bool iw_dut_option_flag(lua_State *lua, const char *name, bool otherwise);

/* Octets, none without the option; they stay as long as the table. */
const char *iw_dut_option_octets(lua_State *lua, const char *name, size_t *octets);

/* rtr={"send", "write", "read"}: a set of enum iw_rtr. */
unsigned iw_dut_option_rtr(lua_State *lua, unsigned otherwise);

/* rights="rw": a set of enum iw_right, both without the option. */
unsigned iw_dut_option_rights(lua_State *lua);

#endif
