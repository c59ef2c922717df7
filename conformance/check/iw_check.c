#include "iw_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iw_check_job.h"
#include "iw_check_origin.h"
#include "iw_monotonic.h"
#include "iw_placement.h"

static bool check_has_shard(const struct iw_check_shard *shard, enum iw_packet_kind kind,
    const struct iw_tcp_segment *segment, const struct iw_packet_facts *facts) {
    unsigned number = iw_check_shard_of(kind, segment, facts, shard->count);

    return number == shard->number || number == IW_CHECK_EVERY_SHARD;
}

static void check_packet(struct iw_check_job *job, const struct iw_packet *packet) {
    struct iw_check_counts *counts = job->counts;
    struct iw_tcp_segment segment;
    struct iw_packet_facts facts;
    enum iw_packet_kind kind = iw_packet_read(job->reader, packet, &segment, &facts);

    if (job->shard.count > 0 && !check_has_shard(&job->shard, kind, &segment, &facts))
        return;
    switch (kind) {
    case IW_PACKET_TCP:
        if (iw_tcp_table_segment(job->table, &segment) != IW_OK)
            counts->dropped++;
        break;
    case IW_PACKET_SCTP:
        job->no_memory |= !iw_check_sctp_packet(job->sctp, &segment);
        break;
    case IW_PACKET_FRAGMENT: /* counted by the packet reader */
        break;
    case IW_PACKET_CUT:
        counts->cut++;
        break;
    case IW_PACKET_MALFORMED:
        counts->malformed++;
        break;
    case IW_PACKET_OTHER:
        iw_check_contents_add(&counts->contents, facts.content, facts.number, 1, packet->frame);
        if (facts.content == IW_CONTENT_PORT_MAPPER)
            job->no_memory |= !iw_check_mappings_take(&job->mappings, &segment);
        else if (facts.content == IW_CONTENT_ICMP)
            iw_tcp_table_rejected(job->table, &segment, &facts.icmp);
        break;
    }
}

enum { PROGRESS_FRAMES = 4096 };

static void check_trouble(struct iw_check_job *job, enum iw_status status, const char *line) {
    if (job->status == IW_OK)
        job->status = status;
    if (job->handlers->trouble)
        job->handlers->trouble(job->user, line);
}

/* Calls handlers->overlap once if the packet is older than a packet of an earlier file. */
static void check_time_order(struct iw_check_job *job, const char *path, uint64_t time_ns) {
    if (job->latest_path == NULL || time_ns >= job->latest_ns) {
        job->latest_ns = time_ns;
        job->latest_path = path;
        return;
    }
    if (job->latest_path == path || job->overlap)
        return;
    job->overlap = true;
    if (job->handlers->overlap)
        job->handlers->overlap(job->user, path, job->latest_path, job->latest_ns - time_ns);
}

/* Judges the current packet, which is in `block` (iw_capture_file_block). `octets` of the file were read. */
static void check_next_packet(struct iw_check_job *job, uint64_t block, uint64_t octets) {
    struct iw_packet *packet = &job->packet;
    uint64_t epoch = packet->frame / IW_CHECK_EPOCH_FRAMES;

    if (epoch > job->epoch)
        iw_check_job_begin_epoch(job, epoch);
    else if (job->block != 0 && job->block != block)
        iw_check_job_swap(job);
    job->block = block;
    if (job->handlers->progress && packet->frame % PROGRESS_FRAMES == 0)
        job->handlers->progress(job->user, packet->frame, job->octets + octets);
    if (job->order != NULL)
        job->order->now = packet->frame;
    check_packet(job, packet);
    iw_check_job_note_ids(job);
}

/* The file has ended, after `frames` frames of the capture. */
static void check_end_file(struct iw_check_job *job, struct iw_capture_file *file, uint64_t frames) {
    iw_check_job_await_workers(job); /* the workers may still read octets of the file */
    job->block = 0;
    job->counts->frames = frames;
    job->octets += iw_capture_file_octets(file);
    iw_capture_unread_add(&job->counts->links, iw_capture_file_unread(file));
    iw_capture_file_close(file);
}

/* Judges all packets of the file. Returns false if the file cannot be read to its end. */
static bool check_read_file(struct iw_check_job *job, const char *path) {
    uint64_t before = job->counts->frames;
    struct iw_packet *packet = &job->packet;
    char error[IW_CHECK_TROUBLE_OCTETS];
    struct iw_capture_file *file;
    int step = iw_capture_file_open(path, &file, error, sizeof error);

    if (step != IW_OK) {
        check_trouble(job, (enum iw_status)step, error);
        return false;
    }
    while ((step = iw_capture_file_next(file, packet, error, sizeof error)) == IW_CAPTURE_PACKET) {
        check_time_order(job, path, packet->time_ns);
        packet->frame += before;
        job->counts->frames = packet->frame;
        check_next_packet(job, iw_capture_file_block(file), iw_capture_file_octets(file));
    }
    check_end_file(job, file, before + iw_capture_file_frames(file));
    if (step < 0)
        check_trouble(job, (enum iw_status)step, error);
    return step >= 0;
}

