#ifndef IW_OUTCOME_MERGE_H
#define IW_OUTCOME_MERGE_H

#include "iw_outcome.h"

/* Writes the results of one whole run from those of its shards, in any order, to the file `path`: the cases
 * in turn from each shard, with a summary of all. Captures and logs stay where they are; from the folder of
 * `path`, or from below it, reports find them. Returns what the whole run ends with; ENVIRONMENT, with one
 * line in `complaints`, if a shard is missing, there twice, cut short, or of another run, or the file cannot
 * be written: then it is not there; one that is there already is left alone. */
enum iw_exit iw_outcome_merge(
    const char *path, const struct iw_outcome_run *shards, size_t count, FILE *diagnostics);

#endif
