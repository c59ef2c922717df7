#ifndef IW_LUA_ENDPOINT_H
#define IW_LUA_ENDPOINT_H

#include "iw_lua_connection.h"

/* What stands behind a connection of scripts: its endpoint, whose events decide how the opening ends and who
 * is woken, what is changed in the frames that it sends, and the watch over its port. */

/* Gives the connection its endpoint, or leaves NULL there; `text` then says why nobody can be connected to,
 * or is "" if there is no memory. Takes over the accepted port in any case. */
void iw_lua_endpoint_init(
    struct iw_lua_connection *connection, const struct iw_lua_connection_config *config);
void iw_lua_endpoint_dispose(struct iw_lua_connection *connection);

/* Gives up an opening that takes too long. */
void iw_lua_endpoint_abandon(struct iw_lua_connection *connection);

/* Nothing comes from it any more. */
void iw_lua_endpoint_end(struct iw_lua_connection *connection);

#endif
