#include "iw_responder.h"

#include <stdlib.h>
#include <string.h>

#include "iw_endpoint.h"

enum { REGION_STAG = 0x00000100, REGION_OCTETS = 65536, RECEIVE_OCTETS = 64 << 20 };

struct client {
    struct client *next;
    struct iw_responder *responder;
    struct iw_endpoint *endpoint;
};

struct iw_responder {
    struct iw_listener *listener;
    struct iw_memory *memory;
    struct iw_region *region;
    struct client *clients;
};

static void remove_client(struct client *client) {
    struct client **link = &client->responder->clients;

    while (*link != client)
        link = &(*link)->next;
    *link = client->next;
    iw_endpoint_free(client->endpoint);
    free(client);
}

static void sink(void *user, struct iw_endpoint *endpoint, const struct iw_event *event) {
    (void)endpoint;
    if (event->kind == IW_EVENT_CLOSED)
        remove_client(user);
}

static void accepted(void *user, struct iw_port *port) {
    struct iw_responder *responder = user;
    struct iw_endpoint_config config = iw_endpoint_config_default(false);
    struct client *client = calloc(1, sizeof *client);

    config.memory = responder->memory;
    config.receive_count = IW_RECEIVES_ENDLESS;
    config.receive_octets = RECEIVE_OCTETS;
    config.extensions = IW_EXT_ALL;
    if (client != NULL) {
        client->responder = responder;
        client->endpoint = iw_endpoint_accept(port, &config, sink, client);
    }
    if (client == NULL || client->endpoint == NULL) {
        iw_port_free(port);
        free(client);
        return;
    }
    client->next = responder->clients;
    responder->clients = client;
}

struct iw_responder *iw_responder_new(struct iw_loop *loop, const char *host, uint16_t port, char *text) {
    struct iw_responder *responder = calloc(1, sizeof *responder);

    strcpy(text, "not enough memory");
    if (responder == NULL)
        return NULL;
    responder->memory = iw_memory_new();
    if (responder->memory != NULL)
        responder->region = iw_memory_register(
            responder->memory, REGION_STAG, 0, REGION_OCTETS, IW_RIGHT_READ | IW_RIGHT_WRITE);
    if (responder->region != NULL) {
        for (size_t i = 0; i < REGION_OCTETS; i++)
            responder->region->octets[i] = (uint8_t)i;
        responder->listener = iw_listener_new(loop, host, port, accepted, responder, text);
    }
    if (responder->listener == NULL) {
        iw_responder_free(responder);
        return NULL;
    }
    return responder;
}

void iw_responder_free(struct iw_responder *responder) {
    if (responder == NULL)
        return;
    iw_listener_free(responder->listener);
    while (responder->clients != NULL)
        remove_client(responder->clients);
    iw_memory_free(responder->memory);
    free(responder);
}

const struct iw_region *iw_responder_region(const struct iw_responder *responder) {
    return responder->region;
}
