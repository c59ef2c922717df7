#ifndef IW_LUA_REGION_H
#define IW_LUA_REGION_H

#include <lua.h>

#include "iw_memory.h"

/* Memory that a script offers to its peers: the global
 *     region{size=, rights="rw", fill=, stag=, to=, verify=, persistent=, file=, over=, at=, stream=,
 *         domain=}
 * and its r.stag, r.to, r.size, r.valid, r:get(offset, length), r:set(offset, octets),
 * r:kept(offset, length), r:invalidate(). Also the global hash(algorithm, octets): what a Verify returns. */

/* The region on top of the stack, as the value of the option `name`. Raises an error for any other value. */
struct iw_region *iw_lua_region_option(lua_State *lua, const char *name);

void iw_lua_region_open(lua_State *lua);

#endif
