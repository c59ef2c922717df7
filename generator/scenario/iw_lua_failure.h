#pragma once

#include "iw_result.h"
#include "iw_status.h"

/* Errors that end the scenario with an outcome: FAILED, ABSENT, ENVIRONMENT, UNREACHED or UNSUPPORTED. After
 * pcall, a script sees a table {kind=, message=, expected=, actual=, script=, line=}. Any other error is a
 * mistake in the script. */

/* Raises the error; `expected` and `actual` may be NULL. Its script position is the innermost line that is
 * not in a helper, if any. Does not return; its type allows `return iw_lua_failure_raise(...)`. */
int iw_lua_failure_raise(lua_State *lua, enum iw_scenario_outcome outcome, const char *message,
    const char *expected, const char *actual);

/* Makes the functions of the chunk on top of the stack helpers: an error in a helper is reported at the line
 * of its caller. A state has one such chunk. Raises a Lua error if memory runs out. */
void iw_lua_failure_mark_helpers(lua_State *lua);

/* Returns 0 for IW_OK. Otherwise raises ENVIRONMENT: memory ran out, or the message cannot be sent. */
int iw_lua_failure_status(lua_State *lua, enum iw_status status);

/* The outcome of the value at `index`, if iw_lua_failure_raise raised it; else IW_SCENARIO_ERROR. */
enum iw_scenario_outcome iw_lua_failure_of(lua_State *lua, int index);

/* Finds the innermost active Lua function: returns the line that it executes, and sets `name` to its script.
 * Without such a function returns 0 and sets `name` to "". */
int iw_lua_failure_where(lua_State *lua, char *name, size_t capacity);

/* Registers the globals fail(text) and check(condition, text). */
void iw_lua_failure_open(lua_State *lua);
