#ifndef IW_CURSOR_H
#define IW_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reading and writing octets in order, with an error that sticks: take or put as much as the format has, then
 * look at `failed` once. */

struct iw_cursor {
    const uint8_t *octets;
    size_t length;
    size_t at;
    bool failed; /* something was asked for that is not there */
};

struct iw_cursor iw_cursor_over(const uint8_t *octets, size_t length);

size_t iw_cursor_left(const struct iw_cursor *cursor);

/* The next `count` octets in place, or NULL (and `failed`, with nothing taken) if fewer are left or it failed
 * before. Nothing of a cursor over NULL is NULL too. */
const uint8_t *iw_cursor_take(struct iw_cursor *cursor, size_t count);

struct iw_output {
    uint8_t *octets;
    size_t capacity;
    size_t length;
    bool failed; /* something did not fit */
};

struct iw_output iw_output_into(uint8_t *octets, size_t capacity);

/* Room for the next `count` octets, to be filled by the caller, or NULL (and `failed`) if they do not fit. No
 * octets of an output into NULL are NULL too. */
uint8_t *iw_output_reserve(struct iw_output *output, size_t count);

void iw_output_octets(struct iw_output *output, const uint8_t *octets, size_t count);
void iw_output_zeros(struct iw_output *output, size_t count);

#endif
