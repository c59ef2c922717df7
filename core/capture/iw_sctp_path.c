#include "iw_sctp_path.h"

#include <stdlib.h>

enum { BUCKETS = 4096 };

struct iw_sctp_addresses {
    unsigned count;
    struct iw_tcp_address list[IW_SCTP_ADDRESSES_MAX];
};

/* To one side of an association: packets to it carry this tag. */
struct iw_sctp_path {
    struct iw_sctp_path *next;
    struct iw_sctp_association *association;
    enum iw_side to;
    uint32_t tag;
};

static struct iw_sctp_path **bucket_of(const struct iw_sctp_paths *paths, uint32_t tag) {
    return &paths->buckets[(tag ^ tag >> 12 ^ tag >> 24) % BUCKETS];
}

/* ---- addresses ---- */

static bool has(
    const struct iw_sctp_association *association, enum iw_side side, const struct iw_tcp_address *address) {
    const struct iw_sctp_addresses *more = association->more[side];

    if (iw_tcp_address_equal(&association->address[side], address))
        return true;
    for (unsigned i = 0; more != NULL && i < more->count; i++)
        if (iw_tcp_address_equal(&more->list[i], address))
            return true;
    return false;
}

static void add_address(
    struct iw_sctp_association *association, enum iw_side side, struct iw_tcp_address *address) {
    struct iw_sctp_addresses **more = &association->more[side];

    address->port = association->address[side].port;
    if (has(association, side, address))
        return;
    if (*more == NULL)
        *more = calloc(1, sizeof **more);
    if (*more != NULL && (*more)->count < IW_SCTP_ADDRESSES_MAX)
        (*more)->list[(*more)->count++] = *address;
}

/* ---- paths ---- */

static bool is_listed(
    const struct iw_sctp_paths *paths, const struct iw_sctp_association *association, enum iw_side to) {
    const struct iw_sctp_path *path = *bucket_of(paths, association->direction[to].tag);

    while (path != NULL && (path->association != association || path->to != to))
        path = path->next;
    return path != NULL;
}

static void add_path(struct iw_sctp_paths *paths, struct iw_sctp_association *association, enum iw_side to) {
    struct iw_sctp_path **bucket;
    struct iw_sctp_path *path;

    if (!association->direction[to].tag_known || is_listed(paths, association, to))
        return;
    path = malloc(sizeof *path);
    if (path == NULL)
        return;
    bucket = bucket_of(paths, association->direction[to].tag);
    *path = (struct iw_sctp_path){*bucket, association, to, association->direction[to].tag};
    *bucket = path;
}

/* The tags of both sides tell: those of the side that has one address go over all paths, too. */
void iw_sctp_paths_init(struct iw_sctp_paths *paths, struct iw_sctp_association *association,
    enum iw_side side, struct iw_sctp_init *init) {
    struct iw_tcp_address address;

    while (iw_sctp_init_address(init, &address))
        add_address(association, side, &address);
    if (association->more[IW_SIDE_A] == NULL && association->more[IW_SIDE_B] == NULL)
        return;
    if (paths->buckets == NULL && (paths->buckets = calloc(BUCKETS, sizeof(struct iw_sctp_path *))) == NULL)
        return;
    add_path(paths, association, IW_SIDE_A);
    add_path(paths, association, IW_SIDE_B);
}

struct iw_sctp_association *iw_sctp_paths_find(
    const struct iw_sctp_paths *paths, const struct iw_tcp_segment *packet, enum iw_side *side) {
    if (paths->buckets == NULL)
        return NULL;
    for (struct iw_sctp_path *path = *bucket_of(paths, packet->seq); path != NULL; path = path->next) {
        *side = iw_side_other(path->to);
        if (path->tag == packet->seq && has(path->association, *side, &packet->source) &&
            has(path->association, path->to, &packet->destination))
            return path->association;
    }
    return NULL;
}

static void remove_path(
    struct iw_sctp_paths *paths, const struct iw_sctp_association *association, enum iw_side to) {
    struct iw_sctp_path **place = bucket_of(paths, association->direction[to].tag);

    while (*place != NULL) {
        struct iw_sctp_path *path = *place;

        if (path->association != association) {
            place = &path->next;
            continue;
        }
        *place = path->next;
        free(path);
    }
}

void iw_sctp_paths_forget(struct iw_sctp_paths *paths, struct iw_sctp_association *association) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        if (paths->buckets != NULL)
            remove_path(paths, association, side);
        free(association->more[side]);
        association->more[side] = NULL;
    }
}

void iw_sctp_paths_dispose(struct iw_sctp_paths *paths) {
    free(paths->buckets);
    paths->buckets = NULL;
}
