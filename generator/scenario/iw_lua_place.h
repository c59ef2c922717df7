#ifndef IW_LUA_PLACE_H
#define IW_LUA_PLACE_H

#include <lua.h>

#include "iw_scenario.h"

/* Where a script stands, for what turns out to be a mistake later. */
struct iw_lua_place {
    char *script;
    char *step;
    int line;
};

/* The place that `lua` is at. Disposed of by iw_lua_place_dispose. */
void iw_lua_place_init(struct iw_lua_place *place, lua_State *lua);
void iw_lua_place_dispose(struct iw_lua_place *place);

/* Ends the scenario with the mistake, unless it has another outcome already. */
void iw_lua_place_blame(const struct iw_lua_place *place, struct iw_scenario *scenario, const char *message);

#endif
