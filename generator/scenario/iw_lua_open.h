#ifndef IW_LUA_OPEN_H
#define IW_LUA_OPEN_H

#include <lua.h>

#include "iw_lua_connection.h"

/* Globals connect, tcp and listen. */

void iw_lua_open_open(lua_State *lua);

/* Fills in `config` from the options of connect, tcp and accept in the table at `options` (or nothing there),
 * without host, port and timeout, whose names it takes too. `method` is for messages. Raises an error for
 * what does not fit. For those who make connections in other ways. */
void iw_lua_open_config(
    lua_State *lua, int options, const char *method, bool initiator, struct iw_lua_connection_config *config);

/* Takes over an accepted port as a connection, waits for its startup and returns it, in the way of
 * `return iw_lua_open_port(...)`. Options at index 2 of the stack. */
int iw_lua_open_port(lua_State *lua, struct iw_port *port, bool inner, bool startup);

#endif
