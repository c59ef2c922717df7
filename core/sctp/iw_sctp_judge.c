#include "iw_sctp_judge.h"

#include <stdlib.h>

struct iw_sctp_judge {
    const struct iw_monitor_config *config;
    const struct iw_sctp_judge_handlers *handlers;
    void *user;
    struct iw_sctp_table *table;
    enum iw_status status; /* not IW_OK: DDP in the current packet is not judged */
    bool failed;           /* memory ran out for any packet, or at the end */
    bool freeing;          /* handlers are no longer called */
    uint64_t octets;       /* memory counted for DDP Streams and sessions */
    uint64_t octets_max;   /* limit of `octets` */
};

struct judged_association {
    struct iw_sctp_judge *judge;
    const struct iw_sctp_association *association;
    struct iw_sctp_monitor *monitor;
    uint64_t octets; /* its part of judge->octets */
    bool full;       /* no new DDP Stream is judged, because the memory limit excluded one */
};

/* Marks an association without memory. A monitor created later would take a later chunk for the first. */
static struct judged_association unjudged_association;

static struct judged_association *judged_association_of(const struct iw_sctp_association *association) {
    return association->user == &unjudged_association ? NULL : association->user;
}

static void sctp_judge_note(struct iw_sctp_judge *judge, enum iw_status status) {
    if (judge->status != IW_ERR_NOMEM && status != IW_OK)
        judge->status = status;
    judge->failed |= status == IW_ERR_NOMEM;
}

/* Counts `octets` octets for the association. Returns false if that exceeds the limit of the judge. */
static bool judged_association_reserve(struct judged_association *judged, uint64_t octets) {
    struct iw_sctp_judge *judge = judged->judge;

    if (octets > judge->octets_max - judge->octets)
        return false;
    judge->octets += octets;
    judged->octets += octets;
    return true;
}

static void judged_association_release(struct judged_association *judged, uint64_t octets) {
    judged->judge->octets -= octets;
    judged->octets -= octets;
}

static bool judged_association_reserve_session(void *user) {
    return judged_association_reserve(user, IW_SCTP_JUDGE_SESSION_OCTETS);
}

/* Whether chunks of the DDP Stream can be judged: it is known, or memory for it has just been reserved. */
static bool judged_association_admit_stream(struct judged_association *judged, uint16_t stream) {
    if (iw_sctp_monitor_has_stream(judged->monitor, stream))
        return true;
    judged->full = judged->full || !judged_association_reserve(judged, IW_SCTP_JUDGE_STREAM_OCTETS);
    return !judged->full;
}

static void judged_association_on_event(
    void *user, struct iw_judged_session *session, const struct iw_monitor_event *event) {
    const struct judged_association *judged = user;

    judged->judge->handlers->event(judged->judge->user, judged->association, session, event);
}

static void judged_association_on_session_end(void *user, struct iw_judged_session *session) {
    struct judged_association *judged = user;

    judged_association_release(judged, IW_SCTP_JUDGE_SESSION_OCTETS);
    if (judged->judge->handlers->end)
        judged->judge->handlers->end(judged->judge->user, session);
}

static struct judged_association *judged_association_new(
    struct iw_sctp_judge *judge, struct iw_sctp_association *association) {
    static const struct iw_judged_session_handlers handlers = {
        judged_association_on_event, judged_association_on_session_end, judged_association_reserve_session};
    struct judged_association *judged = calloc(1, sizeof *judged);

    if (!judged)
        return &unjudged_association;
    judged->judge = judge;
    judged->association = association;
    judged->monitor = iw_sctp_monitor_new(judge->config, &association->state, &handlers, judged);
    if (!judged->monitor) {
        free(judged);
        return &unjudged_association;
    }
    return judged;
}

/* Most associations carry no DDP: the monitor is created at the first DDP chunk. */
static enum iw_status sctp_judge_message(struct iw_sctp_judge *judge, struct iw_sctp_association *association,
    const struct iw_sctp_message *message) {
    bool ddp = iw_sctp_message_is_ddp(message);
    struct judged_association *judged;

    if (!association->user && ddp)
        association->user = judged_association_new(judge, association);
    judged = judged_association_of(association);
    if (!judged)
        return ddp ? IW_ERR_NOMEM : IW_OK;
    if (ddp && !judged_association_admit_stream(judged, message->stream))
        return IW_ERR_LIMIT;
    if (ddp && judge->handlers->message)
        judge->handlers->message(judge->user, judged->monitor, message);
    return iw_sctp_monitor_feed(judged->monitor, message);
}

static void sctp_judge_on_message(
    void *user, struct iw_sctp_association *association, const struct iw_sctp_message *message) {
    struct iw_sctp_judge *judge = user;

    sctp_judge_note(judge, sctp_judge_message(judge, association, message));
}

static void sctp_judge_end_sessions(struct iw_sctp_judge *judge,
    const struct iw_sctp_association *association, enum iw_session_end end, enum iw_side side) {
    const struct judged_association *judged = judged_association_of(association);

    if (!judged)
        return;
    sctp_judge_note(
        judge, iw_sctp_monitor_finish(judged->monitor, end, side, association->frame, association->time_ns));
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
    struct judged_association *judged = judged_association_of(association);

    if (!judge->freeing)
        sctp_judge_end_sessions(judge, association, IW_SESSION_END_INPUT, IW_SIDE_A);
    association->user = NULL;
    if (!judged)
        return;
    judged_association_release(judged, judged->octets);
    iw_sctp_monitor_free(judged->monitor);
    free(judged);
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
