#include "iw_verbs_server.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "iw_agent_lines.h"
#include "iw_agent_token.h"
#include "iw_array.h"

enum {
    HELLO_MS = 10000,
    POLL_MS = 1,            /* while messages may arrive without an event */
    BACKLOG_MAX = 64 << 20, /* octets queued for the suite; the session ends beyond that */
    READ_OCTETS = 64 << 10,
    FDS_FIXED = 3, /* listener, kernel log, asynchronous events */
    FDS_SESSION = 1 + IW_VERBS_AGENT_FDS,
};

struct session {
    struct iw_verbs_server *server;
    int tcp;
    struct iw_agent_lines lines;
    struct iw_agent *agent; /* NULL before the hello */
    int64_t deadline_ms;    /* of the hello */
    char *out;
    size_t sent;   /* octets at the beginning of `out` that TCP has taken */
    size_t queued; /* octets after them */
    uint32_t capacity;
    bool over; /* to be closed once the queued octets are sent */
    bool lost;
    TAILQ_ENTRY(session) all;
};

TAILQ_HEAD(session_list, session);

struct iw_verbs_server {
    struct iw_verbs_server_config config;
    int listener;
    struct iw_kernel_log log;
    struct session_list sessions;
    unsigned count;
    struct pollfd fds[FDS_FIXED + IW_VERBS_SESSIONS_MAX * FDS_SESSION];
};

