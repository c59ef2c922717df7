#ifndef IW_LUA_FAILURE_H
#define IW_LUA_FAILURE_H

#include "iw_result.h"
#include "iw_status.h"

/* Errors with a meaning that a script raises: tables {kind=, message=, expected=, actual=, script=, line=},
 * readable after pcall. Each ends the scenario with its outcome: FAILED, ABSENT, ENVIRONMENT, UNREACHED or
 * UNSUPPORTED. Any other error is a mistake in the script. */

/* Raises the error; `expected` and `actual` may be NULL. Its place is the innermost line outside of the
 * helpers, if there is one. Does not return; its type allows `return iw_lua_failure_raise(...)`. */
int iw_lua_failure_raise(lua_State *lua, enum iw_scenario_outcome outcome, const char *message,
    const char *expected, const char *actual);

/* The functions of the chunk on top of the stack are helpers: if one fails, its caller is the place of the
 * error. A state has one such chunk. Raises a Lua error if memory runs out. */
void iw_lua_failure_mark_helpers(lua_State *lua);

/* Returns 0 for IW_OK; otherwise raises ENVIRONMENT: the message cannot be sent. */
int iw_lua_failure_status(lua_State *lua, enum iw_status status);

/* The outcome of the error object at `index`; IW_SCENARIO_ERROR for any other error. */
enum iw_scenario_outcome iw_lua_failure_of(lua_State *lua, int index);

/* Script and line that `lua` executes: those of the innermost Lua function. Returns the line. Outside of any
 * Lua function returns 0 and sets `name` to "". */
int iw_lua_failure_where(lua_State *lua, char *name, size_t capacity);

/* Registers the globals fail(text) and check(condition, text). */
void iw_lua_failure_open(lua_State *lua);

#endif
