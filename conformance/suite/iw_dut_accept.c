#include "iw_dut_state.h"

#include <stdio.h>
#include <string.h>

#include "iw_lua_failure.h"
#include "iw_show.h"

/* Methods of `dut` that make the device connect: by its agent; over TCP also by a command or rping. */

enum {
    COMMAND_S = 15,     /* default `timeout` if a command makes the device connect */
    NAME_OCTETS = 81,   /* of a command in a message */
    GRACE_US = 1000000, /* how long to wait for the connection after the end of the command */
};

static bool accept_uses_command(const struct iw_dut *dut) {
    return dut->config.target.starter && (dut->config.rping || !dut->client);
}

/* Returns the local address to listen on. Sets `device_host` to the address to which the device connects. */
static const char *accept_own_address(const struct iw_dut *dut, char device_host[256]) {
    const char *given = dut->config.target.agent ? dut->config.target.agent->own_host : NULL;

    if (accept_uses_command(dut)) {
        snprintf(device_host, 256, "%s", dut->config.target.starter->host);
        return dut->config.target.starter->listen;
    }
    if (!dut->client)
        snprintf(device_host, 256, "%s", dut->embedded.own_host);
    else if (given)
        snprintf(device_host, 256, "%s", given);
    else
        iw_agent_client_own_host(dut->client, device_host);
    if (given)
        return strchr(given, ':') ? "::" : "0.0.0.0";
    return device_host;
}

/* Calls a method of the listener with the options. Stack: dut, options, listener, name of the method. */
static int accept_call_method(lua_State *lua) {
    lua_settop(lua, 4);
    lua_gettable(lua, 3);
    lua_pushvalue(lua, 3);
    lua_pushvalue(lua, 2);
    lua_callk(lua, 2, 1, 0, iw_dut_return);
    return 1;
}

static int accept_connected(lua_State *lua, const json_t *answer) {
    (void)answer;
    return accept_call_method(lua);
}

static int accept_by_agent(lua_State *lua, struct iw_dut *dut, const char *host, lua_Integer port) {
    static const struct iw_dut_question question = {
        .op = "connect", .finish = accept_connected, .connects = true};
    json_t *request = iw_dut_begin(dut, &question);

    iw_dut_set_text(request, "host", host);
    iw_dut_set_integer(request, "port", port);
    return iw_dut_ask(lua, &question);
}

static int accept_by_rping(lua_State *lua, const struct iw_dut *dut, const char *host, lua_Integer port) {
    char text[IW_PORT_TEXT_OCTETS] = "not enough memory";
    bool connecting;

    iw_dut_enter(dut);
    connecting = iw_reference_connect(dut->embedded.reference, host, (uint16_t)port, text);
    iw_dut_leave(dut);
    if (!connecting)
        return iw_lua_failure_raise(lua, IW_SCENARIO_ENVIRONMENT, text, NULL, NULL);
    return accept_call_method(lua);
}

/* Pushes and returns the command with {host} and {port} replaced. */
static const char *accept_fill_command(
    lua_State *lua, const char *command, const char *host, lua_Integer port) {
    lua_pushfstring(lua, "%I", (LUAI_UACINT)port);
    luaL_gsub(lua, command, "{host}", host);
    luaL_gsub(lua, lua_tostring(lua, -1), "{port}", lua_tostring(lua, -2));
    return lua_tostring(lua, -1);
}

static void accept_abandon_listener(void *user) {
    struct iw_dut_start *start = user;

    iw_lua_listener_give_up(start->listener, start->end);
}

static void accept_command_ended(void *user, enum iw_command_end end, const char *text) {
    struct iw_dut_start *start = user;
    char name[NAME_OCTETS];

    start->missing = end == IW_COMMAND_NOT_RUN;
    iw_show_line(name, sizeof name, start->name);
    if (start->missing)
        snprintf(start->end, sizeof start->end, "the command of --initiator cannot be run: \"%s\": %s", name,
            text);
    else
        snprintf(start->end, sizeof start->end, "the command of --initiator has ended: %s", text);
    /* A part of the command may have been started, and may still connect. */
    iw_timer_start(&start->grace, start->loop, GRACE_US, accept_abandon_listener, start);
}

/* Sets the option `timeout` at index 2 unless the case gives it. Index 2 may be nil. */
static void accept_add_timeout(lua_State *lua) {
    if (lua_isnil(lua, 2)) {
        lua_newtable(lua);
        lua_replace(lua, 2);
    }
    luaL_checktype(lua, 2, LUA_TTABLE);
    if (lua_getfield(lua, 2, "timeout") == LUA_TNIL) {
        lua_pushinteger(lua, COMMAND_S);
        lua_setfield(lua, 2, "timeout");
    }
    lua_pop(lua, 1);
}

