#include "iw_lua_association.h"

#include <stdlib.h>
#include <string.h>

#include "iw_lua_connection.h"
#include "iw_lua_failure.h"
#include "iw_lua_member.h"
#include "iw_lua_names.h"

static const char sctp_listener_name[] = "iw.sctp_listener";

enum { ASSOCIATIONS_MAX = 1024 }; /* accepted associations that the script has not taken */

struct sctp_listener {
    struct iw_scenario_object object;
    struct iw_lua_association_view view;
    struct iw_ddp_listener *listener; /* NULL: closed */
    struct iw_association_watch *watch;
    struct iw_sctp_where where;
    struct iw_lua_association_config wanted; /* for each association */
    unsigned inner; /* associations opened by the scenario itself that have not arrived yet */
    struct iw_waitable arrivals;
    struct iw_lua_association *associations[ASSOCIATIONS_MAX];
    size_t first, count;
};

static const char *const associate_options[] = {
    "host", "port", "tunnel", "streams", "indication", "sessions", "timeout", NULL};

static void read_associate_options(
    lua_State *lua, int options, const char *method, struct iw_lua_association_config *config) {
    memset(config, 0, sizeof *config);
    iw_lua_names_allow(lua, options, associate_options, method);
    config->link.streams = (uint16_t)iw_lua_member_integer(lua, options, "streams", 16, 1, UINT16_MAX);
    config->sessions = iw_lua_member_flag(lua, options, "sessions", false);
    if (lua_getfield(lua, options, "indication") == LUA_TBOOLEAN && !lua_toboolean(lua, -1))
        config->link.unindicated = true;
    else if (!lua_isnil(lua, -1))
        config->link.indication =
            (uint32_t)iw_lua_member_integer(lua, options, "indication", 1, 1, UINT32_MAX);
    lua_pop(lua, 1);
}

/* Reads tunnel=N; for a listener also tunnel=true (any port). */
static void associate_tunnel_option(lua_State *lua, bool listens, struct iw_sctp_where *where) {
    bool any = lua_getfield(lua, 1, "tunnel") == LUA_TBOOLEAN && listens && lua_toboolean(lua, -1);

    lua_pop(lua, 1);
    where->tunnel = any ? 0 : (uint16_t)iw_lua_member_integer(lua, 1, "tunnel", 0, 1, UINT16_MAX);
    where->tunnelled = any || where->tunnel > 0;
}

struct arrival {
    struct sctp_listener *listener;
    struct iw_ddp_association *association;
};

static int associate_sctp_listener_adopt(lua_State *lua) {
    const struct arrival *arrival = lua_touserdata(lua, 1);
    struct sctp_listener *listener = arrival->listener;
    bool inner = listener->inner > 0;

    listener->inner -= inner;
    listener->view.own[IW_SIDE_A] = inner;
    struct iw_lua_association *association = iw_lua_association_adopt(
        lua, listener->view.scenario, arrival->association, listener->watch, &listener->wanted, inner);
    listener->associations[(listener->first + listener->count++) % ASSOCIATIONS_MAX] = association;
    iw_waitable_wake(&listener->arrivals);
    return 0;
}

static void associate_sctp_listener_take_opened(void *user, struct iw_ddp_association *association) {
    struct arrival arrival = {user, association};

    if (arrival.listener->count < ASSOCIATIONS_MAX)
        iw_scenario_call(arrival.listener->view.scenario, associate_sctp_listener_adopt, &arrival);
}

static struct iw_lua_association *associate_sctp_listener_find(
    const struct sctp_listener *listener, const struct iw_ddp_association *association) {
    for (struct iw_scenario_object *object = iw_scenario_objects(listener->view.scenario); object != NULL;
         object = object->next) {
        struct iw_lua_association *found = iw_lua_association_of(object);

        if (found != NULL && found->association == association)
            return found;
    }
    return NULL;
}

