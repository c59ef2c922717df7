#include "iw_relay_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "iw_array.h"

/* Octets are read into a buffer of all connections, and written at once. What the receiver does not take
 * waits in a queue; meanwhile nothing more is read, so the queue holds the octets of one read at most. */

bool relay_copy_begin(struct relay_pair *pair, enum iw_side from) {
    struct iw_relay *relay = pair->relay;

    if (relay->buffer == NULL)
        relay->buffer = malloc(RELAY_READ_OCTETS);
    TAILQ_INIT(&pair->ways[from].queue);
    pair->ways[from].copies = relay->buffer != NULL;
    return pair->ways[from].copies;
}

static void copy_drop_first(struct relay_way *way) {
    struct relay_item *item = TAILQ_FIRST(&way->queue);

    TAILQ_REMOVE(&way->queue, item, next);
    free(item->octets);
    free(item);
    way->waiting--;
}

void relay_copy_dispose(struct relay_pair *pair, enum iw_side from) {
    struct relay_way *way = &pair->ways[from];

    while (!TAILQ_EMPTY(&way->queue))
        copy_drop_first(way);
}

static bool copy_append(struct relay_item *item, const uint8_t *octets, size_t length) {
    if (length == 0)
        return true;
    if (!iw_array_reserve(&item->octets, &item->capacity, item->length + length, 1))
        return false;
    memcpy(item->octets + item->length, octets, length);
    item->length += length;
    return true;
}

bool relay_copy_push(struct relay_pair *pair, enum iw_side from, const struct relay_item *item) {
    struct relay_way *way = &pair->ways[from];
    struct relay_item *last = TAILQ_LAST(&way->queue, relay_queue), *added;

    if (last != NULL && last->kind == RELAY_OCTETS && item->kind == RELAY_OCTETS && !last->alone &&
        !item->alone && item->wait_ms == 0)
        return copy_append(last, item->octets, item->length);
    added = malloc(sizeof *added);
    if (added == NULL)
        return false;
    *added = (struct relay_item){.kind = item->kind, .wait_ms = item->wait_ms, .alone = item->alone};
    if (!copy_append(added, item->octets, item->length)) {
        free(added);
        return false;
    }
    TAILQ_INSERT_TAIL(&way->queue, added, next);
    way->waiting++;
    return true;
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

static enum relay_step copy_flush_octets(
    struct relay_pair *pair, enum iw_side from, struct relay_item *item) {
    while (item->sent < item->length) {
        ssize_t taken = copy_send(pair, from, item->octets + item->sent, item->length - item->sent);

        if (taken < 0)
            return errno == EAGAIN ? RELAY_BLOCKED : RELAY_GONE;
        item->sent += (size_t)taken;
    }
    return RELAY_DRY;
}

static enum relay_step copy_flush_item(struct relay_pair *pair, enum iw_side from, struct relay_item *item) {
    if (item->wait_ms > 0) {
        relay_impair_hold(pair, from, item->wait_ms);
        item->wait_ms = 0;
        return RELAY_BLOCKED;
    }
    if (item->kind == RELAY_RST_ITEM)
        return RELAY_RESET;
    if (item->kind == RELAY_FIN_ITEM)
        relay_pair_close_way(pair, from);
    return copy_flush_octets(pair, from, item);
}

enum relay_step relay_copy_flush(struct relay_pair *pair, enum iw_side from) {
    struct relay_way *way = &pair->ways[from];

    while (way->waiting > 0) {
        enum relay_step step =
            way->held ? RELAY_BLOCKED : copy_flush_item(pair, from, TAILQ_FIRST(&way->queue));

        if (step != RELAY_DRY)
            return step;
        copy_drop_first(way);
    }
    return RELAY_DRY;
}

/* Passes octets on to the receiver of the way, whose queue is empty. */
static enum relay_step copy_pass(
    struct relay_pair *pair, enum iw_side from, const uint8_t *octets, size_t length) {
    ssize_t taken = copy_send(pair, from, octets, length);

    if (taken < 0 && errno != EAGAIN)
        return RELAY_GONE;
    if (taken < 0)
        taken = 0;
    if ((size_t)taken == length)
        return RELAY_DRY;
    const struct relay_item item = {
        .octets = (uint8_t *)(uintptr_t)octets + taken, .length = length - (size_t)taken};
    return relay_copy_push(pair, from, &item) ? RELAY_BLOCKED : RELAY_FAILED;
}

static enum relay_step copy_take(struct relay_pair *pair, enum iw_side from, size_t length) {
    enum relay_step step;

    relay_record(pair, from, true, IW_CHUNK_DATA, pair->relay->buffer, length);
    if (pair->impair == NULL)
        return copy_pass(pair, from, pair->relay->buffer, length);
    if (!relay_impair_take(pair, from, pair->relay->buffer, length))
        return RELAY_FAILED;
    step = relay_copy_flush(pair, from);
    return step == RELAY_DRY && pair->ways[from].stopped ? RELAY_BLOCKED : step;
}

/* The sender of the way has sent a FIN (`step`), or is reset or lost. */
static enum relay_step copy_finish(struct relay_pair *pair, enum iw_side from, enum relay_step step) {
    int error = errno;

    if (pair->impair != NULL && !relay_impair_finish(pair, from))
        return RELAY_FAILED;
    if (step == RELAY_BROKEN)
        relay_copy_flush(pair, from); /* as far as possible; after a FIN, the next event does so */
    errno = error;
    return step;
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
            return copy_finish(pair, from, RELAY_FIN);
        if (octets < 0)
            return errno == EAGAIN ? RELAY_DRY : copy_finish(pair, from, RELAY_BROKEN);
        moved += (size_t)octets;
        step = copy_take(pair, from, (size_t)octets);
    }
    return step == RELAY_DRY ? RELAY_MORE : step;
}
