#ifndef IW_AGENT_SERVER_H
#define IW_AGENT_SERVER_H

#include <stdint.h>

#include "iw_agent.h"

/* The agent of the reference on a port of TCP (docs/agent.md). Every session has an agent of its own, and
 * what it has made ends with it. */

struct iw_agent_server;

/* At a time. One more takes the place of the oldest that has not said hello, or is sent away. */
enum { IW_AGENT_SESSIONS_MAX = 64 };

struct iw_agent_server_config {
    struct iw_agent_config agent; /* of every session; `event` is the server's, `user` that of the others */
    const char *host;
    uint16_t port;     /* 0 lets the system choose */
    const char *token; /* that every session has to name, or NULL */
};

/* Listens. NULL with one line in `text`, of IW_PORT_TEXT_OCTETS octets, if that cannot be. `config` is
 * copied, what it points to borrowed. */
struct iw_agent_server *iw_agent_server_new(const struct iw_agent_server_config *config, char *text);
void iw_agent_server_free(struct iw_agent_server *server);

uint16_t iw_agent_server_port(const struct iw_agent_server *server);

#endif
