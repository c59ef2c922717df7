#include "iw_lua_queue.h"

#include <lauxlib.h>

void iw_lua_queue_init(lua_State *lua, struct iw_lua_queue *queue, const char *what) {
    *queue = (struct iw_lua_queue){.events = LUA_NOREF, .first = 1, .next = 1, .arrivals = {.what = what}};
    lua_newtable(lua);
    queue->events = luaL_ref(lua, LUA_REGISTRYINDEX);
}

void iw_lua_queue_dispose(lua_State *lua, struct iw_lua_queue *queue) {
    luaL_unref(lua, LUA_REGISTRYINDEX, queue->events);
    queue->events = LUA_NOREF;
}

void iw_lua_queue_put(lua_State *lua, struct iw_lua_queue *queue) {
    lua_rawgeti(lua, LUA_REGISTRYINDEX, queue->events);
    lua_insert(lua, -2);
    lua_rawseti(lua, -2, queue->next++);
    lua_pop(lua, 1);
    iw_waitable_wake(&queue->arrivals);
}

bool iw_lua_queue_take(lua_State *lua, struct iw_lua_queue *queue) {
    if (queue->first == queue->next)
        return false;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, queue->events);
    lua_rawgeti(lua, -1, queue->first);
    lua_pushnil(lua);
    lua_rawseti(lua, -3, queue->first++);
    lua_remove(lua, -2);
    return true;
}

void iw_lua_queue_drop_last(lua_State *lua, struct iw_lua_queue *queue) {
    if (queue->next == queue->first)
        return;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, queue->events);
    lua_pushnil(lua);
    lua_rawseti(lua, -2, --queue->next);
    lua_pop(lua, 1);
}

void iw_lua_queue_close(struct iw_lua_queue *queue) {
    queue->closed = true;
    iw_waitable_end(&queue->arrivals);
}
