#include "iw_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "iw_capture_file.h"
#include "iw_check_workers.h"
#include "iw_check_sctp.h"
#include "iw_packet_reader.h"
#include "iw_tcp_table.h"

struct check {
    const struct iw_check_handlers *handlers;
    void *user;
    struct iw_check_counts *counts;
    struct iw_monitor_config config,
        later;       /* `config` for the first IW_CHECK_FIRST_STREAMS connections, `later` for all others */
    uint64_t octets; /* octets of the files before this one */
    uint64_t memory; /* estimated octets of the open connections, without kept octets; */
    uint64_t kept;   /* without workers, of their kept octets (iw_mpa_memory); */
    uint64_t budget; /* and the limit of both */
    struct iw_check_workers *workers; /* NULL: this thread judges everything */
    uint64_t epoch;
    LIST_HEAD(, iw_check_watch) given_up[2]; /* in this epoch and in the previous one, by epoch % 2 */
    struct iw_reassembly *reader;
    struct iw_packet packet; /* current packet, */
    uint64_t block;          /* and its iw_capture_file_block */
    struct iw_check_sctp *sctp;
    struct iw_check_mappings mappings;
    bool no_memory;
    enum iw_status status; /* of the first file that failed */
    const struct iw_check_chain *chain;
    bool *unread;            /* by file: the file was not read to its end */
    uint64_t latest_ns;      /* latest time of a packet so far; */
    const char *latest_path; /* and its file; NULL: no packet yet */
    bool overlap;            /* handlers->overlap was called */
};

/* ---- events and ends of streams, judged here or by the workers ---- */

/* Calls handlers->note. Returns whether handlers->event must be called too. */
static bool check_note(
    const struct check *check, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    if (check->handlers->note)
        check->handlers->note(check->user, stream, event);
    return check->handlers->event && (event->finding_count > 0 || !check->handlers->findings_only);
}

static void check_event(void *user, const struct iw_monitor_event *event) {
    struct iw_check_watch *watch = user;
    struct check *check = watch->owner;

    if (check_note(check, &watch->stream, event))
        check->handlers->event(check->user, &watch->stream, event);
}

static bool check_wants_event(
    void *user, struct iw_check_watch *watch, const struct iw_monitor_event *event) {
    return check_note(user, &watch->stream, event);
}

static void check_kept_event(void *user, struct iw_check_watch *watch, const struct iw_monitor_event *event) {
    struct check *check = user;

    check->handlers->event(check->user, &watch->stream, event);
}

/* Whether an unread part of a file may contain packets of the stream: the stream began before that part, and
 * continued after it or had not ended. */
static bool check_lacks_packets(const struct check *check, const struct iw_check_stream *stream) {
    const struct iw_check_chain *chain = check->chain;

    for (size_t i = 0; check->status != IW_OK && i < chain->count; i++) {
        uint64_t after = i + 1 < chain->count ? chain->first[i + 1] : UINT64_MAX;

        if (check->unread[i] && stream->first_frame < after &&
            (stream->last_frame >= after || !iw_monitor_over(stream->monitor)))
            return true;
    }
    return false;
}

static void check_report_stream(struct check *check, struct iw_check_stream *stream) {
    check->counts->streams++;
    stream->file_unread = check_lacks_packets(check, stream);
    if (check->handlers->stream_end)
        check->handlers->stream_end(check->user, stream);
}

static void check_end_stream(void *user, struct iw_check_watch *watch, bool recognised) {
    struct check *check = user;

    iw_check_watch_show_end(watch);
    check->no_memory |= watch->lazy.state == IW_LAZY_MONITOR_NO_MEMORY;
    if (recognised)
        check_report_stream(check, &watch->stream);
    iw_check_watch_free(watch);
}

static void check_note_no_memory(void *user) {
    struct check *check = user;

    check->no_memory = true;
}

/* ---- memory ---- */

