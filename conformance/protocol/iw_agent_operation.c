#include "iw_agent_operation.h"

#include <stdlib.h>
#include <string.h>

const char *const iw_agent_extensions[] = {"7306", "talpey", "storm", NULL};

const char *const iw_agent_messages[] = {"send", "send_se", "send_inv", "send_se_inv", "immediate",
    "immediate_se", "write", "read", "fetch_add", "cmp_swap", "swap", "flush", "verify", "atomic_write",
    NULL};

const char *const iw_agent_events[] = {
    "requested", "established", "rejected", "message", "completed", "terminate", "error", "closed", NULL};

const char *const iw_agent_abilities[] = {"half_close", "invalidate", NULL};

const char *const iw_agent_rights[] = {
    "read", "write", "atomic", "persist", "expose", "verify", "invalidate", NULL};

enum { FIELDS_MAX = 21 }; /* most fields of a request, plus the NULL that ends them */

static const struct operation {
    const char *name;
    const char *fields[FIELDS_MAX];
} operations[IW_AGENT_OPERATIONS] = {
    [IW_AGENT_OP_HELLO] = {"hello", {"version", "token"}},
    [IW_AGENT_OP_PING] = {"ping", {NULL}},
    [IW_AGENT_OP_CONFIGURE] = {"configure",
        {"rev", "enhanced", "crc", "markers", "ird", "ord", "peer_to_peer", "rtr", "mulpdu", "reject", "hold",
            "private_data", "extensions"}},
    [IW_AGENT_OP_LOCAL_ERROR] = {"local_error", {NULL}},
    [IW_AGENT_OP_CONNECT] = {"connect", {"host", "port", "transport", "tunnel", "stream"}},
    [IW_AGENT_OP_ANSWER] = {"answer", {"connection", "reject"}},
    [IW_AGENT_OP_RECEIVES] = {"receives", {"connection", "count", "size"}},
    [IW_AGENT_OP_CLOSE] = {"close", {"connection"}},
    [IW_AGENT_OP_ABORT] = {"abort", {"connection"}},
    [IW_AGENT_OP_REGISTER] = {"register",
        {"size", "to", "stag", "rights", "hash", "persistent", "fill", "stream", "domain", "connection"}},
    [IW_AGENT_OP_DEREGISTER] = {"deregister", {"stag"}},
    [IW_AGENT_OP_INVALIDATE] = {"invalidate", {"stag"}},
    [IW_AGENT_OP_READ] = {"read", {"stag", "offset", "size", "medium"}},
    [IW_AGENT_OP_WRITE] = {"write", {"stag", "offset", "data"}},
    [IW_AGENT_OP_HASH] = {"hash", {"stag", "offset", "size", "hash"}},
    [IW_AGENT_OP_POST] = {"post",
        {"connection", "message", "data", "invalidate", "stag", "to", "sink_stag", "sink_to", "source_stag",
            "source_to", "size", "add", "add_mask", "compare", "compare_mask", "swap", "swap_mask", "persist",
            "expose", "value"}},
};

void iw_agent_ping(struct iw_agent *agent, struct iw_agent_request *request) {
    (void)agent;
    (void)request;
}

void iw_agent_hello(
    struct iw_agent_request *request, const struct iw_agent_operations *supported, const char *agent) {
    json_t *names = json_array();

    for (size_t i = 0; i < IW_AGENT_OPERATIONS; i++)
        if (supported->execute[i])
            json_array_append_new(names, json_string(operations[i].name));
    iw_agent_need(request, "version");
    if (iw_agent_integer(request, "version", 0, INT32_MAX, 0) != IW_AGENT_VERSION)
        iw_agent_refuse(request, "version", "version", "of this agent is %d", IW_AGENT_VERSION);
    json_object_update_new(request->answer,
        json_pack("{s:i, s:s, s:o, s:{s:i, s:i, s:i, s:i, s:i}}", "version", IW_AGENT_VERSION, "agent", agent,
            "operations", names, "limits", "line", IW_AGENT_LINE_MAX, "requests", IW_AGENT_REQUESTS_MAX,
            "data", IW_AGENT_DATA_MAX, "region", IW_AGENT_REGION_MAX, "regions", IW_AGENT_REGIONS_MAX));
}

unsigned iw_agent_connection_number(struct iw_agent_request *request, unsigned latest) {
    return (unsigned)iw_agent_integer(request, "connection", 1, UINT32_MAX, latest);
}

void iw_agent_check_connection(struct iw_agent_request *request, const void *connection) {
    const char *named = iw_agent_has(request, "connection") ? "connection" : NULL;

    if (!connection)
        iw_agent_refuse(request, "connection", named, "%s", named ? "is not open" : "no connection is open");
}

static size_t agent_operation_find(struct iw_agent_request *request) {
    const char *name;

    iw_agent_need(request, "op");
    name = iw_agent_text(request, "op", "");
    for (size_t i = 0; i < IW_AGENT_OPERATIONS; i++)
        if (strcmp(operations[i].name, name) == 0)
            return i;
    iw_agent_refuse(request, "unsupported", "op", "is unknown to this agent: %.40s", name);
    return IW_AGENT_OPERATIONS;
}

/* Rejects unknown fields: a misspelt field would have no effect. */
static void agent_operation_check_fields(
    const struct operation *operation, struct iw_agent_request *request) {
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
static json_t *agent_operation_ascii(const char *text) {
    char copy[IW_AGENT_TEXT_OCTETS];
    size_t length = 0;

    for (; length < sizeof copy - 1 && text[length]; length++)
        copy[length] = text[length] >= ' ' && text[length] <= '~' ? text[length] : '?';
    return json_stringn(copy, length);
}

json_t *iw_agent_error(const json_t *id, const char *code, const char *field, const char *text) {
    json_t *error = json_pack("{ssso}", "code", code, "text", agent_operation_ascii(text));

    if (field)
        json_object_set_new(error, "field", json_string(field));
    return json_pack("{sOso}", "id", id ? id : json_null(), "error", error);
}

static json_t *agent_operation_answer(struct iw_agent_request *request) {
    const json_t *id = json_object_get(request->object, "id");

    if (request->code)
        return iw_agent_error(id, request->code, request->field, request->text);
    json_object_set(request->answer, "id", (json_t *)id);
    return json_incref(request->answer);
}

json_t *iw_agent_operation_execute(
    const struct iw_agent_operations *supported, struct iw_agent *agent, const json_t *object) {
    struct iw_agent_request request = {.object = object};
    size_t operation;
    json_t *answer;

    if (!json_is_object(object))
        return iw_agent_error(NULL, "protocol", NULL, "a request must be a JSON object");
    if (!json_is_integer(json_object_get(object, "id")))
        return iw_agent_error(NULL, "argument", "id", "id takes an integer");
    request.answer = json_object();
    if (!request.answer)
        return NULL;
    operation = agent_operation_find(&request);
    if (!request.code)
        agent_operation_check_fields(&operations[operation], &request);
    if (!request.code && !supported->execute[operation])
        iw_agent_refuse(
            &request, "unsupported", "op", "is not supported by this device: %s", operations[operation].name);
    if (!request.code)
        supported->execute[operation](agent, &request);
    answer = agent_operation_answer(&request);
    json_decref(request.answer);
    for (unsigned i = 0; i < request.octet_count; i++)
        free(request.octets[i]);
    return answer;
}
