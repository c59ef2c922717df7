#include "iw_session_map.h"

#include <stdlib.h>

enum { LEVELS = 4, LEVEL_BITS = 4 };

static unsigned session_map_branch(uint16_t id, unsigned level) {
    return id >> LEVEL_BITS * (LEVELS - 1 - level) & (IW_SESSION_MAP_BRANCHES - 1);
}

void *iw_session_map_find(const struct iw_session_map *map, uint16_t id) {
    for (unsigned level = 0; level < LEVELS - 1 && map != NULL; level++)
        map = map->child[session_map_branch(id, level)];
    return map == NULL ? NULL : map->child[session_map_branch(id, LEVELS - 1)];
}

void **iw_session_map_place(struct iw_session_map *map, uint16_t id) {
    for (unsigned level = 0;; level++) {
        unsigned branch = session_map_branch(id, level);

        map->marked = (uint16_t)(map->marked | 1u << branch);
        if (level == LEVELS - 1)
            return &map->child[branch];
        if (map->child[branch] == NULL && (map->child[branch] = calloc(1, sizeof *map)) == NULL)
            return NULL;
        map = map->child[branch];
    }
}

static void session_map_walk(
    struct iw_session_map *map, unsigned level, bool clear, iw_session_map_visit *visit, void *user) {
    uint16_t marked = clear ? UINT16_MAX : map->marked;

    map->marked = 0;
    for (unsigned branch = 0; branch < IW_SESSION_MAP_BRANCHES; branch++) {
        void *child = map->child[branch];

        if (!(marked >> branch & 1) || child == NULL)
            continue;
        if (level == LEVELS - 1)
            visit(user, child);
        else
            session_map_walk(child, level + 1, clear, visit, user);
        if (clear && level < LEVELS - 1)
            free(child);
        if (clear)
            map->child[branch] = NULL;
    }
}

void iw_session_map_sweep(struct iw_session_map *map, iw_session_map_visit *visit, void *user) {
    session_map_walk(map, 0, false, visit, user);
}

void iw_session_map_clear(struct iw_session_map *map, iw_session_map_visit *release, void *user) {
    session_map_walk(map, 0, true, release, user);
}
