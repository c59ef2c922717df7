#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads and writes octets in order. Errors are sticky: read or write everything, then check `failed` once. */

struct iw_cursor {
    const uint8_t *octets;
    size_t length;
    size_t at;
    bool failed; /* a read went beyond the end */
};

/* Returns a cursor at the first of `length` octets. */
struct iw_cursor iw_cursor_over(const uint8_t *octets, size_t length);

size_t iw_cursor_left(const struct iw_cursor *cursor);

/* Returns the next `count` octets in place. If fewer are left or an earlier read failed, returns NULL, sets
 * `failed` and takes nothing. Taking 0 octets from a cursor over NULL returns NULL without an error. */
const uint8_t *iw_cursor_take(struct iw_cursor *cursor, size_t count);

struct iw_output {
    uint8_t *octets;
    size_t capacity;
    size_t length;
    bool failed; /* a write did not fit */
};

/* Returns an output of at most `capacity` octets. A write that does not fit sets `failed`. */
struct iw_output iw_output_into(uint8_t *octets, size_t capacity);

/* Reserves the next `count` octets for the caller to fill. If they, or those of an earlier write, do not fit,
 * returns NULL and sets `failed`. Reserving 0 octets of an output into NULL returns NULL without an error. */
uint8_t *iw_output_reserve(struct iw_output *output, size_t count);

void iw_output_octets(struct iw_output *output, const uint8_t *octets, size_t count);
void iw_output_zeros(struct iw_output *output, size_t count);
