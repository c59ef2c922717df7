#ifndef IW_LUA_COMMENT_H
#define IW_LUA_COMMENT_H

#include <stdbool.h>

#include "iw_lua_connection.h"

/* The comments of a connection's packets in the capture: the scenario's name and the step. */

/* The first of them, when the connection has its endpoint; `inner`: both ends are the scenario's. The first
 * packets of an accepted connection are about what its opener does. */
void iw_lua_comment_begin(struct iw_lua_connection *connection, bool inner);

enum { IW_LUA_COMMENT_OCTETS = 512 };

/* The comment of packets that the running task is about; false: there is none. */
bool iw_lua_comment_text(struct iw_scenario *scenario, char comment[IW_LUA_COMMENT_OCTETS]);

/* From now on they are of the running task's step. */
void iw_lua_comment_step(struct iw_lua_connection *connection);

#endif
