#pragma once

#include <sys/queue.h>

#include "iw_check.h"
#include "iw_check_sctp.h"
#include "iw_check_workers.h"
#include "iw_packet_reader.h"
#include "iw_tcp_table.h"

/* One call of iw_check_files. iw_check.c reads the files; iw_check_job.c judges the connections. */

/* A TCP flow that is not iWARP is ignored after a while, and then the TCP table follows it less exactly. The
 * reports must not depend on the speed of the threads. So a flow is ignored at a fixed place: at the end of
 * the epoch after the epoch that shows that it is not iWARP, or earlier if memory runs short. An epoch is
 * 4096 frames of the capture, so that it is the same in a shard. */

struct iw_check_job {
    const struct iw_check_handlers *handlers;
    void *user;
    struct iw_check_counts *counts;
    struct iw_monitor_config config; /* for SCTP, and for the first IW_CHECK_FIRST_STREAMS TCP connections */
    struct iw_monitor_config later;  /* for later TCP connections: fewer STags */
    uint64_t octets;                 /* size of the files before the current file */
    uint64_t memory;                 /* estimated octets of memory of the open connections, without `kept` */
    uint64_t kept;   /* octets that the connections keep (iw_mpa_memory); only without workers */
    uint64_t budget; /* limit of `memory` and the kept octets together */
    struct iw_check_workers *workers; /* NULL: the caller's thread judges everything */
    uint64_t epoch;                   /* frame number of the current packet / IW_CHECK_EPOCH_FRAMES */
    bool lives;                       /* see struct iw_check_config */
    struct iw_tcp_table *table;
    struct iw_check_shard shard;
    struct iw_check_order *order;            /* NULL: the check is not divided */
    bool finishing;                          /* the capture has ended */
    LIST_HEAD(, iw_check_watch) given_up[2]; /* by epoch % 2: not iWARP, still to be ignored */
    STAILQ_HEAD(, iw_check_watch) deferred;  /* ended; `stream_end` wants to be called again */
    struct iw_reassembly *reader;
    struct iw_packet packet; /* current packet */
    uint64_t block;          /* block of the current packet (iw_capture_file_block) */
    struct iw_check_sctp *sctp;
    struct iw_check_mappings mappings;
    bool no_memory;
    enum iw_status status; /* of the first file that failed */
    const struct iw_check_chain *chain;
    bool *unread;            /* by file: the file was not read to its end */
    uint64_t latest_ns;      /* the latest time of all packets so far */
    const char *latest_path; /* file of the packet with the latest time; NULL: no packet yet */
    bool overlap;            /* handlers->overlap was called */
};

/* Callbacks for the TCP table, the workers and the SCTP judge; their `user` is the job. */
extern const struct iw_tcp_handlers iw_check_job_tcp;
extern const struct iw_tcp_handlers iw_check_job_tcp_lives; /* the same, and follows the lives */
extern const struct iw_check_workers_handlers iw_check_job_judged;
extern const struct iw_check_handlers iw_check_job_sessions;

enum { IW_CHECK_EPOCH_FRAMES = 4096 };

/* The current packet has another block of the file, or begins `epoch`: gives the chunks since the latest call
 * to the workers. Ignores the flows given up two epochs ago or earlier. */
void iw_check_job_swap(struct iw_check_job *job);
void iw_check_job_begin_epoch(struct iw_check_job *job, uint64_t epoch);

/* Stores the order of the ids that the TCP table has given. */
void iw_check_job_note_ids(struct iw_check_job *job);

/* Calls `stream_end` again for the streams that it has deferred. */
void iw_check_job_end_deferred(struct iw_check_job *job);

/* Waits until the workers have judged the TCP packets read so far, and reports all events. */
void iw_check_job_await_workers(struct iw_check_job *job);
