#include "iw_agent_state.h"

#include <stdlib.h>
#include <string.h>

static json_t *agent_all_of(const char *const *names) {
    return iw_agent_set_json(names, ~0u);
}

/* The host is omitted: it is the same as for TCP. */
static json_t *agent_address_json(struct iw_sctp_where where) {
    json_t *object = json_pack("{si}", "port", (int)where.port);

    if (where.tunnelled)
        json_object_set_new(object, "tunnel", json_integer(where.tunnel));
    return object;
}

static void agent_hello(struct iw_agent *agent, struct iw_agent_request *request);

static const struct iw_agent_operations operations = {{
    [IW_AGENT_OP_HELLO] = agent_hello,
    [IW_AGENT_OP_PING] = iw_agent_ping,
    [IW_AGENT_OP_CONFIGURE] = iw_agent_configure,
    [IW_AGENT_OP_LOCAL_ERROR] = iw_agent_local_error,
    [IW_AGENT_OP_CONNECT] = iw_agent_connect,
    [IW_AGENT_OP_ANSWER] = iw_agent_answer,
    [IW_AGENT_OP_RECEIVES] = iw_agent_receives,
    [IW_AGENT_OP_CLOSE] = iw_agent_close,
    [IW_AGENT_OP_ABORT] = iw_agent_abort,
    [IW_AGENT_OP_REGISTER] = iw_agent_register,
    [IW_AGENT_OP_DEREGISTER] = iw_agent_deregister,
    [IW_AGENT_OP_INVALIDATE] = iw_agent_invalidate,
    [IW_AGENT_OP_READ] = iw_agent_read,
    [IW_AGENT_OP_WRITE] = iw_agent_write,
    [IW_AGENT_OP_HASH] = iw_agent_hash,
    [IW_AGENT_OP_POST] = iw_agent_post,
}};

static void agent_hello(struct iw_agent *agent, struct iw_agent_request *request) {
    iw_agent_hello(request, &operations, "warpcheck");
    json_object_update_new(request->answer,
        json_pack("{s:i, s:o*, s:o, s:o, s:o, s:o, s:o, s:o}", "port", iw_agent_port(agent), "sctp",
            agent->ddp ? agent_address_json(iw_agent_sctp(agent)) : NULL, "messages",
            agent_all_of(iw_agent_messages), "events", agent_all_of(iw_agent_events), "rights",
            agent_all_of(iw_agent_rights), "hashes", agent_all_of(iw_hash_names), "extensions",
            agent_all_of(iw_agent_extensions), "abilities", agent_all_of(iw_agent_abilities)));
}

json_t *iw_agent_execute(struct iw_agent *agent, const json_t *request) {
    return iw_agent_operation_execute(&operations, agent, request);
}

/* ---- the reference ---- */

struct iw_endpoint_config iw_agent_defaults(void) {
    struct iw_endpoint_config config = iw_reference_defaults();

    config.extensions = IW_EXT_ALL;
    return config;
}

static bool agent_begin_sctp(struct iw_agent *agent, char *text) {
    const struct iw_ddp_reference_config config = {.reference = agent->reference,
        .stack = agent->config.stack,
        .where = {.host = agent->config.host, .tunnelled = agent->config.tunnelled},
        .association = agent->config.association};

    agent->ddp = agent->config.stack ? iw_ddp_reference_new(&config, text) : NULL;
    return agent->ddp || !agent->config.stack;
}

struct iw_agent *iw_agent_new(const struct iw_agent_config *config, char *text) {
    struct iw_agent *agent = calloc(1, sizeof *agent);
    struct iw_reference_config reference = {.loop = config->loop,
        .host = config->host,
        .endpoint = config->endpoint,
        .opened = config->opened,
        .closed = config->closed,
        .watch_user = config->watch_user,
        .event = iw_agent_tell,
        .user = agent};

    strcpy(text, "not enough memory"); /* default reason; the listener may replace it */
    if (!agent)
        return NULL;
    agent->config = *config;
    agent->reference = iw_reference_new(&reference, text);
    if (agent->reference && agent_begin_sctp(agent, text))
        return agent;
    iw_agent_free(agent);
    return NULL;
}

void iw_agent_free(struct iw_agent *agent) {
    if (!agent)
        return;
    iw_reference_free(agent->reference);
    iw_ddp_reference_free(agent->ddp);
    free(agent);
}

struct iw_sctp_where iw_agent_sctp(const struct iw_agent *agent) {
    return agent->ddp ? iw_ddp_reference_where(agent->ddp) : (struct iw_sctp_where){.host = NULL};
}

uint16_t iw_agent_port(const struct iw_agent *agent) {
    return iw_reference_port(agent->reference);
}
