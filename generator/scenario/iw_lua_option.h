#ifndef IW_LUA_OPTION_H
#define IW_LUA_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

#include "iw_lua_override.h"
#include "iw_status.h"

/* The options of the methods that send: a table at index 2 of the stack. Each function raises an error for
 * what does not fit. */

/* Leaves the options at index 2: the table there, or an empty one for none. */
void iw_lua_option_table(lua_State *lua);

bool iw_lua_option_flag(lua_State *lua, const char *name);

/* The octets of the option, or NULL; they stay in the table. */
const char *iw_lua_option_octets(lua_State *lua, const char *name, size_t *length);

/* The opcode of the message that the option `kind` names, or else the option opcode, or else that of Send. */
uint8_t iw_lua_option_kind(lua_State *lua, const char *method);

/* Reads what shall be otherwise in a message with that opcode. Only `options` (ending with NULL), the fields
 * of its headers and the names of framing may be in the table. */
void iw_lua_option_override(lua_State *lua, const char *method, uint8_t opcode, const char *const *options,
    struct iw_lua_override *override);

/* Raises an error if the options do not say which memory of the peer's is meant: `field` is an STag, which
 * nobody means to be 0 who leaves it out, or has it of a table where it is nil. */
void iw_lua_option_needs_stag(
    lua_State *lua, const char *method, const struct iw_lua_override *override, const struct iw_field *field);

/* 0 for IW_OK; otherwise raises an error of the environment. */
int iw_lua_option_status(lua_State *lua, enum iw_status status);

#endif
