#include "iw_lua_connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_lua_event.h"
#include "iw_lua_expect.h"
#include "iw_lua_failure.h"
#include "iw_lua_member.h"

static const char connection_name[] = "iw.connection";

static void connection_finish(void *object) {
    struct iw_lua_connection *connection = object;

    if (connection->endpoint != NULL)
        iw_endpoint_close(connection->endpoint);
}

/* Whether all events have arrived and all posts are sent. A peer that has sent FIN may still receive. */
static bool connection_settled(void *object) {
    const struct iw_lua_connection *connection = object;

    return connection->endpoint == NULL ||
           (connection->inbox.queue.closed && iw_endpoint_backlog(connection->endpoint) == 0);
}

static void connection_conclude(void *object) {
    const struct iw_lua_connection *connection = object;

    if (connection->watch != NULL)
        iw_watch_finish(connection->watch);
}

static void connection_release(void *object) {
    struct iw_lua_connection *connection = object;

    iw_lua_endpoint_dispose(connection);
    iw_lua_send_dispose(connection);
    iw_result_dispose(&connection->startup.place);
    iw_lua_inbox_dispose(connection);
    free(connection->comment);
    free(connection);
}

struct iw_lua_connection *iw_lua_connection_of(struct iw_scenario_object *object) {
    return object->release == connection_release ? object->self : NULL;
}

bool iw_lua_connection_claim(struct iw_scenario *scenario, uint16_t port) {
    for (struct iw_scenario_object *object = iw_scenario_objects(scenario); object != NULL;
         object = object->next) {
        struct iw_lua_connection *connection = iw_lua_connection_of(object);

        if (connection == NULL || connection->inner_port != port)
            continue;
        connection->inner_port = 0;
        return true;
    }
    return false;
}

static bool comment_are_ends_of_one(struct iw_lua_connection *one, struct iw_lua_connection *other) {
    const struct iw_tcp_address *mine = iw_port_addresses(iw_endpoint_port(one->endpoint));
    const struct iw_tcp_address *its = iw_port_addresses(iw_endpoint_port(other->endpoint));

    return iw_port_side(iw_endpoint_port(one->endpoint)) != iw_port_side(iw_endpoint_port(other->endpoint)) &&
           iw_tcp_address_equal(&mine[IW_SIDE_A], &its[IW_SIDE_A]) &&
           iw_tcp_address_equal(&mine[IW_SIDE_B], &its[IW_SIDE_B]);
}

/* Finds the other end of a connection within the scenario, once both ends have their addresses, and links
 * both. Only one of them has a watch. */
static void comment_find_other_end(struct iw_lua_connection *connection) {
    for (struct iw_scenario_object *object = iw_scenario_objects(connection->scenario);
         object != NULL && connection->other == NULL; object = object->next) {
        struct iw_lua_connection *other = iw_lua_connection_of(object);

        if (other == NULL || other == connection || other->endpoint == NULL ||
            (connection->watch == NULL) == (other->watch == NULL) ||
            !comment_are_ends_of_one(connection, other))
            continue;
        connection->other = other;
        other->other = connection;
    }
}

static void comment_on(struct iw_lua_connection *connection, const char *comment) {
    const struct iw_lua_connection_session *session = &connection->session;

    if (session->watch != NULL) {
        iw_association_watch_comment(session->watch, session->own, session->peers, comment);
        return;
    }
    if (connection->watch == NULL && connection->other == NULL)
        comment_find_other_end(connection);
    if (connection->watch != NULL || connection->other != NULL) {
        bool both = connection->other == NULL; /* the peer's packets belong to this step, too */
        bool opener = iw_port_side(iw_endpoint_port(connection->endpoint)) == IW_SIDE_A;

        iw_watch_comment(connection->watch != NULL ? connection->watch : connection->other->watch,
            (const bool[2]){both || opener, both || !opener}, comment);
        return;
    }
    free(connection->comment);
    connection->comment = strdup(comment);
}

bool iw_lua_comment_text(struct iw_scenario *scenario, char comment[IW_LUA_COMMENT_OCTETS]) {
    struct iw_task *task = iw_scenario_task(scenario);
    const char *name = iw_scenario_config(scenario)->name;
    const char *step = task == NULL || task->step == NULL ? "" : task->step;

    snprintf(comment, IW_LUA_COMMENT_OCTETS, "%s%s%s", name == NULL ? "" : name,
        name != NULL && *step != '\0' ? ": " : "", step);
    return comment[0] != '\0';
}

static void comment_step(struct iw_lua_connection *connection) {
    char comment[IW_LUA_COMMENT_OCTETS];

    if (connection->endpoint != NULL && iw_lua_comment_text(connection->scenario, comment))
        comment_on(connection, comment);
}

/* Sets the first comment, once the connection has its endpoint. `inner`: both ends belong to the scenario.
 * The first packets of an accepted connection then get the opener's step. */
static void comment_begin(struct iw_lua_connection *connection, bool inner) {
    if (connection->watch == NULL && connection->session.watch == NULL)
        return;
    if (inner)
        comment_find_other_end(connection);
    if (connection->other != NULL && connection->other->comment != NULL)
        iw_watch_comment(connection->watch, (const bool[2]){true, true}, connection->other->comment);
    else
        comment_step(connection);
}