/* ---- a file of `split` ---- */

/* How far the file has been read. */
struct check_split {
    struct iw_check_job *job;
    const struct iw_check_split *split;
    uint64_t sections;
    bool wrong; /* the sections are not those that `split` writes */
};

/* Stores how the file before this section ended. */
static void check_end_origin(struct iw_check_job *job, const struct iw_check_origin *origin) {
    job->counts->frames = origin->before;
    iw_capture_unread_add(&job->counts->links, &origin->unread);
    if (origin->error == NULL)
        return;
    job->unread[origin->file - 1] = true;
    check_trouble(job, (enum iw_status)origin->status, origin->error);
}

static void check_take_origin(struct check_split *reading, const struct iw_check_origin *origin) {
    struct iw_check_job *job = reading->job;
    char *path;

    if (origin->file != reading->sections || origin->files != job->chain->count ||
        origin->shard.number != job->shard.number || origin->shard.count != job->shard.count ||
        origin->before < job->counts->frames) {
        reading->wrong = true;
        return;
    }
    if (origin->file > 0)
        check_end_origin(job, origin);
    reading->sections++;
    if (origin->file == origin->files)
        return;
    job->chain->first[origin->file] = origin->before + 1;
    path = strdup(origin->path);
    if (path != NULL)
        reading->split->names[origin->file] = path;
    reading->split->paths[origin->file] = path;
    job->no_memory |= path == NULL;
}

static void check_take_section(void *user, const char *comment, size_t octets) {
    struct check_split *reading = user;
    struct iw_check_origin_text text;

    if (!iw_check_origin_read(&text, comment, octets)) {
        reading->wrong = true;
        return;
    }
    if (!reading->wrong)
        check_take_origin(reading, &text.origin);
    iw_check_origin_clear(&text);
}

/* Judges the packet if its frame number is in order. */
static bool check_split_packet(struct iw_check_job *job, const struct iw_capture_file *file) {
    struct iw_capture_note note;

    iw_capture_file_note(file, &note);
    if (note.id <= job->counts->frames || note.id > INT64_MAX)
        return false;
    job->packet.frame = job->counts->frames = note.id;
    check_next_packet(job, iw_capture_file_block(file), iw_capture_file_octets(file));
    return true;
}

static void check_read_split(struct iw_check_job *job, const struct iw_check_split *split) {
    struct check_split reading = {.job = job, .split = split};
    char error[IW_CHECK_TROUBLE_OCTETS];
    struct iw_capture_file *file;
    int step = iw_capture_file_open(split->path, &file, error, sizeof error);

    if (step != IW_OK) {
        check_trouble(job, (enum iw_status)step, error);
        return;
    }
    iw_capture_file_on_section(file, check_take_section, &reading);
    while ((step = iw_capture_file_next(file, &job->packet, error, sizeof error)) == IW_CAPTURE_PACKET)
        if (reading.wrong || !check_split_packet(job, file)) {
            reading.wrong = true;
            break;
        }
    check_end_file(job, file, job->counts->frames);
    if (step < 0)
        check_trouble(job, (enum iw_status)step, error);
    if (reading.wrong || (step >= 0 && reading.sections <= job->chain->count)) {
        snprintf(error, sizeof error, "%s: %s", split->path,
            reading.wrong ? "changed after 'warpcheck split' wrote it"
                          : "not complete: 'warpcheck split' was killed");
        check_trouble(job, IW_ERR_FORMAT, error);
    }
}

/* ---- packets as they come ---- */

/* A connection that is closed ends once it has been quiet for as long as a lost segment takes to come again.
 */
static const uint64_t LINGER_NS = 3000000000;

/* The time of the latest packet, and how long ago that was: by ticks, as the capture's clock is not ours. */
struct check_quiet {
    uint64_t frames;   /* at the latest tick with a packet before it */
    uint64_t since_ns; /* of that tick, by the monotonic clock */
};

static void check_tick(struct iw_check_job *job, struct check_quiet *quiet) {
    uint64_t now_ns = iw_monotonic_ns();

    if (quiet->frames != job->counts->frames)
        *quiet = (struct check_quiet){job->counts->frames, now_ns};
    if (job->latest_path != NULL) {
        uint64_t latest_ns = job->latest_ns + (now_ns - quiet->since_ns);

        iw_tcp_table_end_closed(job->table, latest_ns > LINGER_NS ? latest_ns - LINGER_NS : 0);
    }
    if (job->handlers->tick)
        job->handlers->tick(job->user);
}

