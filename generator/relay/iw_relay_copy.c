#include "iw_relay_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Octets are read into a buffer of all connections, and written at once. What the receiver does not take
 * waits in a queue; meanwhile nothing more is read, so the queue holds the octets of one read at most. */

void relay_copy_init(struct relay_pair *pair) {
    STAILQ_INIT(&pair->ways[IW_SIDE_A].queue);
    STAILQ_INIT(&pair->ways[IW_SIDE_B].queue);
}

static void copy_drop_first(struct relay_way *way) {
    struct relay_item *item = STAILQ_FIRST(&way->queue);

    STAILQ_REMOVE_HEAD(&way->queue, next);
    free(item);
}

void relay_copy_dispose(struct relay_pair *pair, enum iw_side from) {
    struct relay_way *way = &pair->ways[from];

    while (!STAILQ_EMPTY(&way->queue))
        copy_drop_first(way);
    way->waiting = 0;
}

/* Writes octets to the receiver of the way. Returns how many it has taken; -1 with errno. */
static ssize_t copy_send(struct relay_pair *pair, enum iw_side from, const uint8_t *octets, size_t length) {
    enum iw_side to = iw_side_other(from);
    ssize_t taken;

    do
        taken = send(pair->ends[to].descriptor, octets, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (taken < 0 && errno == EINTR);
    if (taken > 0)
        relay_record(pair, to, false, IW_CHUNK_DATA, octets, (size_t)taken);
    return taken;
}

enum relay_step relay_copy_flush(struct relay_pair *pair, enum iw_side from) {
    struct relay_way *way = &pair->ways[from];

    while (way->waiting > 0) {
        struct relay_item *item = STAILQ_FIRST(&way->queue);
        ssize_t taken = copy_send(pair, from, item->octets + item->sent, item->length - item->sent);

        if (taken < 0)
            return errno == EAGAIN ? RELAY_BLOCKED : RELAY_GONE;
        item->sent += (size_t)taken;
        way->waiting -= (size_t)taken;
        if (item->sent == item->length)
            copy_drop_first(way);
    }
    return RELAY_DRY;
}

static enum relay_step copy_queue(struct relay_way *way, const uint8_t *octets, size_t length) {
    struct relay_item *item = malloc(sizeof *item + length);

    if (item == NULL) {
        errno = ENOMEM;
        return RELAY_BROKEN;
    }
    *item = (struct relay_item){.length = length};
    memcpy(item->octets, octets, length);
    STAILQ_INSERT_TAIL(&way->queue, item, next);
    way->waiting += length;
    return RELAY_BLOCKED;
}

/* Passes octets on to the receiver of the way, whose queue is empty. */
static enum relay_step copy_pass(
    struct relay_pair *pair, enum iw_side from, const uint8_t *octets, size_t length) {
    ssize_t taken = copy_send(pair, from, octets, length);

    if (taken < 0 && errno != EAGAIN)
        return RELAY_GONE;
    if (taken < 0)
        taken = 0;
    return (size_t)taken == length ? RELAY_DRY
                                   : copy_queue(&pair->ways[from], octets + taken, length - (size_t)taken);
}

static ssize_t copy_read(struct relay_pair *pair, enum iw_side from) {
    ssize_t octets;

    do
        octets = recv(pair->ends[from].descriptor, pair->relay->buffer, RELAY_READ_OCTETS, MSG_DONTWAIT);
    while (octets < 0 && errno == EINTR);
    return octets;
}

enum relay_step relay_copy_move(struct relay_pair *pair, enum iw_side from) {
    enum relay_step step = relay_copy_flush(pair, from);

    for (size_t moved = 0; step == RELAY_DRY && moved < RELAY_TURN_OCTETS;) {
        ssize_t octets = copy_read(pair, from);

        if (octets == 0)
            return RELAY_FIN;
        if (octets < 0)
            return errno == EAGAIN ? RELAY_DRY : RELAY_BROKEN;
        relay_record(pair, from, true, IW_CHUNK_DATA, pair->relay->buffer, (size_t)octets);
        moved += (size_t)octets;
        step = copy_pass(pair, from, pair->relay->buffer, (size_t)octets);
    }
    return step == RELAY_DRY ? RELAY_MORE : step;
}
