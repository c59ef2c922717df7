#include "iw_fake_verbs_state.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* librdmacm. */

struct rdma_event_channel *rdma_create_event_channel(void) {
    struct rdma_event_channel *channel = calloc(1, sizeof *channel);

    channel->fd = -1;
    fake_verbs.channels++;
    return channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel) {
    fake_verbs.channels--;
    free(channel);
}

int rdma_create_id(
    struct rdma_event_channel *channel, struct rdma_cm_id **id, void *user, enum rdma_port_space space) {
    *id = calloc(1, sizeof **id);
    **id = (struct rdma_cm_id){.channel = channel, .context = user, .ps = space};
    fake_verbs.last = *id;
    fake_verbs.ids++;
    return 0;
}

int rdma_destroy_id(struct rdma_cm_id *id) {
    size_t kept = 0;

    for (size_t i = 0; i < fake_state.cm_events.count; i++)
        if (fake_state.cm_events.items[i].id != id)
            fake_state.cm_events.items[kept++] = fake_state.cm_events.items[i];
    fake_state.cm_events.count = kept;
    fake_verbs.ids--;
    free(id);
    return 0;
}

int rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value, size_t octets) {
    (void)id;
    assert(
        level == RDMA_OPTION_ID && name == RDMA_OPTION_ID_AFONLY && octets == sizeof(int) && *(int *)value);
    return 0;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address) {
    size_t octets = address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);

    errno = EADDRNOTAVAIL;
    if (address->sa_family == AF_INET6 && !fake_verbs.ipv6)
        return -1;
    memcpy(&id->route.addr.src_storage, address, octets);
    return 0;
}

/* An IPv6 listener replaces that for IPv4 here: the next Request is for it. */
int rdma_listen(struct rdma_cm_id *id, int backlog) {
    (void)backlog;
    fake_verbs.listener = id;
    return 0;
}

uint16_t rdma_get_src_port(struct rdma_cm_id *id) {
    (void)id;
    return htons(7174);
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *own, struct sockaddr *peer, int timeout) {
    (void)own;
    (void)peer;
    (void)timeout;
    fake_verbs_cm(RDMA_CM_EVENT_ADDR_RESOLVED, id, 0);
    return 0;
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout) {
    (void)timeout;
    fake_verbs_cm(RDMA_CM_EVENT_ROUTE_RESOLVED, id, 0);
    return 0;
}

int rdma_create_qp_ex(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attributes) {
    id->qp = fake_create_pair(attributes->pd->context, attributes);
    return id->qp ? 0 : -1;
}

void rdma_destroy_qp(struct rdma_cm_id *id) {
    ibv_destroy_qp(id->qp);
    id->qp = NULL;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *parameters) {
    (void)id;
    (void)parameters;
    fake_verbs.connected++;
    return 0;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *parameters) {
    (void)id;
    (void)parameters;
    fake_verbs.accepted++;
    return 0;
}

int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t octets) {
    (void)id;
    (void)data;
    (void)octets;
    fake_verbs.rejected++;
    return 0;
}

int rdma_disconnect(struct rdma_cm_id *id) {
    (void)id;
    fake_verbs.disconnected++;
    return 0;
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event) {
    for (size_t i = 0; i < fake_state.cm_events.count; i++) {
        if (fake_state.cm_events.items[i].id->channel != channel)
            continue;
        *event = malloc(sizeof **event);
        **event = fake_state.cm_events.items[i];
        memmove(fake_state.cm_events.items + i, fake_state.cm_events.items + i + 1,
            (--fake_state.cm_events.count - i) * sizeof *fake_state.cm_events.items);
        return 0;
    }
    return -1;
}

int rdma_ack_cm_event(struct rdma_cm_event *event) {
    free(event);
    return 0;
}

const char *rdma_event_str(enum rdma_cm_event_type type) {
    (void)type;
    return "fake event";
}
