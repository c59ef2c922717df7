#include "iw_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    struct iw_monitor_config config, later; /* of the first connections, and of all others */
    uint64_t octets;                        /* octets of the files that were read before this one */
    struct iw_check_workers *crew;          /* NULL: everything on this thread */
    struct iw_packet_reader *reader;
    struct iw_packet packet; /* being read, */
    uint64_t block;          /* and its block */
    struct iw_check_sctp *sctp;
    struct iw_check_mappings mappings;
    bool no_memory;
    enum iw_status status; /* of the first file that made trouble */
    const struct iw_check_chain *chain;
    bool *unread;       /* per file of the chain: it was not read, or not to its end */
    uint64_t latest_ns; /* time of a packet, and the file that has it; NULL: no packet yet */
    const char *latest_path;
    bool overlap; /* has been said */
};

/* ---- events and ends, of the one thread or of the crew ---- */

static void note(struct check *check, struct iw_check_watch *watch, const struct iw_monitor_event *event) {
    if (check->handlers->note)
        check->handlers->note(check->user, &watch->stream, event);
}

static bool is_asked_for(const struct check *check, const struct iw_monitor_event *event) {
    return check->handlers->event && (event->finding_count > 0 || !check->handlers->findings_only);
}

static void take_event(void *user, const struct iw_monitor_event *event) {
    struct iw_check_watch *watch = user;
    struct check *check = watch->owner;

    if (!iw_monitor_recognised(watch->lazy.monitor))
        return;
    note(check, watch, event);
    if (is_asked_for(check, event))
        check->handlers->event(check->user, &watch->stream, event);
}

static bool want_event(void *user, struct iw_check_watch *watch, const struct iw_monitor_event *event) {
    note(user, watch, event);
    return is_asked_for(user, event);
}

static void take_kept_event(void *user, struct iw_check_watch *watch, const struct iw_monitor_event *event) {
    struct check *check = user;

    check->handlers->event(check->user, &watch->stream, event);
}

/* Whether an unread part of a file may contain packets of the stream: the stream began before that part, and
 * continued after it or had not ended. */
static bool lacks_packets(const struct check *check, const struct iw_check_stream *stream) {
    const struct iw_check_chain *chain = check->chain;

    for (size_t i = 0; check->status != IW_OK && i < chain->count; i++) {
        uint64_t after = i + 1 < chain->count ? chain->first[i + 1] : UINT64_MAX;

        if (check->unread[i] && stream->first_frame < after &&
            (stream->last_frame >= after || !iw_monitor_over(stream->monitor)))
            return true;
    }
    return false;
}

static void take_end(void *user, struct iw_check_watch *watch, bool recognised) {
    struct check *check = user;

    iw_check_watch_show_end(watch);
    check->no_memory |= watch->lazy.state == IW_LAZY_MONITOR_NO_MEMORY;
    if (recognised) {
        check->counts->streams++;
        watch->stream.file_unread = lacks_packets(check, &watch->stream);
        if (check->handlers->stream_end)
            check->handlers->stream_end(check->user, &watch->stream);
    }
    iw_check_watch_free(watch);
}

static void note_no_memory(void *user) {
    struct check *check = user;

    check->no_memory = true;
}

/* The flow goes on, and nobody watches it. */
static void leave(struct check *check, struct iw_tcp_flow *flow, enum iw_lazy_monitor_state reason) {
    flow->user = NULL;
    iw_tcp_flow_ignore(flow);
    check->no_memory |= reason == IW_LAZY_MONITOR_NO_MEMORY;
}

/* There may be chunks of it in the next batch, so that it ends behind them. */
static void take_given_up(void *user, struct iw_check_watch *watch, enum iw_lazy_monitor_state reason) {
    struct check *check = user;

    if (!watch->flow)
        return;
    leave(check, watch->flow, reason);
    watch->flow = NULL;
    iw_check_workers_end(check->crew, watch);
}

/* ---- sessions over SCTP, on this thread ---- */

/* What the crew has been given came before. */
static void let_crew_report(struct check *check) {
    if (check->crew)
        iw_check_workers_finish(check->crew);
}

static void note_session(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct check *check = user;

    if (check->handlers->note)
        check->handlers->note(check->user, stream, event);
}

static void take_session_event(
    void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct check *check = user;

    if (!is_asked_for(check, event))
        return;
    let_crew_report(check);
    check->handlers->event(check->user, stream, event);
}

