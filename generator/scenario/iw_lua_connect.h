#ifndef IW_LUA_CONNECT_H
#define IW_LUA_CONNECT_H

#include "iw_lua_connection.h"

/* The options of all that makes a connection: connect, tcp, accept. */

/* Fills in `config` from the table at `options` (or nothing there), without host, port and timeout, whose
 * names it takes too. `method` is for messages. Raises an error for what does not fit. */
void iw_lua_connect_options(
    lua_State *lua, int options, const char *method, bool initiator, struct iw_lua_connection_config *config);

#endif
