#include "iw_agent_state.h"

#include <stdlib.h>
#include <string.h>

const char *const iw_agent_extensions[] = {"7306", "talpey", "storm", NULL};

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

static json_t *operations(void);

static void hello(struct iw_agent *agent, struct iw_agent_request *request) {
    iw_agent_need(request, "version");
    if (iw_agent_integer(request, "version", 0, INT32_MAX, 0) != IW_AGENT_VERSION)
        iw_agent_refuse(request, "version", "version", "of this agent is %d", IW_AGENT_VERSION);
    json_object_update_new(request->answer,
        json_pack("{s:i, s:s, s:i, s:o*, s:o, s:o, s:o, s:o, s:o, s:{s:i, s:i, s:i, s:i, s:i}}", "version",
            IW_AGENT_VERSION, "agent", "warpcheck", "port", iw_agent_port(agent), "sctp",
            agent->ddp ? agent_address_json(iw_agent_sctp(agent)) : NULL, "operations", operations(),
            "messages", agent_all_of(iw_agent_messages), "rights", agent_all_of(iw_right_names), "hashes",
            agent_all_of(iw_hash_names), "extensions", agent_all_of(iw_agent_extensions), "limits", "line",
            IW_AGENT_LINE_MAX, "requests", IW_AGENT_REQUESTS_MAX, "data", IW_AGENT_DATA_MAX, "region",
            IW_AGENT_REGION_MAX, "regions", IW_AGENT_REGIONS_MAX));
}

enum { FIELDS_MAX = 21 }; /* including the NULL after the last */

static const struct operation {
    const char *name;
    void (*execute)(struct iw_agent *agent, struct iw_agent_request *request); /* NULL: only answers */
    const char *fields[FIELDS_MAX];
} table[] = {
    {"hello", hello, {"version", "token"}},
    /* The agent sends events before the answer, so the answer shows that all earlier events have arrived. */
    {"ping", NULL, {NULL}},
    {"configure", iw_agent_configure,
        {"rev", "enhanced", "crc", "markers", "ird", "ord", "peer_to_peer", "rtr", "mulpdu", "reject", "hold",
            "private_data", "extensions"}},
    {"local_error", iw_agent_local_error, {NULL}},
    {"connect", iw_agent_connect, {"host", "port", "transport", "tunnel", "stream"}},
    {"answer", iw_agent_answer, {"connection", "reject"}},
    {"receives", iw_agent_receives, {"connection", "count", "size"}},
    {"close", iw_agent_close, {"connection"}},
    {"abort", iw_agent_abort, {"connection"}},
    {"register", iw_agent_register,
        {"size", "to", "stag", "rights", "hash", "persistent", "fill", "stream", "domain", "connection"}},
    {"deregister", iw_agent_deregister, {"stag"}},
    {"invalidate", iw_agent_invalidate, {"stag"}},
    {"read", iw_agent_read, {"stag", "offset", "size", "medium"}},
    {"write", iw_agent_write, {"stag", "offset", "data"}},
    {"hash", iw_agent_hash, {"stag", "offset", "size", "hash"}},
    {"post", iw_agent_post,
        {"connection", "message", "data", "invalidate", "stag", "to", "sink_stag", "sink_to", "source_stag",
            "source_to", "size", "add", "add_mask", "compare", "compare_mask", "swap", "swap_mask", "persist",
            "expose", "value"}},
};

enum { OPERATIONS = sizeof table / sizeof *table };

static json_t *operations(void) {
    json_t *list = json_array();

    for (size_t i = 0; i < OPERATIONS; i++)
        json_array_append_new(list, json_string(table[i].name));
    return list;
}

/* ---- requests ---- */

static const struct operation *agent_operation_find(struct iw_agent_request *request) {
    const char *name;

    iw_agent_need(request, "op");
    name = iw_agent_text(request, "op", "");
    for (size_t i = 0; i < OPERATIONS; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    iw_agent_refuse(request, "unsupported", "op", "is unknown to this agent: %.40s", name);
    return NULL;
}

/* Rejects unknown fields: a misspelt field would have no effect. */
static void agent_check_fields(const struct operation *operation, struct iw_agent_request *request) {
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)request->object, key, value) {
        size_t i = 0;

        while (operation->fields[i] && strcmp(operation->fields[i], key) != 0)
            i++;
        if (!operation->fields[i] && strcmp(key, "op") != 0 && strcmp(key, "id") != 0)
            iw_agent_refuse(request, "argument", NULL, "%s has no field %.40s", operation->name, key);
    }
}

/* Replaces everything but printable ASCII by '?': the quoted text may end within a UTF-8 character, and JSON
 * needs valid UTF-8. */
static json_t *agent_ascii_json(const char *text) {
    char copy[IW_AGENT_TEXT_OCTETS];
    size_t length = 0;

    for (; length < sizeof copy - 1 && text[length]; length++)
        copy[length] = text[length] >= ' ' && text[length] <= '~' ? text[length] : '?';
    return json_stringn(copy, length);
}

json_t *iw_agent_error(const json_t *id, const char *code, const char *field, const char *text) {
    json_t *error = json_pack("{ssso}", "code", code, "text", agent_ascii_json(text));

    if (field)
        json_object_set_new(error, "field", json_string(field));
    return json_pack("{sOso}", "id", id ? id : json_null(), "error", error);
}

static json_t *agent_answer_of(struct iw_agent_request *request) {
    const json_t *id = json_object_get(request->object, "id");

    if (request->code)
        return iw_agent_error(id, request->code, request->field, request->text);
    json_object_set(request->answer, "id", (json_t *)id);
    return json_incref(request->answer);
}

json_t *iw_agent_execute(struct iw_agent *agent, const json_t *object) {
    struct iw_agent_request request = {.object = object};
    const struct operation *operation;
    json_t *answer;

    if (!json_is_object(object))
        return iw_agent_error(NULL, "protocol", NULL, "a request must be a JSON object");
    if (!json_is_integer(json_object_get(object, "id")))
        return iw_agent_error(NULL, "argument", "id", "id takes an integer");
    request.answer = json_object();
    if (!request.answer)
        return NULL;
    operation = agent_operation_find(&request);
    if (operation)
        agent_check_fields(operation, &request);
    if (!request.code && operation->execute)
        operation->execute(agent, &request);
    answer = agent_answer_of(&request);
    json_decref(request.answer);
    for (unsigned i = 0; i < request.octet_count; i++)
        free(request.octets[i]);
    return answer;
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
