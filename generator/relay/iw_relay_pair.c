#include "iw_relay_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Both ways of a connection: which events to wait for, FIN and RST. */

void relay_pair_note(const struct relay_pair *pair, enum iw_relay_note_kind kind, const char *text) {
    const struct iw_relay_config *config = &pair->relay->config;
    const struct iw_relay_note note = {.kind = kind,
        .connection = pair->number,
        .initiator = pair->addresses[IW_SIDE_A],
        .device = pair->addresses[IW_SIDE_B],
        .text = text};

    if (config->note != NULL)
        config->note(config->user, &note);
}

static void pair_leave(struct relay_pair *pair) {
    relay_impair_free(pair);
    LIST_REMOVE(pair, others);
    pair->relay->pair_count--;
    pair->relay->descriptors -= RELAY_PAIR_DESCRIPTORS;
}

static enum relay_step pair_move(struct relay_pair *pair, enum iw_side from) {
    return pair->ways[from].copies ? relay_copy_move(pair, from) : relay_splice_move(pair, from);
}

static enum relay_step pair_flush(struct relay_pair *pair, enum iw_side from) {
    return pair->ways[from].copies ? relay_copy_flush(pair, from) : relay_splice_flush(pair, from);
}

/* ---- the end ---- */

static void pair_on_closed(uv_handle_t *handle) {
    struct relay_pair *pair = handle->data;

    if (--pair->handles == 0)
        free(pair);
}

