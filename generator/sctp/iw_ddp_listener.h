#ifndef IW_DDP_LISTENER_H
#define IW_DDP_LISTENER_H

#include "iw_ddp_association.h"

/* Internals of a listener and its associations. */

/* An association without a link. NULL: out of memory. */
struct iw_ddp_association *iw_ddp_association_make(struct iw_sctp_stack *stack,
    const struct iw_ddp_association_config *config, const struct iw_ddp_association_handlers *handlers,
    void *user);

/* Sets its accepted link. */
void iw_ddp_association_serve(struct iw_ddp_association *association, struct iw_sctp_link *link);

/* Removes it from its listener, before it is freed. */
void iw_ddp_listener_forget(struct iw_ddp_association *association);

#endif
