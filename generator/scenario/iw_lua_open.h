#ifndef IW_LUA_OPEN_H
#define IW_LUA_OPEN_H

#include <lua.h>

/* Globals connect, tcp and listen. */

void iw_lua_open_open(lua_State *lua);

#endif
