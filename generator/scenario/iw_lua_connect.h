#ifndef IW_LUA_CONNECT_H
#define IW_LUA_CONNECT_H

#include "iw_lua_connection.h"

/* The options shared by connect, tcp and accept. */

/* Fills in `config` from the table at `options`, if any. Accepts the names host, port and timeout but
 * leaves them to the caller. `method` is for error messages. Raises an error for an invalid option. */
void iw_lua_connect_options(
    lua_State *lua, int options, const char *method, bool initiator, struct iw_lua_connection_config *config);

#endif
