#include "iw_interrupt.h"

#include <signal.h>
#include <stdlib.h>
#include <uv.h>

enum { SIGNALS = 2 };

struct iw_interrupt {
    uv_signal_t signals[SIGNALS];
    unsigned open; /* signals that are not closed */
    iw_timer_call *call;
    void *user;
};

static void interrupt_on_signal(uv_signal_t *handle, int number) {
    struct iw_interrupt *interrupt = handle->data;

    (void)number;
    for (int i = 0; i < SIGNALS; i++)
        uv_signal_stop(&interrupt->signals[i]);
    interrupt->call(interrupt->user);
}

struct iw_interrupt *iw_interrupt_new(struct iw_loop *loop, iw_timer_call *call, void *user) {
    static const int numbers[SIGNALS] = {SIGINT, SIGTERM};
    struct iw_interrupt *interrupt = NULL;

    if (iw_loop_kind(loop) == IW_LOOP_REAL)
        interrupt = calloc(1, sizeof *interrupt);
    if (interrupt == NULL)
        return NULL;
    interrupt->call = call;
    interrupt->user = user;
    for (int i = 0; i < SIGNALS; i++) {
        uv_signal_t *handle = &interrupt->signals[i];

        uv_signal_init(iw_loop_uv(loop), handle);
        handle->data = interrupt;
        uv_signal_start(handle, interrupt_on_signal, numbers[i]);
        uv_unref((uv_handle_t *)handle);
        interrupt->open++;
    }
    return interrupt;
}

static void interrupt_on_closed(uv_handle_t *handle) {
    struct iw_interrupt *interrupt = handle->data;

    if (--interrupt->open == 0)
        free(interrupt);
}

void iw_interrupt_free(struct iw_interrupt *interrupt) {
    if (interrupt == NULL)
        return;
    for (int i = 0; i < SIGNALS; i++)
        uv_close((uv_handle_t *)&interrupt->signals[i], interrupt_on_closed);
}
