#ifndef IW_LUA_OPTION_H
#define IW_LUA_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

#include "iw_lua_override.h"
#include "iw_status.h"

/* Options of the methods that send: a table at index 2. Each function raises an error for invalid options. */

/* The opcode of the option `kind`, else of the option `opcode`, else that of Send. */
uint8_t iw_lua_option_kind(lua_State *lua, const char *method);

/* Reads changes to a message with that opcode. The table may contain `options` (ending with NULL), the
 * header fields, and the names of framing. */
void iw_lua_option_override(lua_State *lua, const char *method, uint8_t opcode, const char *const *options,
    struct iw_lua_override *override);

/* Raises an error if the STag `field` is missing: a script that leaves it out, or sets it to nil by
 * mistake, does not mean STag 0. */
void iw_lua_option_needs_stag(
    lua_State *lua, const char *method, const struct iw_lua_override *override, const struct iw_field *field);

/* Returns 0 for IW_OK; otherwise raises an error of the environment. */
int iw_lua_option_status(lua_State *lua, enum iw_status status);

#endif
