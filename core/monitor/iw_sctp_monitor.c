#include "iw_sctp_monitor.h"

#include <stdlib.h>

/* A session with its monitor: an entry of the list of active sessions. */
struct monitored_session {
    struct iw_judged_session public;
    struct iw_sctp_monitor *monitor;
    struct monitored_session *next, *previous;
};

struct iw_sctp_monitor {
    const struct iw_monitor_config *config;
    const struct iw_judged_session_handlers *handlers;
    void *user;
    struct iw_sessions *sessions;
    struct monitored_session *active;
    enum iw_status status; /* result of the current call */
};

/* Values of session->user without memory, or beyond the user's limit: the session is not judged. */
static struct monitored_session memory_ran_out, beyond_limit;

static void sctp_monitor_take_event(void *user, const struct iw_monitor_event *event) {
    struct monitored_session *entry = user;

    if (entry->monitor->handlers->event != NULL)
        entry->monitor->handlers->event(entry->monitor->user, &entry->public, event);
}

static void monitored_session_free(struct monitored_session *entry) {
    *(entry->previous != NULL ? &entry->previous->next : &entry->monitor->active) = entry->next;
    if (entry->next != NULL)
        entry->next->previous = entry->previous;
    iw_monitor_free(entry->public.monitor);
    free(entry);
}

static struct monitored_session *monitored_session_new(
    struct iw_sctp_monitor *monitor, struct iw_session *session) {
    struct monitored_session *entry = calloc(1, sizeof *entry);

    if (entry == NULL)
        return NULL;
    entry->public.monitor = iw_monitor_new(monitor->config, sctp_monitor_take_event, entry);
    if (entry->public.monitor == NULL) {
        free(entry);
        return NULL;
    }
    entry->public.session = session;
    entry->monitor = monitor;
    entry->next = monitor->active;
    if (entry->next != NULL)
        entry->next->previous = entry;
    monitor->active = entry;
    return entry;
}

static struct monitored_session *sctp_monitor_begin_session(
    struct iw_sctp_monitor *monitor, struct iw_session *session) {
    struct monitored_session *entry = &beyond_limit;

    if (monitor->handlers->has_room == NULL || monitor->handlers->has_room(monitor->user))
        entry = monitored_session_new(monitor, session);
    if (entry == NULL)
        entry = &memory_ran_out;
    session->user = entry;
    return entry;
}

static void sctp_monitor_take_session(void *user, const struct iw_llp_event *event) {
    struct iw_sctp_monitor *monitor = user;
    struct iw_session *session = event->session->session;
    struct monitored_session *entry = session->user;

    if (entry == NULL && event->kind != IW_LLP_CLOSE)
        entry = sctp_monitor_begin_session(monitor, session);
    if (entry == &memory_ran_out)
        monitor->status = IW_ERR_NOMEM;
    else if (entry == &beyond_limit && monitor->status == IW_OK)
        monitor->status = IW_ERR_LIMIT;
    if (entry == NULL || entry == &memory_ran_out || entry == &beyond_limit)
        return;
    iw_monitor_session(entry->public.monitor, event);
    if (event->kind != IW_LLP_CLOSE)
        return;
    if (monitor->handlers->end != NULL)
        monitor->handlers->end(monitor->user, &entry->public);
    session->user = NULL;
    monitored_session_free(entry);
}

struct iw_sctp_monitor *iw_sctp_monitor_new(const struct iw_monitor_config *config,
    const struct iw_sctp_state *state, const struct iw_judged_session_handlers *handlers, void *user) {
    struct iw_sctp_monitor *monitor = calloc(1, sizeof *monitor);

    if (monitor == NULL)
        return NULL;
    monitor->config = config;
    monitor->handlers = handlers;
    monitor->user = user;
    monitor->sessions = iw_sessions_new(state, sctp_monitor_take_session, monitor);
    if (monitor->sessions == NULL) {
        free(monitor);
        return NULL;
    }
    return monitor;
}

enum iw_status iw_sctp_monitor_feed(struct iw_sctp_monitor *monitor, const struct iw_sctp_message *message) {
    monitor->status = IW_OK;
    return iw_sessions_feed(monitor->sessions, message) ? monitor->status : IW_ERR_NOMEM;
}

bool iw_sctp_monitor_has_stream(const struct iw_sctp_monitor *monitor, uint16_t stream) {
    return iw_sessions_has_stream(monitor->sessions, stream);
}

bool iw_sctp_monitor_next(
    const struct iw_sctp_monitor *monitor, enum iw_side side, uint16_t stream, uint16_t *ssn) {
    return iw_sessions_next(monitor->sessions, side, stream, ssn);
}

enum iw_status iw_sctp_monitor_finish(struct iw_sctp_monitor *monitor, enum iw_session_end end,
    enum iw_side side, uint64_t frame, uint64_t time_ns) {
    monitor->status = IW_OK;
    iw_sessions_finish(monitor->sessions, end, side, frame, time_ns);
    return monitor->status;
}

void iw_sctp_monitor_free(struct iw_sctp_monitor *monitor) {
    if (monitor == NULL)
        return;
    while (monitor->active != NULL)
        monitored_session_free(monitor->active);
    iw_sessions_free(monitor->sessions);
    free(monitor);
}
