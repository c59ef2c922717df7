#ifndef IW_LUA_STRING_H
#define IW_LUA_STRING_H

#include <lua.h>

/* Puts functions in the place of those of Lua's library that may compute for ever, or for very long, within
 * one instruction: string.find, match, gmatch and gsub, and some of table and utf8. They do the same, and
 * count what they do against the steps that the sandbox leaves to the script. */
void iw_lua_string_open(lua_State *lua);

#endif
