#include "iw_agent_session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_agent_token.h"

const char iw_agent_sessions_full[] =
    "{\"id\":null,\"error\":{\"code\":\"memory\",\"text\":\"there are too many sessions\"}}\n";

void iw_agent_sessions_init(
    struct iw_agent_sessions *sessions, const struct iw_agent_session_handlers *handlers, const char *token) {
    *sessions = (struct iw_agent_sessions){.handlers = handlers, .token = token};
    TAILQ_INIT(&sessions->list);
}

bool iw_agent_sessions_admit(struct iw_agent_sessions *sessions) {
    const struct iw_agent_session *oldest = TAILQ_FIRST(&sessions->list);

    if (sessions->count < IW_AGENT_SESSIONS_MAX)
        return true;
    while (oldest && (oldest->agent || oldest->hello))
        oldest = TAILQ_NEXT(oldest, all);
    if (!oldest)
        return false;
    sessions->handlers->free(oldest->user);
    return true;
}

void iw_agent_sessions_free(struct iw_agent_sessions *sessions) {
    while (!TAILQ_EMPTY(&sessions->list))
        sessions->handlers->free(TAILQ_FIRST(&sessions->list)->user);
}

void iw_agent_session_begin(
    struct iw_agent_session *session, struct iw_agent_sessions *sessions, void *user) {
    session->sessions = sessions;
    session->user = user;
    session->lines.limit = IW_AGENT_HELLO_MAX; /* a client without the token must not use much memory */
    TAILQ_INSERT_TAIL(&sessions->list, session, all);
    sessions->count++;
}

void iw_agent_session_dispose(struct iw_agent_session *session) {
    TAILQ_REMOVE(&session->sessions->list, session, all);
    session->sessions->count--;
    json_decref(session->hello);
    iw_agent_lines_dispose(&session->lines);
}

void iw_agent_session_end(struct iw_agent_session *session) {
    if (session->over)
        return;
    session->over = true;
    json_decref(session->hello);
    session->hello = NULL;
    session->sessions->handlers->end(session->user);
}

static bool agent_session_write(const struct iw_agent_session *session, json_t *value) {
    size_t length;
    char *line = iw_agent_lines_text(value, &length);
    bool written = session->sessions->handlers->write(session->user, line, length);

    free(line);
    return written;
}

void iw_agent_session_event(void *user, json_t *event) {
    const struct iw_agent_session *session = user;

    if (session->over)
        json_decref(event);
    else
        agent_session_write(session, event);
}

/* ---- requests ---- */

static json_t *agent_session_reject(
    struct iw_agent_session *session, const json_t *request, const char *code, const char *text) {
    iw_agent_session_end(session);
    return iw_agent_error(json_object_get(request, "id"), code, NULL, text);
}

/* Rejects a first request that is no hello with a valid token: such a client gets only the error. Returns
 * NULL if it is one. */
static json_t *agent_session_check_hello(struct iw_agent_session *session, const json_t *request) {
    const char *token = session->sessions->token;
    const char *op = json_string_value(json_object_get(request, "op"));
    const char *given = json_string_value(json_object_get(request, "token"));

    if (!op || strcmp(op, "hello") != 0)
        return agent_session_reject(session, request, "protocol", "the first request must be hello");
    if (token && !iw_agent_token_equal(token, given))
        return agent_session_reject(session, request, "token", "wrong token");
    return NULL;
}

static json_t *agent_session_open(struct iw_agent_session *session, const json_t *hello) {
    const struct iw_agent_session_handlers *handlers = session->sessions->handlers;
    char text[IW_AGENT_TEXT_OCTETS];

    session->agent = handlers->open(session->user, text);
    if (!session->agent)
        return agent_session_reject(session, hello, "memory", text);
    return handlers->execute(session->agent, hello);
}

/* An error in the answer to the first request, or to a line that is no request, ends the session. */
static bool agent_session_ends_with(const json_t *answer, bool first) {
    const json_t *error = json_object_get(answer, "error");
    const char *code = json_string_value(json_object_get(error, "code"));

    return error && (first || (code && strcmp(code, "protocol") == 0));
}

/* Releases the answer. Returns whether the session continues. */
static bool agent_session_answer(struct iw_agent_session *session, json_t *answer, bool first) {
    if (agent_session_ends_with(answer, first))
        iw_agent_session_end(session);
    return agent_session_write(session, answer) && !session->over;
}

static bool agent_session_begin(struct iw_agent_session *session, const json_t *hello) {
    const struct iw_agent_session_handlers *handlers = session->sessions->handlers;
    json_t *error;

    assert(!session->hello);
    error = agent_session_check_hello(session, hello);
    if (error)
        return agent_session_answer(session, error, true);
    session->lines.limit = IW_AGENT_LINE_MAX;
    if (!handlers->waits || !handlers->waits(session->user))
        return agent_session_answer(session, agent_session_open(session, hello), true);
    session->hello = json_incref((json_t *)hello);
    return true;
}

bool iw_agent_session_proceed(struct iw_agent_session *session) {
    json_t *hello = session->hello;
    bool more;

    session->hello = NULL;
    more = agent_session_answer(session, agent_session_open(session, hello), true);
    json_decref(hello);
    return more;
}

/* A second hello, which might have another token or version, would change nothing. */
static json_t *agent_session_execute(struct iw_agent_session *session, const json_t *request) {
    const char *op = json_string_value(json_object_get(request, "op"));

    if (op && strcmp(op, "hello") == 0)
        return iw_agent_error(
            json_object_get(request, "id"), "argument", "op", "op takes hello only in the first request");
    return session->sessions->handlers->execute(session->agent, request);
}

static bool agent_session_take_line(void *user, const json_t *value, const char *error) {
    struct iw_agent_session *session = user;

    if (!value)
        return agent_session_answer(session, agent_session_reject(session, NULL, "protocol", error), true);
    if (!session->agent)
        return agent_session_begin(session, value);
    return agent_session_answer(session, agent_session_execute(session, value), false);
}

bool iw_agent_session_receive(struct iw_agent_session *session, const uint8_t *octets, size_t length) {
    char text[IW_AGENT_TEXT_OCTETS];
    enum iw_agent_feed fed =
        iw_agent_lines_feed(&session->lines, octets, length, agent_session_take_line, session);

    if (fed == IW_AGENT_FEED_TOO_LONG) {
        snprintf(text, sizeof text, "a line has at most %zu octets%s", iw_agent_lines_limit(&session->lines),
            session->agent ? "" : " before the answer to hello");
        agent_session_write(session, agent_session_reject(session, NULL, "protocol", text));
    }
    return fed != IW_AGENT_FEED_NO_MEMORY;
}
