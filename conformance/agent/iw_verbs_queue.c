#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_verbs_state.h"

/* The queues of a connection: their life, work requests, and their completions. */

void iw_verbs_queue_read_channels(struct iw_agent *agent) {
    struct ibv_cq *queue;
    void *context;

    while (ibv_get_cq_event(agent->sent, &queue, &context) == 0) {
        ibv_ack_cq_events(queue, 1);
        ibv_req_notify_cq(queue, 0);
    }
    while (ibv_get_cq_event(agent->received, &queue, &context) == 0) {
        ibv_ack_cq_events(queue, 1);
        ibv_req_notify_cq(queue, 1);
        ((struct iw_verbs_connection *)context)->solicited++;
    }
}

/* ---- work requests ---- */

void iw_verbs_queue_free_post(struct iw_verbs_post *post) {
    if (post->registration)
        ibv_dereg_mr(post->registration);
    free(post->octets);
    free(post);
}

static void queue_tell_post(
    const struct iw_verbs_connection *connection, const struct iw_verbs_post *post, const char *status) {
    json_t *event = json_pack("{s:I, s:s}", "post", (json_int_t)post->number, "status", status);
    uint64_t original;

    if (strcmp(status, "done") == 0 &&
        (post->message == IW_AGENT_MESSAGE_FETCH_ADD || post->message == IW_AGENT_MESSAGE_CMP_SWAP)) {
        memcpy(&original, post->octets, sizeof original);
        json_object_set_new(event, "original", iw_agent_wide_json(original));
    }
    iw_verbs_tell(connection, "completed", event);
}

static void queue_end_waiting(struct iw_verbs_connection *connection, const struct iw_verbs_post *post) {
    connection->waiting--;
    connection->waiting_octets -= post->octet_count;
}

static void queue_remove_post(struct iw_verbs_connection *connection, struct iw_verbs_post *post) {
    TAILQ_REMOVE(&connection->posts, post, next);
    if (post->given)
        connection->given--;
    else
        queue_end_waiting(connection, post);
    iw_verbs_queue_free_post(post);
}

static void queue_finish_post(
    struct iw_verbs_connection *connection, struct iw_verbs_post *post, const char *status) {
    queue_tell_post(connection, post, status);
    queue_remove_post(connection, post);
}

static struct iw_verbs_post *queue_find_post(const struct iw_verbs_connection *connection, uint64_t number) {
    struct iw_verbs_post *post;

    TAILQ_FOREACH(post, &connection->posts, next) {
        if (post->number == number)
            return post;
    }
    return NULL;
}

/* A device may complete a work request that ibv_post_send has refused, as siw does with a Read if the ORD is
 * 0: its post is already reported. */
static void queue_drain_sends(struct iw_verbs_connection *connection) {
    struct ibv_wc completion;

    /* as many as the queue can hold */
    for (uint32_t left = connection->agent->config.device->abilities.sends;
         left > 0 && ibv_poll_cq(connection->send_queue, 1, &completion) > 0; left--) {
        struct iw_verbs_post *post = queue_find_post(connection, completion.wr_id);

        if (post)
            queue_finish_post(connection, post, completion.status == IBV_WC_SUCCESS ? "done" : "flushed");
    }
}

static void queue_begin_flush(struct ibv_qp_ex *pair, const struct iw_verbs_post *post) {
#ifdef IW_VERBS_HAVE_FLUSH
    uint8_t type = (uint8_t)((post->flush.persist ? IBV_FLUSH_PERSISTENT : 0) |
                             (post->flush.expose ? IBV_FLUSH_GLOBAL : 0));

    ibv_wr_flush(pair, post->request.wr.rdma.rkey, post->request.wr.rdma.remote_addr, post->flush.octets,
        type, IBV_FLUSH_RANGE);
#else
    (void)pair;
    (void)post;
#endif
}

/* Gives the device an operation that ibv_post_send lacks. Returns false if it rejects that. */
static bool queue_give_extended(struct ibv_qp *pair, const struct iw_verbs_post *post) {
    struct ibv_qp_ex *extended = ibv_qp_to_qp_ex(pair);

    ibv_wr_start(extended);
    extended->wr_id = post->request.wr_id;
    extended->wr_flags = IBV_SEND_SIGNALED;
    if (post->message == IW_AGENT_MESSAGE_FLUSH)
        queue_begin_flush(extended, post);
    else
        ibv_wr_atomic_write(
            extended, post->request.wr.rdma.rkey, post->request.wr.rdma.remote_addr, post->value);
    return ibv_wr_complete(extended) == 0;
}

