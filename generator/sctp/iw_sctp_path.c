#include "iw_sctp_path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <usrsctp.h>

#include "iw_bits.h"
#include "iw_ip.h"
#include "iw_sctp_packet.h"

enum { PATHS_MAX = 4096 }; /* that no link uses */

/* The one used last is the first: a packet mostly belongs to that of the packet before. */
static TAILQ_HEAD(path_list, iw_sctp_path) paths = TAILQ_HEAD_INITIALIZER(paths);
static unsigned idle_count; /* counts too many after a link has begun to use one, never too few */
static uintptr_t last_number;

static struct iw_sctp_path *to_front(struct iw_sctp_path *path) {
    if (path != NULL && path != TAILQ_FIRST(&paths)) {
        TAILQ_REMOVE(&paths, path, all);
        TAILQ_INSERT_HEAD(&paths, path, all);
    }
    return path;
}

struct iw_sctp_path *iw_sctp_path_of_number(uintptr_t number) {
    struct iw_sctp_path *path;

    TAILQ_FOREACH(path, &paths, all)
    if (path->number == number)
        break;
    return to_front(path);
}

static enum iw_side own_side(const struct iw_sctp_path *path) {
    return path->opener ? IW_SIDE_A : IW_SIDE_B;
}

static const struct iw_tcp_address *own_end(const struct iw_sctp_path *path) {
    return &path->addresses[own_side(path)];
}

static const struct iw_tcp_address *peer_end(const struct iw_sctp_path *path) {
    return &path->addresses[iw_side_other(own_side(path))];
}

struct iw_sctp_path *iw_sctp_path_find(
    const struct iw_sctp_wire *wire, const struct iw_tcp_address *to, struct iw_sctp_ends ends) {
    struct iw_sctp_path *path;

    TAILQ_FOREACH(path, &paths, all)
    if (path->wire == wire && own_end(path)->port == ends.own && peer_end(path)->port == ends.peer &&
        iw_tcp_address_equal(&path->to, to))
        break;
    return to_front(path);
}

bool iw_sctp_path_ends(const uint8_t *octets, size_t length, struct iw_sctp_ends *ends) {
    if (length < IW_SCTP_OCTETS)
        return false;
    ends->peer = (uint16_t)iw_bits_get(octets, 0, 16);
    ends->own = (uint16_t)iw_bits_get(octets, 16, 16);
    return true;
}

/* Who floods a listener with INITs loses those of others at the most (RFC 9260 5.1 keeps nothing of them
 * either). */
static void make_room(void) {
    struct iw_sctp_path *path;

    idle_count = 0;
    TAILQ_FOREACH(path, &paths, all)
    idle_count += !path->in_use;
    if (idle_count < PATHS_MAX)
        return;
    TAILQ_FOREACH_REVERSE(path, &paths, path_list, all)
    if (!path->in_use)
        break;
    iw_sctp_path_free(path);
}

struct iw_sctp_path *iw_sctp_path_new(struct iw_sctp_stack *stack, struct iw_sctp_wire *wire,
    const struct iw_tcp_address *to, bool opener, struct iw_sctp_ends ends,
    const struct iw_sctp_link_config *config) {
    struct iw_sctp_path *path = calloc(1, sizeof *path);
    enum iw_side own = opener ? IW_SIDE_A : IW_SIDE_B;

    if (path == NULL)
        return NULL;
    if (++idle_count > PATHS_MAX)
        make_room();
    path->stack = stack;
    path->number = ++last_number;
    path->wire = wire;
    path->to = *to;
    path->opener = opener;
    path->addresses[own] = *iw_sctp_wire_address(wire);
    path->addresses[own].port = ends.own;
    path->addresses[iw_side_other(own)] = *to;
    path->addresses[iw_side_other(own)].port = ends.peer;
    path->tap = config->tap;
    path->tap_user = config->tap_user;
    usrsctp_register_address((void *)path->number);
    TAILQ_INSERT_HEAD(&paths, path, all);
    return path;
}

void iw_sctp_path_free(struct iw_sctp_path *path) {
    if (path == NULL)
        return;
    usrsctp_deregister_address((void *)path->number);
    TAILQ_REMOVE(&paths, path, all);
    free(path->held);
    free(path);
}

void iw_sctp_path_end_all(const struct iw_sctp_wire *wire) {
    struct iw_sctp_path *path = TAILQ_FIRST(&paths);

    while (path != NULL) {
        struct iw_sctp_path *next = TAILQ_NEXT(path, all);

        if (path->wire == wire)
            iw_sctp_path_free(path);
        path = next;
    }
}

