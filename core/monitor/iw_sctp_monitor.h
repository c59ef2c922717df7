#pragma once

#include "iw_monitor.h"
#include "iw_status.h"

/* The monitors of one SCTP association: takes user data, and reports the events of each DDP Stream Session.
 * Every session has its own monitor, like every connection over TCP. */

struct iw_judged_session {
    const struct iw_session *session;
    struct iw_monitor *monitor;
    void *user; /* for the user's own use; NULL at first */
};

/* Each handler may be NULL. */
struct iw_judged_session_handlers {
    /* `event` is valid during the call only; its `llp->session` is not NULL. */
    void (*event)(void *user, struct iw_judged_session *session, const struct iw_monitor_event *event);
    /* Called after the last event of each session. The session is freed afterwards. */
    void (*end)(void *user, struct iw_judged_session *session);
    /* Whether the user has memory for the monitor of one more session. If not, that session is not judged. */
    bool (*has_room)(void *user);
};

struct iw_sctp_monitor;

/* Keeps references: reads `state` of the association whenever user data arrive, `config` whenever a session
 * begins, and `handlers` at each event. Returns NULL if memory ran out. */
struct iw_sctp_monitor *iw_sctp_monitor_new(const struct iw_monitor_config *config,
    const struct iw_sctp_state *state, const struct iw_judged_session_handlers *handlers, void *user);

/* Takes the next user data. Returns IW_ERR_NOMEM (memory ran out) or IW_ERR_LIMIT (`has_room` returned false)
 * if these user data, or data that waited for them, are not judged. */
enum iw_status iw_sctp_monitor_feed(struct iw_sctp_monitor *monitor, const struct iw_sctp_message *message);

/* See iw_sessions_has_stream and iw_sessions_next. */
bool iw_sctp_monitor_has_stream(const struct iw_sctp_monitor *monitor, uint16_t stream);
bool iw_sctp_monitor_next(
    const struct iw_sctp_monitor *monitor, enum iw_side side, uint16_t stream, uint16_t *ssn);

/* The association ends, and so do all its sessions. Returns the same values as iw_sctp_monitor_feed. */
enum iw_status iw_sctp_monitor_finish(struct iw_sctp_monitor *monitor, enum iw_session_end end,
    enum iw_side side, uint64_t frame, uint64_t time_ns);

/* Frees everything without further events, also of sessions that have not ended. NULL is allowed. */
void iw_sctp_monitor_free(struct iw_sctp_monitor *monitor);
