#include "iw_verbs_server.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "iw_agent_session.h"
#include "iw_array.h"

enum {
    POLL_MS = 1, /* while messages may arrive without an event */
    READ_OCTETS = 64 << 10,
    TURN_MS = 20,  /* in which a session executes requests, the last of which may take longer */
    FDS_FIXED = 3, /* listener, kernel log, asynchronous events */
    FDS_SESSION = 1 + IW_VERBS_AGENT_FDS,
};

/* The TLS of a session. */
struct secure {
    struct iw_tls *tls; /* NULL: no TLS */
    uint8_t plain[IW_TLS_RECORD_OCTETS];
    size_t at, length; /* octets of `plain` that are not executed yet */
    bool more; /* the last turn has decrypted something: there may be more, of which poll(2) does not know */
};

struct session {
    struct iw_agent_session base; /* if it is over, to be closed once the queued octets are sent */
    struct iw_verbs_server *server;
    int tcp;
    struct secure *secure; /* NULL: no TLS */
    int64_t deadline_ms;   /* of the hello, or of the end */
    char *out;
    size_t sent;   /* octets at the beginning of `out` that TCP has taken */
    size_t queued; /* octets after them */
    uint32_t capacity;
    bool lost;
};

struct iw_verbs_server {
    struct iw_verbs_server_config config;
    int listener;
    struct iw_kernel_log log;
    struct iw_agent_sessions sessions;
    struct pollfd fds[FDS_FIXED + IW_AGENT_SESSIONS_MAX * FDS_SESSION];
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

static bool session_queue(struct session *session, const void *octets, size_t length) {
    session_compact(session);
    session->lost |=
        session->queued + length > IW_AGENT_BACKLOG_MAX ||
        !iw_array_reserve(&session->out, &session->capacity, session->sent + session->queued + length, 1);
    if (session->lost)
        return false;
    memcpy(session->out + session->sent + session->queued, octets, length);
    session->queued += length;
    return true;
}

/* Queues what TLS has encrypted. */
static bool session_queue_encrypted(struct session *session) {
    uint8_t octets[4096];
    size_t length;

    while ((length = iw_tls_output(session->secure->tls, octets, sizeof octets)) > 0)
        if (!session_queue(session, octets, length))
            return false;
    return true;
}

static bool session_write(void *user, const char *line, size_t length) {
    struct session *session = user;

    session->lost |= !line;
    if (session->lost || !session->secure)
        return !session->lost && session_queue(session, line, length);
    session->lost |= !iw_tls_write(session->secure->tls, (const uint8_t *)line, length);
    return !session->lost && session_queue_encrypted(session);
}

static void secure_free(struct secure *secure) {
    if (secure)
        iw_tls_free(secure->tls);
    free(secure);
}

static void session_free(void *user) {
    struct session *session = user;

    session_flush(session);
    iw_verbs_agent_free(session->base.agent);
    iw_agent_session_dispose(&session->base);
    close(session->tcp);
    free(session->out);
    secure_free(session->secure);
    free(session);
}

/* Whether the session waits for another one: a fixed port of the device allows one session at a time. Those
 * with a hello take turns, the oldest first. */
static bool session_waits(void *user) {
    const struct session *session = user;
    const struct iw_agent_session *other;
    bool older = true;

    if (session->server->config.agent.port == 0)
        return false;
    TAILQ_FOREACH(other, &session->server->sessions.list, all) {
        if (other == &session->base)
            older = false;
        else if (other->agent || (other->hello && older))
            return true;
    }
    return false;
}

/* Whether the session has to end unless it does something soon. */
static bool session_expires(const struct session *session) {
    return session->base.over || (!session->base.agent && !session->base.hello);
}

/* Ends what the session has on the device at once: it may keep out others. The client can still take the
 * answer. */
static void session_end(void *user) {
    struct session *session = user;

    session->deadline_ms = server_now_ms() + IW_AGENT_HELLO_MS;
    iw_verbs_agent_free(session->base.agent);
    session->base.agent = NULL;
}

static struct iw_agent *session_open(void *user, char *text) {
    struct session *session = user;
    struct iw_verbs_agent_config config = session->server->config.agent;

