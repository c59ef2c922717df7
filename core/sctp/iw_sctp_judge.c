#include "iw_sctp_judge.h"

#include <stdlib.h>

struct iw_sctp_judge {
    const struct iw_monitor_config *config;
    const struct iw_sctp_judge_handlers *handlers;
    void *user;
    struct iw_sctp_table *table;
    enum iw_status status; /* other than IW_OK: DDP of the current packet is not judged */
    bool failed;           /* memory ran out for any packet, or at the end */
    bool freeing;          /* handlers are no longer called */
    uint64_t octets;       /* of memory for DDP Streams and sessions, */
    uint64_t octets_max;   /* and their limit */
};

/* The state per association. */
struct watch {
    struct iw_sctp_judge *judge;
    const struct iw_sctp_association *association;
    struct iw_sctp_monitor *monitor;
    uint64_t octets; /* its part of judge->octets */
    bool full;       /* a DDP Stream was refused: its later chunks could not be judged, nor is it known which
                        stream it was */
};

/* Stands for the monitor of an association if memory ran out for it. No later chunk creates one, as it would
 * be judged as the first chunk of its association. */
static struct watch not_watched;

static struct watch *sctp_watch_of(const struct iw_sctp_association *association) {
    return association->user == &not_watched ? NULL : association->user;
}

static void sctp_judge_note(struct iw_sctp_judge *judge, enum iw_status status) {
    if (judge->status != IW_ERR_NOMEM && status != IW_OK)
        judge->status = status;
    judge->failed |= status == IW_ERR_NOMEM;
}

/* Takes memory for the association, if there is enough. */
static bool sctp_watch_takes(struct watch *watch, uint64_t octets) {
    struct iw_sctp_judge *judge = watch->judge;

    if (octets > judge->octets_max - judge->octets)
        return false;
    judge->octets += octets;
    watch->octets += octets;
    return true;
}

static void sctp_watch_releases(struct watch *watch, uint64_t octets) {
    watch->judge->octets -= octets;
    watch->octets -= octets;
}

static bool sctp_watch_has_room(void *user) {
    return sctp_watch_takes(user, IW_SCTP_JUDGE_SESSION_OCTETS);
}

/* Whether the DDP Stream is known, or there is memory for it. */
static bool sctp_watch_has_stream(struct watch *watch, uint16_t stream) {
    if (iw_sctp_monitor_has_stream(watch->monitor, stream))
        return true;
    watch->full = watch->full || !sctp_watch_takes(watch, IW_SCTP_JUDGE_STREAM_OCTETS);
    return !watch->full;
}

static void sctp_watch_event(
    void *user, struct iw_judged_session *session, const struct iw_monitor_event *event) {
    const struct watch *watch = user;

    watch->judge->handlers->event(watch->judge->user, watch->association, session, event);
}

static void sctp_watch_end(void *user, struct iw_judged_session *session) {
    struct watch *watch = user;

    sctp_watch_releases(watch, IW_SCTP_JUDGE_SESSION_OCTETS);
    if (watch->judge->handlers->end)
        watch->judge->handlers->end(watch->judge->user, session);
}

static struct watch *sctp_watch_new(struct iw_sctp_judge *judge, struct iw_sctp_association *association) {
    static const struct iw_judged_session_handlers handlers = {
        sctp_watch_event, sctp_watch_end, sctp_watch_has_room};
    struct watch *watch = calloc(1, sizeof *watch);

    if (!watch)
        return &not_watched;
    watch->judge = judge;
    watch->association = association;
    watch->monitor = iw_sctp_monitor_new(judge->config, &association->state, &handlers, watch);
    if (!watch->monitor) {
        free(watch);
        return &not_watched;
    }
    return watch;
}

