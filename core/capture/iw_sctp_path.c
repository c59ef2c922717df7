#include "iw_sctp_path.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 64 };

/* Tags are random (RFC 9260 5.3.1), so many equal ones are an attack on the hash table. */
enum { TAG_PATHS_MAX = 8 };

struct iw_sctp_addresses {
    unsigned count;
    struct iw_tcp_address list[IW_SCTP_ADDRESSES_MAX];
};

/* One side of an association as receiver: packets to it carry this tag. */
struct iw_sctp_path {
    struct iw_sctp_path *next;
    struct iw_sctp_association *association;
    enum iw_side to;
    uint32_t tag;
};

/* The key is secret, so a crafted capture cannot put all tags into one bucket. */
static struct iw_sctp_path **paths_bucket(const struct iw_sctp_paths *paths, uint32_t tag) {
    uint64_t product = (tag ^ paths->key[0]) * (paths->key[1] | 1);

    return &paths->buckets[(product >> 32) & (paths->bucket_count - 1)];
}

/* ---- addresses ---- */

static bool association_has_address(
    const struct iw_sctp_association *association, enum iw_side side, const struct iw_tcp_address *address) {
    const struct iw_sctp_addresses *more = association->more[side];

    if (iw_tcp_address_equal(&association->address[side], address))
        return true;
    for (unsigned i = 0; more != NULL && i < more->count; i++)
        if (iw_tcp_address_equal(&more->list[i], address))
            return true;
    return false;
}

static bool association_add_address(
    struct iw_sctp_association *association, enum iw_side side, struct iw_tcp_address *address) {
    struct iw_sctp_addresses **more = &association->more[side];

    address->port = association->address[side].port;
    if (association_has_address(association, side, address))
        return true;
    if (*more == NULL)
        *more = calloc(1, sizeof **more);
    if (*more == NULL || (*more)->count >= IW_SCTP_ADDRESSES_MAX)
        return false;
    (*more)->list[(*more)->count++] = *address;
    return true;
}

/* ---- paths ---- */

/* Doubles the buckets. Without memory the chains get longer, or no paths are kept. */
static void paths_grow(struct iw_sctp_paths *paths) {
    struct iw_sctp_paths grown = *paths;

    grown.bucket_count = paths->bucket_count > 0 ? paths->bucket_count * 2 : FIRST_BUCKETS;
    grown.buckets = calloc(grown.bucket_count, sizeof(struct iw_sctp_path *));
    if (grown.buckets == NULL)
        return;
    for (size_t i = 0; i < paths->bucket_count; i++)
        while (paths->buckets[i] != NULL) {
            struct iw_sctp_path *path = paths->buckets[i], **bucket = paths_bucket(&grown, path->tag);

            paths->buckets[i] = path->next;
            path->next = *bucket;
            *bucket = path;
        }
    free(paths->buckets);
    *paths = grown;
}

static void paths_remove(
    struct iw_sctp_paths *paths, struct iw_sctp_association *association, enum iw_side to) {
    struct iw_sctp_path *path = association->path[to];

    if (path == NULL)
        return;
    for (struct iw_sctp_path **place = paths_bucket(paths, path->tag);; place = &(*place)->next)
        if (*place == path) {
            *place = path->next;
            break;
        }
    association->path[to] = NULL;
    free(path);
    paths->count--;
}

/* Adds the path under the current tag; a restarted side has another one. Returns false if too many paths
 * have the same tag, or without memory. */
static bool paths_add(struct iw_sctp_paths *paths, struct iw_sctp_association *association, enum iw_side to) {
    uint32_t tag = association->direction[to].tag;
    struct iw_sctp_path **bucket, *path;
    unsigned same = 0;

    if (!association->direction[to].tag_known)
        return true;
    if (association->path[to] != NULL && association->path[to]->tag == tag)
        return true;
    paths_remove(paths, association, to);
    if (paths->count >= paths->bucket_count)
        paths_grow(paths);
    if (paths->buckets == NULL)
        return false;
    bucket = paths_bucket(paths, tag);
    for (path = *bucket; path != NULL; path = path->next)
        same += path->tag == tag;
    path = same < TAG_PATHS_MAX ? malloc(sizeof *path) : NULL;
    if (path == NULL)
        return false;
    *path = (struct iw_sctp_path){*bucket, association, to, tag};
    *bucket = association->path[to] = path;
    paths->count++;
    return true;
}

/* Adds both sides: packets of a side with one address use all paths, too. */
void iw_sctp_paths_init(struct iw_sctp_paths *paths, struct iw_sctp_association *association,
    enum iw_side side, struct iw_sctp_init *init) {
    struct iw_tcp_address address;
    bool complete = true;

    while (iw_sctp_init_address(init, &address))
        complete &= association_add_address(association, side, &address);
    if (association->more[IW_SIDE_A] != NULL || association->more[IW_SIDE_B] != NULL) {
        complete &= paths_add(paths, association, IW_SIDE_A);
        complete &= paths_add(paths, association, IW_SIDE_B);
    }
    association->state.limited += !complete;
}

struct iw_sctp_association *iw_sctp_paths_find(
    const struct iw_sctp_paths *paths, const struct iw_tcp_segment *packet, enum iw_side *side) {
    if (paths->buckets == NULL)
        return NULL;
    for (struct iw_sctp_path *path = *paths_bucket(paths, packet->seq); path != NULL; path = path->next) {
        *side = iw_side_other(path->to);
        if (path->tag == packet->seq && association_has_address(path->association, *side, &packet->source) &&
            association_has_address(path->association, path->to, &packet->destination))
            return path->association;
    }
    return NULL;
}

unsigned iw_sctp_paths_addresses(const struct iw_sctp_association *association, enum iw_side side,
    struct iw_tcp_address addresses[IW_SCTP_ADDRESSES_MAX]) {
    const struct iw_sctp_addresses *more = association->more[side];

    if (more == NULL)
        return 0;
    memcpy(addresses, more->list, more->count * sizeof *addresses);
    return more->count;
}

void iw_sctp_paths_forget(struct iw_sctp_paths *paths, struct iw_sctp_association *association) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        paths_remove(paths, association, side);
        free(association->more[side]);
        association->more[side] = NULL;
    }
}

void iw_sctp_paths_dispose(struct iw_sctp_paths *paths) {
    free(paths->buckets);
    *paths = (struct iw_sctp_paths){0};
}
