#ifndef IW_LUA_ASSOCIATION_SEND_H
#define IW_LUA_ASSOCIATION_SEND_H

#include <lua.h>

/* Methods of an association that send (control, data, inject, close, abort) or control packets (next_tsn,
 * hold, ahead). */

/* Sets the methods in the table on top of the stack. */
void iw_lua_association_send_open(lua_State *lua);

#endif
