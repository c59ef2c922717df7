#include "iw_ddp_session.h"

#include <stdlib.h>
#include <string.h>

enum { ASSOCIATIONS_MAX = 1024 };

struct iw_ddp_listener {
    struct iw_sctp_stack *stack;
    struct iw_ddp_association_config config;
    struct iw_ddp_association_handlers handlers;
    void *user;
    struct iw_sctp_listener *sctp;
    unsigned pending;
    unsigned count;
    TAILQ_HEAD(iw_ddp_associations, iw_ddp_association) associations;
};

static void listener_on_link(void *user, struct iw_sctp_link *link) {
    struct iw_ddp_listener *listener = user;
    struct iw_ddp_association *association = NULL;

    if (listener->count < ASSOCIATIONS_MAX)
        association =
            iw_ddp_association_make(listener->stack, &listener->config, &listener->handlers, listener->user);
    if (association == NULL) {
        iw_sctp_link_free(link);
        return;
    }
    listener->count++;
    association->listener = listener;
    association->pending = &listener->pending;
    TAILQ_INSERT_TAIL(&listener->associations, association, all);
    iw_ddp_association_serve(association, link);
}

void iw_ddp_listener_forget(struct iw_ddp_association *association) {
    association->listener->count--;
    TAILQ_REMOVE(&association->listener->associations, association, all);
}

struct iw_ddp_listener *iw_ddp_listener_new(struct iw_sctp_stack *stack, const struct iw_sctp_where *where,
    const struct iw_ddp_association_config *config, const struct iw_ddp_association_handlers *handlers,
    void *user, char *text) {
    struct iw_ddp_listener *listener = calloc(1, sizeof *listener);

    strcpy(text, "out of memory");
    if (listener == NULL)
        return NULL;
    *listener =
        (struct iw_ddp_listener){.stack = stack, .config = *config, .handlers = *handlers, .user = user};
    TAILQ_INIT(&listener->associations);
    listener->sctp = iw_sctp_listener_new(stack, where, &config->link, listener_on_link, listener, text);
    if (listener->sctp != NULL)
        return listener;
    free(listener);
    return NULL;
}

struct iw_sctp_where iw_ddp_listener_where(const struct iw_ddp_listener *listener) {
    return iw_sctp_listener_where(listener->sctp);
}

void iw_ddp_listener_free(struct iw_ddp_listener *listener) {
    struct iw_ddp_association *association;

    if (listener == NULL)
        return;
    while ((association = TAILQ_FIRST(&listener->associations)) != NULL) {
        iw_ddp_listener_forget(association);
        iw_ddp_association_free(association);
    }
    iw_sctp_listener_free(listener->sctp);
    free(listener);
}
