#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_verbs_state.h"

/* The receive queue of a connection: its buffers, and the messages in them. */

enum {
    ENDLESS_COUNT = 128, /* default: receive buffers that are posted again; fewer if the device has fewer */
    ENDLESS_OCTETS = 128 << 10, /* of each of them */
    BATCH = 256,                /* completions polled at a time */
    EVENT_MS = 2,               /* the event of a completion is waited for */
};

/* ---- receive buffers ---- */

static bool receive_post(struct iw_verbs_connection *connection, struct iw_verbs_receive *receive) {
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

static void receive_free_slab(struct iw_verbs_slab *slab) {
    if (slab->registration)
        ibv_dereg_mr(slab->registration);
    free(slab->octets);
    free(slab->receives);
    free(slab);
}

static void receive_remove_slab(struct iw_verbs_connection *connection, struct iw_verbs_slab *slab) {
    SLIST_REMOVE(&connection->slabs, slab, iw_verbs_slab, next);
    connection->receive_octets -= (uint64_t)slab->count * slab->size;
    receive_free_slab(slab);
}

static struct iw_verbs_slab *receive_new_slab(
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
    receive_free_slab(slab);
    return NULL;
}

static bool receive_post_slab(struct iw_verbs_connection *connection, struct iw_verbs_slab *slab) {
    for (uint32_t i = 0; i < slab->count; i++) {
        slab->receives[i].slab = slab;
        slab->receives[i].octets = slab->octets + (size_t)i * slab->size;
        if (!receive_post(connection, &slab->receives[i]))
            return false;
    }
    return true;
}

/* On failure returns false with errno. Buffers that are posted by then remain: no verb takes them back. */
static bool receive_add_slab(
    struct iw_verbs_connection *connection, uint32_t count, uint32_t octets, bool endless) {
    struct iw_verbs_slab *slab;
    int error;

    errno = ENOMEM;
    if (count > connection->agent->config.device->abilities.receives - connection->receives)
        return false;
    slab = receive_new_slab(connection, count, octets);
    if (!slab)
        return false;
    slab->endless = endless;
    SLIST_INSERT_HEAD(&connection->slabs, slab, next);
    connection->receive_octets += (uint64_t)count * octets;
    if (receive_post_slab(connection, slab))
        return true;
    error = errno;
    if (slab->posted == 0)
        receive_remove_slab(connection, slab);
    errno = error;
    return false;
}

static bool receive_add(struct iw_verbs_connection *connection, uint32_t count, uint32_t octets) {
    return count == 0 || receive_add_slab(connection, count, octets, false);
}

bool iw_verbs_receive_begin(struct iw_verbs_connection *connection) {
    struct iw_verbs_settings *settings = &connection->agent->settings;
    bool given = settings->receives_given;
    uint32_t most = connection->agent->config.device->abilities.receives;

    settings->receives_given = false; /* valid for one connection */
    return given ? receive_add(connection, settings->receives, settings->receive_octets)
                 : receive_add_slab(
                       connection, most < ENDLESS_COUNT ? most : ENDLESS_COUNT, ENDLESS_OCTETS, true);
}

void iw_verbs_receive_end(struct iw_verbs_connection *connection) {
    struct iw_verbs_slab *slab;

    while ((slab = SLIST_FIRST(&connection->slabs))) {
        SLIST_REMOVE_HEAD(&connection->slabs, next);
        receive_free_slab(slab);
    }
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
    } else if (!receive_add(connection, count, size)) {
        iw_agent_refuse(request, "memory", "count", "exceeds what the device can take: %s", strerror(errno));
    }
}

/* ---- messages ---- */

enum solicited { SOLICITED_NO, SOLICITED_YES, SOLICITED_UNKNOWN };

static const char *receive_message_kind(const struct ibv_wc *completion, enum solicited solicited) {
    unsigned message = completion->wc_flags & IBV_WC_WITH_IMM   ? IW_AGENT_MESSAGE_IMMEDIATE
                       : completion->wc_flags & IBV_WC_WITH_INV ? IW_AGENT_MESSAGE_SEND_INV
                                                                : IW_AGENT_MESSAGE_SEND;

    /* each is followed by its variant with a solicited event */
    return solicited == SOLICITED_UNKNOWN ? NULL : iw_agent_messages[message + (solicited == SOLICITED_YES)];
}

/* A device that reports a longer message than its buffer is faulty: the agent reads only the buffer. */
static void receive_check_size(struct iw_verbs_connection *connection, uint32_t size, uint32_t buffer) {
    char text[IW_VERBS_TEXT_OCTETS];

    if (size <= buffer)
        return;
    snprintf(text, sizeof text, "the device reports a message of %u octets in a buffer of %u", (unsigned)size,
        (unsigned)buffer);
    iw_verbs_tell(connection, "error", json_pack("{s:b, s:s}", "terminates", 0, "text", text));
}

