#include "cmd_agent.h"

#include <getopt.h>

#include "iw_secret_file.h"

int cmd_agent_token(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct cmd_agent *agent = at;
    char error[512];

    if (iw_agent_token_read(optarg, agent->token, error, sizeof error) != IW_OK)
        return iw_option_error(usage, "--%s: %s", option->name, error);
    iw_secret_file_warn("warpcheck", optarg);
    agent->agent.token = agent->token;
    return 0;
}

const char *cmd_agent_host(struct cmd_agent *agent) {
    if (!agent->text || !iw_option_address(agent->text, agent->host, sizeof agent->host, &agent->agent.port))
        return NULL;
    return agent->host;
}

/* The option that makes no sense without an agent, or NULL. */
static const char *agent_useless_option(const struct cmd_agent *agent) {
    if (agent->agent.token)
        return "token-file";
    if (iw_tls_wanted(&agent->tls))
        return "tls";
    return agent->insecure ? "insecure" : NULL;
}

static int agent_open_tls(const struct iw_usage *usage, struct cmd_agent *agent, enum iw_tls_side side) {
    char error[512];

    if (!iw_tls_wanted(&agent->tls))
        return 0;
    agent->context = iw_tls_context_new(&agent->tls, side, error, sizeof error);
    if (!agent->context)
        return iw_option_error(usage, "--tls: %s", error);
    iw_secret_file_warn("warpcheck", agent->tls.psk);
    iw_secret_file_warn("warpcheck", agent->tls.key);
    return 0;
}

/* The token and everything about the device would be readable on the way. */
static int agent_secure(const struct iw_usage *usage, struct cmd_agent *agent) {
    const char *lacks = iw_agent_lacks(agent->host, true, iw_tls_wanted(&agent->tls), agent->insecure);

    if (lacks)
        return iw_option_error(usage, "--agent at %s, on another host, needs %s", agent->host, lacks);
    return agent_open_tls(usage, agent, IW_TLS_CLIENT);
}

int cmd_agent_find(const struct iw_usage *usage, struct cmd_agent *agent, const char *host,
    bool own_host_used, const struct iw_dut_agent **found) {
    const char *useless = agent_useless_option(agent);
    int code;

    if (!useless && agent->agent.own_host && !own_host_used)
        useless = "own-host";

    *found = NULL;
    if (!agent->text && useless)
        return iw_option_error(usage, "--%s goes with --agent", useless);
    if (!agent->text)
        return 0;
    if (!host)
        return iw_option_error(usage, "--agent takes HOST:PORT, or PORT with --peer, not %s", agent->text);
    if (!iw_option_address_or_port(agent->text, host, agent->host, sizeof agent->host, &agent->agent.port))
        return iw_option_error(usage, "--agent takes [HOST:]PORT, not %s", agent->text);
    agent->agent.host = agent->host;
    code = agent_secure(usage, agent);
    agent->agent.tls = agent->context;
    *found = &agent->agent;
    return code;
}

int cmd_agent_serve(const struct iw_usage *usage, struct cmd_agent *agent, const char *host) {
    const char *lacks;

    if (!host && agent_useless_option(agent))
        return iw_option_error(usage, "--%s goes with --agent", agent_useless_option(agent));
    if (!host)
        return 0;
    lacks = iw_agent_lacks(host, agent->agent.token || iw_tls_knows_client(&agent->tls),
        iw_tls_wanted(&agent->tls), agent->insecure);
    if (lacks)
        return iw_option_error(usage, "--agent at %s, which others can reach, needs %s", host, lacks);
    return agent_open_tls(usage, agent, IW_TLS_SERVER);
}

void cmd_agent_dispose(struct cmd_agent *agent) {
    iw_tls_context_free(agent->context);
    agent->context = NULL;
}
