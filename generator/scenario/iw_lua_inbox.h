#ifndef IW_LUA_INBOX_H
#define IW_LUA_INBOX_H

#include "iw_lua_connection.h"

/* From what an endpoint reports to the queue of events of its connection. */

void iw_lua_inbox_init(lua_State *lua, struct iw_lua_connection *connection);
void iw_lua_inbox_dispose(struct iw_lua_connection *connection);

/* Puts what the script shall see of an event of the endpoint into the queue. */
void iw_lua_inbox_take(struct iw_lua_connection *connection, const struct iw_event *event);

#endif
