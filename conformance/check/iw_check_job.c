#include "iw_check_job.h"

#include "iw_placement.h"

/* ---- events and ends of streams ---- */

/* Calls handlers->note. Returns whether handlers->event needs the event too. */
static bool job_note(
    const struct iw_check_job *job, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    if (job->handlers->note)
        job->handlers->note(job->user, stream, event);
    return job->handlers->event && (event->finding_count > 0 || !job->handlers->findings_only);
}

static void job_set_order(const struct iw_check_job *job, struct iw_check_stream *stream) {
    if (job->order != NULL)
        stream->order = job->order->now;
}

IW_HOT static void job_event(void *user, const struct iw_monitor_event *event) {
    struct iw_check_watch *watch = user;
    struct iw_check_job *job = watch->owner;

    job_set_order(job, &watch->stream);
    if (job_note(job, &watch->stream, event))
        job->handlers->event(job->user, &watch->stream, event);
}

static bool job_wants_event(void *user, struct iw_check_watch *watch, const struct iw_monitor_event *event) {
    return job_note(user, &watch->stream, event);
}

static void job_kept_event(void *user, struct iw_check_watch *watch, const struct iw_monitor_event *event) {
    struct iw_check_job *job = user;

    job->handlers->event(job->user, &watch->stream, event);
}

/* Returns whether the unread rest of a file may contain packets of the stream: the stream began before it,
 * and continued after it or did not end. */
static bool job_lacks_packets(const struct iw_check_job *job, const struct iw_check_stream *stream) {
    const struct iw_check_chain *chain = job->chain;

    for (size_t i = 0; job->status != IW_OK && i < chain->count; i++) {
        uint64_t after = i + 1 < chain->count ? chain->first[i + 1] : UINT64_MAX;

        if (job->unread[i] && stream->first_frame < after &&
            (stream->last_frame >= after || !iw_monitor_over(stream->monitor)))
            return true;
    }
    return false;
}

static void job_report_stream(struct iw_check_job *job, struct iw_check_stream *stream) {
    job->counts->streams++;
    job_set_order(job, stream);
    stream->file_unread = job_lacks_packets(job, stream);
    if (job->handlers->stream_end)
        job->handlers->stream_end(job->user, stream);
}

static void job_drop_watch(const struct iw_check_job *job, struct iw_check_watch *watch) {
    if (job->handlers->stream_drop)
        job->handlers->stream_drop(job->user, &watch->stream);
    iw_check_watch_free(watch);
}

static void job_end_stream(void *user, struct iw_check_watch *watch, bool recognised) {
    struct iw_check_job *job = user;

    job->no_memory |= watch->lazy.state == IW_LAZY_MONITOR_NO_MEMORY;
    if (recognised)
        job_report_stream(job, &watch->stream);
    if (watch->stream.deferred)
        STAILQ_INSERT_TAIL(&job->deferred, watch, next_deferred);
    else
        job_drop_watch(job, watch);
}

void iw_check_job_end_deferred(struct iw_check_job *job) {
    struct iw_check_watch *watch;

    while ((watch = STAILQ_FIRST(&job->deferred)) != NULL) {
        STAILQ_REMOVE_HEAD(&job->deferred, next_deferred);
        job->handlers->stream_end(job->user, &watch->stream);
        job_drop_watch(job, watch);
    }
}

static void job_note_no_memory(void *user) {
    struct iw_check_job *job = user;

    job->no_memory = true;
}

/* ---- ignored flows and memory ---- */

/* The TCP table still follows an ignored flow, to recognise a later connection with the same ports. */
static void job_ignore_flow(struct iw_check_job *job, struct iw_tcp_flow *flow) {
    flow->user = NULL;
    flow->ignored = true;
    job->memory -= IW_CHECK_CONNECTION_OCTETS - IW_CHECK_IGNORED_OCTETS;
}

static void job_unlist_watch(struct iw_check_watch *watch) {
    if (watch->given_up)
        LIST_REMOVE(watch, same_epoch);
    watch->given_up = false;
}

/* Stops judging a connection. Frees its watch, if necessary after the workers have judged its chunks. */
static void job_ignore_watch(struct iw_check_job *job, struct iw_check_watch *watch) {
    job_unlist_watch(watch);
    job_ignore_flow(job, watch->flow);
    watch->stream.life = watch->life;
    watch->flow = NULL;
    if (job->workers)
        iw_check_workers_end(job->workers, watch);
    else
        job_drop_watch(job, watch);
}

static void job_ignore_given_up(struct iw_check_job *job, uint64_t epoch) {
    struct iw_check_watch *watch;

    while ((watch = LIST_FIRST(&job->given_up[epoch % 2])) != NULL)
        job_ignore_watch(job, watch);
}

static void job_give_up(
    void *user, struct iw_check_watch *watch, enum iw_lazy_monitor_state reason, uint64_t epoch) {
    struct iw_check_job *job = user;

    if (!watch->flow)
        return;
    watch->given_up = true;
    LIST_INSERT_HEAD(&job->given_up[epoch % 2], watch, same_epoch);
    job->no_memory |= reason == IW_LAZY_MONITOR_NO_MEMORY;
}

