#include "iw_lua_member.h"

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

void iw_lua_member_copy(lua_State *lua, int index) {
    lua_newtable(lua);
    if (lua_isnil(lua, index))
        return;
    luaL_checktype(lua, index, LUA_TTABLE);
    for (lua_pushnil(lua); lua_next(lua, index) != 0;) {
        lua_pushvalue(lua, -2);
        lua_insert(lua, -2);
        lua_rawset(lua, -4);
    }
}

void iw_lua_member_set_boolean(lua_State *lua, const char *name, bool value) {
    lua_pushboolean(lua, value);
    lua_setfield(lua, -2, name);
}

void iw_lua_member_set_integer(lua_State *lua, const char *name, uint64_t value) {
    lua_pushinteger(lua, (lua_Integer)value);
    lua_setfield(lua, -2, name);
}

void iw_lua_member_set_string(lua_State *lua, const char *name, const char *text) {
    lua_pushstring(lua, text);
    lua_setfield(lua, -2, name);
}

void iw_lua_member_set_octets(lua_State *lua, const char *name, const void *octets, size_t length) {
    lua_pushlstring(lua, length == 0 ? "" : octets, length);
    lua_setfield(lua, -2, name);
}

bool iw_lua_member_is(lua_State *lua, int index, const char *name) {
    if (!lua_getmetatable(lua, index))
        return false;
    luaL_getmetatable(lua, name);
    bool same = lua_rawequal(lua, -1, -2);
    lua_pop(lua, 2);
    return same;
}

void iw_lua_member_metatable(lua_State *lua, const char *name, const luaL_Reg *members) {
    luaL_newmetatable(lua, name);
    luaL_setfuncs(lua, members, 0);
    iw_lua_member_set_boolean(lua, "__metatable", false);
}
