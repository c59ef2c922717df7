#include "iw_cursor.h"

#include <assert.h>
#include <string.h>

struct iw_cursor iw_cursor_over(const uint8_t *octets, size_t length) {
    return (struct iw_cursor){.octets = octets, .length = length};
}

size_t iw_cursor_left(const struct iw_cursor *cursor) {
    assert(cursor->at <= cursor->length);
    return cursor->length - cursor->at;
}

const uint8_t *iw_cursor_take(struct iw_cursor *cursor, size_t count) {
    const uint8_t *taken;

    if (cursor->failed || count > iw_cursor_left(cursor)) {
        cursor->failed = true;
        return NULL;
    }
    if (cursor->octets == NULL)
        return NULL; /* 0 octets of NULL: in C, even NULL + 0 is undefined */
    taken = cursor->octets + cursor->at;
    cursor->at += count;
    return taken;
}

struct iw_output iw_output_into(uint8_t *octets, size_t capacity) {
    return (struct iw_output){.octets = octets, .capacity = capacity};
}

uint8_t *iw_output_reserve(struct iw_output *output, size_t count) {
    uint8_t *target;

    if (output->failed || count > output->capacity - output->length) {
        output->failed = true;
        return NULL;
    }
    if (output->octets == NULL)
        return NULL;
    target = output->octets + output->length;
    output->length += count;
    return target;
}

void iw_output_octets(struct iw_output *output, const uint8_t *octets, size_t count) {
    uint8_t *target = iw_output_reserve(output, count);

    if (target != NULL && count > 0)
        memcpy(target, octets, count);
}

void iw_output_zeros(struct iw_output *output, size_t count) {
    uint8_t *target = iw_output_reserve(output, count);

    if (target != NULL && count > 0)
        memset(target, 0, count);
}
