#ifndef IW_LUA_EXPECT_H
#define IW_LUA_EXPECT_H

#include <lua.h>

/* The methods of a connection that receive: c:receive{timeout=} and
 * c:expect{outcome, ..., timeout=, ignore={kind, ...}}, which returns the event and the number of the
 * outcome. */

/* Adds the methods to the metatable on top of the stack. */
void iw_lua_expect_open(lua_State *lua);

#endif
