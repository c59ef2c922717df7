#ifndef IW_INTERRUPT_H
#define IW_INTERRUPT_H

#include "iw_loop.h"

/* SIGINT and SIGTERM as an event of a real loop, for a program that has something to finish. */

struct iw_interrupt;

/* Calls `call` from the loop when the first of either comes; the next one ends the program as ever. Does not
 * keep the loop running. NULL for a virtual loop, or if there is no memory. */
struct iw_interrupt *iw_interrupt_new(struct iw_loop *loop, iw_timer_call *call, void *user);

/* From then on both end the program, if they did before. To be called before iw_loop_free. NULL is allowed.
 */
void iw_interrupt_free(struct iw_interrupt *interrupt);

#endif
