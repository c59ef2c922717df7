#include "iw_relay.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "iw_port_detach.h"
#include "iw_port_segment.h"
#include "iw_relay_state.h"

/* Accepts, and connects to the device. */

static void relay_refuse(struct relay_pair *pair, const char *text) {
    relay_pair_note(pair, IW_RELAY_REFUSED, text);
    relay_pair_end(pair, 1u << IW_SIDE_A);
}

/* A device that is silent may be gone: the initiator would wait for ever. */
static void relay_keep_alive(int descriptor) {
    int on = 1, idle_s = RELAY_KEEPALIVE_S;

    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
}

static void relay_on_connected(void *user) {
    static const struct linger hard = {.l_onoff = 1};
    struct relay_pair *pair = user;
    char text[IW_PORT_TEXT_OCTETS];
    int descriptor;

    memcpy(
        pair->addresses[IW_SIDE_B], iw_port_addresses(pair->connecting), sizeof pair->addresses[IW_SIDE_B]);
    descriptor = iw_port_detach(pair->connecting);
    pair->connecting = NULL;
    if (descriptor >= 0 && relay_impair_begin(pair)) {
        relay_keep_alive(descriptor);
        relay_pair_begin(pair, descriptor);
        return;
    }
    snprintf(text, sizeof text, "relay: %s", strerror(errno));
    if (descriptor >= 0) {
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        close(descriptor);
    }
    relay_refuse(pair, text);
}

static void relay_on_ended(void *user, enum iw_port_end end, const char *text) {
    struct relay_pair *pair = user;

    (void)end; /* no octet was read: it can only be that the connection failed */
    relay_refuse(pair, text);
}

bool relay_take_descriptors(struct iw_relay *relay, size_t count) {
    if (relay->descriptors + count > relay->descriptors_max)
        return false;
    relay->descriptors += count;
    return true;
}

static void relay_connect(struct relay_pair *pair) {
    static const struct iw_port_handlers handlers = {
        .connected = relay_on_connected, .ended = relay_on_ended};
    char text[IW_PORT_TEXT_OCTETS];

    pair->connecting = iw_port_segment_connect(pair->relay->loop, pair->relay->device,
        iw_relay_rule_segment_max(pair->plan.rules, pair->plan.rule_count), &handlers, pair, text);
    if (pair->connecting == NULL)
        relay_refuse(pair, text);
}

/* The open connections need the descriptors that are left: a connection that comes is refused. */
static void relay_refuse_surplus(struct relay_pair *pair) {
    char text[IW_PORT_TEXT_OCTETS];

    snprintf(text, sizeof text, "relay: no descriptor is left for it (ulimit -n) with %zu other connections",
        pair->relay->pair_count - 1);
    relay_refuse(pair, text);
}

static void relay_begin(struct relay_pair *pair, struct iw_port *port) {
    struct iw_relay *relay = pair->relay;
    bool room = relay_take_descriptors(relay, RELAY_PAIR_DESCRIPTORS);
    int descriptor = iw_port_detach(port);

    if (!room)
        relay->descriptors += RELAY_PAIR_DESCRIPTORS; /* which the end of the pair gives back */
    if (descriptor >= 0)
        relay_pair_accept(pair, descriptor);
    if (room && descriptor >= 0)
        relay_connect(pair);
    else
        relay_refuse_surplus(pair);
}

static void relay_on_accept(void *user, struct iw_port *port) {
    struct iw_relay *relay = user;
    struct relay_pair *pair = calloc(1, sizeof *pair);

    if (pair == NULL) {
        iw_port_reset(port);
        iw_port_free(port);
        return;
    }
    pair->relay = relay;
    pair->number = ++relay->connections;
    pair->plan = (struct relay_plan){
        .rules = relay->config.rules, .rule_count = relay->config.rule_count, .repair = relay->config.repair};
    pair->ends[IW_SIDE_A].descriptor = pair->ends[IW_SIDE_B].descriptor = -1;
    memcpy(pair->addresses[IW_SIDE_A], iw_port_addresses(port), sizeof pair->addresses[IW_SIDE_A]);
    LIST_INSERT_HEAD(&relay->pairs, pair, others);
    relay->pair_count++;
    relay_record_begin(pair, IW_SIDE_A);
    relay_begin(pair, port);
}

