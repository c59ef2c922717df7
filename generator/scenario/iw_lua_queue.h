#pragma once

#include "iw_task.h"

/* Events from a peer that the script has not taken yet: tables, oldest first. */
struct iw_lua_queue {
    int events;              /* Lua reference of a table with integer keys */
    lua_Integer first, next; /* key of the oldest event; key for the next event */
    struct iw_waitable arrivals;
    bool closed; /* no further events */
};

/* `what` names the source in messages: "the peer". After a Lua error the queue can still be disposed of. */
void iw_lua_queue_init(lua_State *lua, struct iw_lua_queue *queue, const char *what);
void iw_lua_queue_dispose(lua_State *lua, struct iw_lua_queue *queue);

/* Pops the event on top of the stack and appends it. */
void iw_lua_queue_put(lua_State *lua, struct iw_lua_queue *queue);

/* Removes the oldest event and pushes it; false if the queue is empty. */
bool iw_lua_queue_take(lua_State *lua, struct iw_lua_queue *queue);
void iw_lua_queue_drop_last(lua_State *lua, struct iw_lua_queue *queue);
void iw_lua_queue_close(struct iw_lua_queue *queue);