/* A flow that is not iWARP is followed less exactly once it is ignored. So a flow is ignored at a place in
 * the capture that does not depend on when the workers know it: at the end of the epoch after the one that
 * shows it, or as soon as memory runs short. */
enum { EPOCH_FRAMES = 4096 };

/* The TCP table still follows the flow, to recognise a later connection of the same ports. */
static void check_ignore_flow(struct check *check, struct iw_tcp_flow *flow) {
    flow->user = NULL;
    flow->ignored = true;
    check->memory -= IW_CHECK_CONNECTION_OCTETS - IW_CHECK_IGNORED_OCTETS;
}

/* Once the watch is given up, or its flow has ended. */
static void check_unlist_watch(struct iw_check_watch *watch) {
    if (watch->given_up)
        LIST_REMOVE(watch, same_epoch);
    watch->given_up = false;
}

/* Stops judging a connection. Its watch is freed after the workers' chunks of it. */
static void check_ignore_watch(struct check *check, struct iw_check_watch *watch) {
    check_unlist_watch(watch);
    check_ignore_flow(check, watch->flow);
    watch->flow = NULL;
    if (check->workers)
        iw_check_workers_end(check->workers, watch);
    else
        iw_check_watch_free(watch);
}

/* Ignores the flows given up in this epoch. */
static void check_ignore_given_up(struct check *check, uint64_t epoch) {
    struct iw_check_watch *watch;

    while ((watch = LIST_FIRST(&check->given_up[epoch % 2])) != NULL)
        check_ignore_watch(check, watch);
}

static void check_give_up(
    void *user, struct iw_check_watch *watch, enum iw_lazy_monitor_state reason, uint64_t epoch) {
    struct check *check = user;

    if (!watch->flow)
        return;
    watch->given_up = true;
    LIST_INSERT_HEAD(&check->given_up[epoch % 2], watch, same_epoch);
    check->no_memory |= reason == IW_LAZY_MONITOR_NO_MEMORY;
}

static void check_end_epoch(struct check *check) {
    if (check->workers)
        iw_check_workers_swap(check->workers, check->epoch + 1);
    check_ignore_given_up(check, check->epoch + 1);
    check->epoch++;
}

/* Reports all events of the TCP packets read so far. */
static void check_await_workers(struct check *check) {
    if (check->workers)
        iw_check_workers_finish(check->workers);
}

/* Octets of memory that are taken: the exact number after check_await_workers, otherwise an upper bound. */
static uint64_t check_memory(const struct check *check) {
    return check->memory + (check->workers ? iw_check_workers_memory(check->workers) : check->kept);
}

/* Whether `octets` more octets of memory are free. If not, first waits for the workers, because only then
 * the octets that their connections keep are known; then ignores the flows known not to be iWARP. So the
 * result is the same for any number of threads. */
static bool check_has_memory(struct check *check, uint64_t octets) {
    if (check_memory(check) + octets <= check->budget)
        return true;
    check_await_workers(check);
    if (check_memory(check) + octets <= check->budget)
        return true;
    check_ignore_given_up(check, check->epoch);
    check_ignore_given_up(check, check->epoch + 1);
    return check_memory(check) + octets <= check->budget;
}

/* ---- sessions over SCTP, on this thread ---- */

static void check_session_event(
    void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct check *check = user;

    if (!check_note(check, stream, event))
        return;
    check_await_workers(check);
    check->handlers->event(check->user, stream, event);
}

static void check_end_session(void *user, struct iw_check_stream *stream) {
    struct check *check = user;

    check_await_workers(check);
    check_report_stream(check, stream);
}

/* ---- flows ---- */

static struct iw_check_watch *check_watch_flow(
    struct check *check, struct iw_tcp_flow *flow, const struct iw_chunk *first) {
    const struct iw_monitor_config *config =
        flow->id < IW_CHECK_FIRST_STREAMS ? &check->config : &check->later;
    struct iw_check_watch *watch = check->workers
                                       ? iw_check_watch_new(flow, first, config, iw_check_workers_sink,
                                             iw_check_workers_lane(check->workers, flow))
                                       : iw_check_watch_new(flow, first, config, check_event, check);

    flow->user = watch;
    if (watch)
        watch->stream.mapped = iw_check_mappings_find(&check->mappings, watch->stream.address);
    return watch;
}

