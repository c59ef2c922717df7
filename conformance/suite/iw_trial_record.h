#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_evidence.h"
#include "iw_loop.h"
#include "iw_recorder.h"
#include "iw_trial_result.h"

/* The evidence of a trial of a case: its capture, and the wire log beside it. A zeroed struct has neither. */

struct iw_trial_record {
    struct iw_recorder *recorder;         /* NULL: no capture */
    struct iw_evidence evidence;          /* `out` NULL: no log */
    char log[512];                        /* path of the log, if there is a capture */
    char broken[IW_RECORDER_TEXT_OCTETS]; /* why capture or log cannot be written; "": they can */
    iw_timer_call *stopped;
    void *user;
};

/* Writes the path of the log of a capture: ID.log for ID.pcapng. */
void iw_trial_record_log_path(const char *capture, char *log, size_t octets);

/* Opens the capture at the path `capture`, and the log, each limited to `limit` octets (0: no limit). Calls
 * `stopped` if the capture cannot grow any more; from within the call that records, so it must not end the
 * trial. On failure returns false, and `broken` says why. */
bool iw_trial_record_open(struct iw_trial_record *record, const struct iw_case *one, const char *capture,
    uint64_t limit, iw_timer_call *stopped, void *user);

/* Notes that the evidence cannot be written. Only the first reason counts: the others follow from it. */
void iw_trial_record_break(struct iw_trial_record *record, const char *why);

/* Logs the event, and keeps the frames of its findings whole. own[side]: the device is not that side. */
void iw_trial_record_event(struct iw_trial_record *record, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event);
void iw_trial_record_step(struct iw_trial_record *record, const char *text);

/* Closes the capture, and sets what --evidence-limit has left out of the result. */
void iw_trial_record_close_capture(struct iw_trial_record *record, struct iw_trial_result *result);

/* Writes the end of the log with the verdict. `console`: where the crash stands that the log quotes; or NULL.
 * A result without evidence proves nothing: then it becomes inconclusive, and ends the run. */
void iw_trial_record_close_log(
    struct iw_trial_record *record, struct iw_trial_result *result, const struct iw_console *console);
