#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "iw_agent_region.h"
#include "iw_verbs_state.h"

/* Work requests of the device's ULP on a connection. */

struct making {
    struct iw_agent *agent;
    struct iw_agent_request *request;
    struct iw_verbs_post *post;
};

static void post_take_payload(const struct making *making) {
    const uint8_t *data =
        iw_agent_octets(making->request, "data", IW_AGENT_DATA_MAX, &making->post->octet_count);

    if (making->post->octet_count == 0)
        return;
    making->post->octets = malloc(making->post->octet_count);
    if (making->post->octets)
        memcpy(making->post->octets, data, making->post->octet_count);
    else
        iw_agent_refuse(making->request, "memory", "data", "exceeds the available memory");
}

static void post_make_send(const struct making *making) {
    struct ibv_send_wr *wr = &making->post->request;
    unsigned message = making->post->message;

    if (message == IW_AGENT_MESSAGE_SEND_SE || message == IW_AGENT_MESSAGE_SEND_SE_INV)
        wr->send_flags |= IBV_SEND_SOLICITED;
    wr->opcode = IBV_WR_SEND;
    if (message == IW_AGENT_MESSAGE_SEND_INV || message == IW_AGENT_MESSAGE_SEND_SE_INV) {
        wr->opcode = IBV_WR_SEND_WITH_INV;
        iw_agent_need(making->request, "invalidate");
        wr->invalidate_rkey = iw_agent_stag(making->request, "invalidate");
    } else if (iw_agent_has(making->request, "invalidate")) {
        iw_agent_refuse(making->request, "argument", "invalidate", "goes with send_inv or send_se_inv");
    }
    post_take_payload(making);
}

static void post_make_write(const struct making *making) {
    struct ibv_send_wr *wr = &making->post->request;

    wr->opcode = IBV_WR_RDMA_WRITE;
    wr->wr.rdma.rkey = iw_agent_stag(making->request, "stag");
    wr->wr.rdma.remote_addr = iw_agent_wide(making->request, "to", 0);
    post_take_payload(making);
}

/* The Data Sink is a region of the device; the whole region unless the request names a part. */
static void post_make_read(const struct making *making) {
    struct ibv_send_wr *wr = &making->post->request;
    const struct iw_verbs_region *sink =
        iw_verbs_memory_find(making->agent, iw_agent_stag(making->request, "sink_stag"));

    iw_agent_check_region(making->request, "sink_stag", sink);
    wr->opcode = IBV_WR_RDMA_READ;
    wr->wr.rdma.rkey = iw_agent_stag(making->request, "source_stag");
    wr->wr.rdma.remote_addr = iw_agent_wide(making->request, "source_to", 0);
    making->post->segment = (struct ibv_sge){.lkey = sink && sink->registration ? sink->registration->lkey
                                                     : sink                     ? sink->stag
                                                                                : 0,
        .addr = iw_agent_wide(making->request, "sink_to", sink ? sink->to : 0),
        .length = (uint32_t)iw_agent_integer(making->request, "size", 0, UINT32_MAX, sink ? sink->size : 0)};
    wr->num_sge = 1;
}

/* Rejects a mask other than `only`: verbs have no masks (RFC 7306). */
static void post_check_mask(const struct making *making, const char *field, uint64_t only) {
    if (iw_agent_wide(making->request, field, only) != only)
        iw_agent_refuse(making->request, "unsupported", field, "is not supported by verbs");
}

static void post_make_atomic(const struct making *making) {
    struct ibv_send_wr *wr = &making->post->request;
    bool add = making->post->message == IW_AGENT_MESSAGE_FETCH_ADD;

    wr->opcode = add ? IBV_WR_ATOMIC_FETCH_AND_ADD : IBV_WR_ATOMIC_CMP_AND_SWP;
    wr->wr.atomic.rkey = iw_agent_stag(making->request, "stag");
    wr->wr.atomic.remote_addr = iw_agent_wide(making->request, "to", 0);
    wr->wr.atomic.compare_add = iw_agent_wide(making->request, add ? "add" : "compare", 0);
    wr->wr.atomic.swap = add ? 0 : iw_agent_wide(making->request, "swap", 0);
    post_check_mask(making, "add_mask", 0);
    post_check_mask(making, "compare_mask", UINT64_MAX);
    post_check_mask(making, "swap_mask", UINT64_MAX);
    making->post->octet_count = sizeof(uint64_t);
    making->post->octets = calloc(1, sizeof(uint64_t));
}

