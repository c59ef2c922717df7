#include "iw_dut_state.h"

#include <string.h>

#include "iw_dut_field.h"
#include "iw_lua_failure.h"

/* Methods of `dut` for DDP over SCTP: associations in both directions. */

/* In C, because a script error reports the line of the innermost Lua function, which must be that of the
 * case. */
static int association_finish(lua_State *lua, int status, lua_KContext context) {
    (void)lua;
    (void)status;
    (void)context;
    return 1;
}

static void set_port(lua_State *lua, const char *name, uint16_t port) {
    lua_pushinteger(lua, port);
    lua_setfield(lua, -2, name);
}

/* Sets host, port and tunnel in the table on top of the stack. */
static void set_where(lua_State *lua, const struct iw_sctp_where *where) {
    lua_pushstring(lua, where->host);
    lua_setfield(lua, -2, "host");
    set_port(lua, "port", where->port);
    if (where->tunnelled)
        set_port(lua, "tunnel", where->tunnel);
}

void iw_dut_push_sctp(lua_State *lua, const struct iw_dut *dut) {
    if (!dut->sctp.host) {
        lua_pushnil(lua);
        return;
    }
    lua_createtable(lua, 0, 3);
    set_where(lua, &dut->sctp);
}

static struct iw_dut *dut_with_sctp(lua_State *lua) {
    struct iw_dut *dut = iw_dut_self(lua);

    if (!dut->sctp.host)
        iw_lua_failure_raise(lua, IW_LUA_FAILURE_UNSUPPORTED,
            "the device's SCTP address is unknown: neither --sctp nor its agent names it", NULL, NULL);
    return dut;
}

/* Pushes the global function, and a copy of the table at index 2 as its argument, or an empty table. */
static void push_associate(lua_State *lua, const char *function) {
    lua_settop(lua, 2);
    lua_getglobal(lua, function);
    lua_newtable(lua);
    if (lua_isnil(lua, 2))
        return;
    luaL_checktype(lua, 2, LUA_TTABLE);
    for (lua_pushnil(lua); lua_next(lua, 2);) {
        lua_pushvalue(lua, -2);
        lua_insert(lua, -2);
        lua_settable(lua, 4);
    }
}

static int associate_with_device(lua_State *lua) {
    const struct iw_dut *dut = dut_with_sctp(lua);

    push_associate(lua, "associate");
    set_where(lua, &dut->sctp);
    lua_callk(lua, 1, 1, 0, association_finish);
    return 1;
}

/* ---- associations opened by the device ---- */

static json_t *request_association(
    struct iw_dut *dut, const struct iw_dut_question *question, lua_Integer stream) {
    json_t *request = iw_dut_begin(dut, question);

    iw_dut_set_text(request, "transport", "sctp");
    iw_dut_set_text(request, "host", dut->own_sctp_host);
    iw_dut_set_integer(request, "port", dut->own_sctp.port);
    if (dut->own_sctp.tunnelled)
        iw_dut_set_integer(request, "tunnel", dut->own_sctp.tunnel);
    iw_dut_set_integer(request, "stream", stream);
    return request;
}

/* Stack: dut, options, listener. */
static int accept_requested(lua_State *lua, const json_t *answer) {
    (void)answer;
    lua_settop(lua, 3);
    lua_getfield(lua, 3, "accept");
    lua_pushvalue(lua, 3);
    lua_callk(lua, 1, 1, 0, association_finish);
    return 1;
}

/* Removes the option `stream`, which is for the device; the others are for the listener. */
static lua_Integer remove_stream(lua_State *lua) {
    lua_Integer stream = 0;

    if (lua_getfield(lua, -1, "stream") != LUA_TNIL)
        stream = luaL_checkinteger(lua, -1);
    lua_pop(lua, 1);
    lua_pushnil(lua);
    lua_setfield(lua, -2, "stream");
    return stream;
}

static uint16_t port_of(lua_State *lua, const char *name) {
    lua_getfield(lua, -1, name);
    uint16_t port = (uint16_t)lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    return port;
}

static int accept_association(lua_State *lua) {
    static const struct iw_dut_question question = {
        .op = "connect", .finish = accept_requested, .connects = true};
    struct iw_dut *dut = dut_with_sctp(lua);
    const char *listen = iw_dut_own_address(dut, dut->own_sctp_host);
    lua_Integer stream;

    iw_dut_with_agent(lua);
    push_associate(lua, "listen_sctp");
    stream = remove_stream(lua);
    lua_pushstring(lua, listen);
    lua_setfield(lua, -2, "host");
    lua_pushboolean(lua, dut->sctp.tunnelled);
    lua_setfield(lua, -2, "tunnel");
    if (!dut->sctp.tunnelled) {
        lua_pushnil(lua);
        lua_setfield(lua, -2, "tunnel");
    }
    lua_call(lua, 1, 1);
    dut->own_sctp = (struct iw_sctp_where){
        .port = port_of(lua, "port"), .tunnelled = dut->sctp.tunnelled, .tunnel = port_of(lua, "tunnel")};
    request_association(dut, &question, stream);
    return iw_dut_ask(lua, &question);
}

static int initiate_session(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "connect"};
    struct iw_dut *dut = dut_with_sctp(lua);
    lua_Integer stream = luaL_checkinteger(lua, 2);

    if (dut->own_sctp.port == 0)
        return luaL_error(lua, "dut:initiate needs an association of dut:accept_association");
    iw_dut_with_agent(lua);
    request_association(dut, &question, stream);
    return iw_dut_ask(lua, &question);
}

const luaL_Reg iw_dut_association_methods[] = {{"associate", associate_with_device},
    {"accept_association", accept_association}, {"initiate", initiate_session}, {NULL, NULL}};
