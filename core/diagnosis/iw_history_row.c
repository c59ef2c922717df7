#include "iw_history_row.h"

#include <string.h>

#include "iw_array.h"

void *iw_history_row(void *rows, uint8_t *count, size_t octets, uint8_t opcode) {
    size_t at = 0;
    uint8_t *first;

    memcpy(&first, rows, sizeof first);
    while (at < *count && first[at * octets] < opcode)
        at++;
    if (at < *count && first[at * octets] == opcode)
        return first + at * octets;
    if (!iw_array_grow(rows, *count, octets))
        return NULL;
    memcpy(&first, rows, sizeof first);
    first += at * octets;
    memmove(first + octets, first, (*count - at) * octets);
    memset(first, 0, octets);
    *first = opcode;
    ++*count;
    return first;
}
