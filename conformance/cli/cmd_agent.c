#include "cmd_agent.h"

#include <getopt.h>

int cmd_agent_token(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct cmd_agent *agent = at;
    char error[512];

    if (iw_agent_token_read(optarg, agent->token, error, sizeof error) != IW_OK)
        return iw_option_error(usage, "--%s: %s", option->name, error);
    agent->agent.token = agent->token;
    return 0;
}

const char *cmd_agent_host(struct cmd_agent *agent) {
    if (!agent->text || !iw_option_address(agent->text, agent->host, sizeof agent->host, &agent->agent.port))
        return NULL;
    return agent->host;
}

int cmd_agent_find(const struct iw_usage *usage, struct cmd_agent *agent, const char *host,
    bool own_host_used, const struct iw_dut_agent **found) {
    bool unused_host = agent->agent.own_host && !own_host_used;

    *found = NULL;
    if (!agent->text && (agent->agent.token || unused_host))
        return iw_option_error(
            usage, "--%s goes with --agent", agent->agent.token ? "token-file" : "own-host");
    if (!agent->text)
        return 0;
    if (!host)
        return iw_option_error(usage, "--agent takes HOST:PORT, or PORT with --peer, not %s", agent->text);
    if (!iw_option_address_or_port(agent->text, host, agent->host, sizeof agent->host, &agent->agent.port))
        return iw_option_error(usage, "--agent takes [HOST:]PORT, not %s", agent->text);
    agent->agent.host = agent->host;
    *found = &agent->agent;
    return 0;
}
