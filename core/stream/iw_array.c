#include "iw_array.h"

#include <stdlib.h>

/* Small, because a capture may have 100,000 connections, each with its own arrays. */
enum { FIRST_OCTETS = 64, FIRST_ITEMS = 2 };

bool iw_array_reserve(void **items, uint32_t *capacity, uint32_t need, size_t size) {
    uint32_t wanted = *capacity == 0 ? (size == 1 ? FIRST_OCTETS : FIRST_ITEMS) : *capacity;
    void *larger;

    if (need <= *capacity)
        return true;
    if (need > IW_ARRAY_MAX)
        return false;
    while (wanted < need)
        wanted *= 2;
    larger = realloc(*items, wanted * size);
    if (larger == NULL)
        return false;
    *items = larger;
    *capacity = wanted;
    return true;
}
