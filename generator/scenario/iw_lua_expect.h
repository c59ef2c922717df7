#pragma once

#include "iw_lua_names.h"
#include "iw_lua_queue.h"

/* A kind of object that has a queue of events, and so the methods receive and expect. */
struct iw_lua_expect_kind {
    struct iw_lua_queue *(*queue)(lua_State *lua, int index); /* raises an error for other kinds */
    const struct iw_lua_names *(*kinds)(void);                /* all kinds of its events */
    const struct iw_lua_names *(*names)(void);                /* all names of their members */
};

/* Sets the methods receive and expect in the table on top of the stack. `kind` must stay valid. */
void iw_lua_expect_open(lua_State *lua, const struct iw_lua_expect_kind *kind);
