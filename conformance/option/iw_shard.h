#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A shard: one of several parts of a run, which different machines can run. */

enum { IW_SHARD_MAX = 10000 };

struct iw_shard {
    unsigned number; /* which part, from 1 */
    unsigned count;  /* number of parts; 0: the run is not divided */
};

/* Reads "I/N", with I from 1 to N. Returns false for any other text. */
bool iw_shard_read(const char *text, struct iw_shard *shard);

/* Reads the environment variables TEST_TOTAL_SHARDS and TEST_SHARD_INDEX (from 0), which build systems set.
 * Neither is set: `count` is 0. Returns false with a line in `error` if one is missing or wrong. */
bool iw_shard_of_environment(struct iw_shard *shard, char *error, size_t error_octets);