static bool associate_sctp_listener_take_message(
    void *user, struct iw_ddp_association *association, const struct iw_sctp_message *message) {
    struct iw_lua_association *found = associate_sctp_listener_find(user, association);

    return found == NULL || iw_lua_association_message(found, association, message);
}

static void associate_sctp_listener_take_session(
    void *user, struct iw_ddp_association *association, uint16_t stream, struct iw_port *port) {
    struct iw_lua_association *found = associate_sctp_listener_find(user, association);

    if (found != NULL)
        iw_lua_association_session(found, association, stream, port);
    else
        iw_port_free(port);
}

static void associate_sctp_listener_take_ended(
    void *user, struct iw_ddp_association *association, enum iw_sctp_link_end end, const char *text) {
    struct iw_lua_association *found = associate_sctp_listener_find(user, association);

    if (found != NULL)
        iw_lua_association_ended(found, association, end, text);
}

static void associate_sctp_listener_conclude(void *object) {
    const struct sctp_listener *listener = object;

    if (listener->watch != NULL)
        iw_association_watch_finish(listener->watch);
}

static void associate_sctp_listener_release(void *object) {
    struct sctp_listener *listener = object;

    iw_ddp_listener_free(listener->listener);
    iw_association_watch_free(listener->watch);
    free(listener);
}

static struct sctp_listener *associate_own_sctp_listener(struct iw_scenario *scenario, uint16_t port) {
    for (struct iw_scenario_object *object = iw_scenario_objects(scenario); object != NULL;
         object = object->next) {
        struct sctp_listener *listener =
            object->release == associate_sctp_listener_release ? object->self : NULL;

        if (listener != NULL && listener->listener != NULL && listener->where.port == port)
            return listener;
    }
    return NULL;
}

static struct sctp_listener *associate_make_sctp_listener(lua_State *lua, struct iw_scenario *scenario) {
    struct sctp_listener *listener = calloc(1, sizeof *listener);

    if (listener == NULL)
        luaL_error(lua, "not enough memory");
    /* no `finish`: its associations are separate objects and close by themselves */
    listener->object = (struct iw_scenario_object){.self = listener,
        .conclude = associate_sctp_listener_conclude,
        .release = associate_sctp_listener_release};
    listener->view.scenario = scenario;
    listener->view.own[IW_SIDE_B] = true;
    listener->arrivals.what = "an association";
    iw_scenario_add(scenario, &listener->object);
    listener->watch = iw_lua_association_watch(&listener->view, false);
    if (listener->watch == NULL)
        luaL_error(lua, "not enough memory");
    return listener;
}

static int listen_sctp(lua_State *lua) {
    static const struct iw_ddp_association_handlers handlers = {associate_sctp_listener_take_opened,
        associate_sctp_listener_take_message, associate_sctp_listener_take_session,
        associate_sctp_listener_take_ended};
    struct iw_scenario *scenario = iw_scenario_current(lua);
    struct iw_lua_association_config config;
    struct iw_sctp_where where = {0};
    char text[IW_SCTP_LINK_TEXT_OCTETS] = "not enough memory";

    iw_lua_names_table(lua, 1);
    read_associate_options(lua, 1, "listen_sctp", &config);
    where.port = (uint16_t)iw_lua_member_integer(lua, 1, "port", 0, 0, UINT16_MAX);
    associate_tunnel_option(lua, true, &where);
    where.host = iw_lua_connect_host(lua, iw_scenario_in_memory(scenario), "127.0.0.1");
    struct iw_sctp_stack *stack = iw_scenario_sctp(scenario);
    struct sctp_listener *listener = associate_make_sctp_listener(lua, scenario);
    struct iw_ddp_association_config ddp = {
        .link = config.link, .policy.omitted_checks = IW_DDP_CHECK_SET(INDICATION)};
    ddp.link.tap = iw_association_watch_packet;
    ddp.link.tap_user = listener->watch;
    listener->wanted = config;
    if (stack != NULL)
        listener->listener = iw_ddp_listener_new(stack, &where, &ddp, &handlers, listener, text);
    if (listener->listener == NULL)
        return iw_lua_failure_raise(lua, IW_SCENARIO_ENVIRONMENT, text, NULL, NULL);
    listener->where = iw_ddp_listener_where(listener->listener);
    iw_scenario_push(lua, scenario, listener, sctp_listener_name);
    return 1;
}

