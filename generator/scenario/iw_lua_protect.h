#ifndef IW_LUA_PROTECT_H
#define IW_LUA_PROTECT_H

#include <lua.h>

/* Replaces Lua's functions that catch errors or make coroutines by bounded ones (iw_sandbox_charge): they
 * use up steps, and do not catch the end of the steps. */

/* Replaces those in the state. */
void iw_lua_protect_open(lua_State *lua);

/* Replaces a function of a library by `wrapper`, whose upvalue is the original. */
void iw_lua_protect_wrap(lua_State *lua, const char *library, const char *name, lua_CFunction wrapper);

/* ---- iw_lua_string.c ---- */

/* Replaces functions of Lua's library that may run very long within one instruction: string.find, match,
 * gmatch and gsub, and some of table and utf8. The replacements do the same and use up steps of the
 * sandbox. */
void iw_lua_string_open(lua_State *lua);

#endif
