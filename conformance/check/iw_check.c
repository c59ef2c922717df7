#include "iw_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iw_capture_file.h"
#include "iw_check_job.h"
#include "iw_placement.h"

static void check_packet(
    struct iw_check_job *job, struct iw_tcp_table *table, const struct iw_packet *packet) {
    struct iw_check_counts *counts = job->counts;
    struct iw_tcp_segment segment;
    struct iw_packet_facts facts;

    switch (iw_packet_read(job->reader, packet, &segment, &facts)) {
    case IW_PACKET_TCP:
        if (iw_tcp_table_segment(table, &segment) != IW_OK)
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
        iw_check_contents_add(&counts->contents, facts.content, facts.number, 1);
        if (facts.content == IW_CONTENT_PORT_MAPPER)
            job->no_memory |= !iw_check_mappings_take(&job->mappings, &segment);
        break;
    }
}

enum { PROGRESS_FRAMES = 4096 };

/* Frames of an epoch (iw_check_job.h) if the file has no blocks. */
enum { EPOCH_FRAMES = 4096 };

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

/* Returns whether the current packet, which is in `block` (iw_capture_file_block), begins an epoch. */
static bool check_begins_epoch(const struct iw_check_job *job, uint64_t block) {
    if (block == 0)
        return job->packet.frame % EPOCH_FRAMES == 0;
    return job->block != 0 && job->block != block;
}

/* Judges all packets of the file. Returns false if the file cannot be read to its end. */
static bool check_read_file(struct iw_check_job *job, const char *path, struct iw_tcp_table *table) {
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
        if (check_begins_epoch(job, iw_capture_file_block(file)))
            iw_check_job_end_epoch(job);
        job->block = iw_capture_file_block(file);
        check_time_order(job, path, packet->time_ns);
        packet->frame += before;
        job->counts->frames = packet->frame;
        if (job->handlers->progress && packet->frame % PROGRESS_FRAMES == 0)
            job->handlers->progress(job->user, packet->frame, job->octets + iw_capture_file_octets(file));
        check_packet(job, table, packet);
    }
    iw_check_job_await_workers(job); /* the workers may still read octets of the file */
    job->block = 0;
    job->counts->frames = before + iw_capture_file_frames(file);
    job->octets += iw_capture_file_octets(file);
    iw_capture_unread_add(&job->counts->links, iw_capture_file_unread(file));
    if (step < 0)
        check_trouble(job, (enum iw_status)step, error);
    iw_capture_file_close(file);
    return step >= 0;
}

/* Reads all files, even if one fails, and ends all connections. */
static void check_read_files(
    struct iw_check_job *job, struct iw_check_chain *chain, struct iw_tcp_table *table) {
    struct iw_reassembly_counts fragments;

    for (size_t i = 0; i < chain->count; i++) {
        chain->first[i] = job->counts->frames + 1;
        job->unread[i] = !check_read_file(job, chain->paths[i], table);
    }
    iw_tcp_table_finish(table);
    iw_check_job_await_workers(job);
    job->no_memory |= !iw_check_sctp_finish(job->sctp);
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

    if (job->handlers->event && !job->handlers->findings_only)
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
            .mpa = {.expected = config->expected}}};
    struct iw_tcp_table *table;
    unsigned workers = check_worker_count(&job, config->threads);
    bool ready;

    memset(counts, 0, sizeof *counts);
    for (size_t i = 0; i < chain->count; i++)
        chain->first[i] = UINT64_MAX;
    if (workers > 0)
        job.workers = iw_check_workers_new(workers, &iw_check_job_judged, &job);
    table = iw_tcp_table_new(&limits, &iw_check_job_tcp, &job);
    job.sctp = iw_check_sctp_new(&job.config, memory, &iw_check_job_sessions, &job, counts);
    job.reader = iw_reassembly_new();
    job.unread = calloc(chain->count, sizeof *job.unread);
    ready = table && job.sctp && job.reader && job.unread;
    if (ready)
        check_read_files(&job, chain, table);
    iw_tcp_table_free(table);
    iw_check_workers_free(job.workers);
    iw_check_sctp_free(job.sctp);
    iw_reassembly_free(job.reader);
    counts->mappings = job.mappings.forgotten;
    iw_check_mappings_clear(&job.mappings);
    free(job.unread);
    if (!ready || job.no_memory) {
        char error[IW_CHECK_TROUBLE_OCTETS];

        snprintf(error, sizeof error, "%s: out of memory", chain->paths[0]);
        check_trouble(&job, IW_ERR_NOMEM, error);
    }
    return job.status;
}
