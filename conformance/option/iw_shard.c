#include "iw_shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_option.h"

bool iw_shard_read(const char *text, struct iw_shard *shard) {
    const char *slash = strchr(text, '/');
    char first[16];
    unsigned long number, count;

    if (!slash || (size_t)(slash - text) >= sizeof first)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
    if (!iw_option_read_number(slash + 1, 1, IW_SHARD_MAX, &count) ||
        !iw_option_read_number(first, 1, count, &number))
        return false;
    *shard = (struct iw_shard){(unsigned)number, (unsigned)count};
    return true;
}

bool iw_shard_of_environment(struct iw_shard *shard, char *error, size_t error_octets) {
    const char *total = getenv("TEST_TOTAL_SHARDS"), *index = getenv("TEST_SHARD_INDEX");
    unsigned long number, count;

    *shard = (struct iw_shard){0, 0};
    if (!total && !index)
        return true;
    if (!total || !index) {
        snprintf(error, error_octets, "the environment has TEST_%s without TEST_%s",
            total ? "TOTAL_SHARDS" : "SHARD_INDEX", total ? "SHARD_INDEX" : "TOTAL_SHARDS");
        return false;
    }
    if (!iw_option_read_number(total, 1, IW_SHARD_MAX, &count)) {
        snprintf(error, error_octets, "TEST_TOTAL_SHARDS takes a number from 1 to %d, not %s",
            (int)IW_SHARD_MAX, total);
        return false;
    }
    if (!iw_option_read_number(index, 0, count - 1, &number)) {
        snprintf(
            error, error_octets, "TEST_SHARD_INDEX takes a number from 0 to %lu, not %s", count - 1, index);
        return false;
    }
    *shard = (struct iw_shard){(unsigned)number + 1, (unsigned)count};
    return true;
}
