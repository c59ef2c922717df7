#ifndef IW_CHECK_LIST_H
#define IW_CHECK_LIST_H

#include <stddef.h>
#include <stdlib.h>

/* A list that grows by one at a time. */

enum { IW_CHECK_LIST_ROOM = 4 }; /* at first; then it doubles */

/* `list`, moved if need be, with room for one more than the `count` of `size` octets each that it has; its
 * room is a power of two. NULL: no memory, and the list is as it was. */
static inline void *iw_check_list_grown(void *list, size_t count, size_t size) {
    if (count != 0 && (count < IW_CHECK_LIST_ROOM || (count & (count - 1)) != 0))
        return list;
    return realloc(list, (count == 0 ? IW_CHECK_LIST_ROOM : 2 * count) * size);
}

#endif
