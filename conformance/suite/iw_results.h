#ifndef IW_RESULTS_H
#define IW_RESULTS_H

#include <jansson.h>
#include <stdio.h>

#include "iw_exit.h"
#include "iw_minimise.h"
#include "iw_run.h"
#include "iw_violations.h"

/* Results of a run: a table for people, and JSON Lines whose objects have the names of `warpcheck check`. */

#define IW_RESULTS_FILE "results.jsonl" /* which these are in, in the folder of the run */

/* Prints one line; then what was expected and what came, unless the case passed, is not applicable or is
 * unfinished. */
void iw_results_print(FILE *out, const struct iw_trial_result *result);
void iw_results_print_summary(FILE *out, const struct iw_run_counts *counts);

/* What the first line of the file tells of the run. */
struct iw_results_head {
    const char *version; /* of the program */
    const struct iw_run_config *config;
    const struct iw_run_begin *begin;
    json_t *options; /* list of texts: of the command line, each with its argument behind it */
};

/* {"type":"run"}. */
void iw_results_json_run(FILE *out, const struct iw_results_head *head);

/* What contradicts a claim of the device; {"type":"claim"}. */
void iw_results_print_claim(
    FILE *out, const struct iw_case *one, const struct iw_contradiction *contradiction);
void iw_results_json_claim(
    FILE *out, const struct iw_case *one, const struct iw_contradiction *contradiction);

/* How often a case had which verdict, if not always the same; {"type":"flake"}. */
void iw_results_print_flake(FILE *out, const struct iw_case *one, const unsigned *verdicts);
void iw_results_json_flake(FILE *out, const struct iw_case *one, const unsigned *verdicts);

/* What failed combinations come down to; nothing without any. */
void iw_results_print_minimise(FILE *out, const struct iw_minimise *minimise);

/* {"type":"case"} and its {"type":"finding"}s; {"type":"summary"}. */
void iw_results_json(FILE *out, const struct iw_trial_result *result);
/* {"type":"violation"} of each requirement that was violated, those with the most cases first. False: it
 * could not be written. */
bool iw_results_json_violations(FILE *out, const struct iw_violations *violations);
/* {"type":"minimal"}: "case" with its digits, "values", "combinations". */
void iw_results_json_minimise(FILE *out, const struct iw_minimise *minimise);
void iw_results_json_summary(FILE *out, const struct iw_run_counts *counts, enum iw_exit exit);

#endif