void iw_check_job_swap(struct iw_check_job *job) {
    if (job->workers)
        iw_check_workers_swap(job->workers, job->epoch);
}

void iw_check_job_begin_epoch(struct iw_check_job *job, uint64_t epoch) {
    if (job->workers)
        iw_check_workers_swap(job->workers, epoch);
    job_ignore_given_up(job, job->epoch + 1);
    if (epoch > job->epoch + 1) {
        iw_check_job_await_workers(job);
        job_ignore_given_up(job, job->epoch);
    }
    job->epoch = epoch;
}

void iw_check_job_note_ids(struct iw_check_job *job) {
    if (job->order != NULL)
        iw_check_order_ids(job->order, IW_CHECK_TCP, iw_tcp_table_ids(job->table));
}

void iw_check_job_await_workers(struct iw_check_job *job) {
    if (job->workers)
        iw_check_workers_finish(job->workers);
}

/* Returns the octets of memory used by open connections and their kept octets. With workers it is an upper
 * bound; exact directly after iw_check_job_await_workers. */
static uint64_t job_memory(const struct iw_check_job *job) {
    return job->memory + (job->workers ? iw_check_workers_memory(job->workers) : job->kept);
}

/* Waits for the workers, to know the kept octets exactly. If memory is still short, ignores the flows known
 * not to be iWARP. Returns whether `octets` more octets are free: the same for any number of threads. */
IW_COLD static bool job_gains_memory(struct iw_check_job *job, uint64_t octets) {
    iw_check_job_await_workers(job);
    if (job_memory(job) + octets <= job->budget)
        return true;
    job_ignore_given_up(job, job->epoch);
    job_ignore_given_up(job, job->epoch + 1);
    return job_memory(job) + octets <= job->budget;
}

/* Returns whether `octets` more octets of memory are free; if necessary, tries job_gains_memory. */
IW_HOT static bool job_has_memory(struct iw_check_job *job, uint64_t octets) {
    return job_memory(job) + octets <= job->budget || job_gains_memory(job, octets);
}

/* ---- sessions over SCTP, on the caller's thread ---- */

static void job_order_session(struct iw_check_job *job, struct iw_check_stream *stream) {
    if (job->order == NULL)
        return;
    if (job->finishing)
        iw_check_order_end_association(job->order, stream->paths);
    iw_check_order_ids(job->order, IW_CHECK_SCTP, stream->id + 1);
    job_set_order(job, stream);
}

static void job_session_event(
    void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct iw_check_job *job = user;

    job_order_session(job, stream);
    if (!job_note(job, stream, event))
        return;
    iw_check_job_await_workers(job);
    job->handlers->event(job->user, stream, event);
}

static void job_end_session(void *user, struct iw_check_stream *stream) {
    struct iw_check_job *job = user;

    iw_check_job_await_workers(job);
    job_order_session(job, stream);
    stream->capture_ns = job->latest_ns;
    job_report_stream(job, stream);
}

/* ---- events of TCP flows ---- */

static struct iw_check_watch *job_watch_flow(
    struct iw_check_job *job, struct iw_tcp_flow *flow, const struct iw_chunk *first) {
    const struct iw_monitor_config *config = flow->id < IW_CHECK_FIRST_STREAMS ? &job->config : &job->later;
    struct iw_check_watch *watch = job->workers
                                       ? iw_check_watch_new(flow, first, config, iw_check_workers_sink,
                                             iw_check_workers_lane(job->workers, flow))
                                       : iw_check_watch_new(flow, first, config, job_event, job);

    flow->user = watch;
    if (watch && job->lives && !iw_check_watch_follow_life(watch)) {
        iw_check_watch_free(watch);
        flow->user = watch = NULL;
    }
    if (watch)
        watch->stream.mapped = iw_check_mappings_find(&job->mappings, watch->stream.address);
    return watch;
}

static bool job_has_room(void *user) {
    return job_has_memory(user, IW_CHECK_CONNECTION_OCTETS);
}

static void job_count_flow(void *user, struct iw_tcp_flow *flow) {
    struct iw_check_job *job = user;

    if (job->order != NULL)
        iw_check_order_begin_flow(job->order, flow->id);
    job->counts->tcp_flows++;
    job->memory += IW_CHECK_CONNECTION_OCTETS;
}

/* Returns whether the octets of the chunk are in the current packet, so that they stay valid for the workers.
 * Octets of delayed segments and of reassembled IP packets are elsewhere. */
static bool job_packet_has_chunk(const struct iw_check_job *job, const struct iw_chunk *chunk) {
    const struct iw_packet *packet = &job->packet;

    return job->block != 0 && chunk->octets >= packet->octets &&
           chunk->octets < packet->octets + packet->captured;
}

