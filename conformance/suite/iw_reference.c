#include "iw_reference.h"

#include <stdlib.h>

enum {
    RECEIVE_OCTETS = 65536,
    STARTUP_MS = 500,
    LINGER_US = 1000000, /* for the own FIN to go out where somebody records it */
};

struct link {
    struct iw_reference *reference;
    struct iw_endpoint *endpoint;
    unsigned number;
    struct iw_timer linger; /* the peer has closed */
    struct link *next;      /* the one opened before */
};

struct iw_reference {
    struct iw_reference_config config;
    struct iw_listener *listener;
    struct iw_memory *memory;
    struct link *links;
    unsigned opened;
};

struct iw_endpoint_config iw_reference_defaults(void) {
    struct iw_endpoint_config config = iw_endpoint_config_default(false);

    config.receive_count = IW_RECEIVES_ENDLESS;
    config.receive_octets = RECEIVE_OCTETS;
    config.startup_ms = STARTUP_MS;
    return config;
}

static void unlink_link(struct link *link) {
    struct link **at = &link->reference->links;

    while (*at != link)
        at = &(*at)->next;
    *at = link->next;
}

static void close_link(struct link *link) {
    const struct iw_reference_config *config = &link->reference->config;

    unlink_link(link);
    iw_timer_stop(&link->linger);
    if (config->closed)
        config->closed(config->user, link->reference, iw_endpoint_port(link->endpoint));
    iw_endpoint_free(link->endpoint);
    free(link);
}

static void leave(void *user) {
    close_link(user);
}

static void take_event(void *user, struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct link *link = user;
    const struct iw_reference_config *config = &link->reference->config;

    link->endpoint = endpoint; /* the first events of a connection can come before its maker has returned */
    if (config->event)
        config->event(config->user, link->reference, link->number, event);
    if (event->kind != IW_EVENT_CLOSED)
        return;
    if (event->end == IW_END_FIN)
        iw_timer_start(&link->linger, config->loop, LINGER_US, leave, link);
    else
        close_link(link);
}

static struct link *new_link(struct iw_reference *reference) {
    struct link *link = calloc(1, sizeof *link);

    if (!link)
        return NULL;
    link->reference = reference;
    link->number = ++reference->opened;
    link->next = reference->links;
    reference->links = link;
    return link;
}

static struct iw_endpoint_config settings(struct iw_reference *reference, bool initiator) {
    struct iw_endpoint_config config = reference->config.endpoint;

    config.initiator = initiator;
    config.memory = reference->memory;
    iw_defect_configure(reference->config.defect, &config);
    return config;
}

static void take_port(void *user, struct iw_port *port) {
    struct iw_reference *reference = user;
    struct iw_endpoint_config config = settings(reference, false);
    struct link *link = new_link(reference);

    if (link && reference->config.opened)
        reference->config.opened(reference->config.user, reference, port);
    if (link)
        link->endpoint = iw_endpoint_accept(port, &config, take_event, link);
    if (link && link->endpoint)
        return;
    if (link)
        unlink_link(link);
    free(link);
    iw_port_free(port);
}

bool iw_reference_connect(struct iw_reference *reference, const char *host, uint16_t port, char *text) {
    struct iw_endpoint_config config = settings(reference, true);
    struct link *link = new_link(reference);

    if (link)
        link->endpoint =
            iw_endpoint_connect(reference->config.loop, host, port, &config, take_event, link, text);
    if (!link || !link->endpoint) {
        if (link)
            unlink_link(link);
        free(link);
        return false;
    }
    if (reference->config.opened)
        reference->config.opened(reference->config.user, reference, iw_endpoint_port(link->endpoint));
    return true;
}

struct iw_reference *iw_reference_new(const struct iw_reference_config *config, char *text) {
    struct iw_reference *reference = calloc(1, sizeof *reference);

    text[0] = '\0';
    if (!reference)
        return NULL;
    reference->config = *config;
    reference->memory = iw_memory_new();
    if (reference->memory)
        reference->listener =
            iw_listener_new(config->loop, config->host, config->port, take_port, reference, text);
    if (!reference->listener) {
        iw_memory_free(reference->memory);
        free(reference);
        return NULL;
    }
    return reference;
}

void iw_reference_free(struct iw_reference *reference) {
    if (!reference)
        return;
    while (reference->links)
        close_link(reference->links);
    iw_listener_free(reference->listener);
    iw_memory_free(reference->memory);
    free(reference);
}

uint16_t iw_reference_port(const struct iw_reference *reference) {
    return iw_listener_port(reference->listener);
}

struct iw_memory *iw_reference_memory(struct iw_reference *reference) {
    return reference->memory;
}

struct iw_endpoint_config *iw_reference_settings(struct iw_reference *reference) {
    return &reference->config.endpoint;
}

struct iw_endpoint *iw_reference_endpoint(struct iw_reference *reference) {
    return reference->links ? reference->links->endpoint : NULL;
}
