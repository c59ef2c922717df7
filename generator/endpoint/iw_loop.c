#include "iw_loop_state.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "iw_file_limit.h"

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define VIRTUAL_START_NS UINT64_C(1767225600000000000) /* 2026-01-01 */

/* The timers count at most COUNTED_MS between two reads of the clock. While the loop can run, the alarm makes
 * it read the clock at least every CLOCK_READ_MS. */
enum { CLOCK_READ_MS = 50, COUNTED_MS = 2 * CLOCK_READ_MS };

/* How long iw_loop_free waits for peers to read what was written before their port was freed. */
enum { LINGER_MS = 2000 };

struct iw_loop *iw_loop_new(enum iw_loop_kind kind) {
    struct iw_loop *loop = calloc(1, sizeof *loop);

    if (loop == NULL)
        return NULL;
    loop->kind = kind;
    loop->time_ns = VIRTUAL_START_NS;
    loop->clock_read_ns = uv_hrtime();
    if (kind == IW_LOOP_REAL) {
        if (uv_loop_init(&loop->uv) != 0) {
            free(loop);
            return NULL;
        }
        uv_timer_init(&loop->uv, &loop->alarm);
        uv_idle_init(&loop->uv, &loop->idle);
        loop->alarm.data = loop;
        loop->idle.data = loop;
        iw_busy_poll_init(&loop->busy_poll, &loop->uv, &loop->stopping);
        iw_file_limit_raise();
    }
    return loop;
}

static void loop_on_abandoned(uv_handle_t *handle) {
    free(handle->data);
}

