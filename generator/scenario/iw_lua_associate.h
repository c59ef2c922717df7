#ifndef IW_LUA_ASSOCIATE_H
#define IW_LUA_ASSOCIATE_H

#include <lua.h>

/* Globals associate and listen_sctp. */

void iw_lua_associate_open(lua_State *lua);

#endif
