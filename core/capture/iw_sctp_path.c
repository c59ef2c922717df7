#include "iw_sctp_path.h"

#include <stdlib.h>
#include <string.h>

/* Tags are random (RFC 9260 5.3.1): more equal tags than this are an attack on the hash table. */
enum { TAG_PATHS_MAX = 8 };

struct iw_sctp_addresses {
    unsigned count;
    struct iw_tcp_address list[IW_SCTP_ADDRESSES_MAX];
};

/* One side of an association as receiver: packets to this side carry Verification Tag `tag`. */
struct iw_sctp_path {
    struct iw_hash_entry entry;
    struct iw_sctp_association *association;
    enum iw_side to;
    uint32_t tag;
};

static bool path_association_has_address(
    const struct iw_sctp_association *association, enum iw_side side, const struct iw_tcp_address *address) {
    const struct iw_sctp_addresses *more = association->more[side];

    if (iw_tcp_address_equal(&association->address[side], address))
        return true;
    for (unsigned i = 0; more != NULL && i < more->count; i++)
        if (iw_tcp_address_equal(&more->list[i], address))
            return true;
    return false;
}

static bool path_association_add_address(
    struct iw_sctp_association *association, enum iw_side side, struct iw_tcp_address *address) {
    struct iw_sctp_addresses **more = &association->more[side];

    address->port = association->address[side].port;
    if (path_association_has_address(association, side, address))
        return true;
    if (*more == NULL)
        *more = calloc(1, sizeof **more);
    if (*more == NULL || (*more)->count >= IW_SCTP_ADDRESSES_MAX)
        return false;
    (*more)->list[(*more)->count++] = *address;
    return true;
}

static void paths_remove(
    struct iw_hash_table *paths, struct iw_sctp_association *association, enum iw_side to) {
    struct iw_sctp_path *path = association->path[to];

    if (path == NULL)
        return;
    iw_hash_table_remove(paths, &path->entry);
    association->path[to] = NULL;
    free(path);
}

/* Adds the path to side `to` under its tag, if known. Returns false at a limit or if memory runs out. */
static bool paths_add(struct iw_hash_table *paths, struct iw_sctp_association *association, enum iw_side to) {
    uint32_t tag = association->direction[to].tag;
    struct iw_sctp_path *path;
    unsigned same = 0;
    uint64_t hash;

    if (!association->direction[to].tag_known)
        return true;
    if (association->path[to] != NULL && association->path[to]->tag == tag)
        return true;
    paths_remove(paths, association, to);
    if (!iw_hash_table_reserve(paths))
        return false;
    hash = iw_hash_table_number(paths, tag);
    for (path = iw_hash_table_first(paths, hash); path != NULL; path = iw_hash_table_next(&path->entry))
        same++;
    path = same < TAG_PATHS_MAX ? malloc(sizeof *path) : NULL;
    if (path == NULL)
        return false;
    *path = (struct iw_sctp_path){.association = association, .to = to, .tag = tag};
    iw_hash_table_add(paths, &path->entry, hash);
    association->path[to] = path;
    return true;
}

/* Adds both paths even if only one side has further addresses: packets in both directions use them. */
void iw_sctp_paths_init(struct iw_hash_table *paths, struct iw_sctp_association *association,
    enum iw_side side, struct iw_sctp_init *init) {
    struct iw_tcp_address address;
    bool complete = true;

    while (iw_sctp_init_address(init, &address))
        complete &= path_association_add_address(association, side, &address);
    if (association->more[IW_SIDE_A] != NULL || association->more[IW_SIDE_B] != NULL) {
        complete &= paths_add(paths, association, IW_SIDE_A);
        complete &= paths_add(paths, association, IW_SIDE_B);
    }
    association->state.limited += !complete;
}

struct iw_sctp_association *iw_sctp_paths_find(
    const struct iw_hash_table *paths, const struct iw_tcp_segment *packet, enum iw_side *side) {
    struct iw_sctp_path *path = iw_hash_table_first(paths, iw_hash_table_number(paths, packet->seq));

    for (; path != NULL; path = iw_hash_table_next(&path->entry)) {
        *side = iw_side_other(path->to);
        if (path->tag == packet->seq &&
            path_association_has_address(path->association, *side, &packet->source) &&
            path_association_has_address(path->association, path->to, &packet->destination))
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

void iw_sctp_paths_forget(struct iw_hash_table *paths, struct iw_sctp_association *association) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        paths_remove(paths, association, side);
        free(association->more[side]);
        association->more[side] = NULL;
    }
}
