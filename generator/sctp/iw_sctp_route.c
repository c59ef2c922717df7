#include "iw_sctp_link_state.h"

#include <stdlib.h>
#include <string.h>

#include <usrsctp.h>

#include "iw_bits.h"
#include "iw_crc32c.h"
#include "iw_ip.h"
#include "iw_sctp_packet.h"

enum {
    ROUTES_MAX = 4096, /* routes without a link */
    CHECKSUM_AT = 8,   /* offset in the common header */
    AHEAD_MAX = 3000,  /* TSNs after the held-back TSN; usrsctp accepts 4096 */
    PACKETS_MAX = 65536,
    TOGETHER = 64, /* packets per iteration of the loop */
    SACK_OCTETS = 20,
};

TAILQ_HEAD(route_list, iw_sctp_route);
static struct route_list used_routes = TAILQ_HEAD_INITIALIZER(used_routes);
static struct route_list idle_routes = TAILQ_HEAD_INITIALIZER(idle_routes); /* most recently used first */
static unsigned idle_count;
static struct iw_hash_table routes_by_ends, routes_by_number;
static uintptr_t last_number;

static struct iw_sctp_route *route_note_used(struct iw_sctp_route *route) {
    if (route != NULL && !route->in_use) {
        TAILQ_REMOVE(&idle_routes, route, alike);
        TAILQ_INSERT_HEAD(&idle_routes, route, alike);
    }
    return route;
}

struct iw_sctp_route *iw_sctp_route_of_number(uintptr_t number) {
    const struct iw_sctp_number *found =
        iw_hash_table_first(&routes_by_number, iw_hash_table_number(&routes_by_number, number));

    while (found != NULL && found->route->number != number)
        found = iw_hash_table_next(&found->entry);
    return found == NULL ? NULL : route_note_used(found->route);
}

static enum iw_side route_own_side(const struct iw_sctp_route *route) {
    return route->opener ? IW_SIDE_A : IW_SIDE_B;
}

static const struct iw_tcp_address *route_own_end(const struct iw_sctp_route *route) {
    return &route->addresses[route_own_side(route)];
}

static const struct iw_tcp_address *route_peer_end(const struct iw_sctp_route *route) {
    return &route->addresses[iw_side_other(route_own_side(route))];
}

static uint64_t route_hash(
    const struct iw_sctp_wire *wire, const struct iw_tcp_address *to, struct iw_sctp_ends ends) {
    return iw_hash_table_addresses(&routes_by_ends, iw_sctp_wire_address(wire), to) ^
           iw_hash_table_number(&routes_by_ends, (uint64_t)ends.own << 16 | ends.peer);
}

struct iw_sctp_route *iw_sctp_route_find(
    const struct iw_sctp_wire *wire, const struct iw_tcp_address *to, struct iw_sctp_ends ends) {
    struct iw_sctp_route *route = iw_hash_table_first(&routes_by_ends, route_hash(wire, to, ends));

    while (route != NULL &&
           !(route->wire == wire && route_own_end(route)->port == ends.own &&
               route_peer_end(route)->port == ends.peer && iw_tcp_address_equal(&route->to, to)))
        route = iw_hash_table_next(&route->by_ends);
    return route_note_used(route);
}

bool iw_sctp_route_ends(const uint8_t *octets, size_t length, struct iw_sctp_ends *ends) {
    if (length < IW_SCTP_OCTETS)
        return false;
    ends->peer = (uint16_t)iw_bits_get(octets, 0, 16);
    ends->own = (uint16_t)iw_bits_get(octets, 16, 16);
    return true;
}