static int64_t server_now_ms(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- sessions ---- */

static void session_flush(struct session *session) {
    ssize_t sent;

    while (session->queued > 0 && (sent = send(session->tcp, session->out + session->sent, session->queued,
                                       MSG_NOSIGNAL | MSG_DONTWAIT)) > 0) {
        session->sent += (size_t)sent;
        session->queued -= (size_t)sent;
    }
    session->lost |= session->queued > 0 && errno != EAGAIN && errno != EINTR;
}

/* Moves the queued octets to the beginning once they are at most as many as those sent: each is then moved
 * once on average. */
static void session_compact(struct session *session) {
    if (session->sent < session->queued || session->sent == 0)
        return;
    memmove(session->out, session->out + session->sent, session->queued);
    session->sent = 0;
}

static void session_write(struct session *session, json_t *value) {
    size_t length;
    char *text = iw_agent_lines_text(value, &length);

    session_compact(session);
    if (!text || session->queued + length > BACKLOG_MAX ||
        !iw_array_reserve(&session->out, &session->capacity, session->sent + session->queued + length, 1)) {
        session->lost = true;
    } else {
        memcpy(session->out + session->sent + session->queued, text, length);
        session->queued += length;
    }
    free(text);
}

static void session_event(void *user, json_t *event) {
    session_write(user, event);
}

static void session_free(struct session *session) {
    TAILQ_REMOVE(&session->server->sessions, session, all);
    session->server->count--;
    session_flush(session);
    iw_verbs_agent_free(session->agent);
    iw_agent_lines_dispose(&session->lines);
    close(session->tcp);
    free(session->out);
    free(session);
}

/* Whether the session waits for another one: a fixed port of the device allows one session at a time. */
static bool session_waits(const struct session *session) {
    const struct session *other;

    if (session->over || session->agent || session->server->config.agent.port == 0)
        return false;
    TAILQ_FOREACH(other, &session->server->sessions, all) {
        if (other->agent)
            return true;
    }
    return false;
}

/* ---- requests ---- */

/* Ends what the session has on the device at once: it may keep out others. The client can still take the
 * answer. */
static void session_end(struct session *session) {
    session->over = true;
    session->deadline_ms = server_now_ms() + HELLO_MS;
    iw_verbs_agent_free(session->agent);
    session->agent = NULL;
}

static json_t *session_reject(
    struct session *session, const json_t *request, const char *code, const char *text) {
    session_end(session);
    return iw_agent_error(json_object_get(request, "id"), code, NULL, text);
}

/* Handles the first request. A client without a valid token gets only the error. */
static json_t *session_hello(struct session *session, const json_t *request) {
    struct iw_verbs_agent_config config = session->server->config.agent;
    const char *op = json_string_value(json_object_get(request, "op"));
    const char *given = json_string_value(json_object_get(request, "token"));
    char text[IW_VERBS_TEXT_OCTETS];

    if (!op || strcmp(op, "hello") != 0)
        return session_reject(session, request, "protocol", "the first request must be hello");
    if (session->server->config.token && !iw_agent_token_equal(session->server->config.token, given))
        return session_reject(session, request, "token", "wrong token");
    config.log = &session->server->log;
    config.event = session_event;
    config.user = session;
    session->agent = iw_verbs_agent_new(&config, text);
    if (!session->agent)
        return session_reject(session, request, "memory", text);
    return iw_verbs_agent_execute(session->agent, request);
}

static bool session_line(void *user, const json_t *value, const char *error) {
    struct session *session = user;
    bool first = !session->agent;
    json_t *answer;

    if (!value)
        answer = session_reject(session, NULL, "protocol", error);
    else if (first)
        answer = session_hello(session, value);
    else
        answer = iw_verbs_agent_execute(session->agent, value);
    if (iw_agent_answer_ends_session(answer, first))
        session_end(session);
    session_write(session, answer);
    return !session->over && !session->lost;
}

static void session_read(struct session *session) {
    static uint8_t octets[READ_OCTETS];
    ssize_t length = recv(session->tcp, octets, sizeof octets, MSG_DONTWAIT);
    enum iw_agent_feed fed;

    if (length <= 0) {
        session->lost |= length == 0 || (errno != EAGAIN && errno != EINTR);
        return;
    }
    fed = iw_agent_lines_feed(&session->lines, octets, (size_t)length, session_line, session);
    if (fed == IW_AGENT_FEED_TOO_LONG)
        session_write(
            session, session_reject(session, NULL, "protocol", "a line has at most 1048576 octets"));
    session->lost |= fed == IW_AGENT_FEED_NO_MEMORY;
}

/* ---- TCP ---- */

/* Evicts the oldest session without a hello: idle connections must not keep out others. */
static void server_evict_session(struct iw_verbs_server *server) {
    struct session *session = TAILQ_FIRST(&server->sessions);

    while (session && session->agent)
        session = TAILQ_NEXT(session, all);
    if (session)
        session_free(session);
}

/* Lets an event leave before the suite's TCP has acknowledged the one before, and ends the session of a suite
 * that has vanished. */
static void server_set_options(int tcp) {
    int on = 1;

    setsockopt(tcp, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(tcp, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

static void server_accept(struct iw_verbs_server *server) {
    static const char full[] =
        "{\"id\":null,\"error\":{\"code\":\"memory\",\"text\":\"there are too many sessions\"}}\n";
    int tcp = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct session *session;

    if (tcp < 0)
        return;
    if (server->count == IW_VERBS_SESSIONS_MAX)
        server_evict_session(server);
    session = server->count < IW_VERBS_SESSIONS_MAX ? calloc(1, sizeof *session) : NULL;
    if (!session) {
        send(tcp, full, sizeof full - 1, MSG_NOSIGNAL);
        close(tcp);
        return;
    }
    server_set_options(tcp);
    session->server = server;
    session->tcp = tcp;
    session->deadline_ms = server_now_ms() + HELLO_MS;
    TAILQ_INSERT_TAIL(&server->sessions, session, all);
    server->count++;
}

static int server_bind(const struct addrinfo *at) {
    int on = 1, tcp = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (tcp >= 0 && setsockopt(tcp, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(tcp, at->ai_addr, at->ai_addrlen) == 0 && listen(tcp, IW_VERBS_SESSIONS_MAX) == 0)
        return tcp;
    if (tcp >= 0)
        close(tcp);
    return -1;
}

static bool server_listen(struct iw_verbs_server *server, char *text) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found;
    char port[8];
    int error;

    snprintf(port, sizeof port, "%u", server->config.port);
    error = getaddrinfo(server->config.host, port, &hints, &found);
    if (error != 0) {
        snprintf(text, IW_VERBS_TEXT_OCTETS, "%.100s: %s", server->config.host, gai_strerror(error));
        return false;
    }
    server->listener = server_bind(found);
    if (server->listener < 0)
        snprintf(text, IW_VERBS_TEXT_OCTETS, "cannot listen on %.100s:%s: %s", server->config.host, port,
            strerror(errno));
    freeaddrinfo(found);
    return server->listener >= 0;
}

/* ---- the loop ---- */

/* Fills server->fds. Returns the timeout for poll in milliseconds; -1: no timeout. */
static int server_prepare(struct iw_verbs_server *server, nfds_t *count) {
    struct pollfd *fds = server->fds;
    struct session *session;
    bool busy = false, hello = false;

    fds[0] = (struct pollfd){.fd = server->listener, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = server->log.fd, .events = POLLIN};
    fds[2] = (struct pollfd){.fd = server->config.agent.device->context->async_fd, .events = POLLIN};
    *count = FDS_FIXED;
    TAILQ_FOREACH(session, &server->sessions, all) {
        fds[*count] = (struct pollfd){.fd = session_waits(session) ? -1 : session->tcp,
            .events = (short)((session->over ? 0 : POLLIN) | (session->queued > 0 ? POLLOUT : 0))};
        ++*count;
        hello |= session->over || !session->agent;
        if (session->agent) {
            iw_verbs_agent_poll(session->agent, fds + *count, &busy);
            *count += IW_VERBS_AGENT_FDS;
        }
    }
    return busy ? POLL_MS : hello ? 100 : -1;
}

static void server_session_turn(struct session *session) {
    if (session->agent)
        iw_verbs_agent_drain(session->agent);
    if (session_waits(session))
        session->deadline_ms = server_now_ms() + HELLO_MS;
    else if (!session->over)
        session_read(session);
    session_flush(session);
    if (session->lost || (session->over && session->queued == 0) ||
        ((session->over || !session->agent) && server_now_ms() > session->deadline_ms))
        session_free(session);
}

static void server_end_sessions(struct iw_verbs_server *server) {
    struct session *session;

    while ((session = TAILQ_FIRST(&server->sessions))) {
        if (session->agent)
            iw_verbs_agent_lose_device(session->agent);
        session_free(session);
    }
}

bool iw_verbs_server_turn(struct iw_verbs_server *server) {
    struct iw_verbs_device *device = server->config.agent.device;
    struct session *session, *next;
    nfds_t count;
    int timeout_ms = server_prepare(server, &count);
    struct timespec timeout = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};

    ppoll(server->fds, count, timeout_ms < 0 ? NULL : &timeout, server->config.unblocked);
    iw_kernel_log_read(&server->log);
    iw_verbs_agent_read_async(device);
    for (session = TAILQ_FIRST(&server->sessions); session && !device->gone; session = next) {
        next = TAILQ_NEXT(session, all);
        server_session_turn(session);
    }
    if (device->gone)
        server_end_sessions(server);
    else if (server->fds[0].revents)
        server_accept(server);
    return !device->gone;
}

struct iw_verbs_server *iw_verbs_server_new(const struct iw_verbs_server_config *config, char *text) {
    struct iw_verbs_server *server = calloc(1, sizeof *server);

    snprintf(text, IW_VERBS_TEXT_OCTETS, "not enough memory");
    if (!server)
        return NULL;
    server->config = *config;
    TAILQ_INIT(&server->sessions);
    server->log.fd = -1;
    if (!server_listen(server, text)) {
        free(server);
        return NULL;
    }
    if (config->agent.device->abilities.terminate_logged)
        iw_kernel_log_open(&server->log);
    return server;
}

void iw_verbs_server_free(struct iw_verbs_server *server) {
    if (!server)
        return;
    while (!TAILQ_EMPTY(&server->sessions))
        session_free(TAILQ_FIRST(&server->sessions));
    iw_kernel_log_close(&server->log);
    close(server->listener);
    free(server);
}

uint16_t iw_verbs_server_port(const struct iw_verbs_server *server) {
    struct sockaddr_storage own;
    socklen_t octets = sizeof own;

    if (getsockname(server->listener, (struct sockaddr *)&own, &octets) != 0)
        return 0;
    return ntohs(own.ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)(const void *)&own)->sin6_port
                                           : ((const struct sockaddr_in *)(const void *)&own)->sin_port);
}
