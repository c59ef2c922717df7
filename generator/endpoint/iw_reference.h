#ifndef IW_REFERENCE_H
#define IW_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_endpoint.h"
#include "iw_memory.h"

/* The reference implementation: a listener that takes any number of connections, memory that their peers may
 * reach, and a ULP that does what it is told. It is the responder of scripts that have no peer, what is
 * served, and the suite's own device. By itself it conforms. It runs on the loop of its user. */

struct iw_reference;

struct iw_reference_config {
    struct iw_loop *loop;
    const char *host;
    uint16_t port; /* 0 lets the system choose */
    /* Of its endpoints, defects of theirs included. Memory and role are the reference's own. */
    struct iw_endpoint_config endpoint;
    /* The ULP answers each Send by one of the same octets. Of a peer that does not take them, nothing more is
     * read until it does. */
    bool echo;
    /* Connections that may be in the startup at a time; one more, and the oldest of them is reset. 0: any
     * number. */
    unsigned startups;
    /* A TCP connection was accepted or opened, before anything is read from it; may be NULL. What it returns
     * is handed to `closed`. */
    void *(*opened)(void *user, struct iw_reference *reference, struct iw_port *port);
    /* Everything that happens on its connections, numbered from 1; may be NULL. */
    void (*event)(
        void *user, struct iw_reference *reference, unsigned connection, const struct iw_event *event);
    /* No event of that connection follows, and its port is about to be freed; may be NULL. `opened` is NULL
     * of those of iw_reference_take. */
    void (*closed)(void *user, struct iw_reference *reference, struct iw_port *port, void *opened);
    void *user;
};

/* A configuration that takes Reads, Writes and Sends of any number: revision 2, depths of 8, every RTR,
 * endless receive buffers of 65,536 octets, two seconds for the startup: longer than any case is silent in
 * the middle of one. */
struct iw_endpoint_config iw_reference_defaults(void);

/* Listens. NULL with one line in `text`, of IW_PORT_TEXT_OCTETS octets, if that cannot be. `config` is
 * copied. */
struct iw_reference *iw_reference_new(const struct iw_reference_config *config, char *text);
/* Ends listener and connections, in whatever state they are. */
void iw_reference_free(struct iw_reference *reference);

uint16_t iw_reference_port(const struct iw_reference *reference);
struct iw_memory *iw_reference_memory(struct iw_reference *reference);

/* Registers a region that a peer may do everything with that so much memory allows, `size` octets from `to`
 * on: 0 to 255 over and over, persistent, verified by SHA-256. Once a peer has invalidated its STag, it is
 * valid again when that peer's connection is closed. NULL if there is no memory; at most one is offered. */
struct iw_region *iw_reference_offer(struct iw_reference *reference, uint64_t to, uint64_t size);

/* The settings of connections to come. */
struct iw_endpoint_config *iw_reference_settings(struct iw_reference *reference);

/* Connects as initiator. Returns false with a line in `text` as iw_endpoint_connect. */
bool iw_reference_connect(struct iw_reference *reference, const char *host, uint16_t port, char *text);

/* Takes an open port that it does not listen for itself, as a connection with that configuration: the
 * settings, and what is peculiar to the port and to the role. The port is the reference's. Returns the number
 * of the connection, or 0 if there is no memory: then the port is released. */
unsigned iw_reference_take(
    struct iw_reference *reference, struct iw_port *port, const struct iw_endpoint_config *config);

/* The number of the connection opened last that has not ended, or 0. */
unsigned iw_reference_last(const struct iw_reference *reference);

/* The connection of that number, or NULL if there is none or it has ended. */
struct iw_endpoint *iw_reference_connection(struct iw_reference *reference, unsigned number);

/* Resets that connection, if there is one: it has ended, without another event. Not from an event of it. */
void iw_reference_reset(struct iw_reference *reference, unsigned number);

#endif
