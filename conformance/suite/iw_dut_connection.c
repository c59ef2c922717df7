#include "iw_dut_state.h"

#include <stdio.h>
#include <string.h>

#include "iw_dut_field.h"
#include "iw_dut_option.h"

/* Of the methods of `dut` those that make connections, in either direction, and end them. */

/* These are in C because a script's error is told with the line of the innermost Lua function, which is to be
 * the case's. */
static int leave_result(lua_State *lua, int status, lua_KContext context) {
    (void)lua;
    (void)status;
    (void)context;
    return 1;
}

/* Calls the global function with the options at index 2 and the device's address. */
static int open_to_device(lua_State *lua, const char *function) {
    const struct iw_dut *dut = iw_dut_self(lua);

    lua_settop(lua, 2);
    lua_getglobal(lua, function);
    lua_newtable(lua);
    if (!lua_isnil(lua, 2)) {
        luaL_checktype(lua, 2, LUA_TTABLE);
        for (lua_pushnil(lua); lua_next(lua, 2);) {
            lua_pushvalue(lua, -2);
            lua_insert(lua, -2);
            lua_settable(lua, 4);
        }
    }
    lua_pushstring(lua, dut->config.host);
    lua_setfield(lua, 4, "host");
    lua_pushinteger(lua, dut->port);
    lua_setfield(lua, 4, "port");
    lua_callk(lua, 1, 1, 0, leave_result);
    return 1;
}

static int connect_to_device(lua_State *lua) {
    return open_to_device(lua, "connect");
}

static int tcp_to_device(lua_State *lua) {
    return open_to_device(lua, "tcp");
}

/* The address to listen at, and in `told` the one that the device is to connect to. */
static const char *own_address(const struct iw_dut *dut, char told[256]) {
    const char *given = dut->config.agent ? dut->config.agent->own_host : NULL;

    if (!dut->client)
        snprintf(told, 256, "127.0.0.1");
    else if (given)
        snprintf(told, 256, "%s", given);
    else
        iw_agent_client_own_host(dut->client, told);
    if (given)
        return strchr(given, ':') ? "::" : "0.0.0.0";
    return dut->client ? told : NULL;
}

/* Stack: dut, options, listener, name of its method, id. */
static int accept_connection(lua_State *lua, const json_t *answer) {
    (void)answer;
    lua_settop(lua, 4);
    lua_gettable(lua, 3);
    lua_pushvalue(lua, 3);
    lua_pushvalue(lua, 2);
    lua_callk(lua, 2, 1, 0, leave_result);
    return 1;
}

/* Makes the device connect to a listener of the script, and calls that method of it with the options at
 * index 2. */
static int accept_from_device(lua_State *lua, const char *method) {
    static const struct iw_dut_question question = {"connect", accept_connection};
    struct iw_dut *dut = iw_dut_told(lua);
    char told[256];
    const char *host = own_address(dut, told);
    json_t *request;

    lua_settop(lua, 2);
    lua_getglobal(lua, "listen");
    lua_newtable(lua);
    if (host) {
        lua_pushstring(lua, host);
        lua_setfield(lua, -2, "host");
    }
    lua_call(lua, 1, 1);
    request = iw_dut_begin(dut, &question);
    iw_dut_set_text(request, "host", told);
    lua_getfield(lua, 3, "port");
    iw_dut_set_integer(request, "port", lua_tointeger(lua, -1));
    lua_pop(lua, 1);
    lua_pushstring(lua, method);
    return iw_dut_ask(lua, &question);
}

static int accept_startup(lua_State *lua) {
    return accept_from_device(lua, "accept");
}

static int accept_tcp(lua_State *lua) {
    return accept_from_device(lua, "tcp");
}

static int configure(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"rev", IW_DUT_OPTION_INTEGER, NULL},
        {"enhanced", IW_DUT_OPTION_FLAG, NULL}, {"crc", IW_DUT_OPTION_FLAG, NULL},
        {"markers", IW_DUT_OPTION_FLAG, NULL}, {"ird", IW_DUT_OPTION_INTEGER, NULL},
        {"ord", IW_DUT_OPTION_INTEGER, NULL}, {"peer_to_peer", IW_DUT_OPTION_FLAG, NULL},
        {"rtr", IW_DUT_OPTION_LIST, NULL}, {"mulpdu", IW_DUT_OPTION_INTEGER, NULL},
        {"reject", IW_DUT_OPTION_FLAG, NULL}, {"private_data", IW_DUT_OPTION_OCTETS, NULL},
        {"extensions", IW_DUT_OPTION_LIST, NULL}, {0}};
    static const struct iw_dut_question question = {"configure", NULL};

    iw_dut_option_take(lua, "configure", options, iw_dut_begin(iw_dut_told(lua), &question));
    return iw_dut_ask(lua, &question);
}

static int close_connection(lua_State *lua) {
    static const struct iw_dut_question question = {"close", NULL};

    iw_dut_begin(iw_dut_told(lua), &question);
    return iw_dut_ask(lua, &question);
}

static int abort_connection(lua_State *lua) {
    static const struct iw_dut_question question = {"abort", NULL};

    iw_dut_begin(iw_dut_told(lua), &question);
    return iw_dut_ask(lua, &question);
}

const luaL_Reg iw_dut_connection_methods[] = {{"connect", connect_to_device}, {"tcp", tcp_to_device},
    {"accept", accept_startup}, {"accept_tcp", accept_tcp}, {"configure", configure},
    {"close", close_connection}, {"abort", abort_connection}, {NULL, NULL}};
