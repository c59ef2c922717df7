#ifndef IW_REFERENCE_H
#define IW_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_defect.h"
#include "iw_endpoint.h"
#include "iw_memory.h"

/* The reference implementation as a device under test: a listener that takes any number of connections,
 * memory that their peers may reach, and a ULP that does what it is told. By itself it conforms; a named
 * defect makes it wrong in one way. It runs on the loop of its user. */

struct iw_reference;

struct iw_reference_config {
    struct iw_loop *loop;
    const char *host;
    uint16_t port;                  /* 0 lets the system choose */
    const struct iw_defect *defect; /* or NULL */
    /* Of its endpoints: revision, CRC, markers, RTR, depths, times, receive buffers. Memory, filter and the
     * role are the reference's own. */
    struct iw_endpoint_config endpoint;
    /* The ULP answers each Send by one of the same octets. Of a peer that does not take them, nothing more is
     * read until it does. */
    bool echo;
    /* Connections that may be in the startup at a time; one more, and the oldest of them is reset. 0: any
     * number. */
    unsigned startups;
    /* A connection was accepted or opened, before anything is read from it; may be NULL. What it returns is
     * handed to `closed`. */
    void *(*opened)(void *user, struct iw_reference *reference, struct iw_port *port);
    /* Everything that happens on its connections, numbered from 1; may be NULL. */
    void (*event)(
        void *user, struct iw_reference *reference, unsigned connection, const struct iw_event *event);
    /* No event of that connection follows, and its port is about to be freed; may be NULL. */
    void (*closed)(void *user, struct iw_reference *reference, struct iw_port *port, void *opened);
    void *user;
};

/* A configuration that takes Reads, Writes and Sends of any number: revision 2, depths of 8, every RTR,
 * endless receive buffers of 65,536 octets, half a second for the startup. */
struct iw_endpoint_config iw_reference_defaults(void);

/* Listens. NULL with one line in `text`, of IW_PORT_TEXT_OCTETS octets, if that cannot be. `config` is
 * copied. */
struct iw_reference *iw_reference_new(const struct iw_reference_config *config, char *text);
/* Ends listener and connections, in whatever state they are. */
void iw_reference_free(struct iw_reference *reference);

uint16_t iw_reference_port(const struct iw_reference *reference);
struct iw_memory *iw_reference_memory(struct iw_reference *reference);

/* The settings of connections to come. */
struct iw_endpoint_config *iw_reference_settings(struct iw_reference *reference);

/* Connects as initiator. Returns false with a line in `text` as iw_endpoint_connect. */
bool iw_reference_connect(struct iw_reference *reference, const char *host, uint16_t port, char *text);

/* The connection opened last that has not ended, or NULL. */
struct iw_endpoint *iw_reference_endpoint(struct iw_reference *reference);

#endif