static void pair_close_end(struct relay_pair *pair, enum iw_side side, bool reset) {
    static const struct linger hard = {.l_onoff = 1};
    struct relay_end *end = &pair->ends[side];

    if (end->descriptor < 0)
        return;
    if (reset) {
        relay_record(pair, side, false, IW_CHUNK_RST, NULL, 0);
        setsockopt(end->descriptor, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    }
    uv_close((uv_handle_t *)&end->poll, pair_on_closed);
    close(end->descriptor);
    if (pair->ways[side].copies)
        relay_copy_dispose(pair, side);
    else
        relay_splice_dispose(pair, side);
}

void relay_pair_end(struct relay_pair *pair, unsigned reset) {
    pair->over = true;
    pair_leave(pair);
    iw_timer_stop(&pair->patience);
    iw_port_free(pair->connecting);
    for (int side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        pair_close_end(pair, (enum iw_side)side, (reset >> side & 1) != 0);
    if (pair->handles == 0)
        free(pair);
}

/* An end is reset or lost: the other end is reset, too. */
static void pair_break(struct relay_pair *pair, enum iw_side broken, int error) {
    const char *who = broken == IW_SIDE_A ? "initiator" : "device";
    char text[IW_PORT_TEXT_OCTETS];

    snprintf(text, sizeof text, "%s: %s", who, strerror(error));
    if (error == ECONNRESET || error == EPIPE)
        relay_record(pair, broken, true, IW_CHUNK_RST, NULL, 0);
    relay_pair_note(pair, IW_RELAY_RESET, text);
    relay_pair_end(pair, 1u << iw_side_other(broken));
}

void relay_pair_close_way(struct relay_pair *pair, enum iw_side from) {
    enum iw_side to = iw_side_other(from);

    pair->ways[from].closed = true;
    relay_record(pair, to, false, IW_CHUNK_FIN, NULL, 0);
    shutdown(pair->ends[to].descriptor, SHUT_WR);
}

static bool pair_is_done(const struct relay_way *way) {
    return way->ended && way->closed;
}

static void pair_pass_fin(struct relay_pair *pair, enum iw_side from) {
    const struct relay_way *way = &pair->ways[from];

    if (way->ended && !way->closed && way->waiting == 0)
        relay_pair_close_way(pair, from);
    if (pair_is_done(&pair->ways[IW_SIDE_A]) && pair_is_done(&pair->ways[IW_SIDE_B])) {
        relay_pair_note(pair, IW_RELAY_ENDED, NULL);
        relay_pair_end(pair, 0);
    }
}

/* A write has found that the receiver of a way is reset or lost. What it sent before, such as a Terminate, is
 * still passed on. */
static void pair_take_rest(struct relay_pair *pair, enum iw_side gone, int error) {
    enum relay_step step = RELAY_MORE;

    pair->ends[gone].gone = true;
    for (int turns = 0; step == RELAY_MORE && turns < 64; turns++)
        step = pair_move(pair, gone);
    pair_break(pair, gone, step == RELAY_BROKEN ? errno : error);
}

static void pair_reset_both(struct relay_pair *pair, const char *reason) {
    relay_pair_note(pair, IW_RELAY_RESET, reason);
    relay_pair_end(pair, 1u << IW_SIDE_A | 1u << IW_SIDE_B);
}

static void pair_take_step(struct relay_pair *pair, enum iw_side from, enum relay_step step) {
    int error = errno;

    switch (step) {
    case RELAY_DRY:
    case RELAY_MORE:
    case RELAY_BLOCKED:
        break;
    case RELAY_FIN:
        pair->ways[from].ended = true;
        relay_record(pair, from, true, IW_CHUNK_FIN, NULL, 0);
        break;
    case RELAY_BROKEN:
        pair_break(pair, from, error);
        return;
    case RELAY_FAILED:
        pair_reset_both(pair, "relay: out of memory");
        return;
    case RELAY_RESET:
        pair_reset_both(pair, "relay: an impairment");
        return;
    case RELAY_GONE:
        pair_take_rest(pair, iw_side_other(from), error);
        return;
    }
    pair_pass_fin(pair, from);
}

/* ---- events ---- */

static void pair_on_poll(uv_poll_t *poll, int status, int events);

/* An end from which nothing is to be read, or that can take nothing, is polled for urgent data, which iWARP
 * does not use: the kernel then also reports a RST. */
static void pair_poll_end(struct relay_pair *pair, enum iw_side side) {
    const struct relay_way *out = &pair->ways[side], *in = &pair->ways[iw_side_other(side)];
    struct relay_end *end = &pair->ends[side];
    int events = 0;

    if (!out->ended && !relay_way_blocked(out))
        events |= UV_READABLE;
    if (relay_way_writes(in))
        events |= UV_WRITABLE;
    if (events == 0 && !end->urgent)
        events |= UV_PRIORITIZED;
    if (events == end->events)
        return;
    end->events = events;
    if (events == 0)
        uv_poll_stop(&end->poll);
    else
        uv_poll_start(&end->poll, events, pair_on_poll);
}

static void pair_poll(struct relay_pair *pair) {
    if (pair->over)
        return;
    pair_poll_end(pair, IW_SIDE_A);
    pair_poll_end(pair, IW_SIDE_B);
}

/* Returns the error that the kernel has of the end, such as a RST; 0: none. */
static int pair_error(const struct relay_pair *pair, enum iw_side side) {
    int error = 0;
    socklen_t length = sizeof error;

    return getsockopt(pair->ends[side].descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : 0;
}

/* After a RST, octets that came before it are passed on if the other end takes them. */
static void pair_take_error(struct relay_pair *pair, enum iw_side side) {
    int error = pair_error(pair, side);

    if (error != 0)
        pair_take_rest(pair, side, error);
}

static void pair_on_poll(uv_poll_t *poll, int status, int events) {
    struct relay_pair *pair = poll->data;
    enum iw_side side = poll == &pair->ends[IW_SIDE_A].poll ? IW_SIDE_A : IW_SIDE_B;

    if (pair->over)
        return;
    if (status < 0)
        pair->ends[side].events = 0; /* libuv has stopped to poll */
    if (status < 0 || (events & UV_PRIORITIZED) != 0)
        pair_take_error(pair, side);
    if (!pair->over && (events & UV_WRITABLE) != 0)
        pair_take_step(pair, iw_side_other(side), pair_flush(pair, iw_side_other(side)));
    if (!pair->over && (events & UV_READABLE) != 0 && !pair->ways[side].ended)
        pair_take_step(pair, side, pair_move(pair, side));
    pair->ends[side].urgent |= (events & UV_PRIORITIZED) != 0;
    pair_poll(pair);
}

void relay_pair_resume(struct relay_pair *pair, enum iw_side from) {
    pair_take_step(pair, from, pair_flush(pair, from));
    pair_poll(pair);
}

/* ---- the begin ---- */

static void pair_open_end(struct relay_pair *pair, enum iw_side side, int descriptor) {
    pair->ends[side].descriptor = descriptor;
    uv_poll_init(iw_loop_uv(pair->relay->loop), &pair->ends[side].poll, descriptor);
    pair->ends[side].poll.data = pair;
    pair->handles++;
}

/* The initiator is gone before the device has accepted. */
static void pair_give_up(struct relay_pair *pair, const char *reason, unsigned reset) {
    char text[IW_PORT_TEXT_OCTETS];

    snprintf(text, sizeof text, "initiator: %s", reason);
    relay_pair_note(pair, IW_RELAY_LEFT, text);
    relay_pair_end(pair, reset);
}

static void pair_lose_patience(void *user) {
    pair_give_up(user, "it has closed, and the device does not accept", 1u << IW_SIDE_A);
}

/* The octets before a FIN are still for the device, if it accepts soon. */
static void pair_on_early(uv_poll_t *poll, int status, int events) {
    struct relay_pair *pair = poll->data;
    int error = pair->over ? 0 : pair_error(pair, IW_SIDE_A);

    if (pair->over)
        return;
    if (error != 0) {
        relay_record(pair, IW_SIDE_A, true, IW_CHUNK_RST, NULL, 0);
        pair_give_up(pair, strerror(error), 0);
        return;
    }
    pair->ends[IW_SIDE_A].urgent |= (events & UV_PRIORITIZED) != 0;
    if ((events & UV_DISCONNECT) != 0)
        iw_timer_start(&pair->patience, pair->relay->loop, RELAY_PATIENCE_US, pair_lose_patience, pair);
    /* libuv would report the same again: it polls only for what has not come yet. */
    events = (iw_timer_runs(&pair->patience) ? 0 : UV_DISCONNECT) |
             (pair->ends[IW_SIDE_A].urgent ? 0 : UV_PRIORITIZED);
    if (status < 0 || events == 0)
        uv_poll_stop(poll);
    else
        uv_poll_start(poll, events, pair_on_early);
}

void relay_pair_accept(struct relay_pair *pair, int descriptor) {
    pair_open_end(pair, IW_SIDE_A, descriptor);
    uv_poll_start(&pair->ends[IW_SIDE_A].poll, UV_DISCONNECT | UV_PRIORITIZED, pair_on_early);
}

void relay_pair_begin(struct relay_pair *pair, int descriptor) {
    iw_timer_stop(&pair->patience);
    pair_open_end(pair, IW_SIDE_B, descriptor);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B && pair->relay->copies; side++)
        relay_copy_begin(pair, side); /* the buffer is there */
    relay_record_begin(pair, IW_SIDE_B);
    relay_pair_note(pair, IW_RELAY_OPENED, NULL);
    pair_poll(pair);
}
