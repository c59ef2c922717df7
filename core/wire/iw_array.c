#include "iw_array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* These sizes are small, because a capture may have 100,000 connections, each with its own arrays. */
enum { ARRAY_FIRST_OCTETS = 64, ARRAY_FIRST_ITEMS = 2, ARRAY_BY_ONE_MAX = 4 };

/* `items` points to a pointer of any type, so that pointer is read and written with memcpy. */
static bool array_resize(void *items, size_t octets) {
    void *old, *larger;

    memcpy(&old, items, sizeof old);
    larger = realloc(old, octets);
    if (larger == NULL)
        return false;
    memcpy(items, &larger, sizeof larger);
    /* cppcheck-suppress memleak ; the caller's pointer owns it */
    return true;
}

bool iw_array_grow(void *items, size_t count, size_t size) {
    if (count < ARRAY_BY_ONE_MAX)
        return array_resize(items, (count + 1) * size);
    return (count & (count - 1)) != 0 || array_resize(items, 2 * count * size);
}

bool iw_array_reserve(void *items, uint32_t *capacity, size_t need, size_t size) {
    uint64_t wanted = *capacity > 0 ? *capacity : size == 1 ? ARRAY_FIRST_OCTETS : ARRAY_FIRST_ITEMS;

    assert(size > 0);
    if (need <= *capacity)
        return true;
    if (need > UINT32_MAX)
        return false;
    while (wanted < need)
        wanted *= 2;
    if (wanted > UINT32_MAX)
        wanted = UINT32_MAX;
    if (!array_resize(items, wanted * size))
        return false;
    *capacity = (uint32_t)wanted;
    return true;
}
