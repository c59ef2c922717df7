#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "iw_exit.h"

/* Merges the results of all shards of a check (--format jsonl) into those of one check of the whole capture:
 * the same lines, in the same order. */

/* Returns whether the file, or `results.jsonl` in the folder, is of a check: of a shard, or of one that was
 * not divided, which iw_check_merge refuses. */
bool iw_check_merge_takes(const char *path);

/* Merges the results at `paths`, in any order, into the file `out`. Refuses results that do not fit together:
 * a missing or repeated shard, other settings, another version or capture, an incomplete file. Writes lines
 * about errors to `diagnostics`. Returns the exit code of the check of the whole capture, or
 * IW_EXIT_ENVIRONMENT. */
enum iw_exit iw_check_merge(const char *out, char *const *paths, size_t count, FILE *diagnostics);
