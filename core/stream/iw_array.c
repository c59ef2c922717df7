#include "iw_array.h"

#include <stdlib.h>

bool iw_array_reserve(void **items, uint32_t *capacity, uint32_t need, size_t size) {
    uint32_t wanted = *capacity == 0 ? 16 : *capacity;
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