/* Closes a socket with a RST, since not everything was sent. */
static void loop_abandon(uv_handle_t *handle, void *user) {
    static const struct linger hard = {.l_onoff = 1};
    uv_os_fd_t descriptor;

    (void)user;
    if (handle->type != UV_TCP || uv_is_closing(handle))
        return;
    if (uv_fileno(handle, &descriptor) == 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    uv_close(handle, loop_on_abandoned);
}

static void loop_on_linger_timeout(uv_timer_t *alarm) {
    uv_walk(alarm->loop, loop_abandon, NULL);
}

/* Sockets exist until the peer has read everything, but must not delay the exit for ever. */
static void loop_end_sockets(struct iw_loop *loop) {
    uv_close((uv_handle_t *)&loop->idle, NULL);
    uv_close((uv_handle_t *)&loop->busy_poll.prepare, NULL);
    uv_update_time(&loop->uv);
    uv_timer_start(&loop->alarm, loop_on_linger_timeout, LINGER_MS, 0);
    uv_unref((uv_handle_t *)&loop->alarm);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    uv_close((uv_handle_t *)&loop->alarm, NULL);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    uv_loop_close(&loop->uv);
}

void iw_loop_free(struct iw_loop *loop) {
    if (loop == NULL)
        return;
    assert(loop->first == NULL);
    if (loop->kind == IW_LOOP_REAL)
        loop_end_sockets(loop);
    free(loop);
}

enum iw_loop_kind iw_loop_kind(const struct iw_loop *loop) {
    return loop->kind;
}

struct uv_loop_s *iw_loop_uv(struct iw_loop *loop) {
    return loop->kind == IW_LOOP_REAL ? &loop->uv : NULL;
}

uint64_t iw_loop_time_ns(const struct iw_loop *loop) {
    struct timespec now;

    if (loop->kind == IW_LOOP_VIRTUAL)
        return loop->time_ns;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void iw_loop_busy_poll(struct iw_loop *loop) {
    if (loop->kind == IW_LOOP_REAL)
        iw_busy_poll_start(&loop->busy_poll);
}

/* The clock of the timers. On a real loop it stops while a busy machine or disk keeps this process from
 * running: what the network delivered meanwhile is handled before any timeout. */
static uint64_t loop_steady_ns(struct iw_loop *loop) {
    uint64_t now = uv_hrtime();
    uint64_t passed = now - loop->clock_read_ns;

    if (loop->kind == IW_LOOP_VIRTUAL)
        return loop->time_ns;
    loop->clock_read_ns = now;
    loop->waited_ns += passed < COUNTED_MS * NS_PER_MS ? passed : COUNTED_MS * NS_PER_MS;
    return loop->waited_ns;
}

/* The timers form a pairing heap, which needs no allocation. */
static bool loop_timer_before(const struct iw_timer *a, const struct iw_timer *b) {
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->turn < b->turn;
}

/* Joins two heaps; either may be NULL. */
static struct iw_timer *loop_timers_meld(struct iw_timer *a, struct iw_timer *b) {
    struct iw_timer *swap = a;

    if (a == NULL || b == NULL)
        return a == NULL ? b : a;
    if (loop_timer_before(b, a)) {
        a = b;
        b = swap;
    }
    b->next = a->child;
    if (b->next != NULL)
        b->next->back = b;
    b->back = a;
    a->child = b;
    return a;
}

static struct iw_timer *loop_timer_detach(struct iw_timer *timer) {
    timer->next = NULL;
    timer->back = NULL;
    return timer;
}

/* Joins siblings: first in pairs, then the pairs, last to first. */
static struct iw_timer *loop_timers_meld_siblings(struct iw_timer *first) {
    struct iw_timer *pairs = NULL;
    struct iw_timer *heap = NULL;

    while (first != NULL) {
        struct iw_timer *second = first->next;
        struct iw_timer *rest = second == NULL ? NULL : second->next;
        struct iw_timer *pair =
            loop_timers_meld(loop_timer_detach(first), second == NULL ? NULL : loop_timer_detach(second));

        pair->next = pairs;
        pairs = pair;
        first = rest;
    }
    while (pairs != NULL) {
        struct iw_timer *rest = pairs->next;

        heap = loop_timers_meld(heap, loop_timer_detach(pairs));
        pairs = rest;
    }
    return heap;
}

static void loop_timer_take_out(struct iw_loop *loop, struct iw_timer *timer) {
    struct iw_timer *children = loop_timers_meld_siblings(timer->child);

    timer->child = NULL;
    if (timer == loop->first) {
        loop->first = children;
        return;
    }
    if (timer->back->child == timer)
        timer->back->child = timer->next;
    else
        timer->back->next = timer->next;
    if (timer->next != NULL)
        timer->next->back = timer->back;
    loop_timer_detach(timer);
    loop->first = loop_timers_meld(loop->first, children);
}

static void loop_on_alarm(uv_timer_t *alarm);
static void loop_on_idle(uv_idle_t *idle);

/* Starts the libuv timer for our first timer, or earlier to read the clock. If our first timer is already
 * due, it waits for the next iteration of the loop, so that the network is served. */
static void loop_set_alarm(struct iw_loop *loop) {
    if (loop->kind == IW_LOOP_VIRTUAL)
        return;
    uv_timer_stop(&loop->alarm);
    uv_idle_stop(&loop->idle);
    if (loop->first == NULL)
        return;
    uint64_t now = loop_steady_ns(loop);
    uint64_t due = loop->first->due_ns;
    if (due <= now) {
        uv_idle_start(&loop->idle, loop_on_idle);
        return;
    }
    uv_update_time(&loop->uv);
    uint64_t wait_ms = (due - now + NS_PER_MS - 1) / NS_PER_MS;
    uv_timer_start(&loop->alarm, loop_on_alarm, wait_ms < CLOCK_READ_MS ? wait_ms : CLOCK_READ_MS, 0);
}

static void loop_timer_fire(struct iw_timer *timer) {
    iw_timer_call *call = timer->call;
    void *user = timer->user;

    iw_timer_stop(timer);
    call(user);
}

/* A timer started by a call waits for the next iteration of the loop; otherwise timers that restart
 * themselves without delay would starve the network. */
static void loop_fire_due(struct iw_loop *loop) {
    uint64_t now = loop_steady_ns(loop);
    uint64_t turns = loop->turns;

    while (loop->first != NULL && loop->first->due_ns <= now && loop->first->turn < turns && !loop->stopping)
        loop_timer_fire(loop->first);
    loop_set_alarm(loop);
}

static void loop_on_alarm(uv_timer_t *alarm) {
    loop_fire_due(alarm->data);
}

static void loop_on_idle(uv_idle_t *idle) {
    loop_fire_due(idle->data);
}

void iw_timer_start(
    struct iw_timer *timer, struct iw_loop *loop, uint64_t delay_us, iw_timer_call *call, void *user) {
    iw_timer_stop(timer);
    *timer = (struct iw_timer){.loop = loop,
        .due_ns = loop_steady_ns(loop) + delay_us * NS_PER_US,
        .turn = loop->turns++,
        .call = call,
        .user = user};
    loop->first = loop_timers_meld(loop->first, timer);
    if (loop->first == timer)
        loop_set_alarm(loop);
}

void iw_timer_stop(struct iw_timer *timer) {
    struct iw_loop *loop = timer->loop;

    if (loop == NULL)
        return;
    loop_timer_take_out(loop, timer);
    timer->loop = NULL;
    if (loop->first == NULL) /* without timers, the alarm must not keep the loop running */
        loop_set_alarm(loop);
}

static bool loop_run_virtual(struct iw_loop *loop) {
    iw_interrupt_poll(loop->interrupt);
    while (loop->first != NULL && !loop->stopping) {
        struct iw_timer *timer = loop->first;

        if (timer->due_ns > loop->time_ns)
            loop->time_ns = timer->due_ns;
        loop_timer_fire(timer);
        iw_interrupt_poll(loop->interrupt);
    }
    return loop->first != NULL || loop->stopping;
}

bool iw_loop_run(struct iw_loop *loop) {
    bool more;

    loop->stopping = false;
    if (loop->kind == IW_LOOP_VIRTUAL) {
        more = loop_run_virtual(loop);
    } else {
        loop_set_alarm(loop);
        more = uv_run(&loop->uv, UV_RUN_DEFAULT) != 0 || loop->stopping;
    }
    loop->stopping = false;
    return more;
}

void iw_loop_stop(struct iw_loop *loop) {
    loop->stopping = true;
    if (loop->kind == IW_LOOP_REAL)
        uv_stop(&loop->uv);
}
