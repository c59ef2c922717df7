#include "iw_agent_state.h"

#include <string.h>

#include "iw_terminate.h"

/* Events of the device's connections in the form of the agent protocol. */

static json_t *agent_event_new(const char *name, unsigned connection) {
    json_t *event = json_object();

    json_object_set_new(event, "event", json_string(name));
    json_object_set_new(event, "connection", json_integer(connection));
    return event;
}

static void agent_event_set_integer(json_t *event, const char *name, uint64_t value) {
    json_object_set_new(event, name, json_integer((json_int_t)value));
}

/* Truncates the octets to IW_AGENT_DATA_MAX, the most that an event may carry (docs/agent.md). */
static void agent_event_set_octets(json_t *event, const char *name, const uint8_t *octets, size_t count) {
    size_t most = count > IW_AGENT_DATA_MAX ? (size_t)IW_AGENT_DATA_MAX : count;

    json_object_set_new(event, name, iw_agent_octets_json(octets, most));
}

static void agent_event_set_error(json_t *event, uint16_t error) {
    char text[IW_ERROR_TEXT_OCTETS];

    iw_error_text(error, text);
    json_object_set_new(event, "error", json_string(text));
}

static json_t *agent_event_established(unsigned connection, const struct iw_terms *terms) {
    return json_pack("{s:s, s:I, s:i, s:b, s:b, s:b, s:b, s:b, s:o, s:i, s:i}", "event", "established",
        "connection", (json_int_t)connection, "rev", terms->revision, "crc", terms->crc, "markers_out",
        terms->markers_out, "markers_in", terms->markers_in, "enhanced", terms->enhanced, "peer_to_peer",
        terms->peer_to_peer, "rtr", iw_agent_set_json(iw_rtr_names, terms->rtr), "ird", terms->ird, "ord",
        terms->ord);
}

static json_t *agent_event_closed(unsigned connection, const struct iw_event *from) {
    json_t *event = agent_event_new("closed", connection);

    json_object_set_new(event, "how", json_string(iw_end_name(from->end)));
    json_object_set_new(event, "text", json_string(from->text ? from->text : ""));
    return event;
}

static json_t *agent_event_message(unsigned connection, const struct iw_event *from) {
    static const char *const kinds[] = {[IW_RDMAP_OP_SEND] = "send",
        [IW_RDMAP_OP_SEND_INV] = "send_inv",
        [IW_RDMAP_OP_SEND_SE] = "send_se",
        [IW_RDMAP_OP_SEND_SE_INV] = "send_se_inv",
        [IW_RDMAP_OP_IMMEDIATE] = "immediate",
        [IW_RDMAP_OP_IMMEDIATE_SE] = "immediate_se"};
    json_t *event = agent_event_new("message", connection);

    json_object_set_new(event, "message", json_string(kinds[from->opcode]));
    agent_event_set_integer(event, "msn", from->msn);
    agent_event_set_integer(event, "invalidate", from->invalidate_stag);
    agent_event_set_integer(event, "size", from->octet_count);
    agent_event_set_octets(event, "data", from->octets, from->octet_count);
    return event;
}

/* Stores the response until the request completes; earlier posts may delay the completion. */
static void agent_event_hold_answer(struct iw_agent *agent, const struct iw_event *from) {
    agent->answered.id = from->id;
    agent->answered.opcode = from->opcode;
    agent->answered.original = from->original;
    agent->answered.hash_octets =
        from->octet_count < sizeof agent->answered.hash ? from->octet_count : sizeof agent->answered.hash;
    if (from->octet_count > 0)
        memcpy(agent->answered.hash, from->octets, agent->answered.hash_octets);
}

static json_t *agent_event_completed(
    const struct iw_agent *agent, unsigned connection, const struct iw_event *from, const char *status) {
    json_t *event = agent_event_new("completed", connection);

    agent_event_set_integer(event, "post", from->id);
    json_object_set_new(event, "status", json_string(status));
    if (from->kind != IW_EVENT_COMPLETED || agent->answered.id != from->id)
        return event;
    if (agent->answered.opcode == IW_RDMAP_OP_ATOMIC_REQUEST)
        json_object_set_new(event, "original", iw_agent_wide_json(agent->answered.original));
    if (agent->answered.opcode == IW_RDMAP_OP_VERIFY_REQUEST)
        agent_event_set_octets(event, "hash", agent->answered.hash, agent->answered.hash_octets);
    return event;
}

static json_t *agent_event_terminate(unsigned connection, const struct iw_event *from) {
    json_t *event = agent_event_new("terminate", connection);

    if (from->terminate)
        agent_event_set_error(event, iw_terminate_error(&from->terminate->control));
    return event;
}

static json_t *agent_event_error(unsigned connection, const struct iw_event *from) {
    json_t *event = agent_event_new("error", connection);

    if (from->error != IW_NO_ERROR)
        agent_event_set_error(event, (uint16_t)from->error);
    json_object_set_new(event, "terminates", json_boolean(from->terminates));
    json_object_set_new(event, "text", json_string(from->text ? from->text : ""));
    return event;
}

/* Returns NULL if the protocol does not report the event. */
static json_t *agent_event_json(struct iw_agent *agent, unsigned connection, const struct iw_event *event) {
    switch (event->kind) {
    case IW_EVENT_ESTABLISHED:
        return agent_event_established(connection, event->terms);
    case IW_EVENT_REQUESTED:
        return agent_event_new("requested", connection);
    case IW_EVENT_REJECTED:
        return agent_event_new("rejected", connection);
    case IW_EVENT_MESSAGE:
        return agent_event_message(connection, event);
    case IW_EVENT_ANSWERED:
        agent_event_hold_answer(agent, event);
        break;
    case IW_EVENT_COMPLETED:
        return agent_event_completed(agent, connection, event, "done");
    case IW_EVENT_FLUSHED:
        return agent_event_completed(agent, connection, event, "flushed");
    case IW_EVENT_TERMINATE:
        return agent_event_terminate(connection, event);
    case IW_EVENT_ERROR:
        return agent_event_error(connection, event);
    case IW_EVENT_CLOSED:
        return agent_event_closed(connection, event);
    case IW_EVENT_CONNECTED:
    case IW_EVENT_STARTUP:
    case IW_EVENT_OCTETS:
    case IW_EVENT_FPDU:
    case IW_EVENT_RTR:
    case IW_EVENT_TAGGED:
    case IW_EVENT_READ:
    case IW_EVENT_EXECUTED:
    case IW_EVENT_READ_DONE:
    case IW_EVENT_SENT:
        break;
    }
    return NULL;
}

void iw_agent_tell(
    void *user, struct iw_reference *reference, unsigned connection, const struct iw_event *event) {
    struct iw_agent *agent = user;
    json_t *json = agent_event_json(agent, connection, event);

    (void)reference;
    if (json)
        agent->config.event(agent->config.user, json);
}
