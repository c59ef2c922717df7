#include "iw_lua_connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void lua_endpoint_settle_opening(
    struct iw_lua_connection *connection, enum iw_lua_connection_state state) {
    if (connection->state != IW_LUA_CONNECTION_OPENING)
        return;
    connection->state = state;
    iw_waitable_end(&connection->opening);
}

static void lua_endpoint_connection_keep_text(struct iw_lua_connection *connection, const char *text) {
    if (connection->state == IW_LUA_CONNECTION_OPENING && text != NULL && connection->text[0] == '\0')
        snprintf(connection->text, sizeof connection->text, "%s", text);
}

void iw_lua_endpoint_end(struct iw_lua_connection *connection) {
    iw_lua_queue_close(&connection->inbox.queue);
    iw_waitable_end(&connection->posts.progress);
    iw_scenario_changed(connection->scenario);
}

static void lua_endpoint_connection_take_closed(
    struct iw_lua_connection *connection, const struct iw_event *event) {
    static const char *const ends[] = {[IW_END_FIN] = "close (fin)",
        [IW_END_RST] = "close (rst)",
        [IW_END_FAILED] = "connection lost",
        [IW_END_TIMEOUT] = "no close in time"};
    bool unopened = event->end == IW_END_FAILED && !connection->connected;

    lua_endpoint_connection_keep_text(
        connection, unopened && event->text != NULL ? event->text : ends[event->end]);
    lua_endpoint_settle_opening(connection, unopened ? IW_LUA_CONNECTION_FAILED : IW_LUA_CONNECTION_REFUSED);
    iw_lua_endpoint_end(connection);
}

static void lua_endpoint_connection_take_event(
    void *user, struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct iw_lua_connection *connection = user;

    (void)endpoint;
    iw_lua_inbox_take(connection, event);
    if (event->kind == IW_EVENT_CONNECTED) {
        connection->connected = true;
        if (!connection->automatic)
            lua_endpoint_settle_opening(connection, IW_LUA_CONNECTION_READY);
    } else if (event->kind == IW_EVENT_ESTABLISHED) {
        lua_endpoint_settle_opening(connection, IW_LUA_CONNECTION_READY);
    } else if (event->kind == IW_EVENT_REJECTED) {
        lua_endpoint_connection_keep_text(connection, "a startup frame with R=1");
        lua_endpoint_settle_opening(connection, IW_LUA_CONNECTION_REFUSED);
    } else if (event->kind == IW_EVENT_ERROR) {
        lua_endpoint_connection_keep_text(connection, event->text);
    } else if (event->kind == IW_EVENT_SENT || event->kind == IW_EVENT_FLUSHED) {
        iw_lua_send_done(connection, event->id, event->kind == IW_EVENT_SENT);
        iw_waitable_wake(&connection->posts.progress);
        iw_scenario_changed(connection->scenario);
    } else if (event->kind == IW_EVENT_COMPLETED) {
        connection->posts.completed = event->id;
        iw_waitable_wake(&connection->posts.progress);
    } else if (event->kind == IW_EVENT_CLOSED) {
        lua_endpoint_connection_take_closed(connection, event);
    }
}

static void lua_endpoint_override_startup(struct iw_lua_connection *connection, struct iw_emit *emit) {
    unsigned wanted = iw_lua_effect_wanted(&connection->startup.override);

    iw_lua_override_startup(&connection->startup.override, emit);
    if (wanted == 0)
        return;
    wanted &= ~iw_lua_effect_found(connection, &connection->startup.override, emit);
    if (wanted != 0)
        iw_scenario_mistake(connection->scenario, &connection->startup.place, iw_lua_effect_text(wanted));
}

static unsigned lua_endpoint_connection_filter(void *user, struct iw_emit *emit) {
    struct iw_lua_connection *connection = user;
    unsigned times = emit->kind == IW_EMIT_STARTUP ? connection->startup.override.times : 1;

    if (emit->kind == IW_EMIT_STARTUP)
        lua_endpoint_override_startup(connection, emit);
    if (emit->cause == IW_EMIT_BY_RTR)
        connection->inbox.rtr_response_pending = emit->segment.opcode == IW_RDMAP_OP_READ_REQUEST;
    return connection->filter.call == NULL ? times
                                           : times * connection->filter.call(connection->filter.user, emit);
}

