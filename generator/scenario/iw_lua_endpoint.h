#ifndef IW_LUA_ENDPOINT_H
#define IW_LUA_ENDPOINT_H

#include "iw_lua_connection.h"

/* Links a connection to its endpoint: takes the endpoint's events, wakes tasks, changes the frames sent,
 * and watches the port. */

/* Gives the connection its endpoint. On failure the endpoint stays NULL; `text` says why the peer is
 * unreachable, or is "" if out of memory. Takes ownership of an accepted port in every case. */
void iw_lua_endpoint_init(
    struct iw_lua_connection *connection, const struct iw_lua_connection_config *config);
void iw_lua_endpoint_dispose(struct iw_lua_connection *connection);

/* Gives up an opening that timed out. */
void iw_lua_endpoint_abandon(struct iw_lua_connection *connection);

/* Ends the connection's events. */
void iw_lua_endpoint_end(struct iw_lua_connection *connection);

#endif
