#include "iw_reference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum {
    RECEIVE_OCTETS = 65536,
    ECHO_MAX = 262144, /* octets of unsent echoes at which reading stops */
    STARTUP_MS = 2000,
    LINGER_US = 1000000, /* waits this long after the peer's FIN, so that this side's FIN is recorded, too */
    UNCLOSED_US = 60000000, /* without automatic.close: longer than peers wait for its FIN */
};

static const char out_of_memory[] = "not enough memory";

struct reference_link {
    struct iw_reference *reference;
    struct iw_endpoint *endpoint;
    unsigned number;
    void *opened;           /* what config.opened has returned */
    struct iw_timer linger; /* runs after CLOSED */
    bool starting;
    bool paused;
    size_t echoing; /* octets of unsent echoes, plus 1 for each echo */
    TAILQ_ENTRY(reference_link) all;
    TAILQ_ENTRY(reference_link) startup;
};

TAILQ_HEAD(link_list, reference_link);

struct iw_reference {
    struct iw_reference_config config;
    struct iw_listener *listener;
    struct iw_memory *memory;
    struct iw_region *offered;
    struct link_list links;    /* newest first */
    struct link_list startups; /* oldest first */
    unsigned startup_count;
    unsigned opened;
};

struct iw_endpoint_config iw_reference_defaults(void) {
    struct iw_endpoint_config config = iw_endpoint_config_default(false);

    config.receives.count = IW_RECEIVES_ENDLESS;
    config.receives.octets = RECEIVE_OCTETS;
    config.timeouts.startup_ms = STARTUP_MS;
    return config;
}

static void reference_end_startup(struct reference_link *link) {
    if (!link->starting)
        return;
    link->starting = false;
    TAILQ_REMOVE(&link->reference->startups, link, startup);
    link->reference->startup_count--;
}

static void reference_unlink(struct reference_link *link) {
    reference_end_startup(link);
    TAILQ_REMOVE(&link->reference->links, link, all);
    free(link);
}

static void reference_close_link(void *user) {
    struct reference_link *link = user;
    const struct iw_reference_config *config = &link->reference->config;

    iw_timer_stop(&link->linger);
    if (config->closed)
        config->closed(config->watch_user, link->reference, iw_endpoint_port(link->endpoint), link->opened);
    iw_endpoint_free(link->endpoint);
    reference_unlink(link);
}

static struct reference_link *reference_link_new(struct iw_reference *reference) {
    struct reference_link *link = calloc(1, sizeof *link);

    if (!link)
        return NULL;
    link->reference = reference;
    link->number = ++reference->opened;
    link->starting = true;
    TAILQ_INSERT_HEAD(&reference->links, link, all);
    TAILQ_INSERT_TAIL(&reference->startups, link, startup);
    reference->startup_count++;
    return link;
}

static void reference_update_pause(struct reference_link *link) {
    bool pause = link->echoing > (link->paused ? ECHO_MAX / 2 : ECHO_MAX);

    if (pause != link->paused)
        iw_port_pause(iw_endpoint_port(link->endpoint), pause);
    link->paused = pause;
}

static void reference_echo(struct reference_link *link, const struct iw_event *event) {
    const struct iw_post post = {.opcode = IW_RDMAP_OP_SEND,
        .id = event->octet_count,
        .payload = event->octets,
        .payload_octets = event->octet_count};

    if (iw_endpoint_post(link->endpoint, &post) != IW_OK) {
        iw_endpoint_terminate(link->endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC);
        return;
    }
    link->echoing += event->octet_count + 1;
    reference_update_pause(link);
}

static uint64_t reference_linger_us(const struct iw_reference_config *config) {
    return config->endpoint.automatic.close ? LINGER_US : UNCLOSED_US;
}

static void reference_on_event(void *user, struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct reference_link *link = user;
    const struct iw_reference_config *config = &link->reference->config;

    (void)endpoint;
    if (event->kind > IW_EVENT_STARTUP)
        reference_end_startup(link);
    if (config->event)
        config->event(config->user, link->reference, link->number, event);
    if (config->echo && event->kind == IW_EVENT_MESSAGE)
        reference_echo(link, event);
    if (config->echo && event->kind == IW_EVENT_SENT) {
        link->echoing -= (size_t)event->id + 1;
        reference_update_pause(link);
    }
    if (event->kind != IW_EVENT_CLOSED)
        return;
    if (link->reference->offered)
        link->reference->offered->valid = true;
    /* FLUSHED events come from the loop, one iteration later. */
    iw_timer_start(&link->linger, config->loop, event->end == IW_END_FIN ? reference_linger_us(config) : 0,
        reference_close_link, link);
}

static struct iw_endpoint_config reference_endpoint_config(
    const struct iw_reference *reference, bool initiator) {
    struct iw_endpoint_config config = reference->config.endpoint;

    config.initiator = initiator;
    config.memory = reference->memory;
    return config;
}

