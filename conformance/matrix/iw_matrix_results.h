#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "iw_matrix_file.h"
#include "iw_matrix_verdict.h"

/* The results of a matrix, one JSON object (docs/matrix.md): "peers", "scenarios", "runs" and "cells". A cell
 * names its "initiator", "responder" and "scenario". */

enum { IW_MATRIX_NAME_OCTETS = 160, IW_MATRIX_RUNS_MAX = 1000000000 };

/* Writes "INITIATOR/RESPONDER/SCENARIO", the name of a cell; its folder has the same, below "cells". */
void iw_matrix_cell_name(
    char name[IW_MATRIX_NAME_OCTETS], const char *initiator, const char *responder, const char *scenario);

/* Reads the results of earlier runs. *results is NULL if the file does not exist. Returns false with a line
 * in error[IW_MATRIX_ERROR_OCTETS] if it is something else. */
bool iw_matrix_results_read(json_t **results, const char *path, char *error);

/* Writes the file as a whole. Returns 0, or an errno. */
int iw_matrix_results_write(const json_t *results, const char *path);

/* Returns {name: cell} for all cells; NULL if memory runs out. */
json_t *iw_matrix_results_index(const json_t *results);

/* Returns new results of the peers and scenarios, without cells, with the runs of `before`, or NULL. */
json_t *iw_matrix_results_new(const struct iw_matrix_file *file, const json_t *before);

/* Returns the verdict of a cell. */
enum iw_matrix_verdict iw_matrix_cell_verdict(const json_t *cell);

/* Returns which peer of the cell a finding is about: "initiator" or "responder". */
const char *iw_matrix_finding_peer(const json_t *finding);

/* Returns the number of the latest run; 0 before the first. */
json_int_t iw_matrix_results_run(const json_t *results);

/* Counts the cells that are not outdated, by verdict. */
void iw_matrix_results_count(const json_t *results, size_t counts[IW_MATRIX_VERDICTS]);

enum iw_exit iw_matrix_results_exit(const json_t *results);

/* Whether the result is of an earlier definition, version or program, and the cell has not been run since. */
bool iw_matrix_cell_is_outdated(const json_t *cell);

/* How a cell differs from the run before: "" if it does not, or nothing is known of it. */
const char *iw_matrix_cell_change(const json_t *cell);