static void end_session(void *user, struct iw_check_stream *stream) {
    struct check *check = user;

    let_crew_report(check);
    check->counts->streams++;
    stream->file_unread = lacks_packets(check, stream);
    if (check->handlers->stream_end)
        check->handlers->stream_end(check->user, stream);
}

/* ---- flows ---- */

enum { HELD_BACK_OCTETS = 32 << 20 };

static struct iw_check_watch *watch_flow(
    struct check *check, struct iw_tcp_flow *flow, const struct iw_chunk *first) {
    const struct iw_monitor_config *config =
        flow->id < IW_CHECK_FIRST_STREAMS ? &check->config : &check->later;
    struct iw_check_watch *watch = check->crew
                                       ? iw_check_watch_new(flow, first, config, iw_check_workers_sink,
                                             iw_check_workers_lane(check->crew, flow))
                                       : iw_check_watch_new(flow, first, config, take_event, check);

    flow->user = watch;
    if (watch)
        watch->stream.mapped = iw_check_mappings_find(&check->mappings, watch->stream.address);
    return watch;
}

static void take_flow(void *user, struct iw_tcp_flow *flow) {
    struct check *check = user;

    (void)flow;
    check->counts->tcp_flows++;
}

/* Whether the octets come from this packet. Octets that waited for earlier ones, or that come from IP
 * fragments, do not. */
static bool stays(const struct check *check, const struct iw_chunk *chunk) {
    const struct iw_packet *packet = &check->packet;

    return check->block != 0 && chunk->octets >= packet->octets &&
           chunk->octets < packet->octets + packet->captured;
}

static void take_chunk(void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk) {
    struct check *check = user;
    struct iw_check_watch *watch = flow->user ? flow->user : watch_flow(check, flow, chunk);
    enum iw_lazy_monitor_state outcome = IW_LAZY_MONITOR_NO_MEMORY;

    if (watch && check->crew)
        outcome = iw_check_workers_chunk(check->crew, watch, chunk, stays(check, chunk))
                      ? IW_LAZY_MONITOR_OPEN
                      : IW_LAZY_MONITOR_NO_MEMORY;
    else if (watch)
        outcome = iw_check_watch_feed(watch, chunk);
    if (outcome == IW_LAZY_MONITOR_OPEN)
        return;
    if (watch && check->crew) {
        take_given_up(check, watch, outcome);
        return;
    }
    leave(check, flow, outcome);
    iw_check_watch_free(watch);
}

static void end_flow(void *user, struct iw_tcp_flow *flow) {
    struct check *check = user;
    struct iw_check_watch *watch = flow->user;

    if (!watch)
        return;
    iw_check_watch_detach(watch);
    if (check->crew)
        iw_check_workers_end(check->crew, watch);
    else
        take_end(check, watch, iw_check_watch_finish(watch));
}