static void lua_endpoint_connection_observe(void *user, const struct iw_monitor_event *event) {
    struct iw_lua_connection *connection = user;

    iw_scenario_observe(connection->scenario, connection->number, connection->own, event);
}

/* Watches the connection, unless the accepting end or the association does. Returns false if memory runs out:
 * the connection must not be used, because it would count as conforming. */
static bool lua_endpoint_connection_watch(struct iw_lua_connection *connection, struct iw_port *port,
    const struct iw_lua_connection_config *config) {
    const struct iw_scenario_config *scenario = iw_scenario_config(connection->scenario);
    struct iw_watch_disguise disguise;
    struct iw_watch_config watch_config = {.recorder = scenario->recorder,
        .extensions = scenario->extensions & ~scenario->unlawful,
        .streaming = config->endpoint.streaming,
        .sink = lua_endpoint_connection_observe,
        .user = connection};

    connection->own[iw_port_side(port)] = true;
    connection->own[iw_side_other(iw_port_side(port))] = config->inner;
    if ((config->inner && iw_port_side(port) == IW_SIDE_A) || config->session.association != NULL)
        return true; /* watched by the accepting end or by the association */
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

/* Applies the scenario's `configure`, whose filter runs after the connection's own. False: no memory. */
static bool lua_endpoint_connection_configure(
    struct iw_lua_connection *connection, struct iw_endpoint_config *endpoint) {
    const struct iw_scenario_config *config = iw_scenario_config(connection->scenario);

    if (config->configure == NULL)
        return true;
    config->configure(config->configure_user, endpoint);
    connection->filter.user = endpoint->policy.user;
    if (endpoint->policy.begin != NULL)
        connection->filter.user = endpoint->policy.begin(endpoint->policy.user);
    if (endpoint->policy.begin != NULL && connection->filter.user == NULL)
        return false;
    connection->filter.call = endpoint->policy.send;
    connection->filter.end = endpoint->policy.end;
    endpoint->policy.user = connection->filter.user;
    endpoint->policy.begin = NULL;
    endpoint->policy.end = NULL;
    return true;
}

struct iw_endpoint *iw_lua_endpoint_new(
    struct iw_lua_connection *connection, const struct iw_lua_connection_config *config) {
    struct iw_scenario *scenario = connection->scenario;
    struct iw_endpoint_config endpoint = config->endpoint;

    endpoint.memory = iw_scenario_memory(scenario);
    endpoint.receives.by_sink = true; /* the inbox reassembles messages also from FPDUs in error */
    if (!lua_endpoint_connection_configure(connection, &endpoint))
        return NULL;
    endpoint.policy.send = lua_endpoint_connection_filter;
    endpoint.policy.send_user = connection;
    if (endpoint.private_octets > 0) {
        connection->startup.private_data = malloc(endpoint.private_octets);
        if (connection->startup.private_data == NULL)
            return NULL;
        memcpy(connection->startup.private_data, endpoint.private_data, endpoint.private_octets);
        endpoint.private_data = connection->startup.private_data;
    }
    if (config->port != NULL)
        return lua_endpoint_connection_watch(connection, config->port, config)
                   ? iw_endpoint_accept(
                         config->port, &endpoint, lua_endpoint_connection_take_event, connection)
                   : NULL;
    struct iw_endpoint *made = iw_endpoint_connect(iw_scenario_config(scenario)->loop, config->host,
        config->number, &endpoint, lua_endpoint_connection_take_event, connection, connection->text);
    if (made == NULL || lua_endpoint_connection_watch(connection, iw_endpoint_port(made), config))
        return made;
    iw_endpoint_free(made);
    return NULL;
}

/* Closes a connection whose startup timed out (RFC 5044 7.1.2), or resets it if TCP is not open. */
void iw_lua_endpoint_abandon(struct iw_lua_connection *connection) {
    if (connection->connected) {
        iw_endpoint_close(connection->endpoint);
        return;
    }
    lua_endpoint_connection_keep_text(
        connection, "the peer does not answer the request for a TCP connection");
    lua_endpoint_settle_opening(connection, IW_LUA_CONNECTION_FAILED);
    iw_endpoint_reset(connection->endpoint);
    iw_lua_endpoint_end(connection);
}

void iw_lua_endpoint_dispose(struct iw_lua_connection *connection) {
    iw_endpoint_free(connection->endpoint);
    if (connection->filter.end != NULL)
        connection->filter.end(connection->filter.user);
    iw_watch_free(connection->watch);
    free(connection->startup.private_data);
}
