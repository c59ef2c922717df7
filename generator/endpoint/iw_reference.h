#pragma once

#include "iw_endpoint.h"

/* The reference implementation: a listener for any number of connections, memory that their peers may
 * access, and a simple ULP. It is the peer of scripts run without --peer, the server of `serve`, and the
 * suite's own device. By default it conforms. It runs on the loop of its user. */

struct iw_reference;

struct iw_reference_config {
    struct iw_loop *loop;
    const char *host;
    uint16_t port; /* 0 lets the system choose */
    /* The configuration of its endpoints, defects included; memory and role are set by the reference. */
    struct iw_endpoint_config endpoint;
    /* The ULP answers each Send or Immediate Data with a Send of the same octets. While a peer does not read
     * them, the reference stops reading from it. */
    bool echo;
    /* Limit of connections in the startup; a further connection resets the oldest of these. 0: unlimited. */
    unsigned startups;
    /* A TCP connection was accepted or is being opened; may be NULL. The result is passed to `closed`. */
    void *(*opened)(void *watch_user, struct iw_reference *reference, struct iw_port *port);
    /* Gets each event of a connection; `connection` is its number, from 1. May be NULL. */
    void (*event)(
        void *user, struct iw_reference *reference, unsigned connection, const struct iw_event *event);
    /* Called after the last event of a connection, before its port is freed; may be NULL. `opened` is
     * NULL for connections of iw_reference_take. */
    void (*closed)(void *watch_user, struct iw_reference *reference, struct iw_port *port, void *opened);
    void *watch_user; /* of `opened` and `closed` */
    void *user;       /* of `event` */
};

/* A configuration that accepts any number of Reads, Writes and Sends: revision 2, IRD and ORD 8, every RTR,
 * unlimited receive buffers of 65,536 octets, and a startup timeout of two seconds, longer than any case
 * pauses within a startup. */
struct iw_endpoint_config iw_reference_defaults(void);

/* Listens; copies `config`. Returns NULL with a line in `text`, of IW_PORT_TEXT_OCTETS octets, on failure. */
struct iw_reference *iw_reference_new(const struct iw_reference_config *config, char *text);
/* Frees the listener and all connections, in any state. */
void iw_reference_free(struct iw_reference *reference);

uint16_t iw_reference_port(const struct iw_reference *reference);
struct iw_memory *iw_reference_memory(struct iw_reference *reference);

/* Registers a persistent region of `size` octets from `to` on, with all rights that its size allows, verified
 * by SHA-256. A flush writes the file at `file`, whose octets the region has; with NULL it writes memory, and
 * the region is filled with 0 to 255 repeatedly. If a peer has invalidated its STag, the region becomes valid
 * again when a connection ends. Returns NULL and sets errno if it cannot be registered. At most one region is
 * offered. */
struct iw_region *iw_reference_offer(
    struct iw_reference *reference, uint64_t to, uint64_t size, const char *file);
struct iw_endpoint_config *iw_reference_settings(struct iw_reference *reference);

/* Connects as initiator. Returns false with a line in `text` as iw_endpoint_connect. */
bool iw_reference_connect(struct iw_reference *reference, const char *host, uint16_t port, char *text);

/* Takes over a port that the caller has opened, as a connection with `config` (a copy of
 * iw_reference_settings, adapted to port and role). Returns the number of the connection, or 0 if memory runs
 * out: then the port is freed. */
unsigned iw_reference_take(
    struct iw_reference *reference, struct iw_port *port, const struct iw_endpoint_config *config);

/* The number of the newest connection that has not ended, or 0. */
unsigned iw_reference_last(const struct iw_reference *reference);

/* The connection of that number, or NULL if unknown or ended. */
struct iw_endpoint *iw_reference_connection(struct iw_reference *reference, unsigned number);

/* Resets that connection, if it exists, without a further event. Must not be called from its events. */
void iw_reference_reset(struct iw_reference *reference, unsigned number);
