#include "iw_agent_state.h"

#include <string.h>

struct iw_endpoint *iw_agent_endpoint(struct iw_agent *agent, struct iw_agent_request *request) {
    unsigned last = iw_reference_last(agent->reference);
    unsigned number = (unsigned)iw_agent_integer(request, "connection", 1, UINT32_MAX, last);
    struct iw_endpoint *endpoint = iw_reference_connection(agent->reference, number);

    if (!endpoint)
        iw_agent_refuse(request, "connection", iw_agent_has(request, "connection") ? "connection" : NULL,
            "%s", iw_agent_has(request, "connection") ? "is none that is open" : "no connection is open");
    return endpoint;
}

/* The startup frame is made of it whenever a connection comes. */
static void keep_private_data(
    struct iw_agent *agent, struct iw_agent_request *request, struct iw_endpoint_config *config) {
    size_t octets;
    const uint8_t *data = iw_agent_octets(request, "private_data", sizeof agent->private_data, &octets);

    if (request->code || !iw_agent_has(request, "private_data"))
        return;
    memcpy(agent->private_data, data, octets);
    config->private_data = agent->private_data;
    config->private_octets = octets;
}

/* All or nothing: a request that is refused changes nothing. */
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
    keep_private_data(agent, request, &config);
    if (!request->code)
        *settings = config;
}

void iw_agent_local_error(struct iw_agent *agent, struct iw_agent_request *request) {
    (void)request;
    iw_reference_settings(agent->reference)->local_error = true;
}

void iw_agent_connect(struct iw_agent *agent, struct iw_agent_request *request) {
    char text[IW_PORT_TEXT_OCTETS] = "";
    const char *host;
    uint16_t port;

    iw_agent_need(request, "host");
    iw_agent_need(request, "port");
    host = iw_agent_text(request, "host", "");
    port = (uint16_t)iw_agent_integer(request, "port", 1, UINT16_MAX, 0);
    if (request->code)
        return;
    if (!iw_reference_connect(agent->reference, host, port, text)) {
        iw_agent_refuse(request, "connection", NULL, "%s", text[0] ? text : "not enough memory");
        return;
    }
    json_object_set_new(request->answer, "connection", json_integer(iw_reference_last(agent->reference)));
}

void iw_agent_answer(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_endpoint *endpoint = iw_agent_endpoint(agent, request);
    bool reject = iw_agent_flag(request, "reject", iw_reference_settings(agent->reference)->reject);

    if (!request->code && !iw_endpoint_answer(endpoint, reject))
        iw_agent_refuse(request, "connection", NULL, "the connection has no Request that waits");
}

enum { RECEIVES_MAX = 1 << 20, RECEIVE_MAX = 64 << 20 };

void iw_agent_receives(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_endpoint_config *settings = iw_reference_settings(agent->reference);
    uint32_t count = (uint32_t)iw_agent_integer(request, "count", 0, RECEIVES_MAX, 1);
    uint32_t size = (uint32_t)iw_agent_integer(request, "size", 0, RECEIVE_MAX, 4096);
    bool later = iw_reference_last(agent->reference) == 0 && !iw_agent_has(request, "connection");
    struct iw_endpoint *endpoint = later ? NULL : iw_agent_endpoint(agent, request);

    if (request->code)
        return;
    if (later) {
        settings->receive_count = count;
        settings->receive_octets = size;
    } else if (iw_endpoint_receives(endpoint, count, size) != IW_OK) {
        iw_agent_refuse(request, "memory", "count", "takes more memory than there is");
    }
}

void iw_agent_close(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_endpoint *endpoint = iw_agent_endpoint(agent, request);

    if (endpoint)
        iw_endpoint_close(endpoint);
}

/* No event of the connection follows. */
void iw_agent_abort(struct iw_agent *agent, struct iw_agent_request *request) {
    unsigned last = iw_reference_last(agent->reference);

    if (iw_agent_endpoint(agent, request))
        iw_reference_reset(
            agent->reference, (unsigned)iw_agent_integer(request, "connection", 1, UINT32_MAX, last));
}
