#include "iw_interrupt.h"

#include <signal.h>
#include <stdlib.h>

#include "iw_loop_state.h"

enum { SIGNALS = 2 };

static const int interrupt_numbers[SIGNALS] = {SIGINT, SIGTERM};

struct iw_interrupt {
    struct iw_loop *loop;
    uv_signal_t signals[SIGNALS]; /* of a real loop */
    unsigned open;                /* signal handles that are not closed */
    iw_timer_call *call;
    void *user;
    bool holds; /* ignore further signals */
    bool called;
};

static volatile sig_atomic_t interrupt_noted; /* a signal came while a virtual loop runs */

static volatile sig_atomic_t interrupt_holds; /* of the virtual loop */

static void interrupt_set(void (*action)(int)) {
    for (int i = 0; i < SIGNALS; i++)
        signal(interrupt_numbers[i], action);
}

static void interrupt_note(int number) {
    (void)number;
    interrupt_noted = 1;
    interrupt_set(interrupt_holds ? SIG_IGN : SIG_DFL);
}

void iw_interrupt_poll(struct iw_interrupt *interrupt) {
    if (interrupt == NULL || !interrupt_noted)
        return;
    interrupt_noted = 0;
    interrupt->called = true;
    interrupt->call(interrupt->user);
}

static void interrupt_on_signal(uv_signal_t *handle, int number) {
    struct iw_interrupt *interrupt = handle->data;

    (void)number;
    if (interrupt->called)
        return;
    interrupt->called = true;
    for (int i = 0; i < SIGNALS && !interrupt->holds; i++)
        uv_signal_stop(&interrupt->signals[i]);
    interrupt->call(interrupt->user);
}

static void interrupt_start_real(struct iw_interrupt *interrupt) {
    for (int i = 0; i < SIGNALS; i++) {
        uv_signal_t *handle = &interrupt->signals[i];

        uv_signal_init(iw_loop_uv(interrupt->loop), handle);
        handle->data = interrupt;
        uv_signal_start(handle, interrupt_on_signal, interrupt_numbers[i]);
        uv_unref((uv_handle_t *)handle);
        interrupt->open++;
    }
}

/* A virtual loop never waits, so it needs no libuv to wake it. */
static void interrupt_start_virtual(struct iw_interrupt *interrupt) {
    struct sigaction action = {.sa_handler = interrupt_note, .sa_flags = SA_RESTART};

    interrupt_noted = interrupt_holds = 0;
    interrupt->loop->interrupt = interrupt;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(interrupt_numbers[i], &action, NULL);
}

struct iw_interrupt *iw_interrupt_new(struct iw_loop *loop, iw_timer_call *call, void *user) {
    struct iw_interrupt *interrupt = calloc(1, sizeof *interrupt);

    if (interrupt == NULL)
        return NULL;
    interrupt->loop = loop;
    interrupt->call = call;
    interrupt->user = user;
    if (iw_loop_kind(loop) == IW_LOOP_REAL)
        interrupt_start_real(interrupt);
    else
        interrupt_start_virtual(interrupt);
    return interrupt;
}

void iw_interrupt_hold(struct iw_interrupt *interrupt) {
    if (interrupt == NULL)
        return;
    interrupt->holds = true;
    if (iw_loop_kind(interrupt->loop) == IW_LOOP_VIRTUAL)
        interrupt_holds = 1;
}

static void interrupt_on_closed(uv_handle_t *handle) {
    struct iw_interrupt *interrupt = handle->data;

    if (--interrupt->open == 0)
        free(interrupt);
}

void iw_interrupt_free(struct iw_interrupt *interrupt) {
    bool ignores;

    if (interrupt == NULL)
        return;
    ignores = interrupt->holds && interrupt->called;
    if (iw_loop_kind(interrupt->loop) == IW_LOOP_VIRTUAL) {
        interrupt_set(ignores ? SIG_IGN : SIG_DFL);
        interrupt->loop->interrupt = NULL;
        free(interrupt);
        return;
    }
    for (int i = 0; i < SIGNALS; i++)
        uv_close((uv_handle_t *)&interrupt->signals[i], interrupt_on_closed);
    if (ignores)
        interrupt_set(SIG_IGN);
}
