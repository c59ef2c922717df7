#pragma once

#include <stdint.h>

#include <jansson.h>

#include "iw_loop.h"
#include "iw_tls.h"

/* The suite's side of a session with an agent (docs/agent.md). */

struct iw_agent_client;

/* Called from the loop only. The client owns the JSON values. */
struct iw_agent_client_handlers {
    void (*ready)(void *user, const json_t *hello);                  /* the agent has accepted the hello */
    void (*answered)(void *user, uint64_t id, const json_t *answer); /* the answer to a request */
    void (*event)(void *user, const json_t *event);
    /* The session has ended or failed to start: one line with the agent's address. The last callback. */
    void (*failed)(void *user, const char *text);
};

struct iw_agent_client_config {
    struct iw_loop *loop;
    const char *host;
    uint16_t port;
    const char *token;                /* for the hello; NULL: no token */
    const struct iw_tls_context *tls; /* NULL: no TLS. It must outlive the client */
    struct iw_agent_client_handlers handlers;
    void *user;
};

/* Starts a session. Returns NULL if `host` cannot be resolved, with one line in `text` of
 * IW_PORT_TEXT_OCTETS octets, or if memory is short. `config` is copied; `host` must outlive the client,
 * `token` must stay until `ready`. */
struct iw_agent_client *iw_agent_client_new(const struct iw_agent_client_config *config, char *text);
/* Ends the session. A handler may call it. NULL is allowed. */
void iw_agent_client_free(struct iw_agent_client *client);

/* Sends the request with the next id, and releases it. Returns the id; 0 if the session has ended, too
 * many requests are outstanding, or memory is short. */
uint64_t iw_agent_client_request(struct iw_agent_client *client, json_t *request);

/* This host's address on the connection to the agent, "192.0.2.1". Valid after `ready`. */
void iw_agent_client_own_host(const struct iw_agent_client *client, char host[64]);
