#include "iw_agent_server.h"

#include <stdlib.h>
#include <string.h>

#include "iw_agent_session.h"

struct session {
    struct iw_agent_session base;
    struct iw_agent_server *server;
    struct iw_port *port;
    struct iw_tls *tls;    /* NULL: no TLS */
    struct iw_timer timer; /* timeout for the hello; when the session ends, frees the session */
};

struct iw_agent_server {
    struct iw_agent_server_config config;
    struct iw_listener *listener;
    struct iw_agent_sessions sessions;
};

static void server_free_session(void *user) {
    struct session *session = user;

    iw_timer_stop(&session->timer);
    iw_agent_free(session->base.agent);
    iw_agent_session_dispose(&session->base);
    if (iw_port_queued(session->port) > IW_AGENT_BACKLOG_MAX)
        iw_port_reset(session->port); /* otherwise a client that does not read keeps the octets in memory */
    iw_port_free(session->port);
    iw_tls_free(session->tls);
    free(session);
}

/* Frees the session from the loop, because the caller may still be using it. */
static void server_session_end(void *user) {
    struct session *session = user;

    iw_timer_start(&session->timer, session->server->config.agent.loop, 0, server_free_session, session);
}

/* Passes what TLS has encrypted to TCP. */
static bool server_session_flush(struct session *session) {
    uint8_t octets[4096];
    size_t length;

    while ((length = iw_tls_output(session->tls, octets, sizeof octets)) > 0)
        if (iw_port_write(session->port, octets, length) != IW_OK)
            return false;
    return iw_port_queued(session->port) <= IW_AGENT_BACKLOG_MAX;
}

static bool server_session_send(struct session *session, const uint8_t *octets, size_t length) {
    if (session->tls)
        return iw_tls_write(session->tls, octets, length) && server_session_flush(session);
    return iw_port_write(session->port, octets, length) == IW_OK &&
           iw_port_queued(session->port) <= IW_AGENT_BACKLOG_MAX;
}

static bool server_session_write(void *user, const char *line, size_t length) {
    struct session *session = user;

    if (line && server_session_send(session, (const uint8_t *)line, length))
        return true;
    iw_agent_session_end(&session->base);
    return false;
}

static struct iw_agent *server_session_open(void *user, char *text) {
    struct session *session = user;
    struct iw_agent_config config = session->server->config.agent;
    struct iw_agent *agent;

    config.event = iw_agent_session_event;
    config.user = &session->base;
    agent = iw_agent_new(&config, text);
    if (agent)
        iw_timer_stop(&session->timer);
    return agent;
}

/* ---- TCP ---- */

static void server_session_read_tls(struct session *session) {
    uint8_t octets[IW_TLS_RECORD_OCTETS];
    int length;

    do {
        length = iw_tls_read(session->tls, octets, sizeof octets);
        if (!server_session_flush(session) || length < 0 ||
            (length > 0 && !iw_agent_session_receive(&session->base, octets, (size_t)length)))
            iw_agent_session_end(&session->base);
    } while (length > 0 && !session->base.over);
}

static void server_session_received(void *user, const uint8_t *octets, size_t length) {
    struct session *session = user;

    if (session->base.over)
        return;
    if (!(session->tls ? iw_tls_feed(session->tls, octets, length)
                       : iw_agent_session_receive(&session->base, octets, length)))
        iw_agent_session_end(&session->base);
    else if (session->tls)
        server_session_read_tls(session);
}

static void server_session_ended(void *user, enum iw_port_end end, const char *text) {
    (void)end;
    (void)text;
    iw_agent_session_end(&((struct session *)user)->base);
}

/* A client of TLS could not read the line that says why. */
static void server_reject_port(const struct iw_agent_server *server, struct iw_port *port) {
    if (!server->config.tls)
        iw_port_write(port, (const uint8_t *)iw_agent_sessions_full, strlen(iw_agent_sessions_full));
    iw_port_free(port);
}

static struct session *server_session_new(struct iw_agent_server *server) {
    struct session *session = iw_agent_sessions_admit(&server->sessions) ? calloc(1, sizeof *session) : NULL;

    if (!session || !server->config.tls)
        return session;
    session->tls = iw_tls_new(server->config.tls, NULL);
    if (session->tls)
        return session;
    free(session);
    return NULL;
}

static void server_accept_port(void *user, struct iw_port *port) {
    static const struct iw_port_handlers handlers = {
        .received = server_session_received, .ended = server_session_ended};
    struct iw_agent_server *server = user;
    struct session *session = server_session_new(server);

    if (!session) {
        server_reject_port(server, port);
        return;
    }
    session->server = server;
    session->port = port;
    iw_agent_session_begin(&session->base, &server->sessions, session);
    iw_timer_start(
        &session->timer, server->config.agent.loop, IW_AGENT_HELLO_MS * 1000, server_free_session, session);
    iw_port_handle(port, &handlers, session);
}

struct iw_agent_server *iw_agent_server_new(const struct iw_agent_server_config *config, char *text) {
    static const struct iw_agent_session_handlers handlers = {.open = server_session_open,
        .execute = iw_agent_execute,
        .write = server_session_write,
        .end = server_session_end,
        .free = server_free_session};
    struct iw_agent_server *server = calloc(1, sizeof *server);

    strcpy(text, "not enough memory"); /* default reason; the listener may replace it */
    if (!server)
        return NULL;
    server->config = *config;
    iw_agent_sessions_init(&server->sessions, &handlers, config->token);
    server->listener =
        iw_listener_new(config->agent.loop, config->host, config->port, server_accept_port, server, text);
    if (server->listener)
        return server;
    free(server);
    return NULL;
}

void iw_agent_server_free(struct iw_agent_server *server) {
    if (!server)
        return;
    iw_agent_sessions_free(&server->sessions);
    iw_listener_free(server->listener);
    free(server);
}

uint16_t iw_agent_server_port(const struct iw_agent_server *server) {
    return iw_listener_port(server->listener);
}
