#include "iw_agent_server.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "iw_agent_lines.h"
#include "iw_agent_token.h"
#include "iw_agent_write.h"

enum {
    HELLO_US = 10 * 1000000,
    BACKLOG_MAX = 64 << 20, /* octets queued for a suite that does not read */
};

struct session {
    struct iw_agent_server *server;
    struct iw_port *port;
    struct iw_agent_lines lines;
    struct iw_agent *agent; /* NULL before the hello */
    struct iw_timer timer;  /* timeout for the hello; when the session ends, frees the session */
    bool over;
    TAILQ_ENTRY(session) all;
};

TAILQ_HEAD(session_list, session);

struct iw_agent_server {
    struct iw_agent_server_config config;
    struct iw_listener *listener;
    struct session_list sessions;
    unsigned count;
};

static void server_free_session(void *user) {
    struct session *session = user;

    TAILQ_REMOVE(&session->server->sessions, session, all);
    session->server->count--;
    iw_timer_stop(&session->timer);
    iw_agent_free(session->agent);
    iw_agent_lines_dispose(&session->lines);
    iw_port_free(session->port);
    free(session);
}

/* Frees the session from the loop, because the caller may still be using it. */
static void server_session_end(struct session *session) {
    if (session->over)
        return;
    session->over = true;
    iw_timer_start(&session->timer, session->server->config.agent.loop, 0, server_free_session, session);
}

static void server_session_write(struct session *session, json_t *value) {
    if (!iw_agent_write_line(session->port, value) || iw_port_queued(session->port) > BACKLOG_MAX)
        server_session_end(session);
}

static void server_session_event(void *user, json_t *event) {
    struct session *session = user;

    if (session->over)
        json_decref(event);
    else
        server_session_write(session, event);
}

/* ---- requests ---- */

static json_t *server_reject_session(
    struct session *session, const json_t *request, const char *code, const char *text) {
    server_session_end(session);
    return iw_agent_error(json_object_get(request, "id"), code, NULL, text);
}

/* Handles the first request. A client without a valid token gets only the error. */
static json_t *server_session_hello(struct session *session, const json_t *request) {
    struct iw_agent_config config = session->server->config.agent;
    const char *op = json_string_value(json_object_get(request, "op"));
    const char *given = json_string_value(json_object_get(request, "token"));
    char text[IW_PORT_TEXT_OCTETS];

    if (!op || strcmp(op, "hello") != 0)
        return server_reject_session(session, request, "protocol", "the first request must be hello");
    if (session->server->config.token && !iw_agent_token_equal(session->server->config.token, given))
        return server_reject_session(session, request, "token", "wrong token");
    config.event = server_session_event;
    config.user = session;
    session->agent = iw_agent_new(&config, text);
    if (!session->agent)
        return server_reject_session(session, request, "memory", text);
    iw_timer_stop(&session->timer);
    return iw_agent_execute(session->agent, request);
}

static bool server_session_line(void *user, const json_t *value, const char *error) {
    struct session *session = user;
    bool first = !session->agent;
    json_t *answer;

    if (!value)
        answer = server_reject_session(session, NULL, "protocol", error);
    else if (first)
        answer = server_session_hello(session, value);
    else
        answer = iw_agent_execute(session->agent, value);
    if (iw_agent_answer_ends_session(answer, first))
        server_session_end(session);
    server_session_write(session, answer); /* writes even the last answer of a session that has ended */
    return !session->over;
}

/* ---- TCP ---- */

static void server_session_received(void *user, const uint8_t *octets, size_t length) {
    struct session *session = user;
    enum iw_agent_feed fed;

    if (session->over)
        return;
    fed = iw_agent_lines_feed(&session->lines, octets, length, server_session_line, session);
    if (fed == IW_AGENT_FEED_TOO_LONG)
        iw_agent_write_line(session->port,
            server_reject_session(session, NULL, "protocol", "a line has at most 1048576 octets"));
    if (fed != IW_AGENT_FED)
        server_session_end(session);
}

static void server_session_ended(void *user, enum iw_port_end end, const char *text) {
    (void)end;
    (void)text;
    server_session_end(user);
}

/* Evicts the oldest session without a hello: idle connections must not keep out others. */
static void server_evict_session(struct iw_agent_server *server) {
    struct session *session = TAILQ_FIRST(&server->sessions);

    while (session && session->agent)
        session = TAILQ_NEXT(session, all);
    if (session)
        server_free_session(session);
}

static void server_accept_port(void *user, struct iw_port *port) {
    static const struct iw_port_handlers handlers = {
        .received = server_session_received, .ended = server_session_ended};
    struct iw_agent_server *server = user;
    struct session *session;

    if (server->count == IW_AGENT_SESSIONS_MAX)
        server_evict_session(server);
    session = server->count < IW_AGENT_SESSIONS_MAX ? calloc(1, sizeof *session) : NULL;
    if (!session) {
        iw_agent_write_line(port, iw_agent_error(NULL, "memory", NULL, "there are too many sessions"));
        iw_port_free(port);
        return;
    }
    session->server = server;
    session->port = port;
    TAILQ_INSERT_TAIL(&server->sessions, session, all);
    server->count++;
    iw_timer_start(&session->timer, server->config.agent.loop, HELLO_US, server_free_session, session);
    iw_port_handle(port, &handlers, session);
}

struct iw_agent_server *iw_agent_server_new(const struct iw_agent_server_config *config, char *text) {
    struct iw_agent_server *server = calloc(1, sizeof *server);

    strcpy(text, "not enough memory"); /* default reason; the listener may replace it */
    if (!server)
        return NULL;
    server->config = *config;
    TAILQ_INIT(&server->sessions);
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
    while (!TAILQ_EMPTY(&server->sessions))
        server_free_session(TAILQ_FIRST(&server->sessions));
    iw_listener_free(server->listener);
    free(server);
}

uint16_t iw_agent_server_port(const struct iw_agent_server *server) {
    return iw_listener_port(server->listener);
}