struct iw_lua_connection *iw_lua_connection_new(
    lua_State *lua, const struct iw_lua_connection_config *config) {
    struct iw_scenario *scenario = iw_scenario_current(lua);
    struct iw_lua_connection *connection = calloc(1, sizeof *connection);

    if (connection == NULL) {
        iw_port_free(config->port);
        luaL_error(lua, "not enough memory");
        return NULL;
    }
    connection->object = (struct iw_scenario_object){.self = connection,
        .finish = connection_finish,
        .settled = connection_settled,
        .conclude = connection_conclude,
        .release = connection_release};
    connection->scenario = scenario;
    connection->inner_port = config->port == NULL && config->inner ? config->number : 0;
    connection->session = config->session;
    connection->inbox.queue.events = connection->inbox.facts = LUA_NOREF;
    connection->automatic = config->endpoint.automatic.startup;
    connection->startup.override = config->startup;
    if (iw_lua_effect_wanted(&config->startup) != 0)
        iw_scenario_place(lua, &connection->startup.place);
    connection->posts.last = &connection->posts.first;
    connection->opening.what = "the startup of a connection";
    connection->posts.progress.what = "the peer to take octets";
    bool fits = iw_scenario_add(scenario, &connection->object);
    connection->endpoint = iw_lua_endpoint_new(connection, config);
    if (connection->endpoint == NULL)
        iw_port_free(config->port);
    iw_lua_inbox_init(lua, connection);
    if (connection->endpoint != NULL)
        comment_begin(connection, config->inner);
    if (connection->endpoint == NULL || !fits)
        iw_lua_failure_raise(lua,
            connection->endpoint == NULL && connection->text[0] != '\0' ? IW_SCENARIO_UNREACHED
                                                                        : IW_SCENARIO_ENVIRONMENT,
            connection->endpoint != NULL  ? "too many connections"
            : connection->text[0] != '\0' ? connection->text
                                          : "not enough memory",
            NULL, NULL);
    iw_scenario_push(lua, scenario, connection, connection_name);
    return connection;
}

struct iw_lua_connection *iw_lua_connection_check(lua_State *lua, int index) {
    struct iw_lua_connection *connection = iw_scenario_check(lua, index, connection_name);

    comment_step(connection);
    return connection;
}

void iw_lua_connection_need_open(lua_State *lua, const struct iw_lua_connection *connection) {
    if (connection->shut != NULL)
        luaL_error(lua, "nothing can be sent after c:%s", connection->shut);
}

struct iw_lua_connection *iw_lua_connection_option(lua_State *lua, const char *name) {
    if (luaL_testudata(lua, -1, connection_name) == NULL)
        luaL_error(lua, "%s takes a connection, not a %s", name, luaL_typename(lua, -1));
    return iw_lua_connection_check(lua, -1);
}

int iw_lua_connection_await(lua_State *lua, int status, lua_KContext context) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_task *task = iw_task_current(lua);

    (void)status;
    if (connection->state == IW_LUA_CONNECTION_OPENING && !task->timed_out)
        return iw_task_wait(lua, &connection->opening, context, iw_lua_connection_await);
    iw_task_timeout(task, 0);
    if (connection->state == IW_LUA_CONNECTION_OPENING)
        iw_lua_endpoint_abandon(connection);
    if (connection->state == IW_LUA_CONNECTION_READY) {
        lua_settop(lua, 1);
        return 1;
    }
    if (connection->state == IW_LUA_CONNECTION_FAILED)
        return iw_lua_failure_raise(lua, IW_SCENARIO_UNREACHED, connection->text, NULL, NULL);
    return iw_lua_failure_raise(lua, IW_SCENARIO_FAILED, "the startup failed",
        "a startup into full operation", connection->text[0] == '\0' ? "silence" : connection->text);
}

/* Pushes a method or one of the members startup (the peer's startup frame), terms, closed, number. */
static int index_connection(lua_State *lua) {
    struct iw_lua_connection *connection = iw_scenario_check(lua, 1, connection_name);
    const char *name = luaL_checkstring(lua, 2);

    if (luaL_getmetafield(lua, 1, name) != LUA_TNIL)
        return 1;
    if (strcmp(name, "closed") == 0) {
        lua_pushboolean(lua, connection->inbox.queue.closed);
    } else if (strcmp(name, "number") == 0) {
        lua_pushinteger(lua, connection->number);
    } else if (strcmp(name, "startup") == 0 || strcmp(name, "terms") == 0) {
        lua_rawgeti(lua, LUA_REGISTRYINDEX, connection->inbox.facts);
        lua_getfield(lua, -1, name);
    } else {
        return luaL_error(lua, "a connection has no '%s'", name);
    }
    return 1;
}

static struct iw_lua_queue *connection_inbox_of(lua_State *lua, int index) {
    return &iw_lua_connection_check(lua, index)->inbox.queue;
}

void iw_lua_connection_open(lua_State *lua) {
    static const luaL_Reg members[] = {{"__index", index_connection}, {NULL, NULL}};
    static const struct iw_lua_expect_kind expect = {
        connection_inbox_of, iw_lua_event_kinds, iw_lua_event_names};

    iw_lua_member_metatable(lua, connection_name, members);
    iw_lua_send_open(lua);
    iw_lua_emit_open(lua);
    iw_lua_expect_open(lua, &expect);
    lua_pop(lua, 1);
}
