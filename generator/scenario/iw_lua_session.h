#ifndef IW_LUA_SESSION_H
#define IW_LUA_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <lua.h>

#include "iw_ddp_association.h"
#include "iw_scenario.h"

/* Methods connect and accept of an association: they make connections that are DDP Stream Sessions. */

/* Whether a connection of the scenario has the session on that DDP Stream. */
bool iw_lua_session_on(
    struct iw_scenario *scenario, const struct iw_ddp_association *association, uint16_t stream);

/* Sets the methods in the table on top of the stack. */
void iw_lua_session_open(lua_State *lua);

#endif
