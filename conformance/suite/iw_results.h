#ifndef IW_RESULTS_H
#define IW_RESULTS_H

#include <stdio.h>

#include "iw_exit.h"
#include "iw_minimise.h"
#include "iw_run.h"

/* Results of a run: a table for people, and JSON Lines whose objects have the names of `warpcheck check`. */

/* A line, and behind it what was expected and what came if the case is no pass. */
void iw_results_print(FILE *out, const struct iw_trial_result *result);
void iw_results_print_summary(FILE *out, const struct iw_run_counts *counts);

/* What failed combinations come down to; nothing without any. */
void iw_results_print_minimise(FILE *out, const struct iw_minimise *minimise);

/* {"type":"case"} and its {"type":"finding"}s; {"type":"summary"}. */
void iw_results_json(FILE *out, const struct iw_trial_result *result);
/* {"type":"minimal"}: "case" with its digits, "values", "combinations". */
void iw_results_json_minimise(FILE *out, const struct iw_minimise *minimise);
void iw_results_json_summary(FILE *out, const struct iw_run_counts *counts, enum iw_exit exit);

#endif
