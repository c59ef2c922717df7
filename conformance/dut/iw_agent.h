#ifndef IW_AGENT_H
#define IW_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "iw_ddp_reference.h"
#include "iw_reference.h"

/* What an agent beside a device does, for the reference: it takes requests of docs/agent.md, one JSON object
 * each, answers each at once, and tells of events. One agent is one session of that protocol; it has a
 * reference of its own, with a listener, memory and settings that end with it. */

enum {
    IW_AGENT_VERSION = 1,
    IW_AGENT_LINE_MAX = 1 << 20, /* octets of a line of the protocol, its newline included */
    IW_AGENT_DATA_MAX = 1 << 18, /* octets that a request or an event may carry as hexadecimal digits */
    IW_AGENT_REQUESTS_MAX = 64,  /* that may be unanswered */
    IW_AGENT_REGION_MAX = 16 << 20,
    IW_AGENT_REGIONS_MAX = 256 << 20, /* octets of all regions together */
    IW_AGENT_WAITING_MAX = 64 << 20,  /* octets of posts of a connection that are not sent yet */
};

struct iw_agent;

struct iw_agent_config {
    struct iw_loop *loop;
    const char *host; /* where the device listens, on a port that the system chooses */
    struct iw_endpoint_config endpoint;
    /* For DDP over SCTP; NULL: the device has none. It listens at `host` for that, too: in UDP if
     * `tunnelled`, on ports that are chosen for it. */
    struct iw_sctp_stack *stack;
    bool tunnelled;
    struct iw_ddp_association_config association;
    /* Something happened; the object is the callee's. Also while a request is being executed. */
    void (*event)(void *user, json_t *event);
    /* As in struct iw_reference_config, with this `user`; may be NULL. */
    void *(*opened)(void *user, struct iw_reference *reference, struct iw_port *port);
    void (*closed)(void *user, struct iw_reference *reference, struct iw_port *port, void *opened);
    void *user;
};

/* What the reference can, all extensions of RFC 5040 included. */
struct iw_endpoint_config iw_agent_defaults(void);

/* Listens. NULL with one line in `text`, of IW_PORT_TEXT_OCTETS octets, if that cannot be. */
struct iw_agent *iw_agent_new(const struct iw_agent_config *config, char *text);
/* Ends all that the session has made. NULL is allowed. */
void iw_agent_free(struct iw_agent *agent);

/* The port that the device listens on. */
uint16_t iw_agent_port(const struct iw_agent *agent);

/* Where the device takes associations; `host` is NULL if it does not. */
struct iw_sctp_where iw_agent_sctp(const struct iw_agent *agent);

/* Executes the request, which stays the caller's, and returns the answer: with the `id` of the request, and
 * `error` if it is refused. NULL if there is no memory. */
json_t *iw_agent_execute(struct iw_agent *agent, const json_t *request);

/* An answer that refuses a request. `id` may be NULL: then it is null. */
json_t *iw_agent_error(const json_t *id, const char *code, const char *field, const char *text);

#endif
