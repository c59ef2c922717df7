#include "iw_verbs_agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_startup.h"
#include "iw_verbs_state.h"

static void verbs_hello(struct iw_agent *agent, struct iw_agent_request *request);
static void verbs_configure(struct iw_agent *agent, struct iw_agent_request *request);

static const struct iw_agent_operations operations = {{
    [IW_AGENT_OP_HELLO] = verbs_hello,
    [IW_AGENT_OP_PING] = iw_agent_ping,
    [IW_AGENT_OP_CONFIGURE] = verbs_configure,
    [IW_AGENT_OP_CONNECT] = iw_verbs_connect,
    [IW_AGENT_OP_ANSWER] = iw_verbs_answer,
    [IW_AGENT_OP_RECEIVES] = iw_verbs_receives,
    [IW_AGENT_OP_CLOSE] = iw_verbs_close,
    [IW_AGENT_OP_ABORT] = iw_verbs_abort,
    [IW_AGENT_OP_REGISTER] = iw_verbs_register,
    [IW_AGENT_OP_DEREGISTER] = iw_verbs_deregister,
    [IW_AGENT_OP_INVALIDATE] = iw_verbs_invalidate,
    [IW_AGENT_OP_READ] = iw_verbs_read,
    [IW_AGENT_OP_WRITE] = iw_verbs_write,
    [IW_AGENT_OP_HASH] = iw_verbs_hash,
    [IW_AGENT_OP_POST] = iw_verbs_post,
}};

/* ---- requests ---- */

/* No verb tells a received Terminate. */
static unsigned verbs_events(const struct iw_agent *agent) {
    return agent->config.log->fd >= 0 ? ~0u : ~(1u << IW_AGENT_EVENT_TERMINATE);
}

/* rdma_disconnect ends both directions: no verb closes one of them. */
static unsigned verbs_abilities(const struct iw_agent *agent) {
    bool invalidates = agent->config.device->abilities.rights & 1u << IW_AGENT_RIGHT_INVALIDATE;

    return invalidates ? 1u << IW_AGENT_ABILITY_INVALIDATE : 0;
}

/* With a fixed port (--port), the answer names no port: the suite uses that of --peer. */
static void verbs_hello(struct iw_agent *agent, struct iw_agent_request *request) {
    const struct iw_verbs_device *device = agent->config.device;
    const struct iw_verbs_abilities *abilities = &device->abilities;
    const char *firmware = device->firmware[0] ? device->firmware : NULL;
    char name[96];

    snprintf(name, sizeof name, "warpcheck-agent on %.64s", ibv_get_device_name(device->context->device));
    iw_agent_hello(request, &operations, name);
    json_object_set_new(
        json_object_get(request->answer, "limits"), "private_data", json_integer(IW_VERBS_PRIVATE_MAX));
    json_object_update_new(request->answer,
        json_pack("{s:s, s:s*, s:o*, s:o, s:o, s:o, s:[], s:o, s:o}", "device",
            ibv_get_device_name(device->context->device), "firmware", firmware, "port",
            agent->config.port > 0 ? NULL : json_integer(ntohs(rdma_get_src_port(agent->listener))),
            "messages", iw_agent_set_json(iw_agent_messages, abilities->messages), "events",
            iw_agent_set_json(iw_agent_events, verbs_events(agent)), "rights",
            iw_agent_set_json(iw_agent_rights, abilities->rights), "hashes", "extensions",
            iw_agent_set_json(iw_agent_extensions, abilities->extensions), "abilities",
            iw_agent_set_json(iw_agent_abilities, verbs_abilities(agent))));
}

static void verbs_fixed(struct iw_agent_request *request, const char *field, bool same) {
    if (!same)
        iw_agent_refuse(request, "unsupported", field, "cannot be changed by verbs");
}