    config.log = &session->server->log;
    config.event = iw_agent_session_event;
    config.user = &session->base;
    return iw_verbs_agent_new(&config, text);
}

/* Executes lines, at least one, until the session's time is over or it waits for another session. Returns the
 * octets used: all of them once the session is over. */
static size_t session_execute(struct session *session, const uint8_t *octets, size_t length) {
    int64_t end_ms = server_now_ms() + TURN_MS;
    size_t used = 0;

    do {
        const uint8_t *newline = memchr(octets + used, '\n', length - used);
        size_t part = newline ? (size_t)(newline + 1 - octets) - used : length - used;

        session->lost |= !iw_agent_session_receive(&session->base, octets + used, part);
        used += part;
    } while (used < length && !session->base.over && !session->base.hello && !session->lost &&
             server_now_ms() < end_ms);
    return session->base.over ? length : used;
}

/* The requests that are left stay in TCP, so that the client cannot keep other sessions waiting: poll(2)
 * finds them again. */
static void session_read(struct session *session) {
    static uint8_t octets[READ_OCTETS];
    ssize_t length = recv(session->tcp, octets, sizeof octets, MSG_DONTWAIT | MSG_PEEK);
    size_t used;

    if (length <= 0) {
        session->lost |= length == 0 || (errno != EAGAIN && errno != EINTR);
        return;
    }
    used = session_execute(session, octets, (size_t)length);
    session->lost |= recv(session->tcp, octets, used, MSG_DONTWAIT) != (ssize_t)used;
}

/* Decrypts at most one record; reads TCP only if no whole record is left. Returns the octets, 0 or -1. */
static int secure_fill(struct session *session, struct secure *secure) {
    uint8_t octets[IW_TLS_RECORD_OCTETS];
    int plain = iw_tls_read(secure->tls, secure->plain, sizeof secure->plain);
    ssize_t length;

    if (plain != 0)
        return plain;
    length = recv(session->tcp, octets, sizeof octets, MSG_DONTWAIT);
    if (length <= 0) {
        session->lost |= length == 0 || (errno != EAGAIN && errno != EINTR);
        return 0;
    }
    session->lost |= !iw_tls_feed(secure->tls, octets, (size_t)length);
    return iw_tls_read(secure->tls, secure->plain, sizeof secure->plain);
}

/* Requests that are left wait in `plain`, as without TLS they do in TCP. */
static void session_read_tls(struct session *session) {
    struct secure *secure = session->secure;
    int length = (int)secure->length;

    if (length == 0) {
        length = secure_fill(session, secure);
        session->lost |= !session_queue_encrypted(session);
        secure->at = 0;
        secure->length = length > 0 ? (size_t)length : 0;
    }
    secure->more = length > 0;
    if (length < 0)
        iw_agent_session_end(&session->base); /* once TCP has taken the alert */
    if (length > 0 && !session->lost) {
        size_t used = session_execute(session, secure->plain + secure->at, secure->length);

        secure->at += used;
        secure->length -= used;
    }
}

/* ---- TCP ---- */

/* Lets an event leave before the suite's TCP has acknowledged the one before, and ends the session of a suite
 * that has vanished. */
static void server_set_options(int tcp) {
    int on = 1;

    setsockopt(tcp, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(tcp, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

static struct session *server_session_new(struct iw_verbs_server *server) {
    struct session *session = iw_agent_sessions_admit(&server->sessions) ? calloc(1, sizeof *session) : NULL;

    if (!session || !server->config.tls)
        return session;
    session->secure = calloc(1, sizeof *session->secure);
    if (session->secure)
        session->secure->tls = iw_tls_new(server->config.tls, NULL);
    if (session->secure && session->secure->tls)
        return session;
    secure_free(session->secure);
    free(session);
    return NULL;
}

/* A client of TLS could not read the line that says why. */
static void server_reject(const struct iw_verbs_server *server, int tcp) {
    if (!server->config.tls)
        send(tcp, iw_agent_sessions_full, strlen(iw_agent_sessions_full), MSG_NOSIGNAL);
    close(tcp);
}

static void server_accept(struct iw_verbs_server *server) {
    int tcp = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct session *session;

    if (tcp < 0)
        return;
    session = server_session_new(server);
    if (!session) {
        server_reject(server, tcp);
        return;
    }
    server_set_options(tcp);
    session->server = server;
    session->tcp = tcp;
    session->deadline_ms = server_now_ms() + IW_AGENT_HELLO_MS;
    iw_agent_session_begin(&session->base, &server->sessions, session);
}

static int server_bind(const struct addrinfo *at) {
    int on = 1, tcp = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (tcp >= 0 && setsockopt(tcp, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(tcp, at->ai_addr, at->ai_addrlen) == 0 && listen(tcp, IW_AGENT_SESSIONS_MAX) == 0)
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
    const struct iw_agent_session *base;
    bool busy = false, expires = false, proceeds = false;

    fds[0] = (struct pollfd){.fd = server->listener, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = server->log.fd, .events = POLLIN};
    fds[2] = (struct pollfd){.fd = server->config.agent.device->context->async_fd, .events = POLLIN};
    *count = FDS_FIXED;
    TAILQ_FOREACH(base, &server->sessions.list, all) {
        struct session *session = base->user;

        fds[*count] = (struct pollfd){.fd = base->hello ? -1 : session->tcp,
            .events = (short)((base->over ? 0 : POLLIN) | (session->queued > 0 ? POLLOUT : 0))};
        ++*count;
        expires |= session_expires(session);
        proceeds |=
            base->hello ? !session_waits(session) : session->secure && session->secure->more && !base->over;
        if (base->agent) {
            iw_verbs_agent_poll(base->agent, fds + *count, &busy);
            *count += IW_VERBS_AGENT_FDS;
        }
    }
    return proceeds ? 0 : busy ? POLL_MS : expires ? 100 : -1;
}

static void server_session_turn(struct session *session) {
    if (session->base.agent)
        iw_verbs_agent_drain(session->base.agent);
    if (session->base.hello && !session_waits(session))
        iw_agent_session_proceed(&session->base);
    if (!session->base.over && !session->base.hello && session->secure)
        session_read_tls(session);
    else if (!session->base.over && !session->base.hello)
        session_read(session);
    session_flush(session);
    if (session->lost || (session->base.over && session->queued == 0) ||
        (session_expires(session) && server_now_ms() > session->deadline_ms))
        session_free(session);
}

static void server_end_sessions(struct iw_verbs_server *server) {
    const struct iw_agent_session *session;

    while ((session = TAILQ_FIRST(&server->sessions.list))) {
        if (session->agent)
            iw_verbs_agent_lose_device(session->agent);
        session_free(session->user);
    }
}

bool iw_verbs_server_turn(struct iw_verbs_server *server) {
    struct iw_verbs_device *device = server->config.agent.device;
    const struct iw_agent_session *session, *next;
    nfds_t count;
    int timeout_ms = server_prepare(server, &count);
    struct timespec timeout = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};

    ppoll(server->fds, count, timeout_ms < 0 ? NULL : &timeout, server->config.unblocked);
    iw_kernel_log_read(&server->log);
    iw_verbs_agent_read_async(device);
    for (session = TAILQ_FIRST(&server->sessions.list); session && !device->gone; session = next) {
        next = TAILQ_NEXT(session, all);
        server_session_turn(session->user);
    }
    if (device->gone)
        server_end_sessions(server);
    else if (server->fds[0].revents)
        server_accept(server);
    return !device->gone;
}

struct iw_verbs_server *iw_verbs_server_new(const struct iw_verbs_server_config *config, char *text) {
    static const struct iw_agent_session_handlers handlers = {.waits = session_waits,
        .open = session_open,
        .execute = iw_verbs_agent_execute,
        .write = session_write,
        .end = session_end,
        .free = session_free};
    struct iw_verbs_server *server = calloc(1, sizeof *server);

    snprintf(text, IW_VERBS_TEXT_OCTETS, "not enough memory");
    if (!server)
        return NULL;
    server->config = *config;
    iw_agent_sessions_init(&server->sessions, &handlers, config->token);
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
    iw_agent_sessions_free(&server->sessions);
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
