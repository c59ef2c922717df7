#ifndef IW_LUA_FAILURE_H
#define IW_LUA_FAILURE_H

#include <lua.h>

/* Errors that a script raises with a meaning: tables {kind=, message=, expected=, actual=, script=, line=}
 * that pcall can look into. An error that is none of these is a mistake in the script. */

enum iw_lua_failure_kind {
    IW_LUA_FAILURE_NONE,        /* no such table: a mistake in the script */
    IW_LUA_FAILURE_EXPECTATION, /* the peer did not do what was expected, or fail() or check() said so */
    IW_LUA_FAILURE_ABSENT,      /* the same: nobody connects to a listener */
    IW_LUA_FAILURE_ENVIRONMENT, /* no memory, no file */
    IW_LUA_FAILURE_UNREACHED,   /* the same: no connection, or SCTP association */
    IW_LUA_FAILURE_UNSUPPORTED, /* the same: what is asked for cannot be had */
    IW_LUA_FAILURE_DEADLOCK,    /* the script waits for what cannot come */
};

/* Raises the error; `expected` and `actual` may be NULL. Does not return; its type lets a caller write
 * `return iw_lua_failure_raise(...)`. */
int iw_lua_failure_raise(lua_State *lua, enum iw_lua_failure_kind kind, const char *message,
    const char *expected, const char *actual);

/* What kind the error object at `index` is. */
enum iw_lua_failure_kind iw_lua_failure_of(lua_State *lua, int index);

/* Script and line that `lua` is at: the innermost Lua function. Returns the line, or 0 outside of any; `name`
 * then is "". */
int iw_lua_failure_where(lua_State *lua, char *name, size_t capacity);

/* Globals fail(text) and check(condition, text). */
void iw_lua_failure_open(lua_State *lua);

#endif
