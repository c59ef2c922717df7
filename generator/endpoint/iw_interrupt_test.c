#include <stdarg.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_interrupt.h"

static unsigned interrupts;

static void count(void *user) {
    interrupts++;
    iw_loop_stop(user);
}

static void never(void *user) {
    (void)user;
}

static void take_signal(enum iw_loop_kind kind, int number) {
    struct iw_loop *loop = iw_loop_new(kind);
    struct iw_interrupt *interrupt = iw_interrupt_new(loop, count, loop);
    struct iw_timer timer = {0};

    interrupts = 0;
    iw_timer_start(&timer, loop, 3600000000, never, NULL);
    raise(number);
    assert_true(iw_loop_run(loop));
    assert_int_equal(interrupts, 1);
    assert_true(iw_timer_runs(&timer));
    iw_timer_stop(&timer);
    iw_interrupt_free(interrupt);
    iw_loop_free(loop);
}

static void the_first_signal_is_an_event(void **state) {
    (void)state;
    take_signal(IW_LOOP_REAL, SIGINT);
    take_signal(IW_LOOP_REAL, SIGTERM);
    take_signal(IW_LOOP_VIRTUAL, SIGINT);
    take_signal(IW_LOOP_VIRTUAL, SIGTERM);
}

static void end_by_two_signals(enum iw_loop_kind kind) {
    int status;
    pid_t child = fork();

    if (child == 0) {
        struct iw_loop *loop = iw_loop_new(kind);
        struct iw_timer timer = {0};

        iw_interrupt_new(loop, count, loop);
        iw_timer_start(&timer, loop, 3600000000, never, NULL);
        raise(SIGINT);
        iw_loop_run(loop);
        raise(SIGTERM);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void the_second_signal_ends_the_program(void **state) {
    (void)state;
    end_by_two_signals(IW_LOOP_REAL);
    end_by_two_signals(IW_LOOP_VIRTUAL);
}

static void run_idle(enum iw_loop_kind kind) {
    struct iw_loop *loop = iw_loop_new(kind);
    struct iw_interrupt *interrupt = iw_interrupt_new(loop, count, loop);

    assert_non_null(interrupt);
    assert_false(iw_loop_run(loop));
    iw_interrupt_free(interrupt);
    iw_loop_free(loop);
    iw_interrupt_free(NULL);
}

static void an_interrupt_does_not_keep_the_loop_running(void **state) {
    (void)state;
    run_idle(IW_LOOP_REAL);
    run_idle(IW_LOOP_VIRTUAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_signal_is_an_event),
        cmocka_unit_test(the_second_signal_ends_the_program),
        cmocka_unit_test(an_interrupt_does_not_keep_the_loop_running),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
