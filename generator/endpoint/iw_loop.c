#include "iw_loop_state.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define VIRTUAL_START_NS UINT64_C(1767225600000000000) /* 2026-01-01 */

/* What has passed between two looks at the clock counts up to this; the alarm sees to it that no look comes
 * later while the loop can run. */
enum { LOOK_MS = 50, COUNTED_MS = 2 * LOOK_MS };

/* How long the end of a loop waits for peers to take what was written before their port was freed. */
enum { LINGER_MS = 2000 };

static void raise_limit(void) {
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

struct iw_loop *iw_loop_new(enum iw_loop_kind kind) {
    struct iw_loop *loop = calloc(1, sizeof *loop);

    if (loop == NULL)
        return NULL;
    loop->kind = kind;
    loop->time_ns = VIRTUAL_START_NS;
    loop->looked_at_ns = uv_hrtime();
    if (kind == IW_LOOP_REAL) {
        if (uv_loop_init(&loop->uv) != 0) {
            free(loop);
            return NULL;
        }
        uv_timer_init(&loop->uv, &loop->alarm);
        uv_idle_init(&loop->uv, &loop->idle);
        loop->alarm.data = loop;
        loop->idle.data = loop;
        iw_alert_init(loop);
        signal(SIGPIPE, SIG_IGN);
        raise_limit();
    }
    return loop;
}

static void on_abandoned(uv_handle_t *handle) {
    free(handle->data);
}

/* A reset says what is true: not everything was sent. */
static void abandon(uv_handle_t *handle, void *user) {
    struct linger hard = {.l_onoff = 1};
    uv_os_fd_t descriptor;

    (void)user;
    if (handle->type != UV_TCP || uv_is_closing(handle))
        return;
    if (uv_fileno(handle, &descriptor) == 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    uv_close(handle, on_abandoned);
}

static void on_patience_over(uv_timer_t *alarm) {
    uv_walk(alarm->loop, abandon, NULL);
}

/* Sockets outlive their ports until the peer has taken everything; one that takes nothing must not keep the
 * program. */
static void end_sockets(struct iw_loop *loop) {
    uv_close((uv_handle_t *)&loop->idle, NULL);
    uv_close((uv_handle_t *)&loop->alert.prepare, NULL);
    uv_update_time(&loop->uv);
    uv_timer_start(&loop->alarm, on_patience_over, LINGER_MS, 0);
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
        end_sockets(loop);
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

void iw_loop_be_alert(struct iw_loop *loop) {
    if (loop->kind == IW_LOOP_REAL)
        iw_alert_start(loop);
}

/* The clock of the timers. On a real loop it stands still while a busy machine, or a disk, keeps this process
 * from running: what came from the network meanwhile is to be looked at before anybody's patience is over. */
static uint64_t steady_ns(struct iw_loop *loop) {
    uint64_t now = uv_hrtime();
    uint64_t passed = now - loop->looked_at_ns;

    if (loop->kind == IW_LOOP_VIRTUAL)
        return loop->time_ns;
    loop->looked_at_ns = now;
    loop->waited_ns += passed < COUNTED_MS * NS_PER_MS ? passed : COUNTED_MS * NS_PER_MS;
    return loop->waited_ns;
}

/* ---- the timers: a pairing heap, which needs no memory of its own ---- */

static bool before(const struct iw_timer *a, const struct iw_timer *b) {
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->turn < b->turn;
}

/* Joins two heaps, either of which may be NULL. */
static struct iw_timer *meld(struct iw_timer *a, struct iw_timer *b) {
    struct iw_timer *swap = a;

    if (a == NULL || b == NULL)
        return a == NULL ? b : a;
    if (before(b, a)) {
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

static struct iw_timer *detach(struct iw_timer *timer) {
    timer->next = NULL;
    timer->back = NULL;
    return timer;
}

/* Joins siblings: in pairs on the way there, the pairs on the way back. */
static struct iw_timer *meld_siblings(struct iw_timer *first) {
    struct iw_timer *pairs = NULL;
    struct iw_timer *heap = NULL;

    while (first != NULL) {
        struct iw_timer *second = first->next;
        struct iw_timer *rest = second == NULL ? NULL : second->next;
        struct iw_timer *pair = meld(detach(first), second == NULL ? NULL : detach(second));

        pair->next = pairs;
        pairs = pair;
        first = rest;
    }
    while (pairs != NULL) {
        struct iw_timer *rest = pairs->next;

        heap = meld(heap, detach(pairs));
        pairs = rest;
    }
    return heap;
}

static void take_out(struct iw_loop *loop, struct iw_timer *timer) {
    struct iw_timer *children = meld_siblings(timer->child);

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
    detach(timer);
    loop->first = meld(loop->first, children);
}

static void on_alarm(uv_timer_t *alarm);
static void on_idle(uv_idle_t *idle);

/* The one timer of libuv rings for the first of ours, or earlier to look at the clock; what is due already
 * waits for the next round, in which the network has its turn too. */
static void set_alarm(struct iw_loop *loop) {
    uint64_t now;
    uint64_t due;
    uint64_t wait_ms;

    if (loop->kind == IW_LOOP_VIRTUAL)
        return;
    uv_timer_stop(&loop->alarm);
    uv_idle_stop(&loop->idle);
    if (loop->first == NULL)
        return;
    now = steady_ns(loop);
    due = loop->first->due_ns;
    if (due <= now) {
        uv_idle_start(&loop->idle, on_idle);
        return;
    }
    uv_update_time(&loop->uv);
    wait_ms = (due - now + NS_PER_MS - 1) / NS_PER_MS;
    uv_timer_start(&loop->alarm, on_alarm, wait_ms < LOOK_MS ? wait_ms : LOOK_MS, 0);
}

static void ring(struct iw_timer *timer) {
    iw_timer_call *call = timer->call;
    void *user = timer->user;

    iw_timer_stop(timer);
    call(user);
}

/* A timer started meanwhile has to wait for the next round, lest a chain of immediate ones keep out the
 * network. */
static void ring_due(struct iw_loop *loop) {
    uint64_t now = steady_ns(loop);
    uint64_t turns = loop->turns;

    while (loop->first != NULL && loop->first->due_ns <= now && loop->first->turn < turns && !loop->stopping)
        ring(loop->first);
    set_alarm(loop);
}

static void on_alarm(uv_timer_t *alarm) {
    ring_due(alarm->data);
}

static void on_idle(uv_idle_t *idle) {
    ring_due(idle->data);
}

void iw_timer_start(
    struct iw_timer *timer, struct iw_loop *loop, uint64_t delay_us, iw_timer_call *call, void *user) {
    iw_timer_stop(timer);
    *timer = (struct iw_timer){.loop = loop,
        .due_ns = steady_ns(loop) + delay_us * NS_PER_US,
        .turn = loop->turns++,
        .call = call,
        .user = user};
    loop->first = meld(loop->first, timer);
    if (loop->first == timer)
        set_alarm(loop);
}

void iw_timer_stop(struct iw_timer *timer) {
    struct iw_loop *loop = timer->loop;

    if (loop == NULL)
        return;
    take_out(loop, timer);
    timer->loop = NULL;
    if (loop->first == NULL)
        set_alarm(loop); /* an alarm too early does no harm, one without timers would keep the loop alive */
}

/* ---- running ---- */

static bool run_virtual(struct iw_loop *loop) {
    while (loop->first != NULL && !loop->stopping) {
        struct iw_timer *timer = loop->first;

        if (timer->due_ns > loop->time_ns)
            loop->time_ns = timer->due_ns;
        ring(timer);
    }
    return loop->first != NULL || loop->stopping;
}

bool iw_loop_run(struct iw_loop *loop) {
    bool more;

    loop->stopping = false;
    if (loop->kind == IW_LOOP_VIRTUAL) {
        more = run_virtual(loop);
    } else {
        set_alarm(loop);
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
