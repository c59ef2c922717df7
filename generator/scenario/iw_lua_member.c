#include "iw_lua_member.h"

#include <lauxlib.h>

bool iw_lua_member_flag(lua_State *lua, int table, const char *name, bool otherwise) {
    int exact = 1;
    lua_Integer value = otherwise;

    if (lua_getfield(lua, table, name) == LUA_TBOOLEAN)
        value = lua_toboolean(lua, -1);
    else if (!lua_isnil(lua, -1))
        value = lua_tointegerx(lua, -1, &exact);
    if (!exact || value < 0 || value > 1)
        luaL_error(lua, "%s takes true or false", name);
    lua_pop(lua, 1);
    return value == 1;
}

lua_Integer iw_lua_member_integer(
    lua_State *lua, int table, const char *name, lua_Integer otherwise, lua_Integer least, lua_Integer most) {
    int exact = 1;
    lua_Integer value = otherwise;

    if (lua_getfield(lua, table, name) != LUA_TNIL) {
        value = lua_tointegerx(lua, -1, &exact);
        if (!exact || value < least || value > most)
            luaL_error(lua, "%s takes an integer from %I to %I", name, (LUAI_UACINT)least, (LUAI_UACINT)most);
    }
    lua_pop(lua, 1);
    return value;
}

const char *iw_lua_member_octets(lua_State *lua, int table, const char *name, size_t *length) {
    const char *octets = NULL;

    *length = 0;
    if (lua_getfield(lua, table, name) != LUA_TNIL) {
        if (lua_type(lua, -1) != LUA_TSTRING)
            luaL_error(lua, "%s takes octets (a string)", name);
        octets = lua_tolstring(lua, -1, length);
    }
    lua_pop(lua, 1);
    return octets;
}

bool iw_lua_member_table(lua_State *lua, int table, const char *name, const char *what) {
    int type = lua_getfield(lua, table, name);

    if (type == LUA_TNIL) {
        lua_pop(lua, 1);
        return false;
    }
    if (type != LUA_TTABLE)
        luaL_error(lua, "%s takes %s, not a %s", name, what, luaL_typename(lua, -1));
    return true;
}
