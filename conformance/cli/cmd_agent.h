#ifndef CMD_AGENT_H
#define CMD_AGENT_H

#include "iw_agent_token.h"
#include "iw_dut.h"
#include "iw_option.h"

/* --agent, --token-file and --own-host, the same for every command that asks a device. */

struct cmd_agent {
    struct iw_dut_agent agent;
    const char *text; /* of --agent, or NULL */
    char host[256];
    char token[IW_AGENT_TOKEN_MAX];
};

/* Takes the file that --token-file names: 0, or the exit code with a line on stderr. */
int cmd_agent_token(const struct iw_usage *usage, struct cmd_agent *agent, const char *path);

/* When all options are there: the agent beside the peer at `host`, which may be NULL, or NULL in `found`.
 * `own_host_used`: --own-host has a meaning without it. 0, or the exit code with a line on stderr. */
int cmd_agent_find(const struct iw_usage *usage, struct cmd_agent *agent, const char *host,
    bool own_host_used, const struct iw_dut_agent **found);

#endif