static bool check_has_room(void *user) {
    return check_has_memory(user, IW_CHECK_CONNECTION_OCTETS);
}

static void check_count_flow(void *user, struct iw_tcp_flow *flow) {
    struct check *check = user;

    (void)flow;
    check->counts->tcp_flows++;
    check->memory += IW_CHECK_CONNECTION_OCTETS;
}

/* Whether the octets lie in the current packet, not in an earlier segment or in IP fragments. */
static bool check_packet_has_chunk(const struct check *check, const struct iw_chunk *chunk) {
    const struct iw_packet *packet = &check->packet;

    return check->block != 0 && chunk->octets >= packet->octets &&
           chunk->octets < packet->octets + packet->captured;
}

static void check_settle(struct check *check, struct iw_check_watch *watch, enum iw_side side,
    enum iw_lazy_monitor_state outcome) {
    check->kept += (uint64_t)iw_check_watch_growth(watch, side);
    if (outcome != IW_LAZY_MONITOR_OPEN)
        check_give_up(check, watch, outcome, check->epoch);
}

/* Drops the octets that the connection keeps of this side, and ignores its further octets. A report counts
 * them only for a connection known to be iWARP; of another one, it counts the packet. */
static void check_end_reading(struct check *check, struct iw_tcp_flow *flow, enum iw_side side) {
    struct iw_check_watch *watch = flow->user;

    if (iw_lazy_monitor_memory(&watch->lazy, side) == 0)
        return;
    check->counts->dropped += !iw_monitor_recognised(watch->lazy.monitor);
    if (check->workers)
        iw_check_workers_end_reading(check->workers, watch, side);
    else
        check_settle(check, watch, side, iw_check_watch_end_reading(watch, side));
}

/* Judges the chunk, or lets the workers judge it. */
static void check_judge(struct check *check, struct iw_tcp_flow *flow, const struct iw_chunk *chunk) {
    struct iw_check_watch *watch = flow->user ? flow->user : check_watch_flow(check, flow, chunk);

    if (!watch) {
        check_ignore_flow(check, flow);
        check->no_memory = true;
    } else if (watch->given_up) {
        return;
    } else if (!check->workers) {
        check_settle(check, watch, chunk->side, iw_check_watch_feed(watch, chunk));
    } else if (!iw_check_workers_chunk(check->workers, watch, chunk, check_packet_has_chunk(check, chunk))) {
        check_ignore_watch(check, watch);
        check->no_memory = true;
    }
}

/* If the octets that the connection keeps after this chunk exceed the memory, it is the one that loses
 * them. */
static void check_chunk(void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk) {
    struct check *check = user;
    bool enough = check_has_memory(check, iw_check_workers_growth(chunk));

    if (flow->ignored)
        return; /* since check_has_memory */
    check_judge(check, flow, chunk);
    if (!enough && !check_has_memory(check, 0) && !flow->ignored)
        check_end_reading(check, flow, chunk->side);
}

static void check_end_here(struct check *check, struct iw_check_watch *watch) {
    bool recognised = iw_lazy_monitor_finish(&watch->lazy);

    check->kept -= watch->kept[IW_SIDE_A] + watch->kept[IW_SIDE_B];
    check_end_stream(check, watch, recognised);
}

static void check_end_flow(void *user, struct iw_tcp_flow *flow) {
    struct check *check = user;
    struct iw_check_watch *watch = flow->user;

    check->memory -= flow->ignored ? IW_CHECK_IGNORED_OCTETS : IW_CHECK_CONNECTION_OCTETS;
    if (!watch)
        return;
    check_unlist_watch(watch);
    iw_check_watch_detach(watch);
    if (check->workers)
        iw_check_workers_end(check->workers, watch);
    else
        check_end_here(check, watch);
}

