#include "iw_sctp_monitor.h"

#include <stdlib.h>

/* A session with its monitor: an entry of the list of active sessions. */
struct watch {
    struct iw_judged_session public;
    struct iw_sctp_monitor *monitor;
    struct watch *next, *previous;
};

struct iw_sctp_monitor {
    const struct iw_monitor_config *config;
    const struct iw_judged_session_handlers *handlers;
    void *user;
    struct iw_sessions *sessions;
    struct watch *watches;
    enum iw_status status; /* of the current user data */
};

/* Values of session->user if memory ran out for the monitor, or the user has no memory for it: the rest of
 * the session is not judged. */
static struct watch not_watched, beyond_limit;

static void sctp_monitor_take_event(void *user, const struct iw_monitor_event *event) {
    struct watch *watch = user;

    if (watch->monitor->handlers->event != NULL)
        watch->monitor->handlers->event(watch->monitor->user, &watch->public, event);
}

static void sctp_monitor_watch_release(struct watch *watch) {
    *(watch->previous != NULL ? &watch->previous->next : &watch->monitor->watches) = watch->next;
    if (watch->next != NULL)
        watch->next->previous = watch->previous;
    iw_monitor_free(watch->public.monitor);
    free(watch);
}

static struct watch *sctp_monitor_watch_new(struct iw_sctp_monitor *monitor, struct iw_session *session) {
    struct watch *watch = calloc(1, sizeof *watch);

    if (watch == NULL)
        return NULL;
    watch->public.monitor = iw_monitor_new(monitor->config, sctp_monitor_take_event, watch);
    if (watch->public.monitor == NULL) {
        free(watch);
        return NULL;
    }
    watch->public.session = session;
    watch->monitor = monitor;
    watch->next = monitor->watches;
    if (watch->next != NULL)
        watch->next->previous = watch;
    monitor->watches = watch;
    return watch;
}

/* The watch on a session that begins. */
static struct watch *sctp_monitor_watch(struct iw_sctp_monitor *monitor, struct iw_session *session) {
    struct watch *watch = &beyond_limit;

    if (monitor->handlers->has_room == NULL || monitor->handlers->has_room(monitor->user))
        watch = sctp_monitor_watch_new(monitor, session);
    if (watch == NULL)
        watch = &not_watched;
    session->user = watch;
    return watch;
}

static void sctp_monitor_take_session(void *user, const struct iw_llp_event *event) {
    struct iw_sctp_monitor *monitor = user;
    struct iw_session *session = event->session->session;
    struct watch *watch = session->user;

    if (watch == NULL && event->kind != IW_LLP_CLOSE)
        watch = sctp_monitor_watch(monitor, session);
    if (watch == &not_watched)
        monitor->status = IW_ERR_NOMEM;
    else if (watch == &beyond_limit && monitor->status == IW_OK)
        monitor->status = IW_ERR_LIMIT;
    if (watch == NULL || watch == &not_watched || watch == &beyond_limit)
        return;
    iw_monitor_session(watch->public.monitor, event);
    if (event->kind != IW_LLP_CLOSE)
        return;
    if (monitor->handlers->end != NULL)
        monitor->handlers->end(monitor->user, &watch->public);
    session->user = NULL;
    sctp_monitor_watch_release(watch);
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
    while (monitor->watches != NULL)
        sctp_monitor_watch_release(monitor->watches);
    iw_sessions_free(monitor->sessions);
    free(monitor);
}
