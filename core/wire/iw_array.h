#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arrays that grow. `items` is the address of a pointer that comes from malloc or is NULL; `size` is the size
 * of an item in octets. Both functions return false and change nothing if memory runs out. */

/* Makes space for one item after the first `count`, in an array that only iw_array_grow enlarges. Up to 4
 * items the array grows by one, because most arrays stay short; then it doubles. */
bool iw_array_grow(void *items, size_t count, size_t size);

/* Enlarges the array to at least `need` items. The capacity doubles, so that appending items one by one takes
 * linear time. Returns false also if `need` exceeds UINT32_MAX. */
bool iw_array_reserve(void *items, uint32_t *capacity, size_t need, size_t size);
