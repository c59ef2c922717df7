#ifndef IW_CHECK_JOB_H
#define IW_CHECK_JOB_H

#include <sys/queue.h>

#include "iw_check.h"
#include "iw_check_sctp.h"
#include "iw_check_workers.h"
#include "iw_packet_reader.h"
#include "iw_tcp_table.h"

/* One call of iw_check_files: iw_check.c reads the files, iw_check_job.c judges the flows. */

/* An ignored flow is followed less exactly. The reports must not depend on the speed of the workers, so a
 * flow that is not iWARP is ignored at a fixed place in the capture: at the end of the epoch after the one
 * that shows that it is not iWARP, or as soon as memory runs short. An epoch is a block of the file
 * (iw_capture_file_block), or 4096 frames of a file without blocks. */

struct iw_check_job {
    const struct iw_check_handlers *handlers;
    void *user;
    struct iw_check_counts *counts;
    struct iw_monitor_config config;  /* for SCTP, and the first IW_CHECK_FIRST_STREAMS TCP connections */
    struct iw_monitor_config later;   /* for later TCP connections: fewer STags */
    uint64_t octets;                  /* octets of the files read before the current one */
    uint64_t memory;                  /* estimated octets of the open connections, without kept octets */
    uint64_t kept;                    /* without workers: octets that the connections keep (iw_mpa_memory) */
    uint64_t budget;                  /* limit of `memory` and kept octets together */
    struct iw_check_workers *workers; /* NULL: the caller's thread judges everything */
    uint64_t epoch;
    LIST_HEAD(, iw_check_watch) given_up[2]; /* given up in this epoch or the previous one, by epoch % 2 */
    struct iw_reassembly *reader;
    struct iw_packet packet; /* current packet */
    uint64_t block;          /* iw_capture_file_block of the latest packet */
    struct iw_check_sctp *sctp;
    struct iw_check_mappings mappings;
    bool no_memory;
    enum iw_status status; /* of the first file that failed */
    const struct iw_check_chain *chain;
    bool *unread;            /* by file: the file was not read to its end */
    uint64_t latest_ns;      /* latest time of a packet so far */
    const char *latest_path; /* the file of the packet with the latest time; NULL: no packet yet */
    bool overlap;            /* handlers->overlap was called */
};

/* What the TCP table, the workers, and the judge of SCTP call; `user` is the job. */
extern const struct iw_tcp_handlers iw_check_job_tcp;
extern const struct iw_check_workers_handlers iw_check_job_judged;
extern const struct iw_check_handlers iw_check_job_sessions;

/* Ends the epoch: hands its chunks to the workers, and ignores the flows given up in the epoch before it. */
void iw_check_job_end_epoch(struct iw_check_job *job);

/* Waits until the workers have judged the TCP packets read so far, and reports all events. */
void iw_check_job_await_workers(struct iw_check_job *job);

#endif
