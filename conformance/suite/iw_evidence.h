#ifndef IW_EVIDENCE_H
#define IW_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_trial_result.h"

/* The wire log of a case: what both sides sent, numbered, decoded as `warpcheck check --decode` prints it,
 * with its octets and what it violates, and at the end the verdict. A line that begins with a digit is an
 * event; what belongs to it stands indented below. */

enum {
    IW_EVIDENCE_OCTETS = 128, /* of a startup frame or an FPDU that are shown, */
    IW_EVIDENCE_ROW = 32,     /* and of a line */
};

struct iw_evidence {
    FILE *out;
    uint64_t number; /* of the last event */
    uint64_t begin_ns;
};

/* Begins the log of the case in `out`. */
void iw_evidence_begin(struct iw_evidence *evidence, FILE *out, const struct iw_case *one);

/* The script has come to that step. */
void iw_evidence_step(struct iw_evidence *evidence, const char *text);

/* What the monitor of the connection saw; `own` are the sides that the case itself plays. */
void iw_evidence_event(struct iw_evidence *evidence, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event);

/* What any reader of the same octets would say of the event: which side of the connection sent it, in which
 * frame, what it is, its octets, and what it violates; one line or more. */
void iw_evidence_put(FILE *out, const struct iw_monitor_event *event);

/* The verdict, with what was expected, what came, and the clauses. */
void iw_evidence_verdict(const struct iw_evidence *evidence, const struct iw_trial_result *result);

/* For who reads a log, line by line. Of the first line of an event that what iw_evidence_put has made of it,
 * which does not depend on who was the device; NULL of any other line. */
const char *iw_evidence_event_of(const char *line);

/* Whether the line goes on with the event above it. */
bool iw_evidence_goes_on(const char *line);

/* The name of the verdict, and the end of the line; NULL of any other line. */
const char *iw_evidence_verdict_of(const char *line);

#endif
