#include "iw_lua_connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "iw_lua_effect.h"
#include "iw_lua_emit.h"
#include "iw_lua_expect.h"
#include "iw_lua_failure.h"
#include "iw_lua_inbox.h"
#include "iw_lua_request.h"
#include "iw_lua_send.h"

static const char connection_name[] = "iw.connection";

enum { PARTS_MAX = 4096 }; /* connections and listeners of one scenario */

/* ---- events of the endpoint ---- */

static void settle_opening(struct iw_lua_connection *connection, enum iw_lua_connection_state state) {
    if (connection->state != IW_LUA_CONNECTION_OPENING)
        return;
    connection->state = state;
    iw_waitable_end(&connection->opening);
}

static void keep_text(struct iw_lua_connection *connection, const char *text) {
    if (connection->state == IW_LUA_CONNECTION_OPENING && text != NULL && connection->text[0] == '\0')
        snprintf(connection->text, sizeof connection->text, "%s", text);
}

void iw_lua_connection_end(struct iw_lua_connection *connection) {
    connection->closed = true;
    iw_waitable_end(&connection->arrivals);
    iw_waitable_end(&connection->room);
    iw_scenario_changed(connection->scenario);
}

static void take_closed(struct iw_lua_connection *connection, const struct iw_event *event) {
    static const char *const ends[] = {[IW_END_FIN] = "close (fin)",
        [IW_END_RST] = "close (rst)",
        [IW_END_FAILED] = "connection lost",
        [IW_END_TIMEOUT] = "no close in time"};
    bool unopened = event->end == IW_END_FAILED && !connection->connected;

    keep_text(connection, unopened && event->text != NULL ? event->text : ends[event->end]);
    settle_opening(connection, unopened ? IW_LUA_CONNECTION_FAILED : IW_LUA_CONNECTION_REFUSED);
    iw_lua_connection_end(connection);
}

static void sink(void *user, struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct iw_lua_connection *connection = user;

    connection->endpoint = endpoint;
    iw_lua_inbox_take(connection, event);
    switch (event->kind) {
    case IW_EVENT_CONNECTED:
        connection->connected = true;
        if (!connection->automatic)
            settle_opening(connection, IW_LUA_CONNECTION_READY);
        break;
    case IW_EVENT_ESTABLISHED:
        settle_opening(connection, IW_LUA_CONNECTION_READY);
        break;
    case IW_EVENT_REJECTED:
        keep_text(connection, "a startup frame with R=1");
        settle_opening(connection, IW_LUA_CONNECTION_REFUSED);
        break;
    case IW_EVENT_ERROR:
        keep_text(connection, event->text);
        break;
    case IW_EVENT_SENT:
        iw_lua_send_check(connection, event->id);
        /* fall through */
    case IW_EVENT_FLUSHED:
        iw_lua_send_done(connection, event->id);
        iw_waitable_wake(&connection->room);
        iw_scenario_changed(connection->scenario);
        break;
    case IW_EVENT_COMPLETED:
        connection->completed = event->id;
        iw_waitable_wake(&connection->room);
        break;
    case IW_EVENT_CLOSED:
        take_closed(connection, event);
        break;
    default:
        break;
    }
}

/* The startup frame that the endpoint sends by itself, as the script has asked for it. */
static void change_startup(struct iw_lua_connection *connection, struct iw_emit *emit) {
    unsigned wanted = iw_lua_effect_wanted(&connection->startup);

    iw_lua_override_startup(&connection->startup, emit);
    if (wanted == 0)
        return;
    wanted &= ~iw_lua_effect_found(connection, &connection->startup, emit);
    if (wanted != 0)
        iw_lua_place_blame(&connection->place, connection->scenario, iw_lua_effect_text(wanted));
}

static unsigned filter(void *user, struct iw_emit *emit) {
    struct iw_lua_connection *connection = user;
    unsigned times = emit->kind == IW_EMIT_STARTUP ? connection->startup.times : 1;

    if (emit->kind == IW_EMIT_STARTUP)
        change_startup(connection, emit);
    if (emit->cause == IW_EMIT_BY_RTR)
        connection->read_rtr = emit->segment.opcode == IW_RDMAP_OP_READ_REQUEST;
    return connection->filter == NULL ? times : times * connection->filter(connection->filter_user, emit);
}

static void observe(void *user, const struct iw_monitor_event *event) {
    struct iw_lua_connection *connection = user;

    iw_scenario_observe(connection->scenario, connection->number, connection->own, event);
}

/* ---- as a part of the scenario ---- */

static struct iw_lua_connection *of_part(struct iw_scenario_part *part) {
    return (struct iw_lua_connection *)((char *)part - offsetof(struct iw_lua_connection, part));
}