/* Rejects startup settings other than those of the driver, which verbs cannot change. */
static void verbs_check_startup(const struct iw_agent *agent, struct iw_agent_request *request) {
    const struct iw_verbs_startup *own = &agent->config.startup;

    verbs_fixed(
        request, "rev", iw_agent_integer(request, "rev", 0, UINT8_MAX, own->revision) == own->revision);
    verbs_fixed(
        request, "enhanced", iw_agent_flag(request, "enhanced", own->revision == 2) == (own->revision == 2));
    verbs_fixed(request, "crc", iw_agent_flag(request, "crc", own->crc) == own->crc);
    verbs_fixed(request, "markers", iw_agent_flag(request, "markers", own->markers) == own->markers);
    verbs_fixed(request, "peer_to_peer", !iw_agent_flag(request, "peer_to_peer", false));
    verbs_fixed(request, "rtr", iw_agent_set(request, "rtr", iw_rtr_names, 0) == 0);
    verbs_fixed(request, "mulpdu", iw_agent_integer(request, "mulpdu", 0, UINT16_MAX, 0) == 0);
    /* The device uses all that it supports, so the set must allow that. */
    verbs_fixed(request, "extensions",
        (agent->config.device->abilities.extensions &
            ~iw_agent_set(request, "extensions", iw_agent_extensions, ~0u)) == 0);
}

static uint8_t verbs_depth(
    const struct iw_agent *agent, struct iw_agent_request *request, const char *field, uint8_t now) {
    uint64_t depth = iw_agent_integer(request, field, 0, 16383, now);

    if (depth > agent->config.device->abilities.depth)
        iw_agent_refuse(request, "unsupported", field, "of this device is at most %u",
            (unsigned)agent->config.device->abilities.depth);
    return (uint8_t)depth;
}

/* All or nothing: a rejected request has no effect. */
static void verbs_configure(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_verbs_settings settings = agent->settings;
    size_t octets;
    const uint8_t *data;

    verbs_check_startup(agent, request);
    settings.ird = verbs_depth(agent, request, "ird", settings.ird);
    settings.ord = verbs_depth(agent, request, "ord", settings.ord);
    settings.reject = iw_agent_flag(request, "reject", settings.reject);
    settings.hold = iw_agent_flag(request, "hold", settings.hold);
    data = iw_agent_octets(request, "private_data", 512, &octets);
    if (octets > IW_VERBS_PRIVATE_MAX)
        iw_agent_refuse(request, "unsupported", "private_data", "has at most %d octets on this device",
            IW_VERBS_PRIVATE_MAX);
    if (request->code)
        return;
    if (iw_agent_has(request, "private_data")) {
        memcpy(settings.private_data, data, octets);
        settings.private_octets = (uint8_t)octets;
    }
    agent->settings = settings;
}

/* ---- events ---- */

void iw_verbs_tell(const struct iw_verbs_connection *connection, const char *name, json_t *more) {
    json_t *event;

    if (connection->silent) {
        json_decref(more);
        return;
    }
    event = json_pack("{s:s, s:i}", "event", name, "connection", (int)connection->number);

    if (more)
        json_object_update_new(event, more);
    connection->agent->config.event(connection->agent->config.user, event);
}

void iw_verbs_agent_drain(struct iw_agent *agent) {
    struct iw_verbs_connection *connection, *next;

    /* Messages that arrived before a logged Terminate are in the queues by now. */
    iw_kernel_log_read(agent->config.log);
    iw_verbs_queue_read_channels(agent);
    for (connection = TAILQ_LAST(&agent->connections, iw_verbs_list); connection; connection = next) {
        next = TAILQ_PREV(connection, iw_verbs_list, next);
        iw_verbs_queue_drain(connection);
        iw_verbs_connection_tell_terminate(connection);
    }
    iw_verbs_agent_read_async(agent->config.device);
    iw_verbs_connection_drain(agent);
}

json_t *iw_verbs_agent_execute(struct iw_agent *agent, const json_t *request) {
    json_t *answer;

    iw_verbs_agent_drain(agent);
    answer = iw_agent_operation_execute(&operations, agent, request);
    iw_verbs_agent_drain(agent);
    return answer;
}

void iw_verbs_agent_lose_device(struct iw_agent *agent) {
    struct iw_verbs_connection *connection;

    while ((connection = TAILQ_FIRST(&agent->connections))) {
        iw_verbs_tell(
            connection, "error", json_pack("{s:b, s:s}", "terminates", 0, "text", "the device is gone"));
        iw_verbs_connection_end(connection, "failed", "the device is gone");
    }
}

/* Reports an error of a queue pair, after what completed before it. */
static void verbs_tell_pair_error(struct iw_agent *agent, const struct ibv_async_event *event) {
    struct iw_verbs_connection *connection;

    TAILQ_FOREACH(connection, &agent->connections, next) {
        if (connection->id->qp != event->element.qp)
            continue;
        iw_verbs_queue_drain(connection);
        iw_verbs_tell(connection, "error",
            json_pack("{s:b, s:s}", "terminates", 1, "text", ibv_event_type_str(event->event_type)));
        break;
    }
}

