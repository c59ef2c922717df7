#include "iw_sctp_judge.h"

#include <stdlib.h>

struct iw_sctp_judge {
    const struct iw_monitor_config *config;
    const struct iw_sctp_judge_handlers *handlers;
    void *user;
    struct iw_sctp_table *table;
    bool failed;
};

/* The state per association. */
struct watch {
    struct iw_sctp_judge *judge;
    const struct iw_sctp_association *association;
    struct iw_sctp_monitor *monitor;
};

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
        return NULL;
    watch->judge = judge;
    watch->association = association;
    watch->monitor = iw_sctp_monitor_new(judge->config, &association->state, &handlers, watch);
    if (!watch->monitor) {
        free(watch);
        return NULL;
    }
    association->user = watch;
    return watch;
}

/* Most associations carry no DDP: the monitor is created at the first DDP chunk. */
static void sctp_judge_on_message(
    void *user, struct iw_sctp_association *association, const struct iw_sctp_message *message) {
    struct iw_sctp_judge *judge = user;
    struct watch *watch = association->user;

    /* After memory ran out, no monitor is created: a later chunk would be judged as the first of its
     * association. */
    if (!watch && !judge->failed && iw_sctp_message_is_ddp(message))
        judge->failed = !(watch = sctp_watch_new(judge, association));
    if (watch && !iw_sctp_monitor_feed(watch->monitor, message))
        judge->failed = true;
}

static void sctp_judge_on_close(
    void *user, struct iw_sctp_association *association, enum iw_side side, enum iw_sctp_end end) {
    struct watch *watch = association->user;

    (void)user;
    if (watch)
        iw_sctp_monitor_finish(watch->monitor,
            end == IW_SCTP_END_ABORT ? IW_SESSION_END_ABORT : IW_SESSION_END_ASSOCIATION, side,
            association->frame, association->time_ns);
}

static void sctp_judge_on_stray(void *user, const struct iw_tcp_segment *packet) {
    const struct iw_sctp_judge *judge = user;

    if (judge->handlers->stray)
        judge->handlers->stray(judge->user, packet);
}

static void sctp_judge_on_association_end(void *user, struct iw_sctp_association *association) {
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
    return iw_sctp_table_packet(judge->table, packet);
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
