#ifndef IW_LUA_MEMBER_H
#define IW_LUA_MEMBER_H

#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

/* Members of a table of options, by name; `otherwise` is the value of one that is not there. What does not
 * fit raises an error that names the member, so that a script's author knows which of many is meant. */

/* true, false, 1 or 0, as the flags of headers. */
bool iw_lua_member_flag(lua_State *lua, int table, const char *name, bool otherwise);

lua_Integer iw_lua_member_integer(
    lua_State *lua, int table, const char *name, lua_Integer otherwise, lua_Integer least, lua_Integer most);

/* The octets, or NULL; they stay in the table. */
const char *iw_lua_member_octets(lua_State *lua, int table, const char *name, size_t *length);

/* Whether there is such a table; pushes it, or else nothing. `what` it is: "a list of ..." */
bool iw_lua_member_table(lua_State *lua, int table, const char *name, const char *what);

#endif
