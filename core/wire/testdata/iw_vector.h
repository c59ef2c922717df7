#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The golden vectors of vectors.json, for tests. */

struct iw_vector {
    char id[8];
    size_t length;   /* octets */
    uint8_t *octets; /* an allocation of exactly that size, so that a sanitizer detects a read beyond */
};

struct iw_vector_set {
    struct iw_vector *vectors;
    size_t count;
};

/* Reads the file at `path`. If it cannot be read or is invalid, returns false with the reason on standard
 * error and leaves nothing to dispose. */
bool iw_vector_set_init(struct iw_vector_set *set, const char *path);

void iw_vector_set_dispose(struct iw_vector_set *set);

/* The vector of that id, or NULL. */
const struct iw_vector *iw_vector_find(const struct iw_vector_set *set, const char *id);

/* How many ids begin with `letter`. */
size_t iw_vector_count(const struct iw_vector_set *set, char letter);
