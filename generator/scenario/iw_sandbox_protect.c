#include "iw_sandbox.h"

#include <limits.h>

#include <lauxlib.h>
#include <lualib.h>

enum {
    CALL_STEPS = 10,       /* for a protected call */
    COROUTINE_STEPS = 100, /* for a coroutine function: the instruction count of a coroutine starts at 0 */
    CATCH_STEPS = 4,       /* for each active call when an error is caught: Lua walks through the calls */
};

/* The number of active calls, overestimated by up to a factor of two. */
static uint64_t protect_depth_of(lua_State *lua) {
    lua_Debug activation;
    int level = 1;

    while (level < INT_MAX / 2 && lua_getstack(lua, level, &activation) != 0)
        level *= 2;
    return (uint64_t)level;
}

/* Returns the results of pcall. The lowest `others` values on the stack are not results. */
static int protected_call_finish(lua_State *lua, int status, lua_KContext others) {
    if (status == LUA_OK || status == LUA_YIELD)
        return lua_gettop(lua) - (int)others;
    iw_sandbox_charge(lua, CATCH_STEPS * protect_depth_of(lua));
    lua_pushboolean(lua, 0);
    lua_pushvalue(lua, -2);
    return 2;
}

/* pcall(function, ...) */
static int protected_call(lua_State *lua) {
    luaL_checkany(lua, 1);
    iw_sandbox_charge(lua, CALL_STEPS);
    lua_pushboolean(lua, 1);
    lua_insert(lua, 1);
    int status = lua_pcallk(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0, 0, protected_call_finish);
    return protected_call_finish(lua, status, 0);
}

/* Runs the script's message handler (the upvalue), unless the steps are used up: Lua runs the handler of an
 * error from a hook without hooks, so nothing would stop it. */
static int protected_call_handle(lua_State *lua) {
    lua_settop(lua, 1);
    if (iw_sandbox_spent(iw_sandbox_of(lua)))
        return 1;
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, 1, 1);
    return 1;
}

/* xpcall(function, handler, ...) */
static int protected_call_with_handler(lua_State *lua) {
    int count = lua_gettop(lua);

    luaL_checktype(lua, 2, LUA_TFUNCTION);
    iw_sandbox_charge(lua, CALL_STEPS);
    lua_pushvalue(lua, 2);
    lua_pushcclosure(lua, protected_call_handle, 1);
    lua_replace(lua, 2);
    lua_pushboolean(lua, 1);
    lua_pushvalue(lua, 1);
    lua_rotate(lua, 3, 2);
    int status = lua_pcallk(lua, count - 2, LUA_MULTRET, 2, 2, protected_call_finish);
    return protected_call_finish(lua, status, 2);
}

/* Calls the original function (the upvalue) without a new frame, so that errors name the replacement. */
static int protect_change_coroutine(lua_State *lua) {
    iw_sandbox_charge(lua, COROUTINE_STEPS);
    int results = lua_tocfunction(lua, lua_upvalueindex(1))(lua);
    iw_sandbox_charge(lua, 1);
    return results;
}

/* The function that coroutine.wrap returns: Lua's own (the second upvalue), which finds its coroutine in the
 * first upvalue. */
static int protect_resume_wrapped(lua_State *lua) {
    iw_sandbox_charge(lua, COROUTINE_STEPS);
    int results = lua_tocfunction(lua, lua_upvalueindex(2))(lua);
    iw_sandbox_charge(lua, 1);
    return results;
}

/* coroutine.wrap(function) */
static int protect_wrap_coroutine(lua_State *lua) {
    protect_change_coroutine(lua);
    lua_getupvalue(lua, -1, 1);
    lua_insert(lua, -2);
    lua_pushcclosure(lua, protect_resume_wrapped, 2);
    return 1;
}

void iw_sandbox_protect_wrap(lua_State *lua, const char *library, const char *name, lua_CFunction wrapper) {
    lua_getglobal(lua, library);
    lua_getfield(lua, -1, name);
    lua_pushcclosure(lua, wrapper, 1);
    lua_setfield(lua, -2, name);
    lua_pop(lua, 1);
}

void iw_sandbox_protect_open(lua_State *lua) {
    lua_register(lua, "pcall", protected_call);
    lua_register(lua, "xpcall", protected_call_with_handler);
    iw_sandbox_protect_wrap(lua, LUA_COLIBNAME, "create", protect_change_coroutine);
    iw_sandbox_protect_wrap(lua, LUA_COLIBNAME, "wrap", protect_wrap_coroutine);
    iw_sandbox_protect_wrap(lua, LUA_COLIBNAME, "resume", protect_change_coroutine);
    iw_sandbox_protect_wrap(lua, LUA_COLIBNAME, "close", protect_change_coroutine);
}
