#pragma once

#include "iw_loop.h"

/* SIGINT and SIGTERM as an event of a loop, for a program that must finish its work. */

struct iw_interrupt;

/* Calls `call` from the loop on the first SIGINT or SIGTERM; a second signal ends the program. Does not keep
 * the loop running. At most one virtual loop has an interrupt. Returns NULL if memory runs out. */
struct iw_interrupt *iw_interrupt_new(struct iw_loop *loop, iw_timer_call *call, void *user);

/* Ignores all signals after the first, even after iw_interrupt_free: for a program whose work at its end must
 * not be lost, and is short. */
void iw_interrupt_hold(struct iw_interrupt *interrupt);

/* Restores the default, unless iw_interrupt_hold was called and a signal has come: both signals end the
 * program. Call it before iw_loop_free. NULL is allowed. */
void iw_interrupt_free(struct iw_interrupt *interrupt);
