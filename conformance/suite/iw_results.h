#ifndef IW_RESULTS_H
#define IW_RESULTS_H

#include <jansson.h>
#include <stdio.h>

#include "iw_exit.h"
#include "iw_minimise.h"
#include "iw_run.h"
#include "iw_violations.h"

/* Results of a run: a table for people, and JSON Lines with the same member names as those of `warpcheck
 * check`. */

#define IW_RESULTS_FILE "results.jsonl" /* name of the JSON Lines file in the folder of the run */

/* Prints one line. Adds expected and actual behaviour unless the case passed, is not applicable or is
 * unfinished. */
void iw_results_print(FILE *out, const struct iw_trial_result *result);
void iw_results_print_summary(FILE *out, const struct iw_run_counts *counts);

/* The facts about the run in the first line of the file. */
struct iw_results_head {
    const char *version; /* of the program */
    const struct iw_run_config *config;
    const struct iw_run_begin *begin;
    json_t *options; /* list of strings: the options of the command line, each followed by its argument */
};

/* {"type":"run"}. */
void iw_results_json_run(FILE *out, const struct iw_results_head *head);

/* Each prints to `out`, and adds objects to the JSON Lines `lines` unless that is NULL. */
/* A behaviour that contradicts a claim of the device; {"type":"claim"}. */
void iw_results_put_claim(
    FILE *out, FILE *lines, const struct iw_case *one, const struct iw_contradiction *contradiction);
/* A crash of the device after that case, and before the next one; {"type":"crash"}. */
void iw_results_put_crash(FILE *out, FILE *lines, const struct iw_case *one, const char *line);
/* The number of each verdict of a flaky case; {"type":"flake"}. */
void iw_results_put_flake(FILE *out, FILE *lines, const struct iw_case *one, const unsigned *verdicts);
/* The minimal failing combinations, if any; {"type":"minimal"} for each: "case" with its digits, "values",
 * "combinations", "again". */
void iw_results_put_minimise(FILE *out, FILE *lines, const struct iw_minimise *minimise);

/* {"type":"case"} and its {"type":"finding"} objects. */
void iw_results_json(FILE *out, const struct iw_trial_result *result);
/* {"type":"violation"} for each violated requirement, those with the most cases first. Returns false on a
 * write error. */
bool iw_results_json_violations(FILE *out, const struct iw_violations *violations);
/* The member of an object of the results as text; "" if it is not a text. */
const char *iw_results_text(const json_t *object, const char *key);

/* {"type":"summary"}. */
void iw_results_json_summary(FILE *out, const struct iw_run_counts *counts, enum iw_exit exit);

#endif