static int accept_by_command(lua_State *lua, struct iw_dut *dut, const char *host, lua_Integer port) {
    struct iw_dut_start *start = &dut->starts.list[dut->starts.count];
    char error[IW_COMMAND_TEXT_OCTETS];

    if (dut->starts.count == IW_DUT_STARTS_MAX)
        return luaL_error(lua, "the device is made to connect too often");
    accept_add_timeout(lua);
    start->loop = dut->config.loop;
    start->listener = iw_lua_listener_at(lua, 3);
    start->name = dut->config.target.starter->command;
    start->command = iw_command_new(dut->config.loop,
        accept_fill_command(lua, dut->config.target.starter->command, host, port), accept_command_ended,
        start, error);
    if (!start->command)
        return iw_lua_failure_raise(lua, IW_SCENARIO_ENVIRONMENT, error, NULL, NULL);
    dut->starts.count++;
    return accept_call_method(lua);
}

bool iw_dut_lacks_command(const struct iw_dut *dut) {
    for (size_t i = 0; i < dut->starts.count; i++)
        if (dut->starts.list[i].missing)
            return true;
    return false;
}

void iw_dut_stop_commands(struct iw_dut *dut) {
    for (size_t i = 0; i < dut->starts.count; i++) {
        iw_timer_stop(&dut->starts.list[i].grace);
        iw_command_free(dut->starts.list[i].command);
    }
    dut->starts = (struct iw_dut_connect_commands){0};
}

/* dut:stop_commands() */
static int accept_stop_commands(lua_State *lua) {
    iw_dut_stop_commands(iw_dut_self(lua));
    return 0;
}

/* Opens a listener, makes the device connect, and calls the listener method with the options. */
static int accept_from_device(lua_State *lua, const char *method) {
    struct iw_dut *dut = iw_dut_self(lua);
    char device_host[256];
    const char *host = accept_own_address(dut, device_host);
    lua_Integer port;

    lua_settop(lua, 2);
    lua_getglobal(lua, "listen");
    lua_newtable(lua);
    iw_lua_member_set_string(lua, "host", host);
    lua_call(lua, 1, 1);
    lua_getfield(lua, 3, "port");
    port = lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    lua_pushstring(lua, method);
    if (accept_uses_command(dut))
        return accept_by_command(lua, dut, device_host, port);
    if (dut->embedded.rping)
        return accept_by_rping(lua, dut, device_host, port);
    return accept_by_agent(lua, iw_dut_with_agent(lua), device_host, port);
}

static int accept_startup(lua_State *lua) {
    return accept_from_device(lua, "accept");
}

static int accept_tcp(lua_State *lua) {
    return accept_from_device(lua, "tcp");
}

static json_t *accept_request_association(
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

/* Calls listener:accept() after the agent has answered. Stack: dut, options, listener. */
static int accept_requested(lua_State *lua, const json_t *answer) {
    (void)answer;
    lua_settop(lua, 3);
    lua_getfield(lua, 3, "accept");
    lua_pushvalue(lua, 3);
    lua_callk(lua, 1, 1, 0, iw_dut_return);
    return 1;
}

/* Removes the option `stream` from the table on top of the stack and returns it; default 0. It is for the
 * device; the other options are for the listener. */
static lua_Integer accept_remove_stream(lua_State *lua) {
    lua_Integer stream = 0;

    if (lua_getfield(lua, -1, "stream") != LUA_TNIL)
        stream = luaL_checkinteger(lua, -1);
    lua_pop(lua, 1);
    lua_pushnil(lua);
    lua_setfield(lua, -2, "stream");
    return stream;
}

static uint16_t accept_port_of(lua_State *lua, const char *name) {
    lua_getfield(lua, -1, name);
    uint16_t port = (uint16_t)lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    return port;
}

static int accept_association(lua_State *lua) {
    static const struct iw_dut_question question = {
        .op = "connect", .finish = accept_requested, .connects = true};
    struct iw_dut *dut = iw_dut_with_sctp(lua);
    const char *listen = accept_own_address(dut, dut->own_sctp_host);
    lua_Integer stream;

    iw_dut_with_agent(lua);
    iw_dut_push_call(lua, "listen_sctp");
    stream = accept_remove_stream(lua);
    iw_lua_member_set_string(lua, "host", listen);
    if (dut->sctp.tunnelled)
        lua_pushboolean(lua, true);
    else
        lua_pushnil(lua);
    lua_setfield(lua, -2, "tunnel");
    lua_call(lua, 1, 1);
    dut->own_sctp = (struct iw_sctp_where){.port = accept_port_of(lua, "port"),
        .tunnelled = dut->sctp.tunnelled,
        .tunnel = accept_port_of(lua, "tunnel")};
    accept_request_association(dut, &question, stream);
    return iw_dut_ask(lua, &question);
}

static int accept_initiate_session(lua_State *lua) {
    static const struct iw_dut_question question = {.op = "connect"};
    struct iw_dut *dut = iw_dut_with_sctp(lua);
    lua_Integer stream = luaL_checkinteger(lua, 2);

    if (dut->own_sctp.port == 0)
        return luaL_error(lua, "dut:initiate needs an association of dut:accept_association");
    iw_dut_with_agent(lua);
    accept_request_association(dut, &question, stream);
    return iw_dut_ask(lua, &question);
}

const luaL_Reg iw_dut_accept_methods[] = {{"accept", accept_startup}, {"accept_tcp", accept_tcp},
    {"accept_association", accept_association}, {"initiate", accept_initiate_session},
    {"stop_commands", accept_stop_commands}, {NULL, NULL}};
