#ifndef IW_PRIOR_RUN_H
#define IW_PRIOR_RUN_H

#include <jansson.h>

#include "iw_run.h"
#include "iw_violations.h"

/* The results.jsonl of a run that did not come to its end, for it to be gone on with: what it has of cases
 * that were finished. */

struct iw_prior_run_case {
    char *id;
    unsigned repeat; /* from 1 */
    enum iw_verdict verdict;
    bool wrong_close;
};

struct iw_prior_run {
    json_t *run; /* the object that it begins with */
    struct iw_prior_run_case *cases;
    size_t count, capacity;
    json_t *claims; /* names of those that something contradicts: a list of texts */
    char *kept;     /* the lines of that object, of the cases, findings included, and of the claims */
    size_t kept_octets;
    bool torn; /* the last line ended early, and is left out */
};

/* Reads the file at `path`. Of one without a summary, whoever wrote it was killed: the last case is not
 * believed to be whole. IW_ERR_IO, IW_ERR_FORMAT or IW_ERR_NOMEM with one line "PATH:LINE: what is wrong";
 * there is then nothing to dispose. */
enum iw_status iw_prior_run_read(
    struct iw_prior_run *past, const char *path, char *error, size_t error_octets);
void iw_prior_run_dispose(struct iw_prior_run *past);

/* Counts what the cases violate that are kept. */
void iw_prior_run_violations(const struct iw_prior_run *past, struct iw_violations *violations);

/* The same by the cases of a catalogue: an array of past->count, which the caller frees. IW_ERR_FORMAT with a
 * line in `error` if the file is of another catalogue, IW_ERR_NOMEM. */
enum iw_status iw_prior_run_bind(const struct iw_prior_run *past, const struct iw_catalogue *catalogue,
    struct iw_run_past **cases, char *error, size_t error_octets);

#endif
