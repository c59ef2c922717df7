#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_verbs_state.h"

/* The queues of a connection: receive buffers, work requests, and their completions. */

enum {
    ENDLESS_COUNT = 128, /* default: receive buffers that are posted again; fewer if the device has fewer */
    ENDLESS_OCTETS = 128 << 10, /* of each of them */
    BATCH = 256,                /* completions of the receive queue polled at a time */
    EVENT_MS = 2,               /* the event of a completion is waited for */
};

/* ---- receive buffers ---- */

static bool queue_post_receive(struct iw_verbs_connection *connection, struct iw_verbs_receive *receive) {
    const struct iw_verbs_slab *slab = receive->slab;
    struct ibv_sge segment = {.addr = (uintptr_t)receive->octets,
        .length = slab->size,
        .lkey = slab->registration ? slab->registration->lkey : 0};
    struct ibv_recv_wr request = {.wr_id = (uintptr_t)receive,
                           .sg_list = &segment,
                           .num_sge = slab->size > 0},
                       *bad;

    errno = ibv_post_recv(connection->id->qp, &request, &bad);
    if (errno != 0)
        return false;
    receive->posted = true;
    receive->slab->posted++;
    connection->receives++;
    return true;
}

static void queue_free_slab(struct iw_verbs_slab *slab) {
    if (slab->registration)
        ibv_dereg_mr(slab->registration);
    free(slab->octets);
    free(slab->receives);
    free(slab);
}

static void queue_remove_slab(struct iw_verbs_connection *connection, struct iw_verbs_slab *slab) {
    SLIST_REMOVE(&connection->slabs, slab, iw_verbs_slab, next);
    connection->receive_octets -= (uint64_t)slab->count * slab->size;
    queue_free_slab(slab);
}

static struct iw_verbs_slab *queue_new_slab(
    const struct iw_verbs_connection *connection, uint32_t count, uint32_t octets) {
    size_t total = (size_t)count * octets;
    struct iw_verbs_slab *slab = calloc(1, sizeof *slab);

    if (!slab)
        return NULL;
    slab->size = octets;
    slab->count = count;
    slab->receives = calloc(count, sizeof *slab->receives);
    slab->octets = malloc(total + 1);
    if (slab->octets && total > 0)
        slab->registration = ibv_reg_mr(connection->domain, slab->octets, total, IBV_ACCESS_LOCAL_WRITE);
    if (slab->receives && slab->octets && (slab->registration || total == 0))
        return slab;
    queue_free_slab(slab);
    return NULL;
}

static bool queue_post_slab(struct iw_verbs_connection *connection, struct iw_verbs_slab *slab) {
    for (uint32_t i = 0; i < slab->count; i++) {
        slab->receives[i].slab = slab;
        slab->receives[i].octets = slab->octets + (size_t)i * slab->size;
        if (!queue_post_receive(connection, &slab->receives[i]))
            return false;
    }
    return true;
}

/* On failure returns false with errno. Buffers that are posted by then remain: no verb takes them back. */
static bool queue_add_slab(
    struct iw_verbs_connection *connection, uint32_t count, uint32_t octets, bool endless) {
    struct iw_verbs_slab *slab;
    int error;

    errno = ENOMEM;
    if (count > connection->agent->config.device->abilities.receives - connection->receives)
        return false;
    slab = queue_new_slab(connection, count, octets);
    if (!slab)
        return false;
    slab->endless = endless;
    SLIST_INSERT_HEAD(&connection->slabs, slab, next);
    connection->receive_octets += (uint64_t)count * octets;
    if (queue_post_slab(connection, slab))
        return true;
    error = errno;
    if (slab->posted == 0)
        queue_remove_slab(connection, slab);
    errno = error;
    return false;
}

static bool queue_add_receives(struct iw_verbs_connection *connection, uint32_t count, uint32_t octets) {
    return count == 0 || queue_add_slab(connection, count, octets, false);
}

