#pragma once

#include "iw_loop.h"

/* SIGINT and SIGTERM as an event of a loop, for a program that must finish its work. */

struct iw_interrupt;

/* Calls `call` from the loop on the first SIGINT or SIGTERM; a second signal ends the program. Does not keep
 * the loop running. At most one virtual loop has an interrupt. Returns NULL if memory runs out. */
struct iw_interrupt *iw_interrupt_new(struct iw_loop *loop, iw_timer_call *call, void *user);

/* Restores the default: both signals end the program. Call it before iw_loop_free. NULL is allowed. */
void iw_interrupt_free(struct iw_interrupt *interrupt);