struct iw_sctp_route *iw_sctp_route_new(struct iw_sctp_stack *stack, struct iw_sctp_wire *wire,
    const struct iw_tcp_address *to, bool opener, struct iw_sctp_ends ends,
    const struct iw_sctp_link_config *config) {
    struct iw_sctp_route *route = calloc(1, sizeof *route);
    enum iw_side own = opener ? IW_SIDE_A : IW_SIDE_B;

    if (route == NULL || !iw_hash_table_reserve(&routes_by_ends) ||
        !iw_hash_table_reserve(&routes_by_number)) {
        free(route);
        return NULL;
    }
    /* A flood of INITs only frees routes of other INITs, which no link uses (RFC 9260 5.1). */
    if (idle_count == ROUTES_MAX)
        iw_sctp_route_free(TAILQ_LAST(&idle_routes, route_list));
    route->stack = stack;
    route->number = ++last_number;
    route->wire = wire;
    route->to = *to;
    route->opener = opener;
    route->addresses[own] = *iw_sctp_wire_address(wire);
    route->addresses[own].port = ends.own;
    route->addresses[iw_side_other(own)] = *to;
    route->addresses[iw_side_other(own)].port = ends.peer;
    route->tap = config->tap;
    route->tap_user = config->tap_user;
    STAILQ_INIT(&route->hold.backlog);
    usrsctp_register_address((void *)route->number);
    route->by_number.route = route;
    iw_hash_table_add(
        &routes_by_number, &route->by_number.entry, iw_hash_table_number(&routes_by_number, route->number));
    iw_hash_table_add(&routes_by_ends, &route->by_ends, route_hash(wire, to, ends));
    TAILQ_INSERT_HEAD(&idle_routes, route, alike);
    idle_count++;
    return route;
}

void iw_sctp_route_use(struct iw_sctp_route *route) {
    if (route->in_use)
        return;
    TAILQ_REMOVE(&idle_routes, route, alike);
    TAILQ_INSERT_HEAD(&used_routes, route, alike);
    idle_count--;
    route->in_use = true;
}

/* A packet that usrsctp would drop, because it is too far ahead of the held-back packet. The route keeps it,
 * and acknowledges it as if only the held-back packet were lost (RFC 9260 3.3.4), so that the peer continues.
 * usrsctp gets it after the held-back packet. */
struct iw_sctp_kept {
    STAILQ_ENTRY(iw_sctp_kept) next;
    size_t length;
    uint8_t octets[];
};

static bool backlog_wants(const struct iw_sctp_route *route, uint32_t ahead) {
    return !STAILQ_EMPTY(&route->hold.backlog) || (route->hold.packet != NULL && ahead > AHEAD_MAX);
}

/* Sends a SACK for all TSNs before and after the held-back TSN, up to the highest TSN received. */
static void backlog_acknowledge(struct iw_sctp_route *route) {
    uint8_t sack[SACK_OCTETS] = {IW_SCTP_SACK};

    iw_bits_put(sack, 16, 16, sizeof sack);
    iw_bits_put(sack, 32, 32, route->hold.tsn - 1);
    iw_bits_put(sack, 64, 32, IW_SCTP_WINDOW);
    iw_bits_put(sack, 96, 16, 1); /* one Gap Ack Block, from offset 2 to ahead + 1 */
    iw_bits_put(sack, 128, 16, 2);
    iw_bits_put(sack, 144, 16, route->hold.ahead + 1);
    iw_sctp_route_put_chunks(route, sack, sizeof sack);
}

static void backlog_put(struct iw_sctp_route *route, const uint8_t *octets, size_t length) {
    struct iw_sctp_kept *kept =
        route->hold.backlog_count < PACKETS_MAX ? malloc(sizeof *kept + length) : NULL;

    if (kept == NULL)
        return;
    kept->length = length;
    memcpy(kept->octets, octets, length);
    STAILQ_INSERT_TAIL(&route->hold.backlog, kept, next);
    route->hold.backlog_count++;
    if (route->hold.packet != NULL && route->hold.ahead < UINT16_MAX)
        backlog_acknowledge(route);
}

static struct iw_sctp_kept *backlog_take(struct iw_sctp_route *route) {
    struct iw_sctp_kept *kept = STAILQ_FIRST(&route->hold.backlog);

    if (kept != NULL) {
        STAILQ_REMOVE_HEAD(&route->hold.backlog, next);
        route->hold.backlog_count--;
    }
    return kept;
}

static void backlog_release(struct iw_sctp_route *route);

static void backlog_release_some(void *user) {
    struct iw_sctp_route *route = user;
    struct iw_sctp_kept *kept;

    for (unsigned i = 0; i < TOGETHER && (kept = backlog_take(route)) != NULL; i++) {
        usrsctp_conninput((void *)route->number, kept->octets, kept->length, 0);
        free(kept);
    }
    if (!STAILQ_EMPTY(&route->hold.backlog))
        backlog_release(route);
}

