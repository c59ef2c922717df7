#pragma once

#include "iw_loop.h"

/* Runs SCTP (RFC 9260, library usrsctp) on a loop. On a real loop, packets travel in IP, which needs raw
 * sockets, or in UDP (RFC 6951); on a virtual loop, in memory. Single-threaded. */

struct iw_sctp_stack;

enum { IW_SCTP_TUNNEL_PORT = 9899 }; /* the UDP port of SCTP in UDP (RFC 6951 3) */

/* Whether this build has usrsctp. Without it, no association can be opened or accepted. */
bool iw_sctp_stack_available(void);

/* Error message of a build without it. */
#define IW_SCTP_STACK_ABSENT "this build has no SCTP: it was made without usrsctp"

/* Returns NULL if memory runs out. */
struct iw_sctp_stack *iw_sctp_stack_new(struct iw_loop *loop);

/* Frees the stack, after its links and listeners, before the loop. NULL is allowed. */
void iw_sctp_stack_free(struct iw_sctp_stack *stack);

struct iw_loop *iw_sctp_stack_loop(const struct iw_sctp_stack *stack);
