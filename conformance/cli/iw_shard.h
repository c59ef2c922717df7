#ifndef IW_SHARD_H
#define IW_SHARD_H

#include <stdbool.h>
#include <stddef.h>

/* One of several parts of a run, which several machines share. */

enum { IW_SHARD_MAX = 10000 };

struct iw_shard {
    unsigned number; /* from 1 */
    unsigned count;  /* 0: the whole run */
};

/* Reads "I/N", I from 1 to N. Returns false for any other text. */
bool iw_shard_read(const char *text, struct iw_shard *shard);

/* Reads TEST_TOTAL_SHARDS and TEST_SHARD_INDEX, which counts from 0, as build systems set them; if neither is
 * set, `count` is 0. Returns false with one line in `error` if only one is set, or one is wrong. */
bool iw_shard_of_environment(struct iw_shard *shard, char *error, size_t error_octets);

#endif
