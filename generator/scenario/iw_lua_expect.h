#ifndef IW_LUA_EXPECT_H
#define IW_LUA_EXPECT_H

#include <lua.h>

#include "iw_lua_names.h"
#include "iw_lua_queue.h"

/* Methods receive and expect of a connection, and of whatever else has a queue of events. */

/* A kind of object with such a queue. */
struct iw_lua_expect_kind {
    struct iw_lua_queue *(*queue)(lua_State *lua, int index); /* of the object there, or raises an error */
    const struct iw_lua_names *(*kinds)(void);                /* what its events can be called, */
    const struct iw_lua_names *(*names)(void);                /* and what can stand in one */
};

/* Sets the methods in the table on top of the stack. `kind` stays. */
void iw_lua_expect_open(lua_State *lua, const struct iw_lua_expect_kind *kind);

#endif
