#include "iw_case_member.h"

#include <lauxlib.h>

const char *iw_case_member_text(lua_State *lua, int table, const char *name, const char *id) {
    if (lua_getfield(lua, table, name) != LUA_TSTRING)
        luaL_error(lua, "case %s: %s takes a text", id, name);
    return lua_tostring(lua, -1);
}

size_t iw_case_member_texts(
    lua_State *lua, int table, const char *name, const char *id, const char *list[IW_CASE_LIST_MAX]) {
    size_t count;

    if (lua_getfield(lua, table, name) == LUA_TNIL)
        return 0;
    if (!lua_istable(lua, -1) || lua_rawlen(lua, -1) > IW_CASE_LIST_MAX)
        luaL_error(lua, "case %s: %s takes a list of at most %d texts", id, name, (int)IW_CASE_LIST_MAX);
    count = lua_rawlen(lua, -1);
    for (size_t i = 0; i < count; i++) {
        if (lua_rawgeti(lua, -1, (lua_Integer)i + 1) != LUA_TSTRING)
            luaL_error(lua, "case %s: %s takes a list of texts", id, name);
        list[i] = lua_tostring(lua, -1);
        lua_pop(lua, 1);
    }
    return count;
}

size_t iw_case_member_requirements(lua_State *lua, int table, const char *name, const char *id,
    const struct iw_requirement *list[IW_CASE_LIST_MAX]) {
    const char *ids[IW_CASE_LIST_MAX];
    size_t count = iw_case_member_texts(lua, table, name, id, ids);

    for (size_t i = 0; i < count; i++) {
        list[i] = iw_requirement_find(ids[i]);
        if (!list[i])
            luaL_error(lua, "case %s: unknown requirement %s", id, ids[i]);
    }
    return count;
}
