#ifndef IW_PRIOR_RUN_H
#define IW_PRIOR_RUN_H

#include <jansson.h>

#include "iw_run.h"
#include "iw_violations.h"

/* The results.jsonl of an unfinished run, to resume it: the results of its finished cases. */

struct iw_prior_run {
    json_t *run;                /* the object {"type":"run"} that starts the file */
    struct iw_run_prior *cases; /* bound to a catalogue by iw_prior_run_bind */
    char **ids;                 /* of the cases */
    size_t count;
    json_t *claims;   /* names of contradicted claims: a list of strings */
    unsigned crashes; /* crashes of the device between cases */
    char *kept;       /* the lines of "run", of finished cases and their findings, of claims and of crashes */
    size_t kept_octets;
    bool torn; /* the last line was incomplete, and is dropped */
};

/* Reads the file at `path`. Without a summary the run was killed: the last case may be incomplete, and
 * is dropped. On failure returns IW_ERR_IO, IW_ERR_FORMAT or IW_ERR_NOMEM with one line in `error`,
 * "PATH:LINE: what is wrong"; there is then nothing to dispose. */
enum iw_status iw_prior_run_read(
    struct iw_prior_run *prior, const char *path, char *error, size_t error_octets);
void iw_prior_run_dispose(struct iw_prior_run *prior);

/* Adds the violations of the finished cases. */
void iw_prior_run_violations(const struct iw_prior_run *prior, struct iw_violations *violations);

/* Finds the cases of the results in a catalogue. Returns IW_ERR_FORMAT if the catalogue differs or a case is
 * unknown or duplicate, or IW_ERR_NOMEM, with a line in `error`. */
enum iw_status iw_prior_run_bind(
    struct iw_prior_run *prior, const struct iw_catalogue *catalogue, char *error, size_t error_octets);

#endif
