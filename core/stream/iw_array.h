#ifndef IW_ARRAY_H
#define IW_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IW_ARRAY_MAX = 1 << 30 }; /* items that an array has room for at the most */

/* Makes room for `need` items of `size` octets in `*items`, which comes from malloc or is NULL with
 * `*capacity` 0. Doubles, so that appending one by one stays linear. Returns false, with everything as it
 * was, if there is no memory or `need` is more than IW_ARRAY_MAX. */
bool iw_array_reserve(void **items, uint32_t *capacity, uint32_t need, size_t size);

#endif
