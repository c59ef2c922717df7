#include "iw_check_sctp.h"

#include <stdlib.h>

#include "iw_placement.h"
#include "iw_sctp_judge.h"

struct iw_check_sctp {
    struct iw_monitor_config config; /* for new sessions */
    const struct iw_check_handlers *handlers;
    void *user;
    struct iw_check_counts *counts;
    struct iw_sctp_judge *judge;
    uint64_t next_id; /* id of the next session */
    bool no_memory;
};

static struct iw_check_stream *check_sctp_new_stream(struct iw_check_sctp *sctp,
    const struct iw_sctp_association *association, struct iw_judged_session *session, uint64_t time_ns) {
    struct iw_check_stream *stream = calloc(1, sizeof *stream);

    if (!stream) {
        sctp->no_memory = true;
        return NULL;
    }
    *stream = (struct iw_check_stream){.id = sctp->next_id++,
        .address = {association->address[IW_SIDE_A], association->address[IW_SIDE_B]},
        .session = session->session,
        .association = &association->state,
        .paths = association,
        .monitor = session->monitor,
        .first_frame = session->session->first_frame,
        .first_time_ns = time_ns};
    session->user = stream;
    if (sctp->next_id >= IW_CHECK_FIRST_STREAMS)
        sctp->config.stags = IW_CHECK_LATER_STAGS;
    return stream;
}

static void sctp_event(void *user, const struct iw_sctp_association *association,
    struct iw_judged_session *session, const struct iw_monitor_event *event) {
    struct iw_check_sctp *sctp = user;
    struct iw_check_stream *stream =
        session->user ? session->user
                      : check_sctp_new_stream(sctp, association, session, event->llp->time_ns);

    if (!stream)
        return;
    stream->last_frame = event->llp->frame;
    stream->last_time_ns = event->llp->time_ns;
    sctp->handlers->event(sctp->user, stream, event);
}

static void sctp_end_session(void *user, struct iw_judged_session *session) {
    struct iw_check_sctp *sctp = user;
    struct iw_check_stream *stream = session->user;

    if (!stream)
        return;
    sctp->handlers->stream_end(sctp->user, stream);
    free(stream);
    session->user = NULL;
}

static void sctp_count_stray(void *user, const struct iw_tcp_segment *packet) {
    struct iw_check_sctp *sctp = user;

    (void)packet;
    sctp->counts->tags++;
}

enum { SCTP_WAITING_OCTETS = 16 << 20 };

IW_COLD struct iw_check_sctp *iw_check_sctp_new(const struct iw_monitor_config *config, uint64_t memory,
    const struct iw_check_handlers *handlers, void *user, struct iw_check_counts *counts) {
    uint64_t waiting = iw_check_waiting_octets(memory, SCTP_WAITING_OCTETS);
    const struct iw_sctp_config limits = {
        .associations = (memory - waiting) / IW_CHECK_ASSOCIATION_OCTETS, .octets = waiting};
    static const struct iw_sctp_judge_handlers judge_handlers = {
        .event = sctp_event, .end = sctp_end_session, .stray = sctp_count_stray};
    struct iw_check_sctp *sctp = calloc(1, sizeof *sctp);

    if (!sctp)
        return NULL;
    sctp->config = *config;
    sctp->handlers = handlers;
    sctp->user = user;
    sctp->counts = counts;
    sctp->judge = iw_sctp_judge_new(&sctp->config, &limits, &judge_handlers, sctp);
    if (!sctp->judge) {
        free(sctp);
        return NULL;
    }
    if (memory > 0)
        iw_sctp_judge_limit(sctp->judge, memory - waiting);
    return sctp;
}

bool iw_check_sctp_packet(struct iw_check_sctp *sctp, const struct iw_tcp_segment *packet) {
    if (iw_sctp_judge_packet(sctp->judge, packet) != IW_OK)
        sctp->counts->dropped++;
    return !sctp->no_memory && !iw_sctp_judge_failed(sctp->judge);
}

bool iw_check_sctp_finish(struct iw_check_sctp *sctp) {
    if (iw_sctp_judge_finish(sctp->judge) != IW_OK)
        sctp->counts->dropped++;
    return !sctp->no_memory && !iw_sctp_judge_failed(sctp->judge);
}

void iw_check_sctp_free(struct iw_check_sctp *sctp) {
    if (!sctp)
        return;
    iw_sctp_judge_free(sctp->judge);
    free(sctp);
}
