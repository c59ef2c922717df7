#ifndef IW_CHECK_LIST_H
#define IW_CHECK_LIST_H

#include <stddef.h>
#include <stdlib.h>

/* A growing list. Most lists stay short, and there are many, so small lists grow by one. */

enum { IW_CHECK_LIST_SMALL = 4 }; /* larger lists double */

/* Returns `list`, reallocated if necessary, with capacity for one more than its `count` items of `size`
 * octets. NULL if memory runs out; the list is unchanged. */
static inline void *iw_check_list_grown(void *list, size_t count, size_t size) {
    if (count > IW_CHECK_LIST_SMALL && (count & (count - 1)) != 0)
        return list;
    return realloc(list, (count < IW_CHECK_LIST_SMALL ? count + 1 : 2 * count) * size);
}

#endif