static void take_packet(struct check *check, struct iw_tcp_table *table, const struct iw_packet *packet) {
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

static void take_trouble(struct check *check, enum iw_status status, const char *line) {
    if (check->status == IW_OK)
        check->status = status;
    if (check->handlers->trouble)
        check->handlers->trouble(check->user, line);
}

/* Files of one capture follow each other in time. Others, read one behind the other, are no conversation. */
static void note_time(struct check *check, const char *path, uint64_t time_ns) {
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

/* Passes all packets of an open file to the table. The crew has finished with its octets on return. Returns
 * false if the file cannot be read to its end. */
static bool read_packets(
    struct check *check, const char *path, struct iw_capture_file *file, struct iw_tcp_table *table) {
    uint64_t before = check->counts->frames;
    struct iw_packet *packet = &check->packet;
    char error[IW_CHECK_TROUBLE_OCTETS];
    int step;

    while ((step = iw_capture_file_next(file, packet, error, sizeof error)) == IW_CAPTURE_PACKET) {
        uint64_t block = iw_capture_file_block(file);

        if (check->crew && check->block != block && check->block != 0)
            iw_check_workers_turn(check->crew);
        check->block = block;
        note_time(check, path, packet->time_ns);
        packet->frame += before;
        check->counts->frames = packet->frame;
        if (check->handlers->progress && packet->frame % PROGRESS_FRAMES == 0)
            check->handlers->progress(
                check->user, packet->frame, check->octets + iw_capture_file_octets(file));
        take_packet(check, table, packet);
    }
    if (check->crew)
        iw_check_workers_finish(check->crew);
    check->block = 0;
    check->counts->frames = before + iw_capture_file_frames(file);
    check->octets += iw_capture_file_octets(file);
    iw_capture_unread_add(&check->counts->links, iw_capture_file_unread(file));
    if (step < 0)
        take_trouble(check, (enum iw_status)step, error);
    return step >= 0;
}

static bool read_file(struct check *check, const char *path, struct iw_tcp_table *table) {
    char error[IW_CHECK_TROUBLE_OCTETS];
    struct iw_capture_file *file;
    enum iw_status status = iw_capture_file_open(path, &file, error, sizeof error);
    bool whole;

    if (status != IW_OK) {
        take_trouble(check, status, error);
        return false;
    }
    whole = read_packets(check, path, file, table);
    iw_capture_file_close(file);
    return whole;
}

static void take_fragments(struct check *check) {
    struct iw_packet_reader_counts counts = iw_packet_reader_counts(check->reader);

    check->counts->fragments = counts.fragments;
    check->counts->differing = counts.differing;
    check->no_memory |= counts.no_memory;
}

/* All files, and the table to its end whatever happened. */
static void read_files(struct check *check, struct iw_check_chain *chain, struct iw_tcp_table *table) {
    for (size_t i = 0; i < chain->count; i++) {
        chain->first[i] = check->counts->frames + 1;
        check->unread[i] = !read_file(check, chain->paths[i], table);
    }
    iw_tcp_table_finish(table);
    if (check->crew)
        iw_check_workers_finish(check->crew);
    check->no_memory |= !iw_check_sctp_finish(check->sctp);
    take_fragments(check);
}

/* ---- the whole ---- */

enum { THREADS_MAX = 16 };

/* One thread reads. Whoever wants all events in order waits for each of them. */
static unsigned threads_beside(const struct check *check, unsigned asked) {
    long processors = asked ? (long)asked : sysconf(_SC_NPROCESSORS_ONLN);

    if (check->handlers->event && !check->handlers->findings_only)
        return 0;
    if (processors > THREADS_MAX)
        processors = THREADS_MAX;
    return processors > 1 ? (unsigned)processors - 1 : 0;
}

static struct iw_check_workers *crew_of(struct check *check, unsigned threads) {
    static const struct iw_check_workers_handlers handlers = {
        take_kept_event, take_given_up, take_end, note_no_memory, want_event};

    return threads == 0 ? NULL : iw_check_workers_new(threads, &handlers, check);
}

enum iw_status iw_check_files(struct iw_check_chain *chain, const struct iw_check_config *config,
    const struct iw_check_handlers *handlers, void *user, struct iw_check_counts *counts) {
    static const struct iw_tcp_config limits = {.total_octets = HELD_BACK_OCTETS};
    static const struct iw_tcp_handlers tcp = {take_flow, take_chunk, end_flow};
    static const struct iw_check_handlers sessions = {
        .note = note_session, .event = take_session_event, .stream_end = end_session};
    struct check check = {.handlers = handlers,
        .user = user,
        .counts = counts,
        .chain = chain,
        .config = {.extensions = config->extensions},
        .later = {.extensions = config->extensions, .stags = IW_CHECK_LATER_STAGS}};
    struct iw_tcp_table *table;
    bool ready;

    memset(counts, 0, sizeof *counts);
    for (size_t i = 0; i < chain->count; i++)
        chain->first[i] = UINT64_MAX;
    check.crew = crew_of(&check, threads_beside(&check, config->threads));
    table = iw_tcp_table_new(&limits, &tcp, &check);
    check.sctp = iw_check_sctp_new(&check.config, &sessions, &check, counts);
    check.reader = iw_packet_reader_new();
    check.unread = calloc(chain->count, sizeof *check.unread);
    ready = table && check.sctp && check.reader && check.unread;
    if (ready)
        read_files(&check, chain, table);
    iw_tcp_table_free(table);
    iw_check_workers_free(check.crew);
    iw_check_sctp_free(check.sctp);
    iw_packet_reader_free(check.reader);
    counts->mappings = check.mappings.forgotten;
    iw_check_mappings_clear(&check.mappings);
    free(check.unread);
    if (!ready || check.no_memory) {
        char error[IW_CHECK_TROUBLE_OCTETS];

        snprintf(error, sizeof error, "%s: out of memory", chain->paths[0]);
        take_trouble(&check, IW_ERR_NOMEM, error);
    }
    return check.status;
}

const char *iw_check_chain_place(const struct iw_check_chain *chain, uint64_t *frame) {
    size_t file = chain->count - 1;

    while (file > 0 && chain->first[file] > *frame)
        file--;
    if (*frame > 0)
        *frame -= chain->first[file] - 1;
    return chain->paths[file];
}
