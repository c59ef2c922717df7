#include "iw_dut_state.h"

#include <stdio.h>
#include <string.h>

#include "iw_dut_field.h"
#include "iw_dut_option.h"

/* Methods of `dut` that make and end connections, in both directions. */

/* In C, because a script error reports the line of the innermost Lua function, which must be that of the
 * case. */
static int connect_finish(lua_State *lua, int status, lua_KContext context) {
    (void)lua;
    (void)status;
    (void)context;
    return 1;
}

/* Pushes the global function, at index 3, and its argument: the options at index 2 with the device's
 * address. */
static void push_call(lua_State *lua, const char *function) {
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
    lua_pushstring(lua, dut->config.target.host);
    lua_setfield(lua, 4, "host");
    lua_pushinteger(lua, dut->port);
    lua_setfield(lua, 4, "port");
}

/* In full operation, but the device may need more time before it accepts FPDUs. */
static int settle(lua_State *lua, int status, lua_KContext context) {
    const struct iw_dut *dut = iw_dut_self(lua);
    const struct iw_profile *profile = dut->config.profile;

    (void)status;
    (void)context;
    if (!profile || profile->settle_ms == 0)
        return 1;
    lua_getglobal(lua, "pause");
    lua_pushnumber(lua, profile->settle_ms / 1000.0);
    lua_callk(lua, 1, 0, 0, connect_finish);
    return 1;
}

/* The revision is 2 unless the device claims or prefers another. */
static void choose_revision(lua_State *lua, const struct iw_dut *dut) {
    const struct iw_profile *profile = dut->config.profile;
    bool second = profile && (profile->revision == 2 || !(profile->revisions & IW_PROFILE_REVISION_1));

    if (second && lua_getfield(lua, 4, "rev") == LUA_TNIL) {
        lua_pushinteger(lua, 2);
        lua_setfield(lua, 4, "rev");
    }
    lua_settop(lua, 4);
}

/* A responder may reject a Request whose IRD is less than the ORD that its ULP needs (RFC 6581 9.1). */
static void choose_ird(lua_State *lua, const struct iw_dut *dut) {
    const struct iw_profile *profile = dut->config.profile;

    if (profile && profile->ord > IW_ENDPOINT_DEPTH && lua_getfield(lua, 4, "ird") == LUA_TNIL) {
        lua_pushinteger(lua, profile->ord);
        lua_setfield(lua, 4, "ird");
    }
    lua_settop(lua, 4);
}

static int connect_to_device(lua_State *lua) {
    push_call(lua, "connect");
    choose_revision(lua, iw_dut_self(lua));
    choose_ird(lua, iw_dut_self(lua));
    lua_callk(lua, 1, 1, 0, settle);
    return settle(lua, LUA_OK, 0);
}

static int tcp_to_device(lua_State *lua) {
    push_call(lua, "tcp");
    lua_callk(lua, 1, 1, 0, connect_finish);
    return 1;
}

static int configure_device(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"rev", IW_DUT_OPTION_INTEGER, NULL},
        {"enhanced", IW_DUT_OPTION_FLAG, NULL}, {"crc", IW_DUT_OPTION_FLAG, NULL},
        {"markers", IW_DUT_OPTION_FLAG, NULL}, {"ird", IW_DUT_OPTION_INTEGER, NULL},
        {"ord", IW_DUT_OPTION_INTEGER, NULL}, {"peer_to_peer", IW_DUT_OPTION_FLAG, NULL},
        {"rtr", IW_DUT_OPTION_LIST, NULL}, {"mulpdu", IW_DUT_OPTION_INTEGER, NULL},
        {"reject", IW_DUT_OPTION_FLAG, NULL}, {"hold", IW_DUT_OPTION_FLAG, NULL},
        {"private_data", IW_DUT_OPTION_OCTETS, NULL}, {"extensions", IW_DUT_OPTION_LIST, NULL}, {0}};
    static const struct iw_dut_question question = {.op = "configure"};

    struct iw_dut *dut = iw_dut_with_agent(lua);

    iw_dut_option_take(lua, "configure", options, iw_dut_begin(dut, &question));
    json_object_update(dut->requests.settings, dut->requests.making);
    return iw_dut_ask(lua, &question);
}

static int answer_request(lua_State *lua) {
    static const struct iw_dut_option options[] = {
        {"connection", IW_DUT_OPTION_INTEGER, NULL}, {"reject", IW_DUT_OPTION_FLAG, NULL}, {0}};
    static const struct iw_dut_question question = {.op = "answer"};

    iw_dut_option_take(lua, "answer", options, iw_dut_begin(iw_dut_with_agent(lua), &question));
    return iw_dut_ask(lua, &question);
}

static int local_error(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "local_error"};

    iw_dut_begin(iw_dut_with_agent(lua), &question);
    return iw_dut_ask(lua, &question);
}

static int close_connection(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "close"};

    iw_dut_begin(iw_dut_with_agent(lua), &question);
    return iw_dut_ask(lua, &question);
}

static int abort_connection(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "abort"};

    iw_dut_begin(iw_dut_with_agent(lua), &question);
    return iw_dut_ask(lua, &question);
}

const luaL_Reg iw_dut_connection_methods[] = {{"connect", connect_to_device}, {"tcp", tcp_to_device},
    {"configure", configure_device}, {"answer", answer_request}, {"local_error", local_error},
    {"close", close_connection}, {"abort", abort_connection}, {NULL, NULL}};
