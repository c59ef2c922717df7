#ifndef IW_LUA_SEND_H
#define IW_LUA_SEND_H

#include <lua.h>

#include "iw_lua_connection.h"

/* The methods of a connection by which the endpoint sends messages, in order, with MSN and MO, cut by MULPDU:
 * send, write, read, immediate, message. */

/* Hands the message to the endpoint, with what shall be otherwise in it; waits if too much waits for TCP. The
 * return of a method, whose connection is at index 1 and whose options are at index 2. */
int iw_lua_send_post(lua_State *lua, struct iw_lua_connection *connection, struct iw_post *post,
    const struct iw_lua_override *override);

/* The octets of that option become the payload. */
void iw_lua_send_payload(lua_State *lua, const char *name, struct iw_post *post);

/* Adds the methods to the metatable on top of the stack. */
void iw_lua_send_open(lua_State *lua);

/* The post of that number is sent whole: a mistake if what was to be otherwise in it has found nothing to
 * change. */
void iw_lua_send_check(const struct iw_lua_connection *connection, uint64_t id);

/* The endpoint is done with the post of that number. */
void iw_lua_send_done(struct iw_lua_connection *connection, uint64_t id);

/* Releases the posts that it will never be done with. */
void iw_lua_send_dispose(struct iw_lua_connection *connection);

#endif
