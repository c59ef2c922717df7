#include "iw_lua_failure.h"

#include <stdio.h>
#include <string.h>

#include "iw_lua_member.h"

static const char metatable_name[] = "iw.failure";

static const char *const kind_names[] = {
    [IW_SCENARIO_FAILED] = "failure",
    [IW_SCENARIO_ABSENT] = "failure",
    [IW_SCENARIO_ENVIRONMENT] = "environment",
    [IW_SCENARIO_UNREACHED] = "environment",
    [IW_SCENARIO_UNSUPPORTED] = "environment",
    [IW_SCENARIO_INAPPLICABLE] = "environment",
};

static const char helpers_key = 0; /* its address is the registry key for the source of the helpers */

void iw_lua_failure_mark_helpers(lua_State *lua) {
    lua_Debug chunk;

    lua_pushvalue(lua, -1);
    lua_getinfo(lua, ">S", &chunk);
    lua_pushstring(lua, chunk.source);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &helpers_key);
}

/* As iw_lua_failure_where, but skips functions of `helpers` (or NULL) if another function is active. */
static int failure_where(lua_State *lua, const char *helpers, char *name, size_t capacity) {
    lua_Debug activation;
    int line = 0;

    snprintf(name, capacity, "%s", "");
    for (int level = 0; lua_getstack(lua, level, &activation); level++) {
        const char *source;
        bool helper;

        lua_getinfo(lua, "Sl", &activation);
        source = activation.source;
        helper = helpers != NULL && strcmp(source, helpers) == 0;
        if (activation.currentline <= 0 || (line > 0 && helper))
            continue;
        line = activation.currentline;
        snprintf(name, capacity, "%s", *source == '@' || *source == '=' ? source + 1 : source);
        if (!helper)
            break;
    }
    return line;
}

int iw_lua_failure_where(lua_State *lua, char *name, size_t capacity) {
    return failure_where(lua, NULL, name, capacity);
}

int iw_lua_failure_raise(lua_State *lua, enum iw_scenario_outcome outcome, const char *message,
    const char *expected, const char *actual) {
    char script[1024];

    luaL_checkstack(lua, 4, NULL);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &helpers_key);
    int line = failure_where(lua, lua_tostring(lua, -1), script, sizeof script);
    lua_newtable(lua);
    iw_lua_member_set_string(lua, "kind", kind_names[outcome]);
    iw_lua_member_set_string(lua, "message", message);
    iw_lua_member_set_string(lua, "expected", expected);
    iw_lua_member_set_string(lua, "actual", actual);
    iw_lua_member_set_string(lua, "script", script);
    iw_lua_member_set_integer(lua, "line", (uint64_t)line);
    lua_pushinteger(lua, (lua_Integer)outcome);
    lua_rawseti(lua, -2, 1);
    luaL_setmetatable(lua, metatable_name);
    return lua_error(lua);
}

enum iw_scenario_outcome iw_lua_failure_of(lua_State *lua, int index) {
    if (!lua_istable(lua, index) || !iw_lua_member_is(lua, index, metatable_name))
        return IW_SCENARIO_ERROR;
    lua_rawgeti(lua, index, 1);
    size_t outcome = (size_t)lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    bool known = outcome < sizeof kind_names / sizeof *kind_names && kind_names[outcome] != NULL;
    return known ? (enum iw_scenario_outcome)outcome : IW_SCENARIO_ERROR;
}

int iw_lua_failure_status(lua_State *lua, enum iw_status status) {
    if (status == IW_OK)
        return 0;
    return iw_lua_failure_raise(lua, IW_SCENARIO_ENVIRONMENT,
        status == IW_ERR_NOMEM ? "not enough memory" : "the message cannot be sent", NULL, NULL);
}

/* __tostring */
static int failure_text(lua_State *lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_getfield(lua, 1, "script");
    lua_getfield(lua, 1, "line");
    lua_getfield(lua, 1, "message");
    lua_pushfstring(lua, "%s:%d: %s", luaL_optstring(lua, 2, "?"), (int)lua_tointeger(lua, 3),
        luaL_optstring(lua, 4, "?"));
    return 1;
}

static int lua_fail(lua_State *lua) {
    return iw_lua_failure_raise(lua, IW_SCENARIO_FAILED, luaL_optstring(lua, 1, "failed"), NULL, NULL);
}

/* Returns its arguments if the first is true, as assert does. */
static int lua_check(lua_State *lua) {
    luaL_checkany(lua, 1);
    if (lua_toboolean(lua, 1))
        return lua_gettop(lua);
    return iw_lua_failure_raise(lua, IW_SCENARIO_FAILED, luaL_optstring(lua, 2, "check failed"), NULL, NULL);
}

void iw_lua_failure_open(lua_State *lua) {
    static const luaL_Reg members[] = {{"__tostring", failure_text}, {NULL, NULL}};

    iw_lua_member_metatable(lua, metatable_name, members);
    lua_pop(lua, 1);
    lua_register(lua, "fail", lua_fail);
    lua_register(lua, "check", lua_check);
}
