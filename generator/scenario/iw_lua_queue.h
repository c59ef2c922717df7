#ifndef IW_LUA_QUEUE_H
#define IW_LUA_QUEUE_H

#include <stdbool.h>

#include <lua.h>

#include "iw_task.h"

/* What has come from a peer, and the script has not asked for: events, each a table, the oldest first. */

struct iw_lua_queue {
    int events;                /* reference of a table with integer keys */
    lua_Integer first, behind; /* keys of the oldest event and of the next to come */
    struct iw_waitable arrivals;
    bool closed; /* nothing comes any more */
};

/* `what` comes, for messages: "the peer". An error of Lua leaves a queue that can be disposed of. */
void iw_lua_queue_init(lua_State *lua, struct iw_lua_queue *queue, const char *what);
void iw_lua_queue_dispose(lua_State *lua, struct iw_lua_queue *queue);

/* Takes the event on top of the stack off it, and puts it behind the others. */
void iw_lua_queue_put(lua_State *lua, struct iw_lua_queue *queue);

/* Takes the oldest event off the queue and pushes it; false if there is none. */
bool iw_lua_queue_take(lua_State *lua, struct iw_lua_queue *queue);

/* Forgets the newest one. */
void iw_lua_queue_drop_last(lua_State *lua, struct iw_lua_queue *queue);

/* Nothing comes any more. */
void iw_lua_queue_close(struct iw_lua_queue *queue);

#endif
