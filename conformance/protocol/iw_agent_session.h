#pragma once

#include <sys/queue.h>

#include "iw_agent_lines.h"
#include "iw_agent_operation.h"

/* The sessions of an agent (docs/agent.md) without the transport: a server passes the octets that it receives
 * to a session, and writes what the session answers. */

enum {
    IW_AGENT_SESSIONS_MAX = 64,      /* concurrent sessions */
    IW_AGENT_HELLO_MS = 10000,       /* timeout for the hello */
    IW_AGENT_BACKLOG_MAX = 64 << 20, /* octets queued for a suite; the session ends beyond that */
};

/* What a server does for its sessions; `user` is that of iw_agent_session_begin. */
struct iw_agent_session_handlers {
    /* Whether the session has to wait for another one before `open`; the server calls
     * iw_agent_session_proceed later, and passes no octets meanwhile. NULL: no session waits. */
    bool (*waits)(void *user);
    /* Creates the agent, whose events go to iw_agent_session_event. Returns NULL with one line in `text`, of
     * IW_AGENT_TEXT_OCTETS octets, on failure. */
    struct iw_agent *(*open)(void *user, char *text);
    json_t *(*execute)(struct iw_agent *agent, const json_t *request);
    /* Writes a line, with its newline; `line` is NULL if memory has run out. Returns false if the session
     * cannot continue. */
    bool (*write)(void *user, const char *line, size_t length);
    /* The session is over; the answer to its last request is written after that. */
    void (*end)(void *user);
    void (*free)(void *user);
};

/* The sessions of a server, the oldest first. */
struct iw_agent_sessions {
    const struct iw_agent_session_handlers *handlers;
    const char *token; /* required from every session; NULL: no token */
    TAILQ_HEAD(, iw_agent_session) list;
    unsigned count;
};

struct iw_agent_session {
    struct iw_agent_sessions *sessions;
    void *user;
    struct iw_agent_lines lines;
    struct iw_agent *agent; /* NULL before the answer to hello; the server frees it */
    json_t *hello;          /* that waits for another session, or NULL */
    bool over;
    TAILQ_ENTRY(iw_agent_session) all;
};

/* The line for a client whose session is rejected because of the limit, with its newline. */
extern const char iw_agent_sessions_full[];

/* The pointers are borrowed. */
void iw_agent_sessions_init(
    struct iw_agent_sessions *sessions, const struct iw_agent_session_handlers *handlers, const char *token);

/* Whether a further session can begin. At the limit, it replaces the oldest session without a valid hello:
 * idle connections must not keep out others. */
bool iw_agent_sessions_admit(struct iw_agent_sessions *sessions);

void iw_agent_sessions_free(struct iw_agent_sessions *sessions);

/* Adds `session`, initialised with zeros, to the sessions. */
void iw_agent_session_begin(struct iw_agent_session *session, struct iw_agent_sessions *sessions, void *user);
void iw_agent_session_dispose(struct iw_agent_session *session);

/* Writes the event, or drops it if the session is over. */
void iw_agent_session_event(void *session, json_t *event);

/* Does nothing if the session is over. */
void iw_agent_session_end(struct iw_agent_session *session);

/* Opens the device for a session whose hello has waited, and answers the hello. Returns false if the session
 * is over. */
bool iw_agent_session_proceed(struct iw_agent_session *session);

/* Executes and answers the requests in what the client has sent. Returns false if memory runs out. */
bool iw_agent_session_receive(struct iw_agent_session *session, const uint8_t *octets, size_t length);
