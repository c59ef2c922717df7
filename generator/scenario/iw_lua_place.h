#ifndef IW_LUA_PLACE_H
#define IW_LUA_PLACE_H

#include <lua.h>

#include "iw_scenario.h"

/* A position in a script, for a mistake that is detected later. */
struct iw_lua_place {
    char *script;
    char *step;
    int line;
};

/* The position that `lua` executes. Dispose of it with iw_lua_place_dispose. */
void iw_lua_place_init(struct iw_lua_place *place, lua_State *lua);
void iw_lua_place_dispose(struct iw_lua_place *place);

/* Ends the scenario with this mistake, unless it already has an outcome. */
void iw_lua_place_blame(const struct iw_lua_place *place, struct iw_scenario *scenario, const char *message);

#endif
