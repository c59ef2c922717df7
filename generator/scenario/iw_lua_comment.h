#ifndef IW_LUA_COMMENT_H
#define IW_LUA_COMMENT_H

#include <stdbool.h>

#include "iw_lua_connection.h"

/* Comments of a connection's packets in the capture: the scenario's name and the step. */

/* Sets the first comment when the connection has its endpoint; `inner`: both ends belong to the scenario.
 * The first packets of an accepted connection get the opener's step. */
void iw_lua_comment_begin(struct iw_lua_connection *connection, bool inner);

enum { IW_LUA_COMMENT_OCTETS = 512 };

/* The comment for packets caused by the running task. False: there is no step or name. */
bool iw_lua_comment_text(struct iw_scenario *scenario, char comment[IW_LUA_COMMENT_OCTETS]);

/* Comments later packets with the running task's step. */
void iw_lua_comment_step(struct iw_lua_connection *connection);

#endif
