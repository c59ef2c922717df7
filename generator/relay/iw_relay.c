#include "iw_relay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iw_port_detach.h"
#include "iw_relay_state.h"

/* Accepts, and connects to the device. */

static void relay_refuse(struct relay_pair *pair, const char *text) {
    relay_pair_note(pair, IW_RELAY_REFUSED, text);
    relay_record(pair, IW_SIDE_A, false, IW_CHUNK_RST, NULL, 0);
    if (pair->accepted != NULL)
        iw_port_reset(pair->accepted);
    iw_port_free(pair->accepted);
    iw_port_free(pair->connecting);
    relay_pair_free(pair);
}

static void relay_on_connected(void *user) {
    struct relay_pair *pair = user;
    int descriptors[2];
    char text[IW_PORT_TEXT_OCTETS];

    memcpy(
        pair->addresses[IW_SIDE_B], iw_port_addresses(pair->connecting), sizeof pair->addresses[IW_SIDE_B]);
    descriptors[IW_SIDE_A] = iw_port_detach(pair->accepted);
    descriptors[IW_SIDE_B] = iw_port_detach(pair->connecting);
    pair->accepted = pair->connecting = NULL;
    if (descriptors[IW_SIDE_A] >= 0 && descriptors[IW_SIDE_B] >= 0 && relay_impair_begin(pair)) {
        relay_pair_begin(pair, descriptors);
        return;
    }
    snprintf(text, sizeof text, "relay: %s", strerror(errno));
    for (int side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (descriptors[side] >= 0)
            close(descriptors[side]);
    relay_refuse(pair, text);
}

static void relay_on_ended(void *user, enum iw_port_end end, const char *text) {
    struct relay_pair *pair = user;

    (void)end; /* no octet was read: it can only be that the connection failed */
    relay_refuse(pair, text);
}

static void relay_on_accept(void *user, struct iw_port *port) {
    static const struct iw_port_handlers handlers = {
        .connected = relay_on_connected, .ended = relay_on_ended};
    struct iw_relay *relay = user;
    struct relay_pair *pair = calloc(1, sizeof *pair);
    char text[IW_PORT_TEXT_OCTETS];

    if (pair == NULL) {
        iw_port_reset(port);
        iw_port_free(port);
        return;
    }
    pair->relay = relay;
    pair->number = ++relay->connections;
    pair->plan = (struct relay_plan){
        .rules = relay->config.rules, .rule_count = relay->config.rule_count, .repair = relay->config.repair};
    pair->accepted = port;
    memcpy(pair->addresses[IW_SIDE_A], iw_port_addresses(port), sizeof pair->addresses[IW_SIDE_A]);
    LIST_INSERT_HEAD(&relay->pairs, pair, others);
    relay->pair_count++;
    relay_record_begin(pair, IW_SIDE_A);
    pair->connecting = iw_port_connect(
        relay->loop, relay->config.device_host, relay->config.device_port, &handlers, pair, text);
    if (pair->connecting == NULL)
        relay_refuse(pair, text);
}

/* Whether octets must be copied. */
static bool relay_copies(const struct iw_relay_config *config) {
    return config->recorders[0] != NULL || config->recorders[1] != NULL || config->tap != NULL ||
           config->rule_count > 0;
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
    LIST_INIT(&relay->pairs);
    relay->listener = iw_listener_new(loop, config->host, config->port, relay_on_accept, relay, text);
    if (relay->listener != NULL)
        return relay;
    free(relay->buffer);
    free(relay);
    return NULL;
}

static void relay_drop(struct relay_pair *pair) {
    if (pair->connecting == NULL) {
        relay_pair_end(pair, 1u << IW_SIDE_A | 1u << IW_SIDE_B);
        return;
    }
    relay_record(pair, IW_SIDE_A, false, IW_CHUNK_RST, NULL, 0);
    iw_port_reset(pair->accepted);
    iw_port_free(pair->accepted);
    iw_port_free(pair->connecting);
    relay_pair_free(pair);
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
    free(relay->buffer);
    free(relay);
}

void iw_relay_impair(
    struct iw_relay *relay, const struct iw_relay_rule *rules, size_t count, unsigned repair) {
    relay->config.rules = rules;
    relay->config.rule_count = count;
    relay->config.repair = repair;
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
