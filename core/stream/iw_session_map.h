#ifndef IW_SESSION_MAP_H
#define IW_SESSION_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* The DDP Streams of an association by SCTP stream identifier: a tree of four levels, so that one stream
 * takes little, whichever it is, and all 65536 are found in their order. */

enum { IW_SESSION_MAP_BRANCHES = 16 };

struct iw_session_map {
    void *child[IW_SESSION_MAP_BRANCHES]; /* maps of the level below; on the lowest what was put there */
    uint16_t marked;                      /* those in which something is marked: a set of places */
};

/* What stands at `id`, or NULL. */
void *iw_session_map_find(const struct iw_session_map *map, uint16_t id);

/* The place of `id`, which is marked by this; NULL: no memory. */
void **iw_session_map_place(struct iw_session_map *map, uint16_t id);

/* Hands over what is marked in the order of identifiers, and takes the marks away. */
void iw_session_map_sweep(struct iw_session_map *map, void (*visit)(void *user, void *entry), void *user);

/* Releases the map, and hands over everything in it before. */
void iw_session_map_clear(struct iw_session_map *map, void (*release)(void *entry));

#endif