static void finish(struct iw_scenario_part *part) {
    struct iw_lua_connection *connection = of_part(part);

    if (connection->endpoint != NULL)
        iw_endpoint_close(connection->endpoint);
}

/* A peer that has closed its half may still be sent what was asked for. */
static bool settled(struct iw_scenario_part *part) {
    struct iw_lua_connection *connection = of_part(part);

    return connection->endpoint == NULL ||
           (connection->closed && iw_endpoint_backlog(connection->endpoint) == 0);
}

static void conclude(struct iw_scenario_part *part) {
    if (of_part(part)->watch != NULL)
        iw_watch_finish(of_part(part)->watch);
}

static void release(struct iw_scenario_part *part) {
    struct iw_lua_connection *connection = of_part(part);

    iw_endpoint_free(connection->endpoint);
    if (connection->filter_end != NULL)
        connection->filter_end(connection->filter_user);
    iw_watch_free(connection->watch);
    iw_lua_send_dispose(connection);
    iw_lua_place_dispose(&connection->place);
    iw_lua_inbox_dispose(connection);
    free(connection->private_data);
    free(connection->comment);
    free(connection);
}

bool iw_lua_connection_claim(struct iw_scenario *scenario, uint16_t port) {
    for (struct iw_scenario_part *part = iw_scenario_parts(scenario); part != NULL; part = part->next) {
        if (part->release != release || of_part(part)->inner_port != port)
            continue;
        of_part(part)->inner_port = 0;
        return true;
    }
    return false;
}

/* ---- making one ---- */

/* Returns false if there is no memory: what nobody watches is not to pass as right. */
static bool watch(struct iw_lua_connection *connection, struct iw_port *port,
    const struct iw_lua_connection_config *config) {
    const struct iw_scenario_config *scenario = iw_scenario_config(connection->scenario);
    struct iw_watch_disguise disguise;
    struct iw_watch_config watch_config = {.recorder = scenario->recorder,
        .extensions = scenario->extensions,
        .streaming = config->endpoint.streaming,
        .sink = observe,
        .user = connection};

    connection->own[iw_port_side(port)] = true;
    connection->own[iw_side_other(iw_port_side(port))] = config->inner;
    if (config->inner && iw_port_opener(port))
        return true; /* the accepting end watches */
    connection->number = iw_scenario_connection(connection->scenario);
    if (scenario->disguise != NULL) {
        disguise = *scenario->disguise;
        disguise.isn[IW_SIDE_A] += 65536 * (connection->number - 1);
        disguise.isn[IW_SIDE_B] += 65536 * (connection->number - 1);
        watch_config.disguise = &disguise;
    }
    connection->watch = iw_watch_new(port, &watch_config);
    return connection->watch != NULL;
}

/* What the scenario's user wants of the endpoint; its filter comes behind the connection's own. Returns false
 * if there is no memory. */
static bool configure(struct iw_lua_connection *connection, struct iw_endpoint_config *endpoint) {
    const struct iw_scenario_config *config = iw_scenario_config(connection->scenario);

    if (config->configure == NULL)
        return true;
    config->configure(config->configure_user, endpoint);
    connection->filter_user = endpoint->filter_user;
    if (endpoint->filter_begin != NULL)
        connection->filter_user = endpoint->filter_begin(endpoint->filter_user);
    if (endpoint->filter_begin != NULL && connection->filter_user == NULL)
        return false;
    connection->filter = endpoint->filter;
    connection->filter_end = endpoint->filter_end;
    endpoint->filter_begin = NULL;
    endpoint->filter_end = NULL;
    return true;
}

static struct iw_endpoint *make_endpoint(
    struct iw_lua_connection *connection, const struct iw_lua_connection_config *config) {
    struct iw_scenario *scenario = connection->scenario;
    struct iw_endpoint_config endpoint = config->endpoint;
    struct iw_endpoint *made;

    endpoint.memory = iw_scenario_memory(scenario);
    endpoint.undelivered = UINT32_MAX; /* the inbox makes messages of FPDUs, those in error among them */
    if (!configure(connection, &endpoint))
        return NULL;
    endpoint.filter = filter;
    endpoint.filter_user = connection;
    if (endpoint.private_octets > 0) {
        connection->private_data = malloc(endpoint.private_octets);
        if (connection->private_data == NULL)
            return NULL;
        memcpy(connection->private_data, endpoint.private_data, endpoint.private_octets);
        endpoint.private_data = connection->private_data;
    }
    if (config->port != NULL)
        return watch(connection, config->port, config)
                   ? iw_endpoint_accept(config->port, &endpoint, sink, connection)
                   : NULL;
    made = iw_endpoint_connect(iw_scenario_config(scenario)->loop, config->host, config->number, &endpoint,
        sink, connection, connection->text);
    if (made == NULL || watch(connection, iw_endpoint_port(made), config))
        return made;
    iw_endpoint_free(made);
    return NULL;
}

