#include "iw_ddp_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

/* An association opened by this side, kept until iw_ddp_reference_free: its ports may be in use. */
struct opened {
    struct iw_ddp_association *association;
    char host[256];
    struct iw_sctp_where peer; /* peer.host points to `host` */
    bool over;
    SLIST_ENTRY(opened) all;
};

struct iw_ddp_reference {
    struct iw_ddp_reference_config config;
    struct iw_ddp_listener *listener;
    SLIST_HEAD(opened_list, opened) opened;
};

static struct iw_endpoint_config ddp_reference_settings(
    const struct iw_ddp_reference *reference, bool initiator) {
    struct iw_endpoint_config config = *iw_reference_settings(reference->config.reference);

    config.initiator = initiator;
    iw_ddp_association_configure(&config);
    return config;
}

static void ddp_reference_on_session(
    void *user, struct iw_ddp_association *association, uint16_t stream, struct iw_port *port) {
    const struct iw_ddp_reference *reference = user;
    const struct iw_endpoint_config config = ddp_reference_settings(reference, false);

    (void)association;
    (void)stream;
    iw_reference_take(reference->config.reference, port, &config);
}

/* Marks an association that this side opened as over. Associations of the listener free themselves. */
static void ddp_reference_on_end(
    void *user, struct iw_ddp_association *association, enum iw_sctp_link_end end, const char *text) {
    const struct iw_ddp_reference *reference = user;

    (void)end;
    (void)text;
    for (struct opened *opened = SLIST_FIRST(&reference->opened); opened; opened = SLIST_NEXT(opened, all))
        opened->over |= opened->association == association;
}

static const struct iw_ddp_association_handlers handlers = {
    .session = ddp_reference_on_session, .ended = ddp_reference_on_end};

static bool ddp_reference_same_peer(const struct iw_sctp_where *a, const struct iw_sctp_where *b) {
    return strcmp(a->host, b->host) == 0 && a->port == b->port && a->tunnelled == b->tunnelled &&
           (!a->tunnelled || a->tunnel == b->tunnel);
}

static struct opened *ddp_reference_opened(
    const struct iw_ddp_reference *reference, const struct iw_sctp_where *peer) {
    for (struct opened *opened = SLIST_FIRST(&reference->opened); opened; opened = SLIST_NEXT(opened, all))
        if (!opened->over && ddp_reference_same_peer(&opened->peer, peer))
            return opened;
    return NULL;
}

static struct opened *ddp_reference_open(
    struct iw_ddp_reference *reference, const struct iw_sctp_where *peer, char *text) {
    struct opened *opened = calloc(1, sizeof *opened);

    snprintf(text, IW_SCTP_LINK_TEXT_OCTETS, "not enough memory");
    if (opened)
        opened->association = iw_ddp_association_connect(
            reference->config.stack, peer, &reference->config.association, &handlers, reference, text);
    if (!opened || !opened->association) {
        free(opened);
        return NULL;
    }
    opened->peer = *peer;
    snprintf(opened->host, sizeof opened->host, "%s", peer->host);
    opened->peer.host = opened->host;
    SLIST_INSERT_HEAD(&reference->opened, opened, all);
    return opened;
}

unsigned iw_ddp_reference_connect(
    struct iw_ddp_reference *reference, const struct iw_sctp_where *peer, uint16_t stream, char *text) {
    struct opened *opened = ddp_reference_opened(reference, peer);

    if (!opened)
        opened = ddp_reference_open(reference, peer, text);
    if (!opened)
        return 0;
    struct iw_port *port = iw_ddp_association_session(opened->association, stream);
    if (!port) {
        snprintf(text, IW_SCTP_LINK_TEXT_OCTETS, "stream %u does not exist or is in use", stream);
        return 0;
    }
    struct iw_endpoint_config config = ddp_reference_settings(reference, true);
    unsigned number = iw_reference_take(reference->config.reference, port, &config);
    if (number == 0)
        snprintf(text, IW_SCTP_LINK_TEXT_OCTETS, "not enough memory");
    return number;
}

struct iw_ddp_reference *iw_ddp_reference_new(const struct iw_ddp_reference_config *config, char *text) {
    struct iw_ddp_reference *reference = calloc(1, sizeof *reference);

    snprintf(text, IW_SCTP_LINK_TEXT_OCTETS, "not enough memory");
    if (!reference)
        return NULL;
    reference->config = *config;
    SLIST_INIT(&reference->opened);
    reference->listener =
        iw_ddp_listener_new(config->stack, &config->where, &config->association, &handlers, reference, text);
    if (reference->listener)
        return reference;
    free(reference);
    return NULL;
}

void iw_ddp_reference_free(struct iw_ddp_reference *reference) {
    if (!reference)
        return;
    while (!SLIST_EMPTY(&reference->opened)) {
        struct opened *opened = SLIST_FIRST(&reference->opened);

        SLIST_REMOVE_HEAD(&reference->opened, all);
        iw_ddp_association_free(opened->association);
        free(opened);
    }
    iw_ddp_listener_free(reference->listener);
    free(reference);
}

struct iw_sctp_where iw_ddp_reference_where(const struct iw_ddp_reference *reference) {
    struct iw_sctp_where where = iw_ddp_listener_where(reference->listener);

    where.host = reference->config.where.host;
    return where;
}