static void check_packet(struct check *check, struct iw_tcp_table *table, const struct iw_packet *packet) {
    struct iw_check_counts *counts = check->counts;
    struct iw_tcp_segment segment;
    struct iw_packet_facts facts;

    switch (iw_packet_read(check->reader, packet, &segment, &facts)) {
    case IW_PACKET_TCP:
        if (iw_tcp_table_segment(table, &segment) != IW_OK)
            counts->dropped++;
        break;
    case IW_PACKET_SCTP:
        check->no_memory |= !iw_check_sctp_packet(check->sctp, &segment);
        break;
    case IW_PACKET_FRAGMENT: /* the packet reader counts the frames of fragments */
        break;
    case IW_PACKET_CUT:
        counts->cut++;
        break;
    case IW_PACKET_MALFORMED:
        counts->malformed++;
        break;
    case IW_PACKET_OTHER:
        iw_check_contents_add(&counts->contents, facts.content, facts.number, 1);
        if (facts.content == IW_CONTENT_PORT_MAPPER)
            check->no_memory |= !iw_check_mappings_take(&check->mappings, &segment);
        break;
    }
}

enum { PROGRESS_FRAMES = 4096 };

static void check_trouble(struct check *check, enum iw_status status, const char *line) {
    if (check->status == IW_OK)
        check->status = status;
    if (check->handlers->trouble)
        check->handlers->trouble(check->user, line);
}

/* The files of one capture follow each other in time; files of several captures need not. */
static void check_time_order(struct check *check, const char *path, uint64_t time_ns) {
    if (check->latest_path == NULL || time_ns >= check->latest_ns) {
        check->latest_ns = time_ns;
        check->latest_path = path;
        return;
    }
    if (check->latest_path == path || check->overlap)
        return;
    check->overlap = true;
    if (check->handlers->overlap)
        check->handlers->overlap(check->user, path, check->latest_path, check->latest_ns - time_ns);
}

/* Passes all packets of the file to the table. Returns false if it cannot be read to its end. */
static bool check_read_file(struct check *check, const char *path, struct iw_tcp_table *table) {
    uint64_t before = check->counts->frames;
    struct iw_packet *packet = &check->packet;
    char error[IW_CHECK_TROUBLE_OCTETS];
    struct iw_capture_file *file;
    int step = iw_capture_file_open(path, &file, error, sizeof error);

    if (step != IW_OK) {
        check_trouble(check, (enum iw_status)step, error);
        return false;
    }
    while ((step = iw_capture_file_next(file, packet, error, sizeof error)) == IW_CAPTURE_PACKET) {
        uint64_t block = iw_capture_file_block(file);

        if (check->workers && check->block != block && check->block != 0)
            iw_check_workers_swap(check->workers, check->epoch);
        check->block = block;
        check_time_order(check, path, packet->time_ns);
        packet->frame += before;
        check->counts->frames = packet->frame;
        if (check->handlers->progress && packet->frame % PROGRESS_FRAMES == 0)
            check->handlers->progress(
                check->user, packet->frame, check->octets + iw_capture_file_octets(file));
        if (packet->frame % EPOCH_FRAMES == 0)
            check_end_epoch(check);
        check_packet(check, table, packet);
    }
    check_await_workers(check); /* the workers use the octets of the file */
    check->block = 0;
    check->counts->frames = before + iw_capture_file_frames(file);
    check->octets += iw_capture_file_octets(file);
    iw_capture_unread_add(&check->counts->links, iw_capture_file_unread(file));
    if (step < 0)
        check_trouble(check, (enum iw_status)step, error);
    iw_capture_file_close(file);
    return step >= 0;
}