/* At the limit of connections in the startup, resets the oldest: a conforming peer does not pause there. */
static void reference_displace_startup(struct iw_reference *reference) {
    struct reference_link *oldest = TAILQ_FIRST(&reference->startups);

    if (reference->config.startups == 0 || reference->startup_count < reference->config.startups)
        return;
    iw_endpoint_reset(oldest->endpoint);
    reference_close_link(oldest);
}

static unsigned reference_take(
    struct iw_reference *reference, struct iw_port *port, const struct iw_endpoint_config *config, bool tcp) {
    const struct iw_reference_config *own = &reference->config;

    reference_displace_startup(reference);
    struct reference_link *link = reference_link_new(reference);
    if (link && tcp && own->opened)
        link->opened = own->opened(own->watch_user, reference, port);
    if (link)
        link->endpoint = iw_endpoint_accept(port, config, reference_on_event, link);
    if (link && link->endpoint)
        return link->number;
    if (link && own->closed)
        own->closed(own->watch_user, reference, port, link->opened);
    if (link)
        reference_unlink(link);
    iw_port_free(port);
    return 0;
}

static void reference_on_accept(void *user, struct iw_port *port) {
    struct iw_reference *reference = user;
    const struct iw_endpoint_config config = reference_endpoint_config(reference, false);

    reference_take(reference, port, &config, true);
}

unsigned iw_reference_take(
    struct iw_reference *reference, struct iw_port *port, const struct iw_endpoint_config *config) {
    struct iw_endpoint_config own = *config;

    own.memory = reference->memory;
    return reference_take(reference, port, &own, false);
}

bool iw_reference_connect(struct iw_reference *reference, const char *host, uint16_t port, char *text) {
    struct iw_endpoint_config config = reference_endpoint_config(reference, true);
    struct reference_link *link = reference_link_new(reference);

    if (link)
        link->endpoint =
            iw_endpoint_connect(reference->config.loop, host, port, &config, reference_on_event, link, text);
    if (!link || !link->endpoint) {
        if (link)
            reference_unlink(link);
        else
            strcpy(text, out_of_memory);
        return false;
    }
    if (reference->config.opened)
        link->opened = reference->config.opened(
            reference->config.watch_user, reference, iw_endpoint_port(link->endpoint));
    return true;
}

struct iw_reference *iw_reference_new(const struct iw_reference_config *config, char *text) {
    struct iw_reference *reference = calloc(1, sizeof *reference);

    strcpy(text, out_of_memory);
    if (!reference)
        return NULL;
    reference->config = *config;
    TAILQ_INIT(&reference->links);
    TAILQ_INIT(&reference->startups);
    reference->memory = iw_memory_new();
    if (reference->memory && iw_loop_kind(config->loop) == IW_LOOP_REAL)
        iw_memory_scatter(reference->memory);
    if (reference->memory)
        reference->listener =
            iw_listener_new(config->loop, config->host, config->port, reference_on_accept, reference, text);
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
    while (!TAILQ_EMPTY(&reference->links))
        reference_close_link(TAILQ_FIRST(&reference->links));
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

struct iw_region *iw_reference_offer(
    struct iw_reference *reference, uint64_t to, uint64_t size, const char *file) {
    const struct iw_registration registration = {.base = to,
        .size = size,
        .rights = IW_RIGHT_READ | IW_RIGHT_WRITE | IW_RIGHT_PERSIST | IW_RIGHT_EXPOSE | IW_RIGHT_VERIFY |
                  (size >= sizeof(uint64_t) ? (unsigned)IW_RIGHT_ATOMIC : 0u),
        .hash = IW_HASH_SHA256,
        .persistent = true,
        .file = file};
    enum iw_refusal refusal;
    uint8_t pattern[UINT8_MAX + 1];
    struct iw_region *region = iw_memory_offer(reference->memory, &registration, &refusal);

    if (!region && refusal != IW_REFUSAL_FILE)
        errno = ENOMEM;
    if (!region)
        return NULL;
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)i;
    if (!file)
        iw_region_fill(region, pattern, sizeof pattern);
    reference->offered = region;
    return region;
}

struct iw_endpoint_config *iw_reference_settings(struct iw_reference *reference) {
    return &reference->config.endpoint;
}

unsigned iw_reference_last(const struct iw_reference *reference) {
    const struct reference_link *link = TAILQ_FIRST(&reference->links);

    while (link && iw_timer_runs(&link->linger))
        link = TAILQ_NEXT(link, all);
    return link ? link->number : 0;
}

static struct reference_link *reference_find_link(struct iw_reference *reference, unsigned number) {
    struct reference_link *link;

    TAILQ_FOREACH(link, &reference->links, all)
    if (link->number == number)
        return link;
    return NULL;
}

struct iw_endpoint *iw_reference_connection(struct iw_reference *reference, unsigned number) {
    const struct reference_link *link = reference_find_link(reference, number);

    return link ? link->endpoint : NULL;
}

void iw_reference_reset(struct iw_reference *reference, unsigned number) {
    struct reference_link *link = reference_find_link(reference, number);

    if (!link)
        return;
    iw_endpoint_reset(link->endpoint);
    reference_close_link(link);
}
