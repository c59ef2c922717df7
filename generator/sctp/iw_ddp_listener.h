#ifndef IW_DDP_LISTENER_H
#define IW_DDP_LISTENER_H

#include "iw_ddp_association.h"

/* What a listener and its associations have to do with one another. */

/* An association without a link. NULL if there is no memory. */
struct iw_ddp_association *iw_ddp_association_make(struct iw_sctp_stack *stack,
    const struct iw_ddp_association_config *config, const struct iw_ddp_association_handlers *handlers,
    void *user);

/* Gives it its accepted link. */
void iw_ddp_association_serve(struct iw_ddp_association *association, struct iw_sctp_link *link);

/* It is about to be freed. */
void iw_ddp_listener_forget(struct iw_ddp_association *association);

#endif
