#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "iw_exit.h"
#include "iw_matrix_file.h"
#include "iw_pattern.h"

/* Runs the cells of a matrix, several at a time, and keeps those of the run before whose peers, scenario and
 * program have not changed. */

struct iw_matrix_run_config {
    const struct iw_matrix_file *file;
    const char *out;                      /* folder of the results; exists */
    const char *program;                  /* path of warpcheck */
    const char *version;                  /* of it */
    const struct iw_pattern *only, *skip; /* of names of cells; NULL: all, none */
    bool named[IW_MATRIX_SCENARIOS];      /* by scenario: whether it is selected */
    unsigned parallel;                    /* cells at a time */
    uint32_t timeout_ms;                  /* see struct iw_matrix_trial_config, for these three */
    unsigned seconds;
    bool every_evidence;
    bool force;           /* run all selected cells again */
    const json_t *before; /* results of the run before; or NULL */
    /* Called for each cell that was run; `cell` is its result. */
    void (*tell)(void *user, const json_t *cell);
    /* Called if the versions of peers take long, with a line that names them. */
    void (*tell_wait)(void *user, const char *line);
    void *user;
};

/* Runs the matrix until all is done, or SIGINT or SIGTERM. Returns the results; NULL with a line in
 * error[IW_MATRIX_ERROR_OCTETS] on failure. */
json_t *iw_matrix_run(const struct iw_matrix_run_config *config, char *error);