static void job_settle(struct iw_check_job *job, struct iw_check_watch *watch, enum iw_side side,
    enum iw_lazy_monitor_state outcome) {
    job->kept += (uint64_t)iw_check_watch_growth(watch, side);
    if (outcome != IW_LAZY_MONITOR_OPEN)
        job_give_up(job, watch, outcome, job->epoch);
}

/* If the connection keeps octets of this side, drops them and ignores all further octets of this side. Counts
 * a dropped packet, unless the connection is iWARP: then its report counts these octets. */
static void job_end_reading(struct iw_check_job *job, struct iw_tcp_flow *flow, enum iw_side side) {
    struct iw_check_watch *watch = flow->user;

    if (iw_lazy_monitor_memory(&watch->lazy, side) == 0)
        return;
    job->counts->dropped += !iw_monitor_recognised(watch->lazy.monitor);
    if (job->workers)
        iw_check_workers_end_reading(job->workers, watch, side);
    else
        job_settle(job, watch, side, iw_check_watch_end_reading(watch, side));
}

static void job_judge(struct iw_check_job *job, struct iw_tcp_flow *flow, const struct iw_chunk *chunk) {
    struct iw_check_watch *watch = flow->user ? flow->user : job_watch_flow(job, flow, chunk);

    if (!watch) {
        job_ignore_flow(job, flow);
        job->no_memory = true;
    } else if (watch->given_up) {
        return;
    } else if (!job->workers) {
        job_settle(job, watch, chunk->side, iw_check_watch_feed(watch, chunk));
    } else if (!iw_check_workers_chunk(job->workers, watch, chunk, job_packet_has_chunk(job, chunk))) {
        job_ignore_watch(job, watch);
        job->no_memory = true;
    }
}

/* At the end of the capture, the flow reports in the order in which the flows began. */
static void job_order_flow_end(struct iw_check_job *job, const struct iw_tcp_flow *flow) {
    if (job->order == NULL || !job->finishing)
        return;
    iw_check_job_note_ids(job);
    iw_check_order_end_flow(job->order, flow->id);
}

/* If memory is short after the chunk, the connection loses the kept octets of the chunk's sender. */
IW_HOT static void job_chunk(void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk) {
    struct iw_check_job *job = user;
    bool enough = job_has_memory(job, iw_check_workers_growth(chunk));

    job_order_flow_end(job, flow);
    if (flow->ignored)
        return; /* job_has_memory ignored the flow */
    job_judge(job, flow, chunk);
    if (!enough && !job_has_memory(job, 0) && !flow->ignored)
        job_end_reading(job, flow, chunk->side);
}

/* Whether the capture lacks octets that show whether the connection is iWARP. */
static bool job_flow_is_cut(const struct iw_tcp_flow *flow) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        const struct iw_tcp_stream *stream = &flow->stream[side];

        if (stream->counters.cut > 0 || (stream->counters.octets > 0 && !stream->syn))
            return true;
    }
    return false;
}

static void job_end_flow(void *user, struct iw_tcp_flow *flow) {
    struct iw_check_job *job = user;
    struct iw_check_watch *watch = flow->user;

    job->counts->cut_flows += job_flow_is_cut(flow);
    job_order_flow_end(job, flow);
    job->memory -= flow->ignored ? IW_CHECK_IGNORED_OCTETS : IW_CHECK_CONNECTION_OCTETS;
    if (!watch)
        return;
    job_unlist_watch(watch);
    iw_check_watch_detach(watch, job->latest_ns);
    if (job->workers) {
        iw_check_workers_end(job->workers, watch);
        return;
    }
    job->kept -= watch->kept[IW_SIDE_A] + watch->kept[IW_SIDE_B];
    job_end_stream(job, watch, iw_lazy_monitor_finish(&watch->lazy));
}

static void job_follow_life(
    void *user, struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct iw_check_watch *watch = flow->user;

    (void)user;
    if (watch != NULL && watch->life != NULL)
        iw_tcp_life_segment(watch->life, side, segment);
}

static void job_follow_rejection(void *user, struct iw_tcp_flow *flow, enum iw_side side,
    const struct iw_tcp_segment *segment, const struct iw_icmp *icmp) {
    struct iw_check_watch *watch = flow->user;

    (void)user;
    if (watch != NULL && watch->life != NULL)
        iw_tcp_life_rejected(watch->life, side, segment, icmp);
}

#define JOB_TCP_HANDLERS                                                                                     \
    .flow_new = job_count_flow, .chunk = job_chunk, .flow_end = job_end_flow, .has_room = job_has_room
const struct iw_tcp_handlers iw_check_job_tcp = {JOB_TCP_HANDLERS};
const struct iw_tcp_handlers iw_check_job_tcp_lives = {
    JOB_TCP_HANDLERS, .segment = job_follow_life, .rejected = job_follow_rejection};
const struct iw_check_workers_handlers iw_check_job_judged = {
    job_kept_event, job_give_up, job_end_stream, job_note_no_memory, job_wants_event};
const struct iw_check_handlers iw_check_job_sessions = {
    .event = job_session_event, .stream_end = job_end_session};
