#include "iw_lua_connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool comment_are_ends_of_one(struct iw_lua_connection *one, struct iw_lua_connection *other) {
    const struct iw_tcp_address *mine = iw_port_addresses(iw_endpoint_port(one->endpoint));
    const struct iw_tcp_address *its = iw_port_addresses(iw_endpoint_port(other->endpoint));

    return iw_port_side(iw_endpoint_port(one->endpoint)) != iw_port_side(iw_endpoint_port(other->endpoint)) &&
           iw_tcp_address_equal(&mine[IW_SIDE_A], &its[IW_SIDE_A]) &&
           iw_tcp_address_equal(&mine[IW_SIDE_B], &its[IW_SIDE_B]);
}

/* Finds the other end of a connection within the scenario, once both ends have their addresses. */
static void comment_find_other_end(struct iw_lua_connection *connection) {
    struct iw_scenario_object *object = iw_scenario_objects(connection->scenario);

    for (; object != NULL && connection->other == NULL; object = object->next) {
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

void iw_lua_comment_step(struct iw_lua_connection *connection) {
    char comment[IW_LUA_COMMENT_OCTETS];

    if (connection->endpoint != NULL && iw_lua_comment_text(connection->scenario, comment))
        comment_on(connection, comment);
}

void iw_lua_comment_begin(struct iw_lua_connection *connection, bool inner) {
    if (connection->watch == NULL && connection->session.watch == NULL)
        return;
    if (inner)
        comment_find_other_end(connection);
    if (connection->other != NULL && connection->other->comment != NULL)
        iw_watch_comment(connection->watch, (const bool[2]){true, true}, connection->other->comment);
    else
        iw_lua_comment_step(connection);
}
