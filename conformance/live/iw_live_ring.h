#pragma once

#include "iw_check_report.h"
#include "iw_live_source.h"
#include "iw_record_file.h"

/* Records the packets that a struct iw_live_source gives, in a ring of pcapng files: a limited number of
 * files of a limited size, of which the oldest is removed.
 *
 * The names, "watch_20260131120000_00001.pcapng", have the time (UTC) of the first packet and a number; their
 * order is that of time. `check` takes the files for one capture (iw_check_group.h). Each input and link type
 * is an interface of the file. The packet id of a packet is its frame number in the report. A packet has a
 * comment with the findings of its judgement. */

struct iw_live_ring;

enum {
    IW_LIVE_RING_OCTETS_MIN = 4096,
    IW_LIVE_RING_FILES_MIN = 2,
    IW_LIVE_RING_FILES_MAX = 10000,
    IW_LIVE_RING_TEXT_OCTETS = IW_RECORD_FILE_TEXT_OCTETS,
};

struct iw_live_ring_config {
    const char *folder; /* created if necessary */
    uint64_t octets;    /* of a file; only a file with a single packet may be larger */
    unsigned files;     /* at most so many, with the open one */
    bool findings_only; /* keep only files with a finding that is not waived, and the file before */
    iw_record_trouble
        *trouble; /* called once if recording stops; nothing that was recorded is removed then */
    void *user;   /* of `trouble` */
};

/* Borrows the members of `config`, and `source`. On failure returns NULL with one line in `text`, of
 * IW_LIVE_RING_TEXT_OCTETS octets. */
struct iw_live_ring *iw_live_ring_open(
    const struct iw_live_ring_config *config, const struct iw_live_source *source, char *text);

/* Makes `check`, which iw_live_source_init has filled in, record each packet after its judgement: when the
 * next packet is asked for. Fills in `observer`, which must see the events of the same packets. */
void iw_live_ring_attach(
    struct iw_live_ring *ring, struct iw_check_source *check, struct iw_check_observer *observer);

/* Ends the recording. Returns false if it had stopped because of an error. NULL is allowed. */
bool iw_live_ring_close(struct iw_live_ring *ring);