static bool queue_give_post(struct ibv_qp *pair, struct iw_verbs_post *post) {
    struct ibv_send_wr *bad;

    if (post->message == IW_AGENT_MESSAGE_FLUSH || post->message == IW_AGENT_MESSAGE_ATOMIC_WRITE)
        return queue_give_extended(pair, post);
    return ibv_post_send(pair, &post->request, &bad) == 0;
}

void iw_verbs_queue_give(struct iw_verbs_connection *connection) {
    struct iw_verbs_post *post, *next;

    if (connection->stage != IW_VERBS_OPEN)
        return;
    for (post = TAILQ_FIRST(&connection->posts); post; post = next) {
        next = TAILQ_NEXT(post, next);
        if (post->given)
            continue;
        if (connection->given == connection->agent->config.device->abilities.sends)
            return;
        if (!queue_give_post(connection->id->qp, post)) {
            queue_finish_post(connection, post, "flushed");
            continue;
        }
        post->given = true;
        connection->given++;
        queue_end_waiting(connection, post);
    }
}

void iw_verbs_queue_drain(struct iw_verbs_connection *connection) {
    if (!connection->receive_queue || connection->stage < IW_VERBS_OPEN)
        return;
    iw_verbs_receive_drain(connection);
    queue_drain_sends(connection);
    iw_verbs_queue_give(connection);
    iw_verbs_connection_close_if_done(connection);
}

/* ---- the life of the queues ---- */

/* Without send_ops_flags, rdma_create_qp_ex does what rdma_create_qp does. */
static bool queue_create_pair(struct iw_verbs_connection *connection) {
    const struct iw_verbs_abilities *abilities = &connection->agent->config.device->abilities;
    struct ibv_qp_init_attr_ex attributes = {.qp_context = connection,
        .send_cq = connection->send_queue,
        .recv_cq = connection->receive_queue,
        .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = abilities->sends,
            .max_recv_wr = abilities->receives,
            .max_send_sge = 1,
            .max_recv_sge = 1},
        .comp_mask = IBV_QP_INIT_ATTR_PD,
        .pd = connection->domain};

    if (abilities->extended != 0) {
        attributes.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
        attributes.send_ops_flags = iw_verbs_send_operations(abilities);
    }
    return rdma_create_qp_ex(connection->id, &attributes) == 0;
}

static bool queue_create(struct iw_verbs_connection *connection) {
    const struct iw_verbs_agent_config *config = &connection->agent->config;
    struct ibv_context *context = config->device->context;

    connection->send_queue =
        ibv_create_cq(context, (int)config->device->abilities.sends, connection, connection->agent->sent, 0);
    connection->receive_queue = ibv_create_cq(
        context, (int)config->device->abilities.receives, connection, connection->agent->received, 0);
    return connection->send_queue && connection->receive_queue &&
           ibv_req_notify_cq(connection->send_queue, 0) == 0 &&
           ibv_req_notify_cq(connection->receive_queue, 1) == 0 && queue_create_pair(connection);
}

bool iw_verbs_queue_begin(struct iw_verbs_connection *connection, char *text) {
    iw_kernel_log_join(connection->agent->config.log, &connection->log);
    if (!queue_create(connection))
        snprintf(text, IW_VERBS_TEXT_OCTETS, "the device has no queues left: %s", strerror(errno));
    else if (!iw_verbs_receive_begin(connection))
        snprintf(text, IW_VERBS_TEXT_OCTETS, "cannot post the receive buffers: %s", strerror(errno));
    else
        return true;
    return false;
}

void iw_verbs_queue_end(struct iw_verbs_connection *connection) {
    struct ibv_qp_attr error = {.qp_state = IBV_QPS_ERR};
    struct iw_verbs_post *post;

    if (connection->id->qp) {
        ibv_modify_qp(connection->id->qp, &error, IBV_QP_STATE);
        iw_verbs_queue_drain(connection);
    }
    TAILQ_FOREACH(post, &connection->posts, next) {
        queue_tell_post(connection, post, "flushed");
    }
    if (connection->id->qp)
        rdma_destroy_qp(connection->id);
    while ((post = TAILQ_FIRST(&connection->posts))) /* the device cannot use the payloads any more */
        queue_remove_post(connection, post);
    iw_verbs_queue_read_channels(connection->agent);
    if (connection->send_queue)
        ibv_destroy_cq(connection->send_queue);
    if (connection->receive_queue)
        ibv_destroy_cq(connection->receive_queue);
    connection->send_queue = connection->receive_queue = NULL;
    iw_verbs_receive_end(connection);
}