/* ---- the comment of packets: the scenario's name and the step ---- */

static bool are_ends_of_one(struct iw_lua_connection *one, struct iw_lua_connection *other) {
    const struct iw_tcp_address *mine = iw_port_addresses(iw_endpoint_port(one->endpoint));
    const struct iw_tcp_address *its = iw_port_addresses(iw_endpoint_port(other->endpoint));

    return iw_port_opener(iw_endpoint_port(one->endpoint)) !=
               iw_port_opener(iw_endpoint_port(other->endpoint)) &&
           iw_tcp_address_equal(&mine[IW_SIDE_A], &its[IW_SIDE_A]) &&
           iw_tcp_address_equal(&mine[IW_SIDE_B], &its[IW_SIDE_B]);
}

/* Of a connection whose ends are both the scenario's, known once both have their addresses. */
static void find_other_end(struct iw_lua_connection *connection) {
    struct iw_scenario_part *part = iw_scenario_parts(connection->scenario);

    for (; part != NULL && connection->other == NULL; part = part->next) {
        struct iw_lua_connection *other = of_part(part);

        if (part->release != release || other == connection || other->endpoint == NULL ||
            (connection->watch == NULL) == (other->watch == NULL) || !are_ends_of_one(connection, other))
            continue;
        connection->other = other;
        other->other = connection;
    }
}

static void comment_on(struct iw_lua_connection *connection, const char *comment) {
    if (connection->watch == NULL && connection->other == NULL)
        find_other_end(connection);
    if (connection->watch != NULL || connection->other != NULL) {
        bool both = connection->other == NULL; /* the peer's packets are of this step, too */
        bool opener = iw_port_opener(iw_endpoint_port(connection->endpoint));

        iw_watch_comment(connection->watch != NULL ? connection->watch : connection->other->watch,
            (const bool[2]){both || opener, both || !opener}, comment);
        return;
    }
    free(connection->comment);
    connection->comment = strdup(comment);
}

static void name_step(struct iw_lua_connection *connection) {
    struct iw_task *task = iw_scenario_task(connection->scenario);
    const char *name = iw_scenario_config(connection->scenario)->name;
    const char *step = task == NULL || task->step == NULL ? "" : task->step;
    char comment[512];

    if (connection->endpoint == NULL || (name == NULL && *step == '\0'))
        return;
    snprintf(comment, sizeof comment, "%s%s%s", name == NULL ? "" : name,
        name != NULL && *step != '\0' ? ": " : "", step);
    comment_on(connection, comment);
}

/* The first packets of an accepted connection are about what its opener does. */
static void begin_comment(struct iw_lua_connection *connection, bool inner) {
    if (connection->watch == NULL)
        return;
    if (inner)
        find_other_end(connection);
    if (connection->other != NULL && connection->other->comment != NULL)
        iw_watch_comment(connection->watch, (const bool[2]){true, true}, connection->other->comment);
    else
        name_step(connection);
}

struct iw_lua_connection *iw_lua_connection_new(
    lua_State *lua, const struct iw_lua_connection_config *config) {
    struct iw_scenario *scenario = iw_scenario_current(lua);
    struct iw_lua_connection *connection = calloc(1, sizeof *connection);

    if (connection != NULL && config->port == NULL && config->inner)
        connection->inner_port = config->number;
    if (connection == NULL) {
        iw_port_free(config->port);
        luaL_error(lua, "not enough memory");
        return NULL;
    }
    connection->part = (struct iw_scenario_part){
        .finish = finish, .settled = settled, .conclude = conclude, .release = release};
    connection->scenario = scenario;
    connection->events = connection->facts = LUA_NOREF;
    connection->automatic = config->endpoint.automatic.startup;
    connection->startup = config->startup;
    if (iw_lua_effect_wanted(&config->startup) != 0)
        iw_lua_place_init(&connection->place, lua);
    connection->last_post = &connection->posts;
    connection->opening.what = "the startup of a connection";
    connection->arrivals.what = "the peer";
    connection->room.what = "the peer to take octets";
    bool fits = iw_scenario_add(scenario, &connection->part) <= PARTS_MAX;
    connection->endpoint = make_endpoint(connection, config);
    if (connection->endpoint == NULL)
        iw_port_free(config->port);
    iw_lua_inbox_init(lua, connection);
    if (connection->endpoint != NULL)
        begin_comment(connection, config->inner);
    if (connection->endpoint == NULL || !fits)
        iw_lua_failure_raise(lua,
            connection->endpoint == NULL && connection->text[0] != '\0' ? IW_LUA_FAILURE_UNREACHED
                                                                        : IW_LUA_FAILURE_ENVIRONMENT,
            connection->endpoint != NULL  ? "too many connections"
            : connection->text[0] != '\0' ? connection->text
                                          : "not enough memory",
            NULL, NULL);
    iw_scenario_push(lua, scenario, connection, connection_name);
    return connection;
}

