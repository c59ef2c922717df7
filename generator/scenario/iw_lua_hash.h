#ifndef IW_LUA_HASH_H
#define IW_LUA_HASH_H

#include <lua.h>

#include "iw_hash.h"

/* The global hash(algorithm, octets): the result that a Verify of those octets returns. */

/* The algorithm named by the string at `index`. Raises an error for an unknown name. */
enum iw_hash iw_lua_hash_check(lua_State *lua, int index);

void iw_lua_hash_open(lua_State *lua);

#endif
