#ifndef IW_SCTP_STACK_H
#define IW_SCTP_STACK_H

#include "iw_loop.h"

/* SCTP (RFC 9260) by usrsctp, on a loop: its clock, and how its packets travel. On a real loop they go in IP,
 * for which the program needs the right to open raw sockets, or in UDP (RFC 6951), for which it needs none;
 * on a virtual loop in memory. One thread. */

struct iw_sctp_stack;

enum { IW_SCTP_TUNNEL_PORT = 9899 }; /* the UDP port of SCTP in UDP (RFC 6951 3) */

/* NULL if there is no memory. */
struct iw_sctp_stack *iw_sctp_stack_new(struct iw_loop *loop);

/* Aborts every association that is left. To be called before iw_loop_free. NULL is allowed. */
void iw_sctp_stack_free(struct iw_sctp_stack *stack);

struct iw_loop *iw_sctp_stack_loop(const struct iw_sctp_stack *stack);

#endif
