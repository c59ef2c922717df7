#pragma once

#include <jansson.h>

#include "iw_coverage.h"
#include "iw_run.h"
#include "iw_violations.h"

/* The results of an unfinished run (results.jsonl), read to resume the run. */

struct iw_prior_run {
    json_t *run;                /* the first object of the file, {"type":"run"} */
    struct iw_run_prior *cases; /* the finished cases; iw_prior_run_bind sets `one` of each */
    char **ids;                 /* the id of each of `cases` */
    size_t count;
    json_t *claims;   /* names of contradicted claims: a list of strings */
    unsigned crashes; /* crashes of the device between cases */
    char *kept;       /* the lines to keep: run, finished cases with their findings, claims, crashes */
    size_t kept_octets;
    bool torn; /* the last line was incomplete and was ignored */
};

/* Reads the file at `path`. If the file has no summary, the run was killed: the last case is ignored, because
 * some of its findings may be missing. On failure returns IW_ERR_IO, IW_ERR_FORMAT or IW_ERR_NOMEM with one
 * line in `error`, and nothing to dispose of. */
enum iw_status iw_prior_run_read(
    struct iw_prior_run *prior, const char *path, char *error, size_t error_octets);
void iw_prior_run_dispose(struct iw_prior_run *prior);

/* Adds the finished cases and their findings to `violations` and `coverage`. */
void iw_prior_run_count(
    const struct iw_prior_run *prior, struct iw_violations *violations, struct iw_coverage *coverage);

/* Sets `one` of each finished case to its case in the catalogue. Returns IW_ERR_FORMAT if the digest of the
 * catalogue has changed, a case is unknown, or a repeat is invalid or occurs twice; otherwise IW_OK or
 * IW_ERR_NOMEM. Errors set one line in `error`. */
enum iw_status iw_prior_run_bind(
    struct iw_prior_run *prior, const struct iw_catalogue *catalogue, char *error, size_t error_octets);
