#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_socket_destroy.h"
#include "iw_error.h"
#include "iw_verbs_state.h"

/* Connections of the RDMA connection manager. */

enum {
    RESOLVE_MS = 5000,
    BACKLOG = 64,
    EVENTS_MAX = 2 * BACKLOG, /* handled at a time */
};

struct iw_verbs_connection *iw_verbs_connection_of(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_verbs_connection *connection = TAILQ_FIRST(&agent->connections);
    unsigned number = iw_agent_connection_number(request, connection ? connection->number : 0);

    while (connection && connection->number != number)
        connection = TAILQ_NEXT(connection, next);
    iw_agent_check_connection(request, connection);
    return request->code ? NULL : connection;
}

static bool connection_limit_reached(const struct iw_agent *agent) {
    const struct iw_verbs_connection *connection;
    unsigned count = 0;

    TAILQ_FOREACH(connection, &agent->connections, next) {
        count++;
    }
    return count >= IW_VERBS_CONNECTIONS_MAX;
}

/* Chooses the domain before any region can belong to the connection. */
static struct iw_verbs_connection *connection_new(struct iw_agent *agent, enum iw_verbs_stage stage) {
    struct iw_verbs_connection *connection = calloc(1, sizeof *connection);

    if (!connection)
        return NULL;
    connection->domain = iw_verbs_memory_domain(agent);
    if (!connection->domain) {
        free(connection);
        return NULL;
    }
    connection->agent = agent;
    connection->stage = stage;
    connection->number = ++agent->opened;
    SLIST_INIT(&connection->slabs);
    TAILQ_INIT(&connection->posts);
    TAILQ_INSERT_HEAD(&agent->connections, connection, next);
    return connection;
}

static struct rdma_conn_param connection_parameters(const struct iw_agent *agent) {
    return (struct rdma_conn_param){.private_data = agent->settings.private_data,
        .private_data_len = agent->settings.private_octets,
        .responder_resources = agent->settings.ird,
        .initiator_depth = agent->settings.ord};
}

void iw_verbs_connection_reset(struct iw_verbs_connection *connection) {
    struct ibv_qp_attr error = {.qp_state = IBV_QPS_ERR};

    if (connection->id->verbs &&
        !iw_socket_destroy(rdma_get_local_addr(connection->id), rdma_get_peer_addr(connection->id)) &&
        connection->id->qp)
        ibv_modify_qp(connection->id->qp, &error, IBV_QP_STATE);
}

void iw_verbs_connection_tell_terminate(struct iw_verbs_connection *connection) {
    uint16_t terminate;
    char error[IW_ERROR_TEXT_OCTETS];

    if (connection->stage < IW_VERBS_OPEN || !iw_kernel_log_take(&connection->log, &terminate))
        return;
    iw_error_text(terminate, error);
    iw_verbs_tell(connection, "terminate", json_pack("{s:s}", "error", error));
}

void iw_verbs_connection_end(struct iw_verbs_connection *connection, const char *how, const char *text) {
    struct iw_agent *agent = connection->agent;

    connection->silent |= !how;
    connection->stage = IW_VERBS_ENDED; /* iw_verbs_queue_give then posts nothing */
    iw_kernel_log_read(agent->config.log);
    iw_verbs_queue_drain(connection);
    iw_verbs_connection_tell_terminate(connection);
    iw_verbs_queue_end(connection);
    if (how)
        iw_verbs_tell(connection, "closed", json_pack("{s:s, s:s}", "how", how, "text", text ? text : ""));
    TAILQ_REMOVE(&agent->connections, connection, next);
    rdma_destroy_id(connection->id);
    iw_kernel_log_leave(agent->config.log, &connection->log); /* after the last Terminate that it can get */
    iw_verbs_memory_forget(agent, connection);
    free(connection);
}

void iw_verbs_connection_close_if_done(struct iw_verbs_connection *connection) {
    if (!connection->closes || connection->stage != IW_VERBS_OPEN || !TAILQ_EMPTY(&connection->posts))
        return;
    connection->closes = false;
    rdma_disconnect(connection->id);
}

/* ---- events ---- */

static void connection_fail(struct iw_verbs_connection *connection, const char *what, int error) {
    char text[IW_VERBS_TEXT_OCTETS];

    snprintf(text, sizeof text, "%s: %s", what, strerror(error < 0 ? -error : error));
    iw_verbs_connection_end(connection, "failed", text);
}