static int associate_sctp_listener_accept_again(lua_State *lua, int status, lua_KContext context) {
    struct sctp_listener *listener = iw_scenario_check(lua, 1, sctp_listener_name);
    struct iw_task *task = iw_task_current(lua);

    (void)status;
    if (listener->count == 0 && task->timed_out)
        return iw_lua_failure_raise(
            lua, IW_SCENARIO_ABSENT, "no peer connected", "an SCTP association", "silence");
    if (listener->count == 0)
        return iw_task_wait(lua, &listener->arrivals, context, associate_sctp_listener_accept_again);
    iw_task_timeout(task, 0);
    iw_lua_association_push(lua, listener->associations[listener->first]);
    listener->first = (listener->first + 1) % ASSOCIATIONS_MAX;
    listener->count--;
    iw_lua_association_check(lua, -1);
    return 1;
}

static int associate_sctp_listener_accept(lua_State *lua) {
    iw_scenario_check(lua, 1, sctp_listener_name);
    iw_task_begin_wait(lua, "accept");
    return associate_sctp_listener_accept_again(lua, LUA_OK, 0);
}

static int associate_index_sctp_listener(lua_State *lua) {
    struct sctp_listener *listener = iw_scenario_check(lua, 1, sctp_listener_name);
    const char *name = luaL_checkstring(lua, 2);

    if (strcmp(name, "port") == 0)
        lua_pushinteger(lua, listener->where.port);
    else if (strcmp(name, "tunnel") == 0 && listener->where.tunnelled)
        lua_pushinteger(lua, listener->where.tunnel);
    else if (strcmp(name, "tunnel") == 0)
        lua_pushnil(lua);
    else if (luaL_getmetafield(lua, 1, name) == LUA_TNIL)
        return luaL_error(lua, "a listener of SCTP has no '%s'", name);
    return 1;
}

static int associate(lua_State *lua) {
    struct iw_scenario *scenario = iw_scenario_current(lua);
    struct iw_lua_association_config config;
    struct iw_sctp_where where = {0};

    iw_task_current(lua);
    iw_lua_names_table(lua, 1);
    read_associate_options(lua, 1, "associate", &config);
    where.port = (uint16_t)iw_lua_member_integer(lua, 1, "port", 0, 1, UINT16_MAX);
    if (where.port == 0)
        return luaL_error(lua, "associate: no port");
    associate_tunnel_option(lua, false, &where);
    where.host = iw_lua_connect_host(lua, true, "127.0.0.1");
    uint64_t timeout_us = iw_task_timeout_option(lua, 1);
    struct sctp_listener *inner = associate_own_sctp_listener(scenario, where.port);
    if (inner != NULL)
        inner->inner++;
    iw_lua_association_connect(lua, &where, &config, inner == NULL ? NULL : inner->watch);
    lua_insert(lua, 1);
    iw_task_timeout(iw_task_current(lua), timeout_us);
    return iw_lua_association_await(lua, LUA_OK, 0);
}

void iw_lua_associate_open(lua_State *lua) {
    static const luaL_Reg members[] = {
        {"accept", associate_sctp_listener_accept}, {"__index", associate_index_sctp_listener}, {NULL, NULL}};

    iw_lua_member_metatable(lua, sctp_listener_name, members);
    lua_pop(lua, 1);
    lua_register(lua, "associate", associate);
    lua_register(lua, "listen_sctp", listen_sctp);
}