static void backlog_release(struct iw_sctp_route *route) {
    iw_timer_start(&route->hold.release, route->stack->loop, 0, backlog_release_some, route);
}

static void backlog_drop(struct iw_sctp_route *route) {
    struct iw_sctp_kept *kept;

    iw_timer_stop(&route->hold.release);
    while ((kept = backlog_take(route)) != NULL)
        free(kept);
}

void iw_sctp_route_free(struct iw_sctp_route *route) {
    if (route == NULL)
        return;
    usrsctp_deregister_address((void *)route->number);
    iw_hash_table_remove(&routes_by_number, &route->by_number.entry);
    iw_hash_table_remove(&routes_by_ends, &route->by_ends);
    TAILQ_REMOVE(route->in_use ? &used_routes : &idle_routes, route, alike);
    idle_count -= !route->in_use;
    backlog_drop(route);
    free(route->hold.packet);
    free(route);
}

static void routes_end(struct route_list *routes, const struct iw_sctp_wire *wire) {
    struct iw_sctp_route *route = TAILQ_FIRST(routes);

    while (route != NULL) {
        struct iw_sctp_route *next = TAILQ_NEXT(route, alike);

        if (route->wire == wire)
            iw_sctp_route_free(route);
        route = next;
    }
}

void iw_sctp_route_end_all(const struct iw_sctp_wire *wire) {
    routes_end(&used_routes, wire);
    routes_end(&idle_routes, wire);
}

static void route_tap(const struct iw_sctp_route *route, bool out, const uint8_t *octets, size_t length) {
    const struct iw_tcp_segment packet = {.source = out ? *route_own_end(route) : *route_peer_end(route),
        .destination = out ? *route_peer_end(route) : *route_own_end(route),
        .length = (uint32_t)length,
        .captured = (uint32_t)length,
        .payload = octets,
        .time_ns = iw_loop_time_ns(route->stack->loop)};

    if (route->tap != NULL)
        route->tap(route->tap_user, &packet);
}

static struct iw_sctp_chunks route_chunks(const uint8_t *octets, size_t length) {
    return (struct iw_sctp_chunks){.octets = octets + IW_SCTP_OCTETS,
        .captured = (uint32_t)(length - IW_SCTP_OCTETS),
        .length = (uint32_t)(length - IW_SCTP_OCTETS)};
}

static bool route_holds_back(struct iw_sctp_route *route, const struct iw_sctp_data *data) {
    if (!route->hold.active)
        return false;
    if (route->hold.packet == NULL)
        route->hold.tsn = data->tsn;
    if ((int32_t)(data->tsn - route->hold.tsn) > (int32_t)route->hold.ahead)
        route->hold.ahead = data->tsn - route->hold.tsn;
    return data->tsn == route->hold.tsn;
}

/* Updates `seen` and `hold`. Returns whether the packet must be held back. Sets *ahead to the packet's last
 * TSN minus the TSN held back, or 0 without DATA. */
static bool route_track_received(
    struct iw_sctp_route *route, const uint8_t *octets, size_t length, uint32_t *ahead) {
    struct iw_sctp_chunks chunks = route_chunks(octets, length);
    struct iw_sctp_chunk chunk;
    struct iw_sctp_init init;
    struct iw_sctp_data data;
    bool held = false;

    *ahead = 0;
    while (iw_sctp_chunk_next(&chunks, &chunk)) {
        if ((chunk.type == IW_SCTP_INIT || chunk.type == IW_SCTP_INIT_ACK) &&
            iw_sctp_init_decode(&chunk, &init)) {
            route->seen.tag = init.tag;
            route->seen.peer.indicated = init.setup.indicated;
            route->seen.peer.indication = init.setup.indication;
        }
        if (chunk.type == IW_SCTP_SACK && chunk.length >= 8)
            route->seen.acked_tsn = (uint32_t)iw_bits_get(chunk.value, 0, 32);
        route->seen.aborted |= chunk.type == IW_SCTP_ABORT;
        if (chunk.type != IW_SCTP_DATA || !iw_sctp_data_decode(&chunk, &data))
            continue;
        held |= route_holds_back(route, &data);
        *ahead = data.tsn - route->hold.tsn;
        if (data.length == 0 && route->broken != NULL)
            route->broken(route->broken_user);
    }
    return held;
}

