#include "iw_agent_session.h"

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
    while (oldest && oldest->agent)
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
    TAILQ_INSERT_TAIL(&sessions->list, session, all);
    sessions->count++;
}

void iw_agent_session_dispose(struct iw_agent_session *session) {
    TAILQ_REMOVE(&session->sessions->list, session, all);
    session->sessions->count--;
    iw_agent_lines_dispose(&session->lines);
}

void iw_agent_session_end(struct iw_agent_session *session) {
    if (session->over)
        return;
    session->over = true;
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

/* Handles the first request. A client without a valid token gets only the error. */
static json_t *agent_session_hello(struct iw_agent_session *session, const json_t *request) {
    const struct iw_agent_sessions *sessions = session->sessions;
    const char *op = json_string_value(json_object_get(request, "op"));
    const char *given = json_string_value(json_object_get(request, "token"));
    char text[IW_AGENT_TEXT_OCTETS];

    if (!op || strcmp(op, "hello") != 0)
        return agent_session_reject(session, request, "protocol", "the first request must be hello");
    if (sessions->token && !iw_agent_token_equal(sessions->token, given))
        return agent_session_reject(session, request, "token", "wrong token");
    session->agent = sessions->handlers->open(session->user, text);
    if (!session->agent)
        return agent_session_reject(session, request, "memory", text);
    return sessions->handlers->execute(session->agent, request);
}

/* An error in the answer to the first request, or to a line that is no request, ends the session. */
static bool agent_session_ends_with(const json_t *answer, bool first) {
    const json_t *error = json_object_get(answer, "error");
    const char *code = json_string_value(json_object_get(error, "code"));

    return error && (first || (code && strcmp(code, "protocol") == 0));
}

static bool agent_session_take_line(void *user, const json_t *value, const char *error) {
    struct iw_agent_session *session = user;
    bool first = !session->agent;
    json_t *answer;

    if (!value)
        answer = agent_session_reject(session, NULL, "protocol", error);
    else if (first)
        answer = agent_session_hello(session, value);
    else
        answer = session->sessions->handlers->execute(session->agent, value);
    if (agent_session_ends_with(answer, first))
        iw_agent_session_end(session);
    return agent_session_write(session, answer) && !session->over;
}

bool iw_agent_session_receive(struct iw_agent_session *session, const uint8_t *octets, size_t length) {
    enum iw_agent_feed fed =
        iw_agent_lines_feed(&session->lines, octets, length, agent_session_take_line, session);

    if (fed == IW_AGENT_FEED_TOO_LONG)
        agent_session_write(
            session, agent_session_reject(session, NULL, "protocol", "a line has at most 1048576 octets"));
    return fed != IW_AGENT_FEED_NO_MEMORY;
}
