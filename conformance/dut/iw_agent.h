#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "iw_agent_operation.h"
#include "iw_ddp_reference.h"
#include "iw_reference.h"

/* The agent of the reference device (docs/agent.md). It executes requests, one JSON object each, answers
 * each at once, and reports events. One agent is one session of the protocol: its reference, listener,
 * memory and settings end with it. */

struct iw_agent_config {
    struct iw_loop *loop;
    const char *host; /* listening address of the device; the system chooses the port */
    struct iw_endpoint_config endpoint;
    /* The stack for DDP over SCTP, or NULL if the device does not support it. The device listens at `host`,
     * in UDP if `tunnelled`, on ports that the system chooses. */
    struct iw_sctp_stack *stack;
    bool tunnelled;
    struct iw_ddp_association_config association;
    /* Reports an event; the callee owns the object. May be called while a request is executed. */
    void (*event)(void *user, json_t *event);
    void *user;
    /* As in struct iw_reference_config; may be NULL. */
    void *(*opened)(void *watch_user, struct iw_reference *reference, struct iw_port *port);
    void (*closed)(void *watch_user, struct iw_reference *reference, struct iw_port *port, void *opened);
    void *watch_user;
};

/* The configuration of the reference (iw_reference_defaults), with all extensions. */
struct iw_endpoint_config iw_agent_defaults(void);

/* Starts to listen. Returns NULL with one line in `text`, of IW_PORT_TEXT_OCTETS octets, on failure. */
struct iw_agent *iw_agent_new(const struct iw_agent_config *config, char *text);
/* Ends everything that belongs to the session. NULL is allowed. */
void iw_agent_free(struct iw_agent *agent);

/* The TCP port where the device listens. */
uint16_t iw_agent_port(const struct iw_agent *agent);

/* The address of the device for associations; `host` is NULL without SCTP. */
struct iw_sctp_where iw_agent_sctp(const struct iw_agent *agent);

/* Executes the request, which the caller keeps, and returns the answer: with the `id` of the request, and
 * `error` if it is rejected. Returns NULL if memory runs out. */
json_t *iw_agent_execute(struct iw_agent *agent, const json_t *request);
