#pragma once

#include <stdint.h>

#include "iw_agent.h"
#include "iw_tls.h"

/* The agent of the reference on a TCP port (docs/agent.md). Each session has its own agent, whose objects end
 * with the session. At the limit of sessions, iw_agent_sessions_admit decides. */

struct iw_agent_server;

struct iw_agent_server_config {
    struct iw_agent_config agent; /* of every session; the server sets `event` and `user` */
    const char *host;
    uint16_t port;                    /* 0: chosen by the system */
    const char *token;                /* required from every session; NULL: no token */
    const struct iw_tls_context *tls; /* NULL: no TLS. It must outlive the server */
};

/* Starts to listen. Returns NULL with one line in `text`, of IW_PORT_TEXT_OCTETS octets, on failure.
 * `config` is copied; its pointers are borrowed. */
struct iw_agent_server *iw_agent_server_new(const struct iw_agent_server_config *config, char *text);
void iw_agent_server_free(struct iw_agent_server *server);

uint16_t iw_agent_server_port(const struct iw_agent_server *server);
