#ifndef IW_LUA_EXPECT_H
#define IW_LUA_EXPECT_H

#include <lua.h>

#include "iw_lua_names.h"
#include "iw_lua_queue.h"

/* Methods receive and expect of a connection and of every other object with a queue of events. */

/* A kind of object with such a queue. */
struct iw_lua_expect_kind {
    struct iw_lua_queue *(*queue)(lua_State *lua, int index); /* raises an error for another object */
    const struct iw_lua_names *(*kinds)(void);                /* all kinds of its events */
    const struct iw_lua_names *(*names)(void);                /* all names of their members */
};

/* Sets the methods in the table on top of the stack. `kind` must stay valid. */
void iw_lua_expect_open(lua_State *lua, const struct iw_lua_expect_kind *kind);

#endif
