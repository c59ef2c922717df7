#include "iw_check_sctp.h"

#include <stdlib.h>

#include "iw_sctp_monitor.h"
#include "iw_sctp_table.h"

struct iw_check_sctp {
    struct iw_monitor_config config; /* of the sessions that begin now */
    const struct iw_check_handlers *handlers;
    void *user;
    struct iw_check_counts *counts;
    struct iw_sctp_table *table;
    uint64_t next_id; /* of a session */
    bool no_memory;
};

/* What hangs on an association. */
struct watch {
    struct iw_check_sctp *sctp;
    struct iw_sctp_association *association;
    struct iw_sctp_monitor *monitor;
};

static struct iw_check_stream *new_stream(
    struct watch *watch, struct iw_ddp_session *session, uint64_t time_ns) {
    const struct iw_sctp_association *association = watch->association;
    struct iw_check_stream *stream = calloc(1, sizeof *stream);

    if (!stream) {
        watch->sctp->no_memory = true;
        return NULL;
    }
    *stream = (struct iw_check_stream){.id = watch->sctp->next_id++,
        .address = {association->address[IW_SIDE_A], association->address[IW_SIDE_B]},
        .session = session->session,
        .association = &association->state,
        .paths = association,
        .monitor = session->monitor,
        .first_frame = session->session->first_frame,
        .first_time_ns = time_ns};
    session->user = stream;
    if (watch->sctp->next_id >= IW_CHECK_FIRST_STREAMS)
        watch->sctp->config.stags = IW_CHECK_LATER_STAGS;
    return stream;
}

static void take_event(void *user, struct iw_ddp_session *session, const struct iw_monitor_event *event) {
    struct watch *watch = user;
    struct iw_check_sctp *sctp = watch->sctp;
    struct iw_check_stream *stream =
        session->user ? session->user : new_stream(watch, session, event->mpa->time_ns);

    if (!stream)
        return;
    stream->last_frame = event->mpa->frame;
    stream->last_time_ns = event->mpa->time_ns;
    sctp->handlers->note(sctp->user, stream, event);
    sctp->handlers->event(sctp->user, stream, event);
}

static void end_session(void *user, struct iw_ddp_session *session) {
    struct watch *watch = user;
    struct iw_check_sctp *sctp = watch->sctp;
    struct iw_check_stream *stream = session->user;

    if (!stream)
        return;
    sctp->handlers->stream_end(sctp->user, stream);
    free(stream);
    session->user = NULL;
}

static struct watch *new_watch(struct iw_check_sctp *sctp, struct iw_sctp_association *association) {
    static const struct iw_ddp_session_handlers handlers = {take_event, end_session};
    struct watch *watch = calloc(1, sizeof *watch);

    if (!watch)
        return NULL;
    watch->sctp = sctp;
    watch->association = association;
    watch->monitor = iw_sctp_monitor_new(&sctp->config, &association->state, &handlers, watch);
    if (!watch->monitor) {
        free(watch);
        return NULL;
    }
    association->user = watch;
    return watch;
}

/* Most associations carry something else: a watch comes with the first chunk of DDP. */
static void take_message(
    void *user, struct iw_sctp_association *association, const struct iw_sctp_message *message) {
    struct iw_check_sctp *sctp = user;
    struct watch *watch = association->user;

    if (!watch && iw_sctp_message_is_ddp(message) && !(watch = new_watch(sctp, association)))
        sctp->no_memory = true;
    if (watch && !iw_sctp_monitor_feed(watch->monitor, message))
        sctp->no_memory = true;
}

static void take_close(
    void *user, struct iw_sctp_association *association, enum iw_side side, enum iw_sctp_end end) {
    struct watch *watch = association->user;

    (void)user;
    if (watch)
        iw_sctp_monitor_finish(watch->monitor,
            end == IW_SCTP_END_ABORT ? IW_SESSION_END_ABORT : IW_SESSION_END_ASSOCIATION, side,
            association->frame, association->time_ns);
}

static void take_stray(void *user, const struct iw_tcp_segment *packet) {
    struct iw_check_sctp *sctp = user;

    (void)packet;
    sctp->counts->tags++;
}

static void end_association(void *user, struct iw_sctp_association *association) {
    struct watch *watch = association->user;

    (void)user;
    if (!watch)
        return;
    iw_sctp_monitor_finish(
        watch->monitor, IW_SESSION_END_INPUT, IW_SIDE_A, association->frame, association->time_ns);
    iw_sctp_monitor_free(watch->monitor);
    free(watch);
    association->user = NULL;
}

struct iw_check_sctp *iw_check_sctp_new(const struct iw_monitor_config *config,
    const struct iw_check_handlers *handlers, void *user, struct iw_check_counts *counts) {
    static const struct iw_sctp_handlers table_handlers = {
        take_message, take_close, take_stray, end_association};
    struct iw_check_sctp *sctp = calloc(1, sizeof *sctp);

    if (!sctp)
        return NULL;
    sctp->config = *config;
    sctp->handlers = handlers;
    sctp->user = user;
    sctp->counts = counts;
    sctp->table = iw_sctp_table_new(NULL, &table_handlers, sctp);
    if (!sctp->table) {
        free(sctp);
        return NULL;
    }
    return sctp;
}

bool iw_check_sctp_packet(struct iw_check_sctp *sctp, const struct iw_tcp_segment *packet) {
    if (iw_sctp_table_packet(sctp->table, packet) != IW_OK)
        sctp->counts->dropped++;
    return !sctp->no_memory;
}

void iw_check_sctp_finish(struct iw_check_sctp *sctp) {
    iw_sctp_table_finish(sctp->table);
}

void iw_check_sctp_free(struct iw_check_sctp *sctp) {
    if (!sctp)
        return;
    iw_sctp_table_free(sctp->table);
    free(sctp);
}
