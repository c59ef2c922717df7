#ifndef IW_EVIDENCE_H
#define IW_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_trial_result.h"

/* The wire log of a case: all messages of both sides, numbered and decoded as in `warpcheck check
 * --decode`, with their octets and violations, and the verdict at the end. A line that starts with a
 * digit is an event; its indented lines follow. */

enum {
    IW_EVIDENCE_OCTETS = 128, /* logged octets of a startup frame or an FPDU */
    IW_EVIDENCE_ROW = 32,     /* octets in a line */
};

struct iw_evidence {
    FILE *out;
    uint64_t number;             /* of the last event */
    uint64_t begin_ns, since_ns; /* time of the first event; time from it to the last event that has a time */
};

/* Starts the log of the case in `out`. */
void iw_evidence_begin(struct iw_evidence *evidence, FILE *out, const struct iw_case *one);

/* Logs that the script has reached the step `text`. */
void iw_evidence_step(struct iw_evidence *evidence, const char *text);

/* Logs an event of the connection's monitor; `own` are the sides that the case plays. */
void iw_evidence_event(struct iw_evidence *evidence, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event);

/* Writes the event without number, time, connection and sender: role, frame, decoding, octets and
 * violations; one line or more. */
void iw_evidence_put(FILE *out, const struct iw_monitor_event *event);

/* Logs the verdict, with expected and actual behaviour and the clauses. */
void iw_evidence_verdict(const struct iw_evidence *evidence, const struct iw_trial_result *result);

/* For readers of a log, line by line: the part of an event's first line that iw_evidence_put wrote; NULL for
 * any other line. */
const char *iw_evidence_event_of(const char *line);

/* Whether the line continues the event above it. */
bool iw_evidence_is_continuation(const char *line);

/* The text after "verdict: "; NULL for any other line. */
const char *iw_evidence_verdict_of(const char *line);

#endif
