#include "iw_agent_state.h"

#include <string.h>

struct iw_endpoint *iw_agent_endpoint(struct iw_agent *agent, struct iw_agent_request *request) {
    unsigned number = iw_agent_connection_number(request, iw_reference_last(agent->reference));
    struct iw_endpoint *endpoint = iw_reference_connection(agent->reference, number);

    iw_agent_check_connection(request, endpoint);
    return endpoint;
}

/* Keeps a copy: each new connection builds its startup frame from it. */
static void agent_connection_copy_private_data(
    struct iw_agent *agent, struct iw_agent_request *request, struct iw_endpoint_config *config) {
    size_t octets;
    const uint8_t *data = iw_agent_octets(request, "private_data", sizeof agent->private_data, &octets);

    if (request->code || !iw_agent_has(request, "private_data"))
        return;
    memcpy(agent->private_data, data, octets);
    config->private_data = agent->private_data;
    config->private_octets = octets;
}

/* All or nothing: a rejected request has no effect. */
void iw_agent_configure(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_endpoint_config *settings = iw_reference_settings(agent->reference);
    struct iw_endpoint_config config = *settings;

    config.revision = (uint8_t)iw_agent_integer(request, "rev", 0, UINT8_MAX, config.revision);
    config.enhanced = iw_agent_flag(request, "enhanced", config.enhanced);
    config.no_crc = !iw_agent_flag(request, "crc", !config.no_crc);
    config.markers = iw_agent_flag(request, "markers", config.markers);
    config.ird = (uint16_t)iw_agent_integer(request, "ird", 0, IW_IRD_ORD_NONE, config.ird);
    config.ord = (uint16_t)iw_agent_integer(request, "ord", 0, IW_IRD_ORD_NONE, config.ord);
    config.peer_to_peer = iw_agent_flag(request, "peer_to_peer", config.peer_to_peer);
    config.rtr = iw_agent_set(request, "rtr", iw_rtr_names, config.rtr);
    config.mulpdu = (uint16_t)iw_agent_integer(request, "mulpdu", 0, UINT16_MAX, config.mulpdu);
    config.reject = iw_agent_flag(request, "reject", config.reject);
    config.held = iw_agent_flag(request, "hold", config.held);
    config.extensions = iw_agent_set(request, "extensions", iw_agent_extensions, config.extensions);
    agent_connection_copy_private_data(agent, request, &config);
    if (!request->code)
        *settings = config;
}

void iw_agent_local_error(struct iw_agent *agent, struct iw_agent_request *request) {
    (void)request;
    iw_reference_settings(agent->reference)->local_error = true;
}

static unsigned agent_connect_over_sctp(
    struct iw_agent *agent, struct iw_agent_request *request, struct iw_sctp_where peer, char *text) {
    uint16_t stream = (uint16_t)iw_agent_integer(request, "stream", 0, UINT16_MAX, 0);

    peer.tunnelled = iw_agent_has(request, "tunnel");
    peer.tunnel = (uint16_t)iw_agent_integer(request, "tunnel", 1, UINT16_MAX, 0);
    if (!agent->ddp)
        iw_agent_refuse(request, "unsupported", "transport", "is not supported by this device: sctp");
    return request->code ? 0 : iw_ddp_reference_connect(agent->ddp, &peer, stream, text);
}

static unsigned agent_connect_over_tcp(
    struct iw_agent *agent, struct iw_agent_request *request, struct iw_sctp_where peer, char *text) {
    static const char *const fields[] = {"tunnel", "stream"};

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (iw_agent_has(request, fields[i]))
            iw_agent_refuse(request, "argument", fields[i], "needs the transport sctp");
    if (request->code || !iw_reference_connect(agent->reference, peer.host, peer.port, text))
        return 0;
    return iw_reference_last(agent->reference);
}

void iw_agent_connect(struct iw_agent *agent, struct iw_agent_request *request) {
    static const char *const transports[] = {"tcp", "sctp", NULL};
    struct iw_sctp_where peer = {0};
    char text[IW_PORT_TEXT_OCTETS] = "not enough memory";
    unsigned number;
    bool sctp;

    iw_agent_need(request, "host");
    iw_agent_need(request, "port");
    peer.host = iw_agent_text(request, "host", "");
    peer.port = (uint16_t)iw_agent_integer(request, "port", 1, UINT16_MAX, 0);
    sctp = iw_agent_choice(request, "transport", transports, 0) == 1;
    if (request->code)
        return;
    number = sctp ? agent_connect_over_sctp(agent, request, peer, text)
                  : agent_connect_over_tcp(agent, request, peer, text);
    if (number == 0)
        iw_agent_refuse(request, "connection", NULL, "%s", text);
    else
        json_object_set_new(request->answer, "connection", json_integer(number));
}

void iw_agent_answer(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_endpoint *endpoint = iw_agent_endpoint(agent, request);
    bool reject = iw_agent_flag(request, "reject", iw_reference_settings(agent->reference)->reject);

    if (!request->code && !iw_endpoint_answer(endpoint, reject))
        iw_agent_refuse(request, "connection", NULL, "the connection has no pending Request");
}

void iw_agent_receives(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_endpoint_config *settings = iw_reference_settings(agent->reference);
    uint32_t count = (uint32_t)iw_agent_integer(request, "count", 0, IW_AGENT_RECEIVES_MAX, 1);
    uint32_t size = (uint32_t)iw_agent_integer(request, "size", 0, IW_AGENT_RECEIVE_MAX, 4096);
    bool later = iw_reference_last(agent->reference) == 0 && !iw_agent_has(request, "connection");
    struct iw_endpoint *endpoint = later ? NULL : iw_agent_endpoint(agent, request);

    if (request->code)
        return;
    if (later) {
        settings->receives.count = count;
        settings->receives.octets = size;
    } else if (iw_endpoint_receives(endpoint, count, size) != IW_OK) {
        iw_agent_refuse(request, "memory", "count", "exceeds the available memory");
    }
}

void iw_agent_close(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_endpoint *endpoint = iw_agent_endpoint(agent, request);

    if (endpoint)
        iw_endpoint_close(endpoint);
}

/* The connection reports no further events. */
void iw_agent_abort(struct iw_agent *agent, struct iw_agent_request *request) {
    unsigned number = iw_agent_connection_number(request, iw_reference_last(agent->reference));

    if (iw_agent_endpoint(agent, request))
        iw_reference_reset(agent->reference, number);
}
