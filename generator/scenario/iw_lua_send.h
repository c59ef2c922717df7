#ifndef IW_LUA_SEND_H
#define IW_LUA_SEND_H

#include <lua.h>

#include "iw_lua_connection.h"

/* The methods of a connection by which the endpoint sends messages, in order, with MSN and MO, cut by MULPDU:
 * send, write, read, immediate, message. */

/* Adds the methods to the metatable on top of the stack. */
void iw_lua_send_open(lua_State *lua);

/* The endpoint is done with the post of that number. */
void iw_lua_send_done(struct iw_lua_connection *connection, uint64_t id);

/* Releases the posts that it will never be done with. */
void iw_lua_send_dispose(struct iw_lua_connection *connection);

#endif
