#ifndef IW_LUA_HASH_H
#define IW_LUA_HASH_H

#include <lua.h>

#include "iw_hash.h"

/* The global hash(algorithm, octets): what a Verify of those octets answers. */

/* The algorithm that the string at `index` names. Raises an error if there is none. */
enum iw_hash iw_lua_hash_check(lua_State *lua, int index);

void iw_lua_hash_open(lua_State *lua);

#endif
