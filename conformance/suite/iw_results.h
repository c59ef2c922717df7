#pragma once

#include <jansson.h>
#include <stdio.h>

#include "iw_exit.h"
#include "iw_minimise.h"
#include "iw_coverage.h"
#include "iw_origin.h"
#include "iw_run.h"
#include "iw_violations.h"

/* Writes the results of a run: a table for people, and JSON Lines with the names of `check`. */

/* Maximum octets of a line of results, or of a wire log beside them. */
enum { IW_RESULTS_LINE_MAX = 4 << 20 };

#define IW_RESULTS_FILE "results.jsonl"          /* name of the file in the folder of the run */
#define IW_RESULTS_EMBEDDED "embedded reference" /* "peer" of a run against the embedded peer */

/* Opens results for reading. Returns NULL with errno; errno is 0 if `path` is neither a regular file nor a
 * folder: a pipe without a writer must not block the program. */
FILE *iw_results_open(const char *path);

/* Prints one line for the case. If the case has finished, applies and has not passed, also prints details:
 * expected and actual behaviour, violation, script line, requirements. `coloured`: the verdict has a colour,
 * for a terminal. */
void iw_results_print(FILE *out, const struct iw_trial_result *result, bool coloured);
/* Prints the numbers of the verdicts, then the coverage. */
void iw_results_print_summary(
    FILE *out, const struct iw_run_counts *counts, const struct iw_coverage *coverage);

/* Content of the first line of the file. */
struct iw_results_head {
    const char *version; /* of the program */
    const struct iw_run_config *config;
    const struct iw_run_begin *begin;
    struct iw_origin origin;
    json_t *options; /* array of strings: the options of the command line, each followed by its argument */
};

/* Returns a new JSON array of the ids of the requirements that selected cases are about. */
json_t *iw_results_requirement_ids(const bool about[IW_REQUIREMENT_COUNT]);

/* Writes {"type":"run"}. */
void iw_results_json_run(FILE *out, const struct iw_results_head *head);

/* The iw_results_put functions print to `out`, and write JSON to `lines` unless it is NULL. */

/* Reports behaviour that contradicts a claim: {"type":"claim"}. */
void iw_results_put_claim(
    FILE *out, FILE *lines, const struct iw_case *one, const struct iw_contradiction *contradiction);
/* Reports a crash between case `one` and the next; `line` is from the console: {"type":"crash"}. */
void iw_results_put_crash(FILE *out, FILE *lines, const struct iw_case *one, const char *line);
/* Reports a case with different verdicts, and the number of each: {"type":"flake"}. */
void iw_results_put_flake(FILE *out, FILE *lines, const struct iw_case *one, const unsigned *verdicts);
/* Reports the reduced failed cases, if any: {"type":"minimal"} for each, with members "case" (the id with the
 * reduced choice), "values", "combinations" and "again". */
void iw_results_put_minimise(FILE *out, FILE *lines, const struct iw_minimise *minimise);

/* Writes {"type":"case"} for the result, and {"type":"finding"} for each of its findings. */
void iw_results_json(FILE *out, const struct iw_trial_result *result);
/* Writes {"type":"violation"} for each violated requirement, most cases first. Returns false on error. */
bool iw_results_json_violations(FILE *out, const struct iw_violations *violations);

/* Writes {"type":"requirement"} for each requirement that cases of the run are about, then
 * {"type":"coverage"}. Returns false if memory runs out. */
bool iw_results_json_coverage(FILE *out, const struct iw_coverage *coverage);

/* Writes {"type":"summary"}. */
void iw_results_json_summary(FILE *out, const struct iw_run_counts *counts, enum iw_exit exit);
