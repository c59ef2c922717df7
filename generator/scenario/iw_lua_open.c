#include "iw_lua_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_lua_connection.h"
#include "iw_lua_failure.h"
#include "iw_lua_member.h"

static const char listener_name[] = "iw.listener";

enum { WAITING_MAX = 1024 }; /* accepted connections that the script has not taken */

struct iw_lua_listener {
    struct iw_scenario_object object;
    struct iw_scenario *scenario;
    struct iw_listener *listener;
    struct iw_waitable arrivals;
    struct iw_port *ports[WAITING_MAX];
    size_t first, count;
    char no_peer_reason[256]; /* why no further peer will connect, or "" */
};

static void lua_open_listener_stop(void *object) {
    struct iw_lua_listener *listener = object;

    iw_listener_free(listener->listener);
    listener->listener = NULL;
    while (listener->count > 0) {
        iw_port_free(listener->ports[listener->first]);
        listener->first = (listener->first + 1) % WAITING_MAX;
        listener->count--;
    }
}

static void lua_open_listener_release(void *object) {
    lua_open_listener_stop(object);
    free(object);
}

static void lua_open_listener_take_port(void *user, struct iw_port *port) {
    struct iw_lua_listener *listener = user;

    if (listener->count == WAITING_MAX) {
        iw_port_free(port);
        return;
    }
    listener->ports[(listener->first + listener->count++) % WAITING_MAX] = port;
    iw_waitable_wake(&listener->arrivals);
}

/* Whether the scenario listens on that port: it then owns both ends of the connection. */
static bool lua_open_is_own_port(struct iw_scenario *scenario, uint16_t port) {
    for (struct iw_scenario_object *object = iw_scenario_objects(scenario); object != NULL;
         object = object->next) {
        const struct iw_lua_listener *listener =
            object->release == lua_open_listener_release ? object->self : NULL;

        if (listener != NULL && listener->listener != NULL && iw_listener_port(listener->listener) == port)
            return true;
    }
    return false;
}

static int lua_open_listen_at(lua_State *lua) {
    static const char *const options[] = {"host", "port", NULL};
    struct iw_scenario *scenario = iw_scenario_current(lua);
    char text[IW_PORT_TEXT_OCTETS] = "";

    iw_lua_names_table(lua, 1);
    iw_lua_names_allow(lua, 1, options, "listen");
    bool in_memory = iw_scenario_in_memory(scenario);
    const char *host = iw_lua_connect_host(lua, false, in_memory ? "0.0.0.0" : "127.0.0.1");
    /* In memory, listen{} and connect{} use the same default port. */
    if (in_memory)
        iw_lua_connect_peer(lua, "port");
    else
        lua_getfield(lua, 1, "port");
    int exact = 1;
    lua_Integer port = lua_isnil(lua, -1) ? 0 : lua_tointegerx(lua, -1, &exact);
    if (!exact || port < 0 || port > UINT16_MAX)
        return luaL_error(lua, "port takes an integer from 0 to 65535");
    const struct iw_scenario_hooks *hooks = &iw_scenario_config(scenario)->hooks;
    if (hooks->listens != NULL)
        hooks->listens(hooks->user, scenario);
    struct iw_lua_listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL)
        return luaL_error(lua, "not enough memory");
    listener->object = (struct iw_scenario_object){
        .self = listener, .finish = lua_open_listener_stop, .release = lua_open_listener_release};
    listener->scenario = scenario;
    listener->arrivals.what = "a connection";
    iw_scenario_add(scenario, &listener->object);
    listener->listener = iw_listener_new(iw_scenario_config(scenario)->loop, host, (uint16_t)port,
        lua_open_listener_take_port, listener, text);
    if (listener->listener == NULL)
        return iw_lua_failure_raise(lua, IW_SCENARIO_ENVIRONMENT, text, NULL, NULL);
    iw_scenario_push(lua, scenario, listener, listener_name);
    return 1;
}

/* Waits for a connection to the listener, and returns it. `context` 1 (method accept): after its startup, if
 * the options leave it automatic; 0 (method tcp): without a startup. The options are at index 2. */
