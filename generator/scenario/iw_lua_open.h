#ifndef IW_LUA_OPEN_H
#define IW_LUA_OPEN_H

#include <lua.h>

/* Globals connect, tcp and listen. */

void iw_lua_open_open(lua_State *lua);

/* What listen{} has given: the listener at `index` of the stack, which lives as long as its scenario. */
struct iw_lua_listener;
struct iw_lua_listener *iw_lua_listener_at(lua_State *lua, int index);

/* Nobody will connect to it any more, as `text` says: who waits for that, or will, ends in an error of the
 * environment. */
void iw_lua_listener_forsake(struct iw_lua_listener *listener, const char *text);

#endif
