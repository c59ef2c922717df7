#pragma once

#include <lua.h>

/* Registers the globals connect, tcp and listen. */
void iw_lua_open_register(lua_State *lua);

/* The listener at `index` of the stack, made by listen{}. It lives as long as its scenario. */
struct iw_lua_listener;
struct iw_lua_listener *iw_lua_listener_at(lua_State *lua, int index);

/* No further peer will connect, because of `text`: an accept that would wait raises ENVIRONMENT. */
void iw_lua_listener_give_up(struct iw_lua_listener *listener, const char *text);