/* ---- packets ---- */

static void see(const struct iw_sctp_path *path, bool out, const uint8_t *octets, size_t length) {
    const struct iw_tcp_segment packet = {.source = out ? *own_end(path) : *peer_end(path),
        .destination = out ? *peer_end(path) : *own_end(path),
        .length = (uint32_t)length,
        .captured = (uint32_t)length,
        .payload = octets,
        .time_ns = iw_loop_time_ns(path->stack->loop)};

    if (path->tap != NULL)
        path->tap(path->tap_user, &packet);
}

static struct iw_sctp_chunks chunks_of(const uint8_t *octets, size_t length) {
    return (struct iw_sctp_chunks){.octets = octets + IW_SCTP_OCTETS,
        .captured = (uint32_t)(length - IW_SCTP_OCTETS),
        .length = (uint32_t)(length - IW_SCTP_OCTETS)};
}

static void learn_of_peer(struct iw_sctp_path *path, const struct iw_sctp_init *init) {
    path->tag = init->tag;
    path->peer.indicated = init->setup.indicated;
    path->peer.indication = init->setup.indication;
}

static bool is_held(struct iw_sctp_path *path, const struct iw_sctp_data *data) {
    if (!path->holding)
        return false;
    if (path->held == NULL)
        path->held_tsn = data->tsn;
    return data->tsn == path->held_tsn;
}

/* What the path has to know of a packet that comes. Returns true if the packet is held back. */
static bool learn(struct iw_sctp_path *path, const uint8_t *octets, size_t length) {
    struct iw_sctp_chunks chunks = chunks_of(octets, length);
    struct iw_sctp_chunk chunk;
    struct iw_sctp_init init;
    struct iw_sctp_data data;
    bool held = false;

    while (iw_sctp_chunk_next(&chunks, &chunk)) {
        if ((chunk.type == IW_SCTP_INIT || chunk.type == IW_SCTP_INIT_ACK) &&
            iw_sctp_init_decode(&chunk, &init))
            learn_of_peer(path, &init);
        path->aborted |= chunk.type == IW_SCTP_ABORT;
        if (chunk.type != IW_SCTP_DATA || !iw_sctp_data_decode(&chunk, &data))
            continue;
        held |= is_held(path, &data);
        if (data.length == 0 && path->broken != NULL)
            path->broken(path->broken_user);
    }
    return held;
}

static void learn_of_own(struct iw_sctp_path *path, const uint8_t *octets, size_t length) {
    struct iw_sctp_chunks chunks = chunks_of(octets, length);
    struct iw_sctp_chunk chunk;
    struct iw_sctp_init init;
    struct iw_sctp_data data;

    while (iw_sctp_chunk_next(&chunks, &chunk)) {
        if ((chunk.type == IW_SCTP_INIT || chunk.type == IW_SCTP_INIT_ACK) &&
            iw_sctp_init_decode(&chunk, &init))
            path->next_tsn = init.tsn;
        if (chunk.type == IW_SCTP_DATA && iw_sctp_data_decode(&chunk, &data) &&
            (int32_t)(data.tsn - path->next_tsn) >= 0)
            path->next_tsn = data.tsn + 1;
    }
}

/* Of a packet that is sent again, the last is kept. */
static void keep(struct iw_sctp_path *path, const uint8_t *octets, size_t length) {
    uint8_t *copy = realloc(path->held, length);

    if (copy == NULL)
        return;
    memcpy(copy, octets, length);
    path->held = copy;
    path->held_octets = length;
}

void iw_sctp_path_take(struct iw_sctp_path *path, const uint8_t *octets, size_t length) {
    bool held = learn(path, octets, length);

    see(path, false, octets, length);
    if (held)
        keep(path, octets, length);
    else
        usrsctp_conninput((void *)path->number, octets, length, 0);
}

void iw_sctp_path_hold(struct iw_sctp_path *path, bool hold) {
    uint8_t *held = path->held;

    path->holding = hold;
    path->held = NULL;
    if (held != NULL)
        usrsctp_conninput((void *)path->number, held, path->held_octets, 0);
    free(held);
}

void iw_sctp_path_put(struct iw_sctp_path *path, const uint8_t *octets, size_t length) {
    if (length >= IW_SCTP_OCTETS)
        learn_of_own(path, octets, length);
    see(path, true, octets, length);
    iw_sctp_wire_send(path->wire, &path->to, octets, length);
}