static void check_read_source(struct iw_check_job *job, const struct iw_check_source *source) {
    struct iw_packet *packet = &job->packet;
    struct check_quiet quiet = {.frames = 0};
    const char *name = job->chain->paths[0];
    char error[IW_CHECK_TROUBLE_OCTETS];
    int step;

    job->chain->first[0] = 1;
    while ((step = source->next(source->user, packet, error, sizeof error)) == IW_CHECK_PACKET ||
           step == IW_CHECK_TICK) {
        if (step == IW_CHECK_PACKET) {
            check_time_order(job, name, packet->time_ns);
            packet->frame = ++job->counts->frames;
            check_next_packet(job, 0, 0);
        } else {
            check_tick(job, &quiet);
        }
    }
    job->counts->lost = source->lost(source->user);
    if (step < 0)
        check_trouble(job, (enum iw_status)step, error);
}

/* Reads all files, even if one fails, and ends all connections. */
static void check_read_files(
    struct iw_check_job *job, const struct iw_check_split *split, const struct iw_check_source *source) {
    const struct iw_check_chain *chain = job->chain;
    struct iw_reassembly_counts fragments;

    if (source != NULL)
        check_read_source(job, source);
    for (size_t i = 0; i < chain->count && split == NULL && source == NULL; i++) {
        chain->first[i] = job->counts->frames + 1;
        job->unread[i] = !check_read_file(job, chain->paths[i]);
    }
    if (split != NULL)
        check_read_split(job, split);
    job->finishing = true;
    iw_tcp_table_finish(job->table);
    iw_check_job_note_ids(job);
    iw_check_job_await_workers(job);
    job->no_memory |= !iw_check_sctp_finish(job->sctp);
    iw_check_job_end_deferred(job);
    fragments = iw_reassembly_counts(job->reader);
    job->counts->fragments = fragments.fragments;
    job->counts->differing = fragments.differing;
    job->no_memory |= fragments.no_memory;
}

enum { THREADS_MAX = 16 };

/* Returns the number of worker threads, without the reading thread. Workers bring no gain if the handler
 * `event` gets all events. */
static unsigned check_worker_count(const struct iw_check_job *job, unsigned asked) {
    long processors = asked ? (long)asked : sysconf(_SC_NPROCESSORS_ONLN);

    if ((job->handlers->event && !job->handlers->findings_only) || job->shard.count > 0)
        return 0;
    if (processors > THREADS_MAX)
        processors = THREADS_MAX;
    return processors > 1 ? (unsigned)processors - 1 : 0;
}

enum { WAITING_OCTETS = 32 << 20 };

IW_HOT enum iw_status iw_check_files(struct iw_check_chain *chain, const struct iw_check_config *config,
    const struct iw_check_handlers *handlers, void *user, struct iw_check_counts *counts) {
    uint64_t memory = config->memory > 0
                          ? config->memory
                          : (uint64_t)sysconf(_SC_PHYS_PAGES) / 4 * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t waiting = iw_check_waiting_octets(memory, WAITING_OCTETS);
    const struct iw_tcp_config limits = {.total_octets = waiting, .flows = SIZE_MAX};
    struct iw_check_job job = {.handlers = handlers,
        .user = user,
        .counts = counts,
        .chain = chain,
        .budget = memory - waiting - waiting / IW_TCP_WITHHELD_SHARE,
        .config = {.extensions = config->extensions, .mpa = {.expected = config->expected}},
        .later = {.extensions = config->extensions,
            .stags = IW_CHECK_LATER_STAGS,
            .mpa = {.expected = config->expected}},
        .lives = config->lives,
        .shard = config->shard,
        .order = config->order};
    unsigned workers = config->source != NULL ? 0 : check_worker_count(&job, config->threads);
    bool ready;

    memset(counts, 0, sizeof *counts);
    STAILQ_INIT(&job.deferred);
    for (size_t i = 0; i < chain->count; i++)
        chain->first[i] = UINT64_MAX;
    if (workers > 0)
        job.workers = iw_check_workers_new(workers, &iw_check_job_judged, &job);
    job.table = iw_tcp_table_new(&limits, config->lives ? &iw_check_job_tcp_lives : &iw_check_job_tcp, &job);
    job.sctp = iw_check_sctp_new(&job.config, memory, &iw_check_job_sessions, &job, counts);
    job.reader = iw_reassembly_new();
    job.unread = calloc(chain->count, sizeof *job.unread);
    ready = job.table && job.sctp && job.reader && job.unread;
    if (ready)
        check_read_files(&job, config->split, config->source);
    iw_tcp_table_free(job.table);
    iw_check_workers_free(job.workers);
    iw_check_sctp_free(job.sctp);
    iw_reassembly_free(job.reader);
    counts->mappings = job.mappings.forgotten;
    iw_check_mappings_clear(&job.mappings);
    free(job.unread);
    job.no_memory |= job.order != NULL && job.order->no_memory;
    if (!ready || job.no_memory) {
        char error[IW_CHECK_TROUBLE_OCTETS];

        snprintf(error, sizeof error, "%s: out of memory", chain->paths[0]);
        check_trouble(&job, IW_ERR_NOMEM, error);
    }
    return job.status;
}
