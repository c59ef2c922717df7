#include "iw_lua_protect.h"

#include <limits.h>

#include <lauxlib.h>
#include <lualib.h>

#include "iw_sandbox.h"

enum {
    CALL_STEPS = 10,       /* of a protected call */
    COROUTINE_STEPS = 100, /* of a change to another coroutine: its instructions are counted from 0 */
    CATCH_STEPS = 4,       /* for each call that there is when an error is caught: Lua looks through them */
};

/* How many calls there are in each other, up to twofold. */
static uint64_t depth_of(lua_State *lua) {
    lua_Debug activation;
    int level = 1;

    while (level < INT_MAX / 2 && lua_getstack(lua, level, &activation) != 0)
        level *= 2;
    return (uint64_t)level;
}

/* ---- pcall, xpcall ---- */

/* Below the results stand `others` values that are none. */
static int finish(lua_State *lua, int status, lua_KContext others) {
    if (status == LUA_OK || status == LUA_YIELD)
        return lua_gettop(lua) - (int)others;
    iw_sandbox_charge(lua, CATCH_STEPS * depth_of(lua));
    lua_pushboolean(lua, 0);
    lua_pushvalue(lua, -2);
    return 2;
}

/* pcall(function, ...) */
static int call(lua_State *lua) {
    luaL_checkany(lua, 1);
    iw_sandbox_charge(lua, CALL_STEPS);
    lua_pushboolean(lua, 1);
    lua_insert(lua, 1);
    int status = lua_pcallk(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0, 0, finish);
    return finish(lua, status, 0);
}

/* The message handler of the script, the upvalue. An error that a hook has raised comes here while there are
 * no hooks, and so no bound. */
static int handle(lua_State *lua) {
    lua_settop(lua, 1);
    if (iw_sandbox_spent(iw_sandbox_of(lua)))
        return 1;
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, 1, 1);
    return 1;
}

/* xpcall(function, handler, ...) */
static int call_with_handler(lua_State *lua) {
    int count = lua_gettop(lua);

    luaL_checktype(lua, 2, LUA_TFUNCTION);
    iw_sandbox_charge(lua, CALL_STEPS);
    lua_pushvalue(lua, 2);
    lua_pushcclosure(lua, handle, 1);
    lua_replace(lua, 2);
    lua_pushboolean(lua, 1);
    lua_pushvalue(lua, 1);
    lua_rotate(lua, 3, 2);
    int status = lua_pcallk(lua, count - 2, LUA_MULTRET, 2, 2, finish);
    return finish(lua, status, 2);
}

/* ---- coroutines ---- */

/* The function of Lua is the upvalue. In the frame of the one that stands in its place, so that its errors
 * name that one. */
static int change_coroutine(lua_State *lua) {
    iw_sandbox_charge(lua, COROUTINE_STEPS);
    int results = lua_tocfunction(lua, lua_upvalueindex(1))(lua);
    iw_sandbox_charge(lua, 1);
    return results;
}

void iw_lua_protect_open(lua_State *lua) {
    static const char *const names[] = {"create", "wrap", "resume", "close"};

    lua_register(lua, "pcall", call);
    lua_register(lua, "xpcall", call_with_handler);
    lua_getglobal(lua, LUA_COLIBNAME);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lua_getfield(lua, -1, names[i]);
        lua_pushcclosure(lua, change_coroutine, 1);
        lua_setfield(lua, -2, names[i]);
    }
    lua_pop(lua, 1);
}
