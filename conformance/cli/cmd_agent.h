#pragma once

#include "iw_agent_token.h"
#include "iw_dut.h"
#include "iw_option.h"

/* The values of --agent, --token-file and --own-host, for all commands that use an agent. */

struct cmd_agent {
    struct iw_dut_agent agent;
    const char *text; /* the value of --agent; NULL: not given */
    char host[256];
    char token[IW_AGENT_TOKEN_MAX];
};

/* Reads the file of --token-file; `at` is a struct cmd_agent. */
iw_option_take cmd_agent_token;

/* The host of --agent HOST:PORT, for a device without --peer: its hello names the port of the device. Returns
 * NULL without --agent, or if it is a port alone. */
const char *cmd_agent_host(struct cmd_agent *agent);

/* Call after all options. Sets *found to the agent, or to NULL without --agent; the agent's host defaults to
 * `host`, the peer's. `own_host_used`: --own-host is also allowed without --agent. Returns 0, or the exit
 * code with a line on stderr. */
int cmd_agent_find(const struct iw_usage *usage, struct cmd_agent *agent, const char *host,
    bool own_host_used, const struct iw_dut_agent **found);
