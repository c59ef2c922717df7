#include "iw_sctp_judge.h"

#include <stdlib.h>

struct iw_sctp_judge {
    const struct iw_monitor_config *config;
    const struct iw_sctp_judge_handlers *handlers;
    void *user;
    struct iw_sctp_table *table;
    bool unjudged; /* memory ran out, so DDP of the current packet is not judged */
    bool failed;   /* the same for an earlier packet, or at the end */
};

/* The state per association. */
struct watch {
    struct iw_sctp_judge *judge;
    const struct iw_sctp_association *association;
    struct iw_sctp_monitor *monitor;
};

/* Stands for the monitor of an association if memory ran out for it. No later chunk creates one, as it would
 * be judged as the first chunk of its association. */
static struct watch not_watched;

static struct watch *sctp_watch_of(const struct iw_sctp_association *association) {
    return association->user == &not_watched ? NULL : association->user;
}

static void sctp_watch_event(
    void *user, struct iw_judged_session *session, const struct iw_monitor_event *event) {
    const struct watch *watch = user;

    watch->judge->handlers->event(watch->judge->user, watch->association, session, event);
}

static void sctp_watch_end(void *user, struct iw_judged_session *session) {
    const struct watch *watch = user;

    if (watch->judge->handlers->end)
        watch->judge->handlers->end(watch->judge->user, session);
}

static struct watch *sctp_watch_new(struct iw_sctp_judge *judge, struct iw_sctp_association *association) {
    static const struct iw_judged_session_handlers handlers = {sctp_watch_event, sctp_watch_end};
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

/* Most associations carry no DDP: the monitor is created at the first DDP chunk. Returns false if memory ran
 * out. */
static bool sctp_judge_message(struct iw_sctp_judge *judge, struct iw_sctp_association *association,
    const struct iw_sctp_message *message) {
    bool ddp = iw_sctp_message_is_ddp(message);
    const struct watch *watch;

    if (!association->user && ddp)
        association->user = sctp_watch_new(judge, association);
    watch = sctp_watch_of(association);
    if (!watch)
        return !ddp;
    if (ddp && judge->handlers->message)
        judge->handlers->message(judge->user, watch->monitor, message);
    return iw_sctp_monitor_feed(watch->monitor, message);
}

static void sctp_judge_on_message(
    void *user, struct iw_sctp_association *association, const struct iw_sctp_message *message) {
    struct iw_sctp_judge *judge = user;

    judge->unjudged |= !sctp_judge_message(judge, association, message);
    judge->failed |= judge->unjudged;
}

/* The sessions of the association end. */
static void sctp_judge_end_sessions(struct iw_sctp_judge *judge,
    const struct iw_sctp_association *association, enum iw_session_end end, enum iw_side side) {
    const struct watch *watch = sctp_watch_of(association);

    if (!watch)
        return;
    judge->unjudged |=
        !iw_sctp_monitor_finish(watch->monitor, end, side, association->frame, association->time_ns);
    judge->failed |= judge->unjudged;
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
    struct watch *watch = sctp_watch_of(association);

    sctp_judge_end_sessions(user, association, IW_SESSION_END_INPUT, IW_SIDE_A);
    association->user = NULL;
    if (!watch)
        return;
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
    judge->table = iw_sctp_table_new(limits, &table_handlers, judge);
    if (!judge->table) {
        free(judge);
        return NULL;
    }
    return judge;
}

enum iw_status iw_sctp_judge_packet(struct iw_sctp_judge *judge, const struct iw_tcp_segment *packet) {
    enum iw_status status;

    judge->unjudged = false;
    status = iw_sctp_table_packet(judge->table, packet);
    return status == IW_OK && judge->unjudged ? IW_ERR_NOMEM : status;
}

bool iw_sctp_judge_failed(const struct iw_sctp_judge *judge) {
    return judge->failed;
}

void iw_sctp_judge_finish(struct iw_sctp_judge *judge) {
    iw_sctp_table_finish(judge->table);
}

void iw_sctp_judge_free(struct iw_sctp_judge *judge) {
    if (!judge)
        return;
    iw_sctp_table_free(judge->table);
    free(judge);
}
