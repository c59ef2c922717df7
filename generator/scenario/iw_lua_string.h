#ifndef IW_LUA_STRING_H
#define IW_LUA_STRING_H

#include <lua.h>

/* Replaces functions of Lua's library that may run very long within one instruction: string.find, match,
 * gmatch and gsub, and some of table and utf8. The replacements do the same and use up steps of the
 * sandbox. */
void iw_lua_string_open(lua_State *lua);

#endif
