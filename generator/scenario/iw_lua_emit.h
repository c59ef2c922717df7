#ifndef IW_LUA_EMIT_H
#define IW_LUA_EMIT_H

#include <lua.h>

/* Methods of a connection that send immediately, in any phase, exactly what the script says (request,
 * reply, fpdu, terminate, octets), and those that change its state (full, leave, close, reset, receives). */

/* Adds the methods to the metatable on top of the stack. */
void iw_lua_emit_open(lua_State *lua);

#endif
