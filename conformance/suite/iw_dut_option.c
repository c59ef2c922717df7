#include "iw_dut_option.h"

#include <string.h>

#include <lauxlib.h>

#include "iw_endpoint.h"
#include "iw_lua_names.h"

void iw_dut_option_check(lua_State *lua, const char *method, const char *const *names) {
    struct iw_lua_names known = {0};

    lua_settop(lua, 2);
    if (lua_isnil(lua, 2)) {
        lua_newtable(lua);
        lua_replace(lua, 2);
    }
    luaL_checktype(lua, 2, LUA_TTABLE);
    iw_lua_names_add(&known, names);
    iw_lua_names_check(lua, 2, &known, method, false);
}

uint64_t iw_dut_option_integer(lua_State *lua, const char *name, uint64_t otherwise) {
    uint64_t value = otherwise;

    if (lua_getfield(lua, 2, name) != LUA_TNIL)
        value = (uint64_t)luaL_checkinteger(lua, -1);
    lua_pop(lua, 1);
    return value;
}

bool iw_dut_option_flag(lua_State *lua, const char *name, bool otherwise) {
    bool flag = otherwise;

    if (lua_getfield(lua, 2, name) != LUA_TNIL)
        flag = lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    return flag;
}

const char *iw_dut_option_octets(lua_State *lua, const char *name, size_t *octets) {
    const char *text;

    *octets = 0;
    lua_getfield(lua, 2, name);
    text = luaL_optlstring(lua, -1, "", octets);
    lua_pop(lua, 1);
    return text;
}

unsigned iw_dut_option_rtr(lua_State *lua, unsigned otherwise) {
    static const struct {
        const char *name;
        unsigned type;
    } types[] = {{"send", IW_RTR_SEND}, {"write", IW_RTR_WRITE}, {"read", IW_RTR_READ}};
    unsigned rtr = 0;

    if (lua_getfield(lua, 2, "rtr") == LUA_TNIL) {
        lua_pop(lua, 1);
        return otherwise;
    }
    for (lua_Integer i = 1; lua_geti(lua, -1, i) != LUA_TNIL; i++) {
        const char *name = luaL_checkstring(lua, -1);
        unsigned before = rtr;

        for (size_t j = 0; j < sizeof types / sizeof *types; j++)
            if (strcmp(types[j].name, name) == 0)
                rtr |= types[j].type;
        if (rtr == before)
            luaL_error(lua, "rtr: \"%s\" is none of \"send\", \"write\", \"read\"", name);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 2);
    return rtr;
}

unsigned iw_dut_option_rights(lua_State *lua) {
    const char *text;
    unsigned rights;

    lua_getfield(lua, 2, "rights");
    text = luaL_optstring(lua, -1, "rw");
    rights = (strchr(text, 'r') ? IW_RIGHT_READ : 0u) | (strchr(text, 'w') ? IW_RIGHT_WRITE : 0u);
    if (text[strspn(text, "rw")] != '\0')
        luaL_error(lua, "rights takes \"r\", \"w\", \"rw\" or \"\", not \"%s\"", text);
    lua_pop(lua, 1);
    return rights;
}