/* Most associations carry no DDP: the monitor is created at the first DDP chunk. */
static enum iw_status sctp_judge_message(struct iw_sctp_judge *judge, struct iw_sctp_association *association,
    const struct iw_sctp_message *message) {
    bool ddp = iw_sctp_message_is_ddp(message);
    struct watch *watch;

    if (!association->user && ddp)
        association->user = sctp_watch_new(judge, association);
    watch = sctp_watch_of(association);
    if (!watch)
        return ddp ? IW_ERR_NOMEM : IW_OK;
    if (ddp && !sctp_watch_has_stream(watch, message->stream))
        return IW_ERR_LIMIT;
    if (ddp && judge->handlers->message)
        judge->handlers->message(judge->user, watch->monitor, message);
    return iw_sctp_monitor_feed(watch->monitor, message);
}

static void sctp_judge_on_message(
    void *user, struct iw_sctp_association *association, const struct iw_sctp_message *message) {
    struct iw_sctp_judge *judge = user;

    sctp_judge_note(judge, sctp_judge_message(judge, association, message));
}

/* The sessions of the association end. */
static void sctp_judge_end_sessions(struct iw_sctp_judge *judge,
    const struct iw_sctp_association *association, enum iw_session_end end, enum iw_side side) {
    const struct watch *watch = sctp_watch_of(association);

    if (!watch)
        return;
    sctp_judge_note(
        judge, iw_sctp_monitor_finish(watch->monitor, end, side, association->frame, association->time_ns));
}

static void sctp_judge_on_close(
    void *user, struct iw_sctp_association *association, enum iw_side side, enum iw_sctp_end end) {
    sctp_judge_end_sessions(user, association,
        end == IW_SCTP_END_ABORT ? IW_SESSION_END_ABORT : IW_SESSION_END_ASSOCIATION, side);
}

static void sctp_judge_on_stray(void *user, const struct iw_tcp_segment *packet) {
    const struct iw_sctp_judge *judge = user;

    if (judge->handlers->stray)
        judge->handlers->stray(judge->user, packet);
}

static void sctp_judge_on_association_end(void *user, struct iw_sctp_association *association) {
    struct iw_sctp_judge *judge = user;
    struct watch *watch = sctp_watch_of(association);

    if (!judge->freeing)
        sctp_judge_end_sessions(judge, association, IW_SESSION_END_INPUT, IW_SIDE_A);
    association->user = NULL;
    if (!watch)
        return;
    sctp_watch_releases(watch, watch->octets);
    iw_sctp_monitor_free(watch->monitor);
    free(watch);
}

struct iw_sctp_judge *iw_sctp_judge_new(const struct iw_monitor_config *config,
    const struct iw_sctp_config *limits, const struct iw_sctp_judge_handlers *handlers, void *user) {
    static const struct iw_sctp_handlers table_handlers = {
        sctp_judge_on_message, sctp_judge_on_close, sctp_judge_on_stray, sctp_judge_on_association_end};
    struct iw_sctp_judge *judge = calloc(1, sizeof *judge);

    if (!judge)
        return NULL;
    judge->config = config;
    judge->handlers = handlers;
    judge->user = user;
    judge->octets_max = UINT64_MAX;
    judge->table = iw_sctp_table_new(limits, &table_handlers, judge);
    if (!judge->table) {
        free(judge);
        return NULL;
    }
    return judge;
}

void iw_sctp_judge_limit(struct iw_sctp_judge *judge, uint64_t octets) {
    judge->octets_max = octets;
}

enum iw_status iw_sctp_judge_packet(struct iw_sctp_judge *judge, const struct iw_tcp_segment *packet) {
    enum iw_status status;

    judge->status = IW_OK;
    status = iw_sctp_table_packet(judge->table, packet);
    return status == IW_OK ? judge->status : status;
}

bool iw_sctp_judge_failed(const struct iw_sctp_judge *judge) {
    return judge->failed;
}

enum iw_status iw_sctp_judge_finish(struct iw_sctp_judge *judge) {
    judge->status = IW_OK;
    iw_sctp_table_finish(judge->table);
    return judge->status;
}

void iw_sctp_judge_free(struct iw_sctp_judge *judge) {
    if (!judge)
        return;
    judge->freeing = true;
    iw_sctp_table_free(judge->table);
    free(judge);
}
