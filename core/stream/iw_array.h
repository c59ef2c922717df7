#ifndef IW_ARRAY_H
#define IW_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IW_ARRAY_MAX = 1 << 30 }; /* maximum number of items in an array */

/* Enlarges `*items` to at least `need` items of `size` octets. `*items` comes from malloc, or is NULL with
 * `*capacity` 0. The capacity doubles, so that appending one by one takes linear time. Returns false and
 * changes nothing if memory runs out or `need` exceeds IW_ARRAY_MAX. */
bool iw_array_reserve(void **items, uint32_t *capacity, uint32_t need, size_t size);

#endif
