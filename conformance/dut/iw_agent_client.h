#ifndef IW_AGENT_CLIENT_H
#define IW_AGENT_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "iw_loop.h"

/* A session with an agent (docs/agent.md) from the side of the suite. */

struct iw_agent_client;

/* Called from the loop only. The values stay the client's. */
struct iw_agent_client_handlers {
    void (*ready)(void *user, const json_t *hello);                  /* the agent has taken the hello */
    void (*answered)(void *user, uint64_t id, const json_t *answer); /* of a request */
    void (*event)(void *user, const json_t *event);
    /* The session is over, or could not begin: one line with the agent's address. Nothing follows. */
    void (*failed)(void *user, const char *text);
};

struct iw_agent_client_config {
    struct iw_loop *loop;
    const char *host;
    uint16_t port;
    const char *token; /* or NULL */
    struct iw_agent_client_handlers handlers;
    void *user;
};

/* Begins a session. NULL with one line in `text`, of IW_PORT_TEXT_OCTETS octets, if the name is not known or
 * there is no memory. `config` is copied; `token` must stay until `ready`. */
struct iw_agent_client *iw_agent_client_new(const struct iw_agent_client_config *config, char *text);
/* Ends the session. From a handler, too. NULL is allowed. */
void iw_agent_client_free(struct iw_agent_client *client);

/* Sends the request, which is released, with the next id. Returns that, or 0 if the session is over, so many
 * requests are unanswered that the agent need not take another, or there is no memory. */
uint64_t iw_agent_client_request(struct iw_agent_client *client, json_t *request);

/* The own address, as the agent sees it: "192.0.2.1". Once `ready`. */
void iw_agent_client_own_host(const struct iw_agent_client *client, char host[64]);

#endif