struct iw_lua_connection *iw_lua_connection_check(lua_State *lua, int index) {
    struct iw_lua_connection *connection = iw_scenario_check(lua, index, connection_name);

    name_step(connection);
    return connection;
}

void iw_lua_connection_need_open(lua_State *lua, const struct iw_lua_connection *connection) {
    if (connection->shut != NULL)
        luaL_error(lua, "nothing more is sent after c:%s", connection->shut);
}

struct iw_lua_connection *iw_lua_connection_option(lua_State *lua, const char *name) {
    if (luaL_testudata(lua, -1, connection_name) == NULL)
        luaL_error(lua, "%s takes a connection, not a %s", name, luaL_typename(lua, -1));
    return iw_lua_connection_check(lua, -1);
}

/* Nobody goes on with a connection whose startup took too long, the peer neither (RFC 5044 7.1.2). */
static void abandon(struct iw_lua_connection *connection) {
    if (connection->connected) {
        iw_endpoint_close(connection->endpoint);
        return;
    }
    keep_text(connection, "the peer does not answer the request for a TCP connection");
    settle_opening(connection, IW_LUA_CONNECTION_FAILED);
    iw_endpoint_reset(connection->endpoint);
    iw_lua_connection_end(connection);
}

int iw_lua_connection_await(lua_State *lua, int status, lua_KContext context) {
    struct iw_lua_connection *connection = iw_lua_connection_check(lua, 1);
    struct iw_task *task = iw_task_current(lua);

    (void)status;
    if (connection->state == IW_LUA_CONNECTION_OPENING && !task->timed_out)
        return iw_task_wait(lua, &connection->opening, context, iw_lua_connection_await);
    iw_task_timeout(task, 0);
    if (connection->state == IW_LUA_CONNECTION_OPENING)
        abandon(connection);
    switch (connection->state) {
    case IW_LUA_CONNECTION_READY:
        lua_settop(lua, 1);
        return 1;
    case IW_LUA_CONNECTION_FAILED:
        return iw_lua_failure_raise(lua, IW_LUA_FAILURE_UNREACHED, connection->text, NULL, NULL);
    default:
        return iw_lua_failure_raise(lua, IW_LUA_FAILURE_EXPECTATION, "the startup failed",
            "a startup into full operation", connection->text[0] == '\0' ? "silence" : connection->text);
    }
}

bool iw_lua_connection_next(lua_State *lua, struct iw_lua_connection *connection) {
    if (connection->first == connection->behind)
        return false;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, connection->events);
    lua_rawgeti(lua, -1, connection->first);
    lua_pushnil(lua);
    lua_rawseti(lua, -3, connection->first++);
    lua_remove(lua, -2);
    return true;
}

/* ---- c.name ---- */

/* The methods, and what is known of the connection: startup (the peer's startup frame), terms (what the two
 * frames settled), closed, number. */
static int index_connection(lua_State *lua) {
    struct iw_lua_connection *connection = iw_scenario_check(lua, 1, connection_name);
    const char *name = luaL_checkstring(lua, 2);

    if (luaL_getmetafield(lua, 1, name) != LUA_TNIL)
        return 1;
    if (strcmp(name, "closed") == 0) {
        lua_pushboolean(lua, connection->closed);
    } else if (strcmp(name, "number") == 0) {
        lua_pushinteger(lua, connection->number);
    } else if (strcmp(name, "startup") == 0 || strcmp(name, "terms") == 0) {
        lua_rawgeti(lua, LUA_REGISTRYINDEX, connection->facts);
        lua_getfield(lua, -1, name);
    } else {
        return luaL_error(lua, "a connection has no '%s'", name);
    }
    return 1;
}

void iw_lua_connection_open(lua_State *lua) {
    luaL_newmetatable(lua, connection_name);
    iw_lua_send_open(lua);
    iw_lua_request_open(lua);
    iw_lua_emit_open(lua);
    iw_lua_expect_open(lua);
    lua_pushcfunction(lua, index_connection);
    lua_setfield(lua, -2, "__index");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
}