void iw_verbs_receives(struct iw_agent *agent, struct iw_agent_request *request) {
    uint32_t limit = agent->config.device->abilities.receives;
    uint32_t count = (uint32_t)iw_agent_integer(request, "count", 0, IW_AGENT_RECEIVES_MAX, 1);
    uint32_t size = (uint32_t)iw_agent_integer(request, "size", 0, IW_AGENT_RECEIVE_MAX, 4096);
    bool later = TAILQ_EMPTY(&agent->connections) && !iw_agent_has(request, "connection");
    struct iw_verbs_connection *connection = later ? NULL : iw_verbs_connection_of(agent, request);

    if (count > limit)
        iw_agent_refuse(request, "memory", "count", "of this device is at most %u", (unsigned)limit);
    if ((uint64_t)count * size > IW_AGENT_REGIONS_MAX)
        iw_agent_refuse(request, "memory", "size", "times count exceeds %d octets", IW_AGENT_REGIONS_MAX);
    if (connection && connection->receive_octets + (uint64_t)count * size > IW_AGENT_REGIONS_MAX)
        iw_agent_refuse(request, "memory", "size", "times count plus the earlier buffers exceeds %d octets",
            IW_AGENT_REGIONS_MAX);
    if (connection && !connection->receive_queue)
        iw_agent_refuse(request, "connection", NULL, "the connection has no queues yet");
    if (request->code)
        return;
    if (later) {
        agent->settings.receives = count;
        agent->settings.receive_octets = size;
        agent->settings.receives_given = true;
    } else if (!queue_add_receives(connection, count, size)) {
        iw_agent_refuse(request, "memory", "count", "exceeds what the device can take: %s", strerror(errno));
    }
}

/* ---- messages ---- */

enum solicited { SOLICITED_NO, SOLICITED_YES, SOLICITED_UNKNOWN };

static const char *queue_message_kind(const struct ibv_wc *completion, enum solicited solicited) {
    unsigned message = completion->wc_flags & IBV_WC_WITH_IMM   ? IW_AGENT_MESSAGE_IMMEDIATE
                       : completion->wc_flags & IBV_WC_WITH_INV ? IW_AGENT_MESSAGE_SEND_INV
                                                                : IW_AGENT_MESSAGE_SEND;

    /* each is followed by its variant with a solicited event */
    return solicited == SOLICITED_UNKNOWN ? NULL : iw_agent_messages[message + (solicited == SOLICITED_YES)];
}

/* A device that reports a longer message than its buffer is faulty: the agent reads only the buffer. */
static void queue_check_size(struct iw_verbs_connection *connection, uint32_t size, uint32_t buffer) {
    char text[IW_VERBS_TEXT_OCTETS];

    if (size <= buffer)
        return;
    snprintf(text, sizeof text, "the device reports a message of %u octets in a buffer of %u", (unsigned)size,
        (unsigned)buffer);
    iw_verbs_tell(connection, "error", json_pack("{s:b, s:s}", "terminates", 0, "text", text));
}

/* Immediate Data has 8 octets (RFC 7306 6.2), of which a completion has only 4: no data is reported. */
static void queue_tell_message(
    struct iw_verbs_connection *connection, const struct ibv_wc *completion, enum solicited solicited) {
    const struct iw_verbs_receive *receive = (const void *)(uintptr_t)completion->wr_id;
    bool invalidates = completion->wc_flags & IBV_WC_WITH_INV;
    bool immediate = completion->wc_flags & IBV_WC_WITH_IMM;
    uint32_t size = immediate ? 8 : completion->byte_len, buffer = receive->slab->size;
    size_t most = size < buffer ? size : buffer;

    if (!immediate)
        queue_check_size(connection, size, buffer);
    if (most > IW_AGENT_DATA_MAX)
        most = IW_AGENT_DATA_MAX;
    connection->msn++;
    iw_verbs_tell(connection, "message",
        json_pack("{s:s*, s:I, s:I, s:I, s:o*}", "message", queue_message_kind(completion, solicited), "msn",
            (json_int_t)connection->msn, "invalidate",
            (json_int_t)(invalidates ? completion->invalidated_rkey : 0), "size", (json_int_t)size, "data",
            immediate ? NULL : iw_agent_octets_json(receive->octets, most)));
}

/* A faulty device may complete a buffer twice, and the slab of the first time may be freed. Returns NULL if
 * no posted buffer has that address. */
static struct iw_verbs_receive *queue_find_receive(
    const struct iw_verbs_connection *connection, uint64_t address) {
    const struct iw_verbs_slab *slab;

    SLIST_FOREACH(slab, &connection->slabs, next) {
        uint64_t at = address - (uintptr_t)slab->receives;

        if (at < slab->count * sizeof *slab->receives && at % sizeof *slab->receives == 0) {
            struct iw_verbs_receive *receive = &slab->receives[at / sizeof *slab->receives];

            return receive->posted ? receive : NULL;
        }
    }
    return NULL;
}

