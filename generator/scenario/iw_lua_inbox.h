#ifndef IW_LUA_INBOX_H
#define IW_LUA_INBOX_H

#include "iw_lua_connection.h"

/* Turns what an endpoint reports into events in its connection's queue. */

void iw_lua_inbox_init(lua_State *lua, struct iw_lua_connection *connection);
void iw_lua_inbox_dispose(struct iw_lua_connection *connection);

/* Queues what the script sees of an event of the endpoint. */
void iw_lua_inbox_take(struct iw_lua_connection *connection, const struct iw_event *event);

#endif
