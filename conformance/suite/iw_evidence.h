#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_tail_queue.h"
#include "iw_trial_result.h"

/* The wire log of a case, a text file. It has all messages of both sides, numbered and decoded as by
 * `warpcheck check --decode`, with their octets and violations. The verdict is at the end. The first line of
 * an event starts with its number; its other lines are indented. */

enum {
    IW_EVIDENCE_OCTETS = 128,   /* octets that are logged of each startup frame or FPDU */
    IW_EVIDENCE_ROW = 32,       /* octets per line */
    IW_EVIDENCE_LIMIT_MIB = 64, /* of a capture, and of a log, unless --evidence-limit sets it */
};

struct iw_evidence {
    FILE *out;
    uint64_t number;             /* number of the last event */
    uint64_t begin_ns, since_ns; /* time of the first event; from it to the last event that has a time */
    uint64_t limit;              /* about the maximum size of the log; 0: no limit */
    uint64_t octets;             /* written so far */
    struct iw_tail_queue tail;   /* the newest steps and events, if the limit keeps them from `out` */
    uint64_t left_out;           /* steps and events that the limit keeps from the log */
    uint64_t left_out_since;     /* of them, those since the last text in `out` */
    bool no_memory;              /* an event is missing for that reason */
};

/* Writes the head of the log to `out`. */
void iw_evidence_begin(struct iw_evidence *evidence, FILE *out, const struct iw_case *one);

/* Limits the log to about as many octets: half of them for its begin, a quarter for its end. Of the events
 * between, those with findings remain, up to the limit. Call it after iw_evidence_begin. */
void iw_evidence_limit(struct iw_evidence *evidence, uint64_t octets);

/* Logs that the script has reached the step `text`. */
void iw_evidence_step(struct iw_evidence *evidence, const char *text);

/* Logs an event from the monitor of the connection. own[side] is true if the suite plays that side. */
void iw_evidence_event(struct iw_evidence *evidence, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event);

/* Writes an event from its role on: role, frame, decoded message; lines of octets and violations. */
void iw_evidence_put(FILE *out, const struct iw_monitor_event *event);

/* Logs the verdict with its reason, the expected and the actual behaviour, and the requirements. Call it
 * exactly once: it frees the tail. */
void iw_evidence_verdict(struct iw_evidence *evidence, const struct iw_trial_result *result);

/* The next three functions parse a line of a log. This one returns the part that iw_evidence_put wrote to the
 * first line of an event; NULL for any other line. */
const char *iw_evidence_event_of(const char *line);

/* Returns whether the line belongs to the event above it. */
bool iw_evidence_is_continuation(const char *line);

/* Returns the text after "verdict: "; NULL for any other line. */
const char *iw_evidence_verdict_of(const char *line);
