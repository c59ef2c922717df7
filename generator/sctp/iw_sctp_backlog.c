#include "iw_sctp_link_state.h"

#include <stdlib.h>
#include <string.h>

#include <usrsctp.h>

#include "iw_bits.h"
#include "iw_sctp_packet.h"

enum {
    AHEAD_MAX = 3000, /* TSNs after the held-back one; usrsctp accepts 4096 */
    PACKETS_MAX = 65536,
    TOGETHER = 64, /* packets per iteration of the loop */
    SACK_OCTETS = 20,
    WINDOW = 1 << 20,
};

struct iw_sctp_kept {
    STAILQ_ENTRY(iw_sctp_kept) next;
    size_t length;
    uint8_t octets[];
};

bool iw_sctp_backlog_wants(const struct iw_sctp_route *route, uint32_t ahead) {
    return !STAILQ_EMPTY(&route->hold.backlog) || (route->hold.packet != NULL && ahead > AHEAD_MAX);
}

/* Acknowledges everything after the held-back TSN, up to the last one received. */
static void backlog_acknowledge(struct iw_sctp_route *route) {
    uint8_t sack[SACK_OCTETS] = {IW_SCTP_SACK};

    iw_bits_put(sack, 16, 16, sizeof sack);
    iw_bits_put(sack, 32, 32, route->hold.tsn - 1);
    iw_bits_put(sack, 64, 32, WINDOW);
    iw_bits_put(sack, 96, 16, 1); /* Gap Ack Block: */
    iw_bits_put(sack, 128, 16, 2);
    iw_bits_put(sack, 144, 16, route->hold.ahead + 1);
    iw_sctp_route_put_chunks(route, sack, sizeof sack);
}

void iw_sctp_backlog_put(struct iw_sctp_route *route, const uint8_t *octets, size_t length) {
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

static void backlog_release_some(void *user) {
    struct iw_sctp_route *route = user;
    struct iw_sctp_kept *kept;

    for (unsigned i = 0; i < TOGETHER && (kept = backlog_take(route)) != NULL; i++) {
        usrsctp_conninput((void *)route->number, kept->octets, kept->length, 0);
        free(kept);
    }
    if (!STAILQ_EMPTY(&route->hold.backlog))
        iw_sctp_backlog_release(route);
}

void iw_sctp_backlog_release(struct iw_sctp_route *route) {
    iw_timer_start(&route->hold.release, route->stack->loop, 0, backlog_release_some, route);
}

void iw_sctp_backlog_drop(struct iw_sctp_route *route) {
    struct iw_sctp_kept *kept;

    iw_timer_stop(&route->hold.release);
    while ((kept = backlog_take(route)) != NULL)
        free(kept);
}
