#include "iw_lua_association.h"

#include "iw_lua_connection.h"
#include "iw_lua_failure.h"
#include "iw_lua_member.h"

bool iw_lua_session_on(
    struct iw_scenario *scenario, const struct iw_ddp_association *association, uint16_t stream) {
    for (struct iw_scenario_object *object = iw_scenario_objects(scenario); object != NULL;
         object = object->next) {
        const struct iw_lua_connection *connection = iw_lua_connection_of(object);

        if (connection != NULL && connection->session.association == association &&
            connection->session.stream == stream && !connection->inbox.queue.closed)
            return true;
    }
    return false;
}

/* Reads the table at `options`, if any. Rejects options that only TCP and MPA have. */
static void read_session_options(lua_State *lua, int options, const char *method, bool initiator,
    struct iw_lua_connection_config *config) {
    static const char *const others[] = {"host", "port", "crc", "markers", "streaming", "startup"};

    for (size_t i = 0; lua_istable(lua, options) && i < sizeof others / sizeof *others; i++) {
        if (lua_getfield(lua, options, others[i]) != LUA_TNIL)
            luaL_error(lua, "%s has no '%s': it is for connections over TCP", method, others[i]);
        lua_pop(lua, 1);
    }
    iw_lua_connect_options(lua, options, method, initiator, config);
    iw_ddp_association_configure(&config->endpoint);
}

static int session_take_port(lua_State *lua, struct iw_lua_association *association, uint16_t stream,
    struct iw_port *port, struct iw_lua_connection_config *config) {
    config->port = port;
    config->session = (struct iw_lua_connection_session){.association = association->association,
        .stream = stream,
        .watch = association->watch,
        .own = !association->inner || !association->opener,
        .peers = !association->inner || association->opener};
    iw_lua_connection_new(lua, config);
    lua_insert(lua, 1);
    return iw_lua_connection_await(lua, LUA_OK, 0);
}

static int session_connect(lua_State *lua) {
    struct iw_lua_association *association = iw_lua_association_check_open(lua, 1);
    struct iw_lua_connection_config config;

    iw_task_current(lua);
    lua_settop(lua, 2);
    iw_lua_member_copy(lua, 2); /* the table is the script's */
    lua_replace(lua, 2);
    uint16_t stream = (uint16_t)iw_lua_member_integer(lua, 2, "stream", 0, 0, UINT16_MAX);
    lua_pushnil(lua);
    lua_setfield(lua, 2, "stream"); /* iw_lua_connect_options does not know this option */
    read_session_options(lua, 2, "a:connect", true, &config);
    uint64_t timeout_us = iw_task_timeout_option(lua, 2);
    iw_lua_association_check_stream(lua, association, "a:connect", stream);
    struct iw_port *port = iw_ddp_association_session(association->association, stream);
    if (port == NULL)
        return luaL_error(lua, "a:connect: stream %d is in use", (int)stream);
    iw_task_timeout(iw_task_current(lua), timeout_us);
    return session_take_port(lua, association, stream, port, &config);
}

static int session_accept_again(lua_State *lua, int status, lua_KContext context) {
    struct iw_lua_association *association = iw_lua_association_check(lua, 1);
    struct iw_task *task = iw_task_current(lua);
    struct iw_lua_connection_config config;

    (void)status;
    if (association->count == 0 && (association->over || task->timed_out))
        return iw_lua_failure_raise(lua, IW_SCENARIO_ABSENT, "no session was requested",
            "a DDP Stream Session", association->over ? association->text : "silence");
    if (association->count == 0)
        return iw_task_wait(lua, &association->arrivals, context, session_accept_again);
    read_session_options(lua, 2, "a:accept", false, &config);
    struct iw_port *port = association->ports[association->first];
    uint16_t stream = association->streams[association->first];
    association->first = (association->first + 1) % IW_LUA_ASSOCIATION_WAITING_MAX;
    association->count--;
    return session_take_port(lua, association, stream, port, &config);
}

static int session_accept(lua_State *lua) {
    struct iw_lua_association *association = iw_lua_association_check_open(lua, 1);
    struct iw_lua_connection_config config;

    if (!association->sessions)
        return luaL_error(lua, "a:accept needs an association with sessions = true");
    lua_settop(lua, 2);
    read_session_options(lua, 2, "a:accept", false, &config); /* reports a mistake before it waits */
    iw_task_timeout(iw_task_current(lua), iw_task_timeout_option(lua, 2));
    return session_accept_again(lua, LUA_OK, 0);
}

void iw_lua_session_open(lua_State *lua) {
    static const luaL_Reg methods[] = {
        {"connect", session_connect}, {"accept", session_accept}, {NULL, NULL}};

    luaL_setfuncs(lua, methods, 0);
}
