#include <stdarg.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include <uv.h>

#include "iw_loop.h"

enum { TIMERS = 200 };

struct ringing {
    struct iw_loop *loop;
    struct iw_timer timer;
    uint64_t rang_ns;
    unsigned *order;
    unsigned rang_as;
};

static void ring(void *user) {
    struct ringing *ringing = user;

    ringing->rang_ns = iw_loop_time_ns(ringing->loop);
    ringing->rang_as = ++*ringing->order;
}

static void virtual_time_jumps_from_timer_to_timer(void **state) {
    struct iw_loop *loop = iw_loop_new(IW_LOOP_VIRTUAL);
    unsigned order = 0;
    struct ringing late = {.loop = loop, .order = &order};
    struct ringing soon = {.loop = loop, .order = &order};

    (void)state;
    iw_timer_start(&late.timer, loop, 3600000000, ring, &late);
    iw_timer_start(&soon.timer, loop, 5, ring, &soon);
    assert_false(iw_loop_run(loop));
    assert_int_equal(soon.rang_as, 1);
    assert_true(soon.rang_ns == UINT64_C(1767225600000005000));
    assert_int_equal(late.rang_as, 2);
    assert_true(late.rang_ns == UINT64_C(1767229200000000000));
    iw_loop_free(loop);
}

/* Many timers, a third of them stopped and a third restarted, are called in the order of their times. */
static void timers_ring_in_order(void **state) {
    struct iw_loop *loop = iw_loop_new(IW_LOOP_VIRTUAL);
    struct ringing all[TIMERS];
    unsigned order = 0;
    uint32_t seed = 0x5EED;

    (void)state;
    memset(all, 0, sizeof all);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = round; i < TIMERS; i += round == 0 ? 1 : 3) {
            seed = seed * 1664525 + 1013904223;
            all[i].loop = loop;
            all[i].order = &order;
            iw_timer_start(&all[i].timer, loop, seed >> 26, ring, &all[i]);
        }
    }
    for (unsigned i = 2; i < TIMERS; i += 3)
        iw_timer_stop(&all[i].timer);
    assert_false(iw_loop_run(loop));
    for (unsigned i = 0; i < TIMERS; i++) {
        if (i % 3 == 2) {
            assert_int_equal(all[i].rang_as, 0);
            continue;
        }
        assert_int_not_equal(all[i].rang_as, 0);
        for (unsigned j = 0; j < TIMERS; j++) {
            if (all[j].rang_as > all[i].rang_as)
                assert_true(all[j].rang_ns >= all[i].rang_ns);
        }
    }
    iw_loop_free(loop);
}

static void stop_loop(void *user) {
    iw_loop_stop(user);
}

static void runs_until_stopped_or_done(enum iw_loop_kind kind) {
    struct iw_loop *loop = iw_loop_new(kind);
    unsigned order = 0;
    struct ringing ringing = {.loop = loop, .order = &order};
    struct iw_timer stopping = {0};

    iw_timer_start(&stopping, loop, 0, stop_loop, loop);
    iw_timer_start(&ringing.timer, loop, 1, ring, &ringing);
    assert_true(iw_loop_run(loop));
    assert_int_equal(order, 0);
    assert_false(iw_loop_run(loop));
    assert_int_equal(order, 1);
    iw_timer_start(&ringing.timer, loop, 1000000000, ring, &ringing);
    iw_timer_stop(&ringing.timer);
    assert_false(iw_loop_run(loop));
    assert_int_equal(order, 1);
    iw_loop_free(loop);
}

static void both_kinds_run_until_stopped_or_done(void **state) {
    (void)state;
    runs_until_stopped_or_done(IW_LOOP_VIRTUAL);
    runs_until_stopped_or_done(IW_LOOP_REAL);
}

enum { ANSWERS = 3, AWAY_NS = 250000000, TIMEOUT_US = 500000 };

/* The awaited octets arrive in time, but each time this process cannot run before it reads them. */
struct starved {
    struct iw_timer begin;
    struct ringing timeout;
    uv_async_t answer;
    unsigned answers;
};

static void answer_and_stay_away(struct starved *starved) {
    uv_async_send(&starved->answer);
    nanosleep(&(struct timespec){.tv_nsec = AWAY_NS}, NULL);
}

static void begin_to_wait(void *user) {
    answer_and_stay_away(user);
}

static void take_answer(uv_async_t *answer) {
    struct starved *starved = answer->data;

    if (++starved->answers < ANSWERS) {
        answer_and_stay_away(starved);
        return;
    }
    iw_timer_stop(&starved->timeout.timer);
    uv_close((uv_handle_t *)answer, NULL);
}

static void time_in_which_the_loop_could_not_run_does_not_count(void **state) {
    struct iw_loop *loop = iw_loop_new(IW_LOOP_REAL);
    unsigned order = 0;
    struct starved starved = {.timeout = {.loop = loop, .order = &order}};

    (void)state;
    assert_int_equal(uv_async_init(iw_loop_uv(loop), &starved.answer, take_answer), 0);
    starved.answer.data = &starved;
    iw_timer_start(&starved.begin, loop, 0, begin_to_wait, &starved);
    iw_timer_start(&starved.timeout.timer, loop, TIMEOUT_US, ring, &starved.timeout);
    assert_false(iw_loop_run(loop));
    assert_int_equal(starved.answers, ANSWERS);
    assert_int_equal(order, 0);
    iw_loop_free(loop);
}

static void a_timer_waits_for_its_delay(void **state) {
    struct iw_loop *loop = iw_loop_new(IW_LOOP_REAL);
    unsigned order = 0;
    struct ringing ringing = {.loop = loop, .order = &order};
    uint64_t began_ns = uv_hrtime();

    (void)state;
    iw_timer_start(&ringing.timer, loop, TIMEOUT_US, ring, &ringing);
    assert_false(iw_loop_run(loop));
    assert_int_equal(order, 1);
    assert_in_range(uv_hrtime() - began_ns, (uint64_t)TIMEOUT_US * 1000, UINT64_C(60000000000));
    iw_loop_free(loop);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(virtual_time_jumps_from_timer_to_timer),
        cmocka_unit_test(timers_ring_in_order),
        cmocka_unit_test(both_kinds_run_until_stopped_or_done),
        cmocka_unit_test(time_in_which_the_loop_could_not_run_does_not_count),
        cmocka_unit_test(a_timer_waits_for_its_delay),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