static void queue_finish_receive(
    struct iw_verbs_connection *connection, const struct ibv_wc *completion, enum solicited solicited) {
    struct iw_verbs_receive *receive = queue_find_receive(connection, completion->wr_id);

    if (!receive)
        return;
    receive->posted = false;
    receive->slab->posted--;
    connection->receives--;
    if (completion->status == IBV_WC_SUCCESS) {
        queue_tell_message(connection, completion, solicited);
        if (receive->slab->endless)
            queue_post_receive(connection, receive);
    }
    if (receive->slab->posted == 0)
        queue_remove_slab(connection, receive->slab);
}

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

/* Returns whether all of these messages have a solicited event, none has, or it is unknown. Only events of
 * the receive queue, which is armed for solicited ones, show it. With fewer events than messages, it is
 * unknown which messages have one; with more, or after an event without a message, an event may be that of an
 * earlier message. */
static enum solicited queue_solicited(const struct iw_verbs_connection *connection, int messages) {
    unsigned events = connection->solicited;

    if (!connection->agent->config.device->abilities.tells_solicited || connection->solicited_late)
        return SOLICITED_UNKNOWN;
    return events == 0 ? SOLICITED_NO : events == (unsigned)messages ? SOLICITED_YES : SOLICITED_UNKNOWN;
}

/* A completion may be visible before its event. */
static void queue_await_event(const struct iw_verbs_connection *connection) {
    struct pollfd received = {.fd = connection->agent->received->fd, .events = POLLIN};

    if (connection->solicited == 0 && queue_solicited(connection, 1) == SOLICITED_NO)
        poll(&received, 1, EVENT_MS);
}

/* Adds completions to the batch until no completion follows the last solicited event, or the batch is full.
 * The device completes a message before it raises the event: so, unless the batch is full, an event belongs
 * to the batch or to an earlier one. */
static int queue_poll_receives(
    const struct iw_verbs_connection *connection, struct ibv_wc *batch, int count) {
    int more;

    do {
        iw_verbs_queue_read_channels(connection->agent);
        more = ibv_poll_cq(connection->receive_queue, BATCH - count, batch + count);
        count += more > 0 ? more : 0;
    } while (more > 0 && count < BATCH);
    return count;
}

static int queue_drain_receives(struct iw_verbs_connection *connection) {
    struct ibv_wc batch[BATCH];
    enum solicited solicited;
    int count = queue_poll_receives(connection, batch, 0);

    if (count > 0) {
        queue_await_event(connection);
        count = queue_poll_receives(connection, batch, count);
    }
    solicited = queue_solicited(connection, count);
    /* After a full batch, an event may be that of a message in the next. */
    connection->solicited_late = count == 0 ? connection->solicited_late || connection->solicited > 0
                                            : count == BATCH && connection->solicited > 0;
    connection->solicited = 0;
    for (int i = 0; i < count; i++)
        queue_finish_receive(connection, &batch[i], solicited);
    return count;
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

/* Reports the messages in the buffers posted so far. What the peer sends meanwhile waits for the next turn,
 * so that it cannot hold up the other sessions. */
void iw_verbs_queue_drain(struct iw_verbs_connection *connection) {
    uint32_t posted = connection->receives;

    if (!connection->receive_queue || connection->stage < IW_VERBS_OPEN)
        return;
    for (uint32_t taken = 0; queue_drain_receives(connection) == BATCH && taken + BATCH < posted;
         taken += BATCH)
        ;
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
    struct iw_verbs_settings *settings = &connection->agent->settings;
    bool given = settings->receives_given;
    uint32_t most = connection->agent->config.device->abilities.receives;

    settings->receives_given = false; /* valid for one connection */
    iw_kernel_log_join(connection->agent->config.log, &connection->log);
    if (!queue_create(connection))
        snprintf(text, IW_VERBS_TEXT_OCTETS, "the device has no queues left: %s", strerror(errno));
    else if (given ? !queue_add_receives(connection, settings->receives, settings->receive_octets)
                   : !queue_add_slab(
                         connection, most < ENDLESS_COUNT ? most : ENDLESS_COUNT, ENDLESS_OCTETS, true))
        snprintf(text, IW_VERBS_TEXT_OCTETS, "cannot post the receive buffers: %s", strerror(errno));
    else
        return true;
    return false;
}

void iw_verbs_queue_end(struct iw_verbs_connection *connection) {
    struct ibv_qp_attr error = {.qp_state = IBV_QPS_ERR};
    struct iw_verbs_post *post;
    struct iw_verbs_slab *slab;

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
    while ((slab = SLIST_FIRST(&connection->slabs))) {
        SLIST_REMOVE_HEAD(&connection->slabs, next);
        queue_free_slab(slab);
    }
}
