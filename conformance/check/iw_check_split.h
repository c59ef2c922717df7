#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_exit.h"

/* Divides a capture into shards (iw_check_shard.h) that are captures themselves: DIRECTORY/shard-N.pcapng.
 * Reads each file once, and keeps no packets. iw_check_origin.h says how a shard names the frames of the
 * capture. A packet that belongs to every shard is written to each. */

struct iw_check_split_counts {
    uint64_t frames;   /* of the whole capture */
    uint64_t everyone; /* packets written to every shard */
};

/* Divides the capture in the `count` files at `paths`, in this order. Creates the directory if necessary;
 * replaces no file. The shards get their names at the end: see iw_check_split_discard. Writes lines about
 * errors to `diagnostics`. A file that cannot be read to its end makes the result IW_EXIT_ENVIRONMENT, but
 * the shards are complete: they tell the error, too. If no file is a capture, there are no shards. */
enum iw_exit iw_check_split(const char *const *paths, size_t count, const char *directory, unsigned shards,
    FILE *diagnostics, struct iw_check_split_counts *counts);

/* Removes what a killed process has left of these shards. */
void iw_check_split_discard(const char *directory, unsigned shards);