static void post_make_atomic_write(const struct making *making) {
    struct ibv_send_wr *wr = &making->post->request;
    uint64_t value = iw_agent_wide(making->request, "value", 0);

    wr->wr.rdma.rkey = iw_agent_stag(making->request, "stag");
    wr->wr.rdma.remote_addr = iw_agent_wide(making->request, "to", 0);
    memcpy(making->post->value, &value, sizeof value); /* the device converts it to big-endian, as operands */
}

static void post_make_flush(const struct making *making) {
    struct ibv_send_wr *wr = &making->post->request;
    bool expose = iw_agent_flag(making->request, "expose", false);

    wr->wr.rdma.rkey = iw_agent_stag(making->request, "stag");
    wr->wr.rdma.remote_addr = iw_agent_wide(making->request, "to", 0);
    making->post->flush.octets = (uint32_t)iw_agent_integer(making->request, "size", 0, UINT32_MAX, 0);
    making->post->flush.expose = expose;
    making->post->flush.persist = iw_agent_flag(making->request, "persist", !expose);
}

static void (*const makers[IW_AGENT_MESSAGES])(const struct making *making) = {
    [IW_AGENT_MESSAGE_SEND] = post_make_send,
    [IW_AGENT_MESSAGE_SEND_SE] = post_make_send,
    [IW_AGENT_MESSAGE_SEND_INV] = post_make_send,
    [IW_AGENT_MESSAGE_SEND_SE_INV] = post_make_send,
    [IW_AGENT_MESSAGE_WRITE] = post_make_write,
    [IW_AGENT_MESSAGE_READ] = post_make_read,
    [IW_AGENT_MESSAGE_FETCH_ADD] = post_make_atomic,
    [IW_AGENT_MESSAGE_CMP_SWAP] = post_make_atomic,
    [IW_AGENT_MESSAGE_FLUSH] = post_make_flush,
    [IW_AGENT_MESSAGE_ATOMIC_WRITE] = post_make_atomic_write,
};

static void post_register(const struct making *making, const struct iw_verbs_connection *connection) {
    struct iw_verbs_post *post = making->post;

    post->request.sg_list = &post->segment;
    if (making->request->code || post->octet_count == 0)
        return;
    post->registration =
        post->octets ? ibv_reg_mr(connection->domain, post->octets, post->octet_count, IBV_ACCESS_LOCAL_WRITE)
                     : NULL;
    if (!post->registration) {
        iw_agent_refuse(making->request, "memory", NULL, "cannot be registered: %s", strerror(errno));
        return;
    }
    post->segment = (struct ibv_sge){.addr = (uintptr_t)post->octets,
        .length = (uint32_t)post->octet_count,
        .lkey = post->registration->lkey};
    post->request.num_sge = 1;
}

static void post_make(
    const struct making *making, const struct iw_verbs_connection *connection, unsigned message) {
    struct iw_verbs_post *post = making->post;

    post->message = message;
    post->request.send_flags = IBV_SEND_SIGNALED;
    makers[message](making);
    if (connection && connection->waiting == IW_AGENT_POSTS_MAX)
        iw_agent_refuse(making->request, "memory", NULL,
            "the limit of %d posts that wait to be sent is reached", (int)IW_AGENT_POSTS_MAX);
    if (connection && connection->waiting_octets + post->octet_count > IW_AGENT_WAITING_MAX)
        iw_agent_refuse(making->request, "memory", "data",
            "plus the octets waiting to be sent exceeds %d octets", (int)IW_AGENT_WAITING_MAX);
    if (connection)
        post_register(making, connection);
}

/* The completion may be reported before the answer. */
void iw_verbs_post(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_verbs_connection *connection = iw_verbs_connection_of(agent, request);
    struct making making = {agent, request, calloc(1, sizeof(struct iw_verbs_post))};
    unsigned message;

    iw_agent_need(request, "message");
    message = iw_agent_choice(request, "message", iw_agent_messages, 0);
    if (!(agent->config.device->abilities.messages & 1u << message))
        iw_agent_refuse(request, "unsupported", "message", "is not supported by this device: %s",
            iw_agent_messages[message]);
    if (!making.post)
        iw_agent_refuse(request, "memory", NULL, "not enough memory");
    else if (!request->code)
        post_make(&making, connection, message);
    if (request->code) {
        if (making.post)
            iw_verbs_queue_free_post(making.post);
        return;
    }
    making.post->number = making.post->request.wr_id = ++agent->posts;
    connection->waiting++;
    connection->waiting_octets += making.post->octet_count;
    TAILQ_INSERT_TAIL(&connection->posts, making.post, next);
    json_object_set_new(request->answer, "post", json_integer((json_int_t)agent->posts));
    iw_verbs_queue_give(connection);
}