static void connection_begin(struct iw_verbs_connection *connection) {
    struct rdma_conn_param parameters = connection_parameters(connection->agent);
    char text[IW_VERBS_TEXT_OCTETS];

    if (!iw_verbs_queue_begin(connection, text))
        iw_verbs_connection_end(connection, "failed", text);
    else if (rdma_connect(connection->id, &parameters) != 0)
        connection_fail(connection, "cannot connect", errno);
}

static void connection_reject(struct iw_verbs_connection *connection) {
    const struct iw_verbs_settings *settings = &connection->agent->settings;

    rdma_reject(connection->id, settings->private_data, settings->private_octets);
    iw_verbs_tell(connection, "rejected", NULL);
    iw_verbs_connection_end(connection, "fin", "rejected");
}

static void connection_accept(struct iw_verbs_connection *connection) {
    struct rdma_conn_param parameters = connection_parameters(connection->agent);
    char text[IW_VERBS_TEXT_OCTETS];

    connection->stage = IW_VERBS_ACCEPTING;
    if (!iw_verbs_queue_begin(connection, text))
        iw_verbs_connection_end(connection, "failed", text);
    else if (rdma_accept(connection->id, &parameters) != 0)
        connection_fail(connection, "cannot accept", errno);
}

/* Handles a Request as the settings say; rejects one of another device, or beyond the limit. Takes ownership
 * of `id`. */
static void connection_requested(struct iw_agent *agent, struct rdma_cm_id *id) {
    struct iw_verbs_connection *connection = NULL;

    if (id->verbs == agent->config.device->context && !connection_limit_reached(agent))
        connection = connection_new(agent, IW_VERBS_REQUESTED);
    if (!connection) {
        rdma_reject(id, NULL, 0);
        rdma_destroy_id(id);
        return;
    }
    connection->id = id;
    id->context = connection;
    if (agent->settings.hold)
        iw_verbs_tell(connection, "requested", NULL);
    else if (agent->settings.reject)
        connection_reject(connection);
    else
        connection_accept(connection);
}

static void connection_established(struct iw_verbs_connection *connection) {
    connection->stage = IW_VERBS_OPEN;
    iw_verbs_tell(connection, "established", NULL);
    iw_verbs_queue_drain(connection); /* messages may have arrived before */
    iw_verbs_connection_tell_terminate(connection);
}

static void connection_resolved(struct iw_verbs_connection *connection) {
    if (connection->id->verbs != connection->agent->config.device->context)
        iw_verbs_connection_end(connection, "failed", "the route to the peer does not use the device");
    else if (rdma_resolve_route(connection->id, RESOLVE_MS) != 0)
        connection_fail(connection, "no route", errno);
}

static void connection_event(
    struct iw_verbs_connection *connection, enum rdma_cm_event_type type, int status) {
    switch (type) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
        connection_resolved(connection);
        break;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
        connection_begin(connection);
        break;
    case RDMA_CM_EVENT_ESTABLISHED:
        connection_established(connection);
        break;
    case RDMA_CM_EVENT_REJECTED:
        iw_verbs_tell(connection, "rejected", NULL);
        iw_verbs_connection_end(connection, "fin", "rejected");
        break;
    case RDMA_CM_EVENT_DISCONNECTED:
        iw_verbs_connection_end(connection, "fin", NULL);
        break;
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
        connection_fail(connection, rdma_event_str(type), status);
        break;
    default:
        break;
    }
}

/* A peer that opens connections without end must not hold up the other sessions. */
void iw_verbs_connection_drain(struct iw_agent *agent) {
    struct rdma_cm_event *event;

    for (int left = EVENTS_MAX; left > 0 && rdma_get_cm_event(agent->channel, &event) == 0; left--) {
        enum rdma_cm_event_type type = event->event;
        struct rdma_cm_id *id = event->id;
        int status = event->status;

        rdma_ack_cm_event(event); /* an event that is not acknowledged would block rdma_destroy_id */
        if (type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
            agent->config.device->gone = true;
            iw_verbs_agent_lose_device(agent);
            return;
        }
        if (type == RDMA_CM_EVENT_CONNECT_REQUEST)
            connection_requested(agent, id);
        else if (id != agent->listener && id != agent->listener6)
            connection_event(id->context, type, status);
    }
}

/* ---- requests ---- */

/* A separate listener for IPv6, as not every device accepts IPv4 on one for both. If it cannot be had, the
 * agent listens only on IPv4. */
