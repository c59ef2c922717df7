#ifndef IW_CHECK_LIST_H
#define IW_CHECK_LIST_H

#include <stddef.h>
#include <stdlib.h>

/* A list that grows by one at a time. Most stay short, and there are many: its room grows by one, too, at
 * first. */

enum { IW_CHECK_LIST_ROOM = 4 }; /* from then on it doubles */

/* `list`, moved if need be, with room for one more than the `count` of `size` octets each that it has. NULL:
 * no memory, and the list is as it was. */
static inline void *iw_check_list_grown(void *list, size_t count, size_t size) {
    if (count > IW_CHECK_LIST_ROOM && (count & (count - 1)) != 0)
        return list;
    return realloc(list, (count < IW_CHECK_LIST_ROOM ? count + 1 : 2 * count) * size);
}

#endif