static void route_track_sent(struct iw_sctp_route *route, const uint8_t *octets, size_t length) {
    struct iw_sctp_chunks chunks = route_chunks(octets, length);
    struct iw_sctp_chunk chunk;
    struct iw_sctp_init init;
    struct iw_sctp_data data;

    while (iw_sctp_chunk_next(&chunks, &chunk)) {
        if ((chunk.type == IW_SCTP_INIT || chunk.type == IW_SCTP_INIT_ACK) &&
            iw_sctp_init_decode(&chunk, &init)) {
            route->seen.own_tsns = true;
            route->seen.first_tsn = route->seen.next_tsn = init.tsn;
            route->seen.acked_tsn = init.tsn - 1;
        }
        if (chunk.type == IW_SCTP_DATA && iw_sctp_data_decode(&chunk, &data) &&
            (int32_t)(data.tsn - route->seen.next_tsn) >= 0)
            route->seen.next_tsn = data.tsn + 1;
    }
}

static void route_keep(struct iw_sctp_route *route, const uint8_t *octets, size_t length) {
    uint8_t *copy = realloc(route->hold.packet, length);

    if (copy == NULL)
        return;
    memcpy(copy, octets, length);
    route->hold.packet = copy;
    route->hold.length = length;
}

/* Whether the checksum is right. If it is wrong, usrsctp ignores the packet (RFC 9260 6.8). */
static bool route_checksum_ok(const uint8_t *octets, size_t length) {
    static const uint8_t zeros[IW_SCTP_OCTETS - CHECKSUM_AT];
    uint32_t state = iw_crc32c_update(iw_crc32c_begin(), octets, CHECKSUM_AT);

    state = iw_crc32c_update(state, zeros, sizeof zeros);
    state = iw_crc32c_update(state, octets + IW_SCTP_OCTETS, length - IW_SCTP_OCTETS);
    return iw_crc32c_end(state) == (uint32_t)iw_bits_get(octets, CHECKSUM_AT * 8, 32);
}

void iw_sctp_route_take(struct iw_sctp_route *route, const uint8_t *octets, size_t length) {
    uint32_t ahead = 0;
    bool held = route_checksum_ok(octets, length) && route_track_received(route, octets, length, &ahead);

    route_tap(route, false, octets, length);
    if (held)
        route_keep(route, octets, length);
    else if (ahead > 0 && backlog_wants(route, ahead))
        backlog_put(route, octets, length);
    else
        usrsctp_conninput((void *)route->number, octets, length, 0);
}

void iw_sctp_route_hold(struct iw_sctp_route *route, bool hold) {
    uint8_t *held = route->hold.packet;

    route->hold.active = hold;
    route->hold.ahead = 0;
    route->hold.packet = NULL;
    if (held != NULL)
        usrsctp_conninput((void *)route->number, held, route->hold.length, 0);
    free(held);
    backlog_release(route);
}

void iw_sctp_route_put(struct iw_sctp_route *route, const uint8_t *octets, size_t length) {
    if (length >= IW_SCTP_OCTETS)
        route_track_sent(route, octets, length);
    route_tap(route, true, octets, length);
    iw_sctp_wire_send(route->wire, &route->to, octets, length);
}

void iw_sctp_route_put_chunks(struct iw_sctp_route *route, const uint8_t *chunks, size_t length) {
    uint8_t packet[IW_SCTP_ROUTE_OCTETS] = {0};

    iw_bits_put(packet, 0, 16, route_own_end(route)->port);
    iw_bits_put(packet, 16, 16, route_peer_end(route)->port);
    iw_bits_put(packet, 32, 32, route->seen.tag);
    memcpy(packet + IW_SCTP_OCTETS, chunks, length);
    iw_bits_put(packet, 64, 32, iw_crc32c(packet, IW_SCTP_OCTETS + length));
    iw_sctp_route_put(route, packet, IW_SCTP_OCTETS + length);
}
