#pragma once

#include <jansson.h>

#include "iw_check_report.h"

/* The lines of --format jsonl that only the results of a shard have, so that they can be merged: "shard" at
 * the beginning, and for each capture "ids" and "capture" at its end. */

enum { IW_CHECK_SHARD_FORMAT = 1 }; /* changes when older programs could not merge the results */

/* Writes the line "shard": which shard, and the settings that all shards of a check share. */
void iw_check_shard_put_head(const struct iw_check_report *report);

/* Writes the order of the ids (iw_check_order.h), and the counts of the capture and the totals so far. */
void iw_check_shard_put_capture(const struct iw_check_report *report, const struct iw_check_counts *counts);

/* Reads the line "capture". Returns false if it is not one. */
bool iw_check_shard_read_capture(
    const json_t *object, struct iw_check_counts *counts, struct iw_totals *totals);