/* Immediate Data has 8 octets (RFC 7306 6.2), of which a completion has only 4: no data is reported. */
static void receive_tell_message(
    struct iw_verbs_connection *connection, const struct ibv_wc *completion, enum solicited solicited) {
    const struct iw_verbs_receive *receive = (const void *)(uintptr_t)completion->wr_id;
    bool invalidates = completion->wc_flags & IBV_WC_WITH_INV;
    bool immediate = completion->wc_flags & IBV_WC_WITH_IMM;
    uint32_t size = immediate ? 8 : completion->byte_len, buffer = receive->slab->size;
    size_t most = size < buffer ? size : buffer;

    if (!immediate)
        receive_check_size(connection, size, buffer);
    if (most > IW_AGENT_DATA_MAX)
        most = IW_AGENT_DATA_MAX;
    connection->msn++;
    iw_verbs_tell(connection, "message",
        json_pack("{s:s*, s:I, s:I, s:I, s:o*}", "message", receive_message_kind(completion, solicited),
            "msn", (json_int_t)connection->msn, "invalidate",
            (json_int_t)(invalidates ? completion->invalidated_rkey : 0), "size", (json_int_t)size, "data",
            immediate ? NULL : iw_agent_octets_json(receive->octets, most)));
}

/* A faulty device may complete a buffer twice, and the slab of the first time may be freed. Returns NULL if
 * no posted buffer has that address. */
static struct iw_verbs_receive *receive_find(const struct iw_verbs_connection *connection, uint64_t address) {
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

static void receive_finish(
    struct iw_verbs_connection *connection, const struct ibv_wc *completion, enum solicited solicited) {
    struct iw_verbs_receive *receive = receive_find(connection, completion->wr_id);

    if (!receive)
        return;
    receive->posted = false;
    receive->slab->posted--;
    connection->receives--;
    if (completion->status == IBV_WC_SUCCESS) {
        receive_tell_message(connection, completion, solicited);
        if (receive->slab->endless)
            receive_post(connection, receive);
    }
    if (receive->slab->posted == 0)
        receive_remove_slab(connection, receive->slab);
}

/* Returns whether all of these messages have a solicited event, none has, or it is unknown. Only events of
 * the receive queue, which is armed for solicited ones, show it. With fewer events than messages, it is
 * unknown which messages have one; with more, or after an event without a message, an event may be that of an
 * earlier message. */
static enum solicited receive_solicited(const struct iw_verbs_connection *connection, int messages) {
    unsigned events = connection->solicited;

    if (!connection->agent->config.device->abilities.tells_solicited || connection->solicited_late)
        return SOLICITED_UNKNOWN;
    return events == 0 ? SOLICITED_NO : events == (unsigned)messages ? SOLICITED_YES : SOLICITED_UNKNOWN;
}

/* A completion may be visible before its event. */
static void receive_await_event(const struct iw_verbs_connection *connection) {
    struct pollfd received = {.fd = connection->agent->received->fd, .events = POLLIN};

    if (connection->solicited == 0 && receive_solicited(connection, 1) == SOLICITED_NO)
        poll(&received, 1, EVENT_MS);
}

/* Adds completions to the batch until no completion follows the last solicited event, or the batch is full.
 * The device completes a message before it raises the event: so, unless the batch is full, an event belongs
 * to the batch or to an earlier one. */
static int receive_poll(const struct iw_verbs_connection *connection, struct ibv_wc *batch, int count) {
    int more;

    do {
        iw_verbs_queue_read_channels(connection->agent);
        more = ibv_poll_cq(connection->receive_queue, BATCH - count, batch + count);
        count += more > 0 ? more : 0;
    } while (more > 0 && count < BATCH);
    return count;
}

static int receive_drain_batch(struct iw_verbs_connection *connection) {
    struct ibv_wc batch[BATCH];
    enum solicited solicited;
    int count = receive_poll(connection, batch, 0);

    if (count > 0) {
        receive_await_event(connection);
        count = receive_poll(connection, batch, count);
    }
    solicited = receive_solicited(connection, count);
    /* After a full batch, an event may be that of a message in the next. */
    connection->solicited_late = count == 0 ? connection->solicited_late || connection->solicited > 0
                                            : count == BATCH && connection->solicited > 0;
    connection->solicited = 0;
    for (int i = 0; i < count; i++)
        receive_finish(connection, &batch[i], solicited);
    return count;
}

/* What the peer sends meanwhile waits for the next turn, so that it cannot hold up the other sessions. */
void iw_verbs_receive_drain(struct iw_verbs_connection *connection) {
    uint32_t posted = connection->receives;

    for (uint32_t taken = 0; receive_drain_batch(connection) == BATCH && taken + BATCH < posted;
         taken += BATCH)
        ;
}
