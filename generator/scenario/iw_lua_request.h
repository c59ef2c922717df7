#ifndef IW_LUA_REQUEST_H
#define IW_LUA_REQUEST_H

#include <lua.h>

/* The methods of a connection for requests of RFC 7306 and draft-talpey-rdma-commit-01: fetch_add, cmp_swap,
 * swap, atomic, flush, verify, atomic_write. */

/* Adds the methods to the metatable on top of the stack. */
void iw_lua_request_open(lua_State *lua);

#endif