static int lua_open_listener_accept_again(lua_State *lua, int status, lua_KContext context) {
    struct iw_lua_listener *listener = iw_scenario_check(lua, 1, listener_name);
    struct iw_task *task = iw_task_current(lua);
    struct iw_lua_connection_config config;

    (void)status;
    if (listener->count == 0 && listener->no_peer_reason[0] != '\0')
        return iw_lua_failure_raise(lua, IW_SCENARIO_ENVIRONMENT, listener->no_peer_reason, NULL, NULL);
    if (listener->count == 0 && task->timed_out)
        return iw_lua_failure_raise(lua, IW_SCENARIO_ABSENT, "no peer connected", "a connection", "silence");
    if (listener->count == 0)
        return iw_task_wait(lua, &listener->arrivals, context, lua_open_listener_accept_again);
    struct iw_port *port = listener->ports[listener->first];
    listener->first = (listener->first + 1) % WAITING_MAX;
    listener->count--;
    bool inner = iw_lua_connection_claim(listener->scenario, iw_listener_port(listener->listener));
    iw_lua_connect_options(lua, 2, "accept", false, &config);
    config.endpoint.automatic.startup = config.endpoint.automatic.startup && context != 0;
    config.port = port;
    config.inner = inner;
    iw_lua_connection_new(lua, &config);
    lua_insert(lua, 1);
    return iw_lua_connection_await(lua, LUA_OK, 0);
}

static int lua_open_listener_accept_with(lua_State *lua, bool startup) {
    struct iw_lua_connection_config config;

    iw_scenario_check(lua, 1, listener_name);
    lua_settop(lua, 2);
    iw_lua_connect_options(lua, 2, "accept", false, &config); /* reports a mistake before a peer connects */
    iw_task_timeout(iw_task_current(lua), iw_task_timeout_option(lua, 2));
    return lua_open_listener_accept_again(lua, LUA_OK, startup);
}

static int lua_open_listener_accept(lua_State *lua) {
    return lua_open_listener_accept_with(lua, true);
}

static int lua_open_listener_accept_tcp(lua_State *lua) {
    return lua_open_listener_accept_with(lua, false);
}

static int lua_open_close_listener(lua_State *lua) {
    struct iw_lua_listener *listener = iw_scenario_check(lua, 1, listener_name);

    lua_open_listener_stop(listener);
    iw_waitable_end(&listener->arrivals);
    return 0;
}

static int lua_open_index_listener(lua_State *lua) {
    struct iw_lua_listener *listener = iw_scenario_check(lua, 1, listener_name);
    const char *name = luaL_checkstring(lua, 2);

    if (strcmp(name, "port") == 0 && listener->listener != NULL)
        lua_pushinteger(lua, iw_listener_port(listener->listener));
    else if (luaL_getmetafield(lua, 1, name) == LUA_TNIL)
        return luaL_error(lua, "a listener has no '%s'", name);
    return 1;
}

struct iw_lua_listener *iw_lua_listener_at(lua_State *lua, int index) {
    return iw_scenario_check(lua, index, listener_name);
}

void iw_lua_listener_give_up(struct iw_lua_listener *listener, const char *text) {
    snprintf(listener->no_peer_reason, sizeof listener->no_peer_reason, "%s", text);
    iw_waitable_wake(&listener->arrivals);
}

static int lua_open_connection(lua_State *lua, const char *method, bool startup) {
    struct iw_scenario *scenario = iw_scenario_current(lua);
    struct iw_lua_connection_config config;

    iw_task_current(lua);
    lua_settop(lua, 1);
    iw_lua_connect_options(lua, 1, method, true, &config);
    config.endpoint.automatic.startup = config.endpoint.automatic.startup && startup;
    config.host = iw_lua_connect_host(lua, true, "127.0.0.1");
    iw_lua_connect_peer(lua, "port");
    if (lua_isnil(lua, -1))
        return luaL_error(lua, "%s: no port, and no peer is given (--peer HOST:PORT)", method);
    int exact;
    lua_Integer port = lua_tointegerx(lua, -1, &exact);
    if (!exact || port <= 0 || port > UINT16_MAX)
        return luaL_error(
            lua, "port takes an integer from 1 to 65535, not %s", luaL_tolstring(lua, -1, NULL));
    config.number = (uint16_t)port;
    config.inner = lua_open_is_own_port(scenario, config.number);
    uint64_t timeout_us = iw_task_timeout_option(lua, 1);
    iw_lua_connection_new(lua, &config);
    lua_insert(lua, 1);
    iw_task_timeout(iw_task_current(lua), timeout_us);
    return iw_lua_connection_await(lua, LUA_OK, 0);
}

static int lua_open_connect(lua_State *lua) {
    return lua_open_connection(lua, "connect", true);
}

static int lua_open_tcp(lua_State *lua) {
    return lua_open_connection(lua, "tcp", false);
}

void iw_lua_open_register(lua_State *lua) {
    static const luaL_Reg members[] = {{"accept", lua_open_listener_accept},
        {"tcp", lua_open_listener_accept_tcp}, {"close", lua_open_close_listener},
        {"__index", lua_open_index_listener}, {NULL, NULL}};

    iw_lua_member_metatable(lua, listener_name, members);
    lua_pop(lua, 1);
    lua_register(lua, "connect", lua_open_connect);
    lua_register(lua, "tcp", lua_open_tcp);
    lua_register(lua, "listen", lua_open_listen_at);
}
