#ifndef IW_LUA_FAILURE_H
#define IW_LUA_FAILURE_H

#include <lua.h>

#include "iw_status.h"

/* Errors with a meaning that a script raises: tables {kind=, message=, expected=, actual=, script=, line=},
 * readable after pcall. Any other error is a mistake in the script. */

enum iw_lua_failure_kind {
    IW_LUA_FAILURE_NONE,        /* another error object: a mistake in the script */
    IW_LUA_FAILURE_EXPECTATION, /* the peer did something unexpected, or fail() or check() failed */
    IW_LUA_FAILURE_ABSENT,      /* a kind of EXPECTATION: no peer connected to a listener */
    IW_LUA_FAILURE_ENVIRONMENT, /* out of memory, or file error */
    IW_LUA_FAILURE_UNREACHED,   /* a kind of ENVIRONMENT: no TCP connection or SCTP association */
    IW_LUA_FAILURE_UNSUPPORTED, /* a kind of ENVIRONMENT: a requested feature is unavailable */
    IW_LUA_FAILURE_DEADLOCK,    /* the script waits for an event that cannot happen */
};

/* Raises the error; `expected` and `actual` may be NULL. Does not return; its type allows `return
 * iw_lua_failure_raise(...)`. */
int iw_lua_failure_raise(lua_State *lua, enum iw_lua_failure_kind kind, const char *message,
    const char *expected, const char *actual);

/* Returns 0 for IW_OK, else raises an error of the environment about a message. */
int iw_lua_failure_status(lua_State *lua, enum iw_status status);

/* The kind of the error object at `index`. */
enum iw_lua_failure_kind iw_lua_failure_of(lua_State *lua, int index);

/* Script and line that `lua` executes: those of the innermost Lua function. Returns the line; outside of
 * any, 0 with `name` "". */
int iw_lua_failure_where(lua_State *lua, char *name, size_t capacity);

/* Globals fail(text) and check(condition, text). */
void iw_lua_failure_open(lua_State *lua);

#endif