static void connection_listen6(struct iw_agent *agent) {
    struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = rdma_get_src_port(agent->listener)};
    int only = 1;

    if (rdma_create_id(agent->channel, &agent->listener6, NULL, RDMA_PS_TCP) != 0) {
        agent->listener6 = NULL;
        return;
    }
    if (rdma_set_option(agent->listener6, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &only, sizeof only) == 0 &&
        rdma_bind_addr(agent->listener6, (struct sockaddr *)&any) == 0 &&
        rdma_listen(agent->listener6, BACKLOG) == 0)
        return;
    rdma_destroy_id(agent->listener6);
    agent->listener6 = NULL;
}

bool iw_verbs_connection_listen(struct iw_agent *agent, char *text) {
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(agent->config.port)};

    if (rdma_create_id(agent->channel, &agent->listener, NULL, RDMA_PS_TCP) == 0 &&
        rdma_bind_addr(agent->listener, (struct sockaddr *)&any) == 0 &&
        rdma_listen(agent->listener, BACKLOG) == 0) {
        connection_listen6(agent);
        return true;
    }
    snprintf(text, IW_VERBS_TEXT_OCTETS, "the device cannot listen on port %u: %s", agent->config.port,
        strerror(errno));
    return false;
}

static bool connect_begin(struct iw_verbs_connection *connection, const struct sockaddr *peer) {
    return rdma_create_id(connection->agent->channel, &connection->id, connection, RDMA_PS_TCP) == 0 &&
           rdma_resolve_addr(connection->id, NULL, (struct sockaddr *)peer, RESOLVE_MS) == 0;
}

static void connect_to(
    struct iw_agent *agent, struct iw_agent_request *request, const struct sockaddr *peer) {
    struct iw_verbs_connection *connection = connection_new(agent, IW_VERBS_CONNECTING);

    if (connection && connect_begin(connection, peer)) {
        json_object_set_new(request->answer, "connection", json_integer(connection->number));
        return;
    }
    iw_agent_refuse(request, "connection", NULL, "cannot connect: %s", strerror(errno));
    if (!connection)
        return;
    if (connection->id)
        rdma_destroy_id(connection->id);
    TAILQ_REMOVE(&agent->connections, connection, next);
    agent->opened--;
    iw_verbs_memory_forget(agent, connection);
    free(connection);
}

void iw_verbs_connect(struct iw_agent *agent, struct iw_agent_request *request) {
    static const char *const transports[] = {"tcp", "sctp", NULL};
    /* The name of a host would be looked up, and hold up the other sessions. */
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, *found;
    char port[8];
    const char *host;

    iw_agent_need(request, "host");
    iw_agent_need(request, "port");
    host = iw_agent_text(request, "host", "");
    snprintf(port, sizeof port, "%u", (unsigned)iw_agent_integer(request, "port", 1, UINT16_MAX, 0) & 0xFFFF);
    if (iw_agent_choice(request, "transport", transports, 0) == 1)
        iw_agent_refuse(request, "unsupported", "transport", "is not supported by this device: sctp");
    if (iw_agent_has(request, "tunnel") || iw_agent_has(request, "stream"))
        iw_agent_refuse(request, "argument", "transport", "of tunnel and stream is sctp");
    if (connection_limit_reached(agent))
        iw_agent_refuse(
            request, "memory", NULL, "the limit of %d connections is reached", (int)IW_VERBS_CONNECTIONS_MAX);
    if (request->code)
        return;
    if (getaddrinfo(host, port, &hints, &found) != 0) {
        iw_agent_refuse(request, "argument", "host", "takes an IPv4 or IPv6 address, not %.100s", host);
        return;
    }
    connect_to(agent, request, found->ai_addr);
    freeaddrinfo(found);
}

void iw_verbs_answer(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_verbs_connection *connection = iw_verbs_connection_of(agent, request);
    bool reject = iw_agent_flag(request, "reject", agent->settings.reject);

    if (connection && connection->stage != IW_VERBS_REQUESTED)
        iw_agent_refuse(request, "connection", NULL, "the connection has no pending Request");
    if (request->code)
        return;
    if (reject)
        connection_reject(connection);
    else
        connection_accept(connection);
}

void iw_verbs_close(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_verbs_connection *connection = iw_verbs_connection_of(agent, request);

    if (!connection)
        return;
    connection->closes = true;
    iw_verbs_connection_close_if_done(connection);
}

/* The connection reports no further events. */
void iw_verbs_abort(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_verbs_connection *connection = iw_verbs_connection_of(agent, request);

    if (!connection)
        return;
    iw_verbs_connection_reset(connection);
    iw_verbs_connection_end(connection, NULL, NULL);
}
