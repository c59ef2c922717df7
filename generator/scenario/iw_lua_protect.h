#ifndef IW_LUA_PROTECT_H
#define IW_LUA_PROTECT_H

#include <lua.h>

/* The functions of Lua that catch errors, and those that make coroutines, with the bound on what a script
 * computes (iw_sandbox_charge): none of them catches that, and each takes steps. */

/* Puts them in the place of those that stand in the state. */
void iw_lua_protect_open(lua_State *lua);

#endif
