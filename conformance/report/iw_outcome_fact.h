#pragma once

#include "iw_outcome.h"

/* The facts of a run that every form of report tells, and the summary of a bundle: what was tested, by which
 * program, when, where and how. Their names are those of results.jsonl. */

enum iw_outcome_fact_kind {
    IW_OUTCOME_FACT_DEVICE = 1,
    IW_OUTCOME_FACT_PROGRAM = 2,
    IW_OUTCOME_FACT_TEST = 4,
    IW_OUTCOME_FACT_ALL = 7,
};

/* Calls `put` for each fact of these kinds that the results state. `value` is one printable line. Returns
 * false if memory runs out. */
typedef void iw_outcome_fact_put(void *user, const char *name, const char *value);
bool iw_outcome_facts(const struct iw_outcome_run *run, unsigned kinds, iw_outcome_fact_put *put, void *user);

/* Returns whether the member of the header is one of the facts. */
bool iw_outcome_is_fact(const char *key);

/* Prints the facts of these kinds, each as a line of name and value after `indent`. Returns false if memory
 * runs out. */
bool iw_outcome_put_facts(FILE *out, const struct iw_outcome_run *run, unsigned kinds, const char *indent);

/* Prints all facts as one line without newline: "device RNIC 9; firmware 3.1". Returns false if memory runs
 * out. */
bool iw_outcome_put_facts_line(FILE *out, const struct iw_outcome_run *run);