static void verbs_take_async(struct iw_verbs_device *device, const struct ibv_async_event *event) {
    struct iw_agent *agent;

    switch (event->event_type) {
    case IBV_EVENT_DEVICE_FATAL:
        device->gone = true;
        LIST_FOREACH(agent, &device->agents, others) {
            iw_verbs_agent_lose_device(agent);
        }
        break;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
        LIST_FOREACH(agent, &device->agents, others) {
            verbs_tell_pair_error(agent, event);
        }
        break;
    default:
        break;
    }
}

void iw_verbs_agent_read_async(struct iw_verbs_device *device) {
    struct ibv_async_event event;

    while (ibv_get_async_event(device->context, &event) == 0) {
        ibv_ack_async_event(&event); /* a queue pair with an unacknowledged event cannot be destroyed */
        verbs_take_async(device, &event);
    }
    /* EIO: the driver has let go of the device. */
    device->gone |= errno != EAGAIN && errno != EINTR;
}

/* ---- the session ---- */

void iw_verbs_agent_poll(const struct iw_agent *agent, struct pollfd fds[IW_VERBS_AGENT_FDS], bool *busy) {
    const struct iw_verbs_connection *connection;

    fds[0] = (struct pollfd){.fd = agent->channel->fd, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = agent->sent->fd, .events = POLLIN};
    fds[2] = (struct pollfd){.fd = agent->received->fd, .events = POLLIN};
    TAILQ_FOREACH(connection, &agent->connections, next) {
        *busy |= connection->receive_queue != NULL;
    }
}

static bool verbs_open_channels(struct iw_agent *agent) {
    struct ibv_context *context = agent->config.device->context;

    agent->channel = rdma_create_event_channel();
    agent->sent = ibv_create_comp_channel(context);
    agent->received = ibv_create_comp_channel(context);
    agent->domain = ibv_alloc_pd(context);
    if (!agent->channel || !agent->sent || !agent->received || !agent->domain)
        return false;
    fcntl(agent->channel->fd, F_SETFL, O_NONBLOCK);
    fcntl(agent->sent->fd, F_SETFL, O_NONBLOCK);
    fcntl(agent->received->fd, F_SETFL, O_NONBLOCK);
    return true;
}

struct iw_agent *iw_verbs_agent_new(const struct iw_verbs_agent_config *config, char *text) {
    struct iw_agent *agent = calloc(1, sizeof *agent);

    snprintf(text, IW_VERBS_TEXT_OCTETS, "not enough memory");
    if (!agent)
        return NULL;
    agent->config = *config;
    agent->settings.ird = agent->settings.ord = (uint8_t)config->device->abilities.depth;
    TAILQ_INIT(&agent->connections);
    SLIST_INIT(&agent->regions);
    LIST_INSERT_HEAD(&config->device->agents, agent, others);
    if (!verbs_open_channels(agent))
        snprintf(text, IW_VERBS_TEXT_OCTETS, "the device cannot begin a session: %s", strerror(errno));
    else if (iw_verbs_connection_listen(agent, text))
        return agent;
    iw_verbs_agent_free(agent);
    return NULL;
}

static void verbs_drop_event(void *user, json_t *event) {
    (void)user;
    json_decref(event);
}

void iw_verbs_agent_free(struct iw_agent *agent) {
    struct iw_verbs_connection *connection;

    if (!agent)
        return;
    agent->config.event = verbs_drop_event;
    agent->settings = (struct iw_verbs_settings){.reject = true};
    if (agent->listener) /* connections that the peer has closed need no reset */
        iw_verbs_agent_drain(agent);
    while ((connection = TAILQ_FIRST(&agent->connections))) {
        iw_verbs_connection_reset(connection);
        iw_verbs_connection_end(connection, NULL, NULL);
    }
    if (agent->listener6)
        rdma_destroy_id(agent->listener6);
    if (agent->listener)
        rdma_destroy_id(agent->listener);
    iw_verbs_memory_free(agent);
    if (agent->other)
        ibv_dealloc_pd(agent->other);
    if (agent->domain)
        ibv_dealloc_pd(agent->domain);
    if (agent->sent)
        ibv_destroy_comp_channel(agent->sent);
    if (agent->received)
        ibv_destroy_comp_channel(agent->received);
    if (agent->channel)
        rdma_destroy_event_channel(agent->channel);
    LIST_REMOVE(agent, others);
    free(agent);
}
