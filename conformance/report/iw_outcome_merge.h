#ifndef IW_OUTCOME_MERGE_H
#define IW_OUTCOME_MERGE_H

#include "iw_outcome.h"

/* Merges the shards of a run, in any order, into the results file `path`: the cases in turn from each
 * shard, and a summary. Captures and logs are not moved; reports find them in the folder of `path`, or
 * below it. Returns the exit code of the whole run. Returns IW_EXIT_ENVIRONMENT, with one line in
 * `diagnostics`, if a shard is missing, duplicate, cut short, or of another run, or if writing fails: then
 * no file remains. An existing file is not overwritten. */
enum iw_exit iw_outcome_merge(
    const char *path, const struct iw_outcome_run *shards, size_t count, FILE *diagnostics);

#endif
