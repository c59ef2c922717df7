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

static void the_first_signal_is_an_event(void **state) {
    static const int numbers[] = {SIGINT, SIGTERM};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct iw_loop *loop = iw_loop_new(IW_LOOP_REAL);
        struct iw_interrupt *interrupt = iw_interrupt_new(loop, count, loop);
        struct iw_timer timer = {0};

        interrupts = 0;
        iw_timer_start(&timer, loop, 3600000000, never, NULL);
        raise(numbers[i]);
        assert_true(iw_loop_run(loop));
        assert_int_equal(interrupts, 1);
        iw_timer_stop(&timer);
        iw_interrupt_free(interrupt);
        iw_loop_free(loop);
    }
}

static void the_second_signal_ends_the_program(void **state) {
    int status;
    pid_t child = fork();

    (void)state;
    if (child == 0) {
        struct iw_loop *loop = iw_loop_new(IW_LOOP_REAL);
        struct iw_timer timer = {0};

        iw_interrupt_new(loop, count, loop);
        iw_timer_start(&timer, loop, 3600000000, never, NULL);
        raise(SIGINT);
        iw_loop_run(loop);
        raise(SIGINT);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGINT);
}

static void an_interrupt_does_not_keep_the_loop_running(void **state) {
    struct iw_loop *loop = iw_loop_new(IW_LOOP_REAL);
    struct iw_interrupt *interrupt = iw_interrupt_new(loop, count, loop);

    (void)state;
    assert_non_null(interrupt);
    assert_false(iw_loop_run(loop));
    iw_interrupt_free(interrupt);
    iw_loop_free(loop);
}

static void a_virtual_loop_has_no_interrupt(void **state) {
    struct iw_loop *loop = iw_loop_new(IW_LOOP_VIRTUAL);

    (void)state;
    assert_null(iw_interrupt_new(loop, count, loop));
    iw_interrupt_free(NULL);
    iw_loop_free(loop);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_signal_is_an_event),
        cmocka_unit_test(the_second_signal_ends_the_program),
        cmocka_unit_test(an_interrupt_does_not_keep_the_loop_running),
        cmocka_unit_test(a_virtual_loop_has_no_interrupt),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
