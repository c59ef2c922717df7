#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The DDP Streams of an association by SCTP stream identifier: a tree of four levels. A single stream takes
 * little memory, and all 65536 can be visited in order. */

enum { IW_SESSION_MAP_BRANCHES = 16 };

struct iw_session_map {
    void *child[IW_SESSION_MAP_BRANCHES]; /* maps of the next level; on the last level, the entries */
    uint16_t marked;                      /* bit set of the children that contain a marked entry */
};

/* The entry at `id`, or NULL. */
void *iw_session_map_find(const struct iw_session_map *map, uint16_t id);

/* Marks `id` and returns the address of its entry; NULL if memory runs out. */
void **iw_session_map_place(struct iw_session_map *map, uint16_t id);

typedef void iw_session_map_visit(void *user, void *entry);

/* Visits the marked entries in the order of identifiers, and clears the marks. */
void iw_session_map_sweep(struct iw_session_map *map, iw_session_map_visit *visit, void *user);

/* Calls `release` for every entry, and frees the map. */
void iw_session_map_clear(struct iw_session_map *map, iw_session_map_visit *release, void *user);
