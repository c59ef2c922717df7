#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lauxlib.h>
#include <lua.h>

/* Reads members of a table of options by name; `otherwise` is the default. An invalid value is an error. */

/* Accepts true, false, 1 and 0, like header flags. */
bool iw_lua_member_flag(lua_State *lua, int table, const char *name, bool otherwise);

lua_Integer iw_lua_member_integer(
    lua_State *lua, int table, const char *name, lua_Integer otherwise, lua_Integer least, lua_Integer most);

/* The octets, or NULL. The table owns them. */
const char *iw_lua_member_octets(lua_State *lua, int table, const char *name, size_t *length);

/* Pushes the table; or returns false if the member is absent. `what` describes the table in errors. */
bool iw_lua_member_table(lua_State *lua, int table, const char *name, const char *what);

/* Pushes a new table with the members of the table at `index` (positive); nil there: an empty table. */
void iw_lua_member_copy(lua_State *lua, int index);

/* Set members of the table on top of the stack. */
void iw_lua_member_set_boolean(lua_State *lua, const char *name, bool value);
void iw_lua_member_set_integer(lua_State *lua, const char *name, uint64_t value);
/* Sets no member if `text` is NULL. */
void iw_lua_member_set_string(lua_State *lua, const char *name, const char *text);
void iw_lua_member_set_octets(lua_State *lua, const char *name, const void *octets, size_t length);

/* Whether the value at `index`, of any type, has the metatable `name`. */
bool iw_lua_member_is(lua_State *lua, int index, const char *name);

/* Pushes a new metatable, registered as `name` and hidden from scripts, with these members. */
void iw_lua_member_metatable(lua_State *lua, const char *name, const luaL_Reg *members);