/* Reads all files, and ends all connections even if a file failed. */
static void check_read_files(struct check *check, struct iw_check_chain *chain, struct iw_tcp_table *table) {
    struct iw_reassembly_counts fragments;

    for (size_t i = 0; i < chain->count; i++) {
        chain->first[i] = check->counts->frames + 1;
        check->unread[i] = !check_read_file(check, chain->paths[i], table);
    }
    iw_tcp_table_finish(table);
    check_await_workers(check);
    check->no_memory |= !iw_check_sctp_finish(check->sctp);
    fragments = iw_reassembly_counts(check->reader);
    check->counts->fragments = fragments.fragments;
    check->counts->differing = fragments.differing;
    check->no_memory |= fragments.no_memory;
}

/* ---- the check ---- */

enum { THREADS_MAX = 16 };

/* One thread reads; the others are workers. If `event` takes all events in order, workers do not help. */
static unsigned check_worker_count(const struct check *check, unsigned asked) {
    long processors = asked ? (long)asked : sysconf(_SC_NPROCESSORS_ONLN);

    if (check->handlers->event && !check->handlers->findings_only)
        return 0;
    if (processors > THREADS_MAX)
        processors = THREADS_MAX;
    return processors > 1 ? (unsigned)processors - 1 : 0;
}

enum { WAITING_OCTETS = 32 << 20 };

static uint64_t check_default_memory(void) {
    return (uint64_t)sysconf(_SC_PHYS_PAGES) / 4 * (uint64_t)sysconf(_SC_PAGESIZE);
}

enum iw_status iw_check_files(struct iw_check_chain *chain, const struct iw_check_config *config,
    const struct iw_check_handlers *handlers, void *user, struct iw_check_counts *counts) {
    static const struct iw_tcp_handlers tcp = {check_count_flow, check_chunk, check_end_flow, check_has_room};
    static const struct iw_check_workers_handlers judged = {
        check_kept_event, check_give_up, check_end_stream, check_note_no_memory, check_wants_event};
    static const struct iw_check_handlers sessions = {
        .event = check_session_event, .stream_end = check_end_session};
    uint64_t memory = config->memory > 0 ? config->memory : check_default_memory();
    uint64_t waiting = iw_check_waiting_octets(memory, WAITING_OCTETS);
    const struct iw_tcp_config limits = {.total_octets = waiting, .flows = SIZE_MAX};
    struct check check = {.handlers = handlers,
        .user = user,
        .counts = counts,
        .chain = chain,
        .budget = memory - waiting - waiting / IW_TCP_WITHHELD_SHARE,
        .config = {.extensions = config->extensions},
        .later = {.extensions = config->extensions, .stags = IW_CHECK_LATER_STAGS}};
    struct iw_tcp_table *table;
    unsigned workers = check_worker_count(&check, config->threads);
    bool ready;

    memset(counts, 0, sizeof *counts);
    for (size_t i = 0; i < chain->count; i++)
        chain->first[i] = UINT64_MAX;
    if (workers > 0)
        check.workers = iw_check_workers_new(workers, &judged, &check);
    table = iw_tcp_table_new(&limits, &tcp, &check);
    check.sctp = iw_check_sctp_new(&check.config, memory, &sessions, &check, counts);
    check.reader = iw_reassembly_new();
    check.unread = calloc(chain->count, sizeof *check.unread);
    ready = table && check.sctp && check.reader && check.unread;
    if (ready)
        check_read_files(&check, chain, table);
    iw_tcp_table_free(table);
    iw_check_workers_free(check.workers);
    iw_check_sctp_free(check.sctp);
    iw_reassembly_free(check.reader);
    counts->mappings = check.mappings.forgotten;
    iw_check_mappings_clear(&check.mappings);
    free(check.unread);
    if (!ready || check.no_memory) {
        char error[IW_CHECK_TROUBLE_OCTETS];

        snprintf(error, sizeof error, "%s: out of memory", chain->paths[0]);
        check_trouble(&check, IW_ERR_NOMEM, error);
    }
    return check.status;
}