/* Whether octets must be copied. */
static bool relay_copies(const struct iw_relay_config *config) {
    return config->recorders[0] != NULL || config->recorders[1] != NULL || config->tap != NULL ||
           config->rule_count > 0;
}

/* How many descriptors the relay may use in addition to those that are open. */
static size_t relay_count_descriptors(void) {
    struct rlimit limit;
    DIR *folder = opendir("/proc/self/fd");
    size_t used = RELAY_RESERVE;

    while (folder != NULL && readdir(folder) != NULL)
        used++;
    if (folder != NULL)
        closedir(folder);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return SIZE_MAX / 2;
    return limit.rlim_cur > used ? (size_t)limit.rlim_cur - used : 0;
}

static bool relay_listen(struct iw_relay *relay, char *text) {
    const struct iw_relay_config *config = &relay->config;

    relay->listener = iw_listener_new(relay->loop, config->host, config->port, relay_on_accept, relay, text);
    if (relay->listener == NULL)
        return false;
    iw_port_segment_listen(relay->listener, iw_relay_rule_segment_max(config->rules, config->rule_count));
    return true;
}

struct iw_relay *iw_relay_new(struct iw_loop *loop, const struct iw_relay_config *config, char *text) {
    struct iw_relay *relay = calloc(1, sizeof *relay);

    if (relay != NULL && relay_copies(config))
        relay->buffer = malloc(RELAY_READ_OCTETS);
    if (relay == NULL || (relay_copies(config) && relay->buffer == NULL)) {
        snprintf(text, IW_PORT_TEXT_OCTETS, "out of memory");
        free(relay);
        return NULL;
    }
    relay->config = *config;
    relay->loop = loop;
    relay->copies = relay_copies(config);
    relay->descriptors_max = relay_count_descriptors();
    LIST_INIT(&relay->pairs);
    relay->device = iw_port_host_new(config->device_host, config->device_port, text);
    if (relay->device != NULL && relay_listen(relay, text))
        return relay;
    iw_port_host_free(relay->device);
    free(relay->buffer);
    free(relay);
    return NULL;
}

static void relay_drop(struct relay_pair *pair) {
    relay_pair_end(pair, 1u << IW_SIDE_A | 1u << IW_SIDE_B);
}

void iw_relay_free(struct iw_relay *relay) {
    struct relay_pair *pair, *next;

    if (relay == NULL)
        return;
    iw_listener_free(relay->listener);
    for (pair = LIST_FIRST(&relay->pairs); pair != NULL; pair = next) {
        next = LIST_NEXT(pair, others);
        relay_drop(pair);
    }
    relay_splice_close_pipes(relay);
    iw_port_host_free(relay->device);
    free(relay->buffer);
    free(relay);
}

void iw_relay_impair(
    struct iw_relay *relay, const struct iw_relay_rule *rules, size_t count, unsigned repair) {
    relay->config.rules = rules;
    relay->config.rule_count = count;
    relay->config.repair = repair;
    iw_port_segment_listen(relay->listener, iw_relay_rule_segment_max(rules, count));
}

void iw_relay_reset(struct iw_relay *relay, uint64_t connection) {
    struct relay_pair *pair = LIST_FIRST(&relay->pairs);

    while (pair != NULL && pair->number != connection)
        pair = LIST_NEXT(pair, others);
    if (pair != NULL)
        relay_drop(pair);
}

uint16_t iw_relay_port(const struct iw_relay *relay) {
    return iw_listener_port(relay->listener);
}

size_t iw_relay_open(const struct iw_relay *relay) {
    return relay->pair_count;
}
