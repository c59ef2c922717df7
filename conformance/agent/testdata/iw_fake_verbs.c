#include "iw_fake_verbs.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE_MAX = 1024 };

struct fake_verbs fake_verbs;

static struct {
    struct rdma_cm_event items[QUEUE_MAX];
    size_t count;
} cm_events;

static struct {
    struct ibv_wc items[QUEUE_MAX];
    struct ibv_cq *queues[QUEUE_MAX];
    size_t count;
} completions;

static struct {
    struct ibv_cq *queues[QUEUE_MAX];
    int64_t from_us[QUEUE_MAX];
    size_t count;
} notices;

static struct {
    struct ibv_async_event items[QUEUE_MAX];
    size_t count;
} async_events;

static struct ibv_device device = {.transport_type = IBV_TRANSPORT_IWARP};
static struct verbs_context extended;
static struct ibv_context *const context = &extended.context;
static uint32_t keys;

/* ---- the test's side ---- */

void fake_verbs_begin(void) {
    memset(&fake_verbs, 0, sizeof fake_verbs);
    cm_events.count = completions.count = notices.count = async_events.count = 0;
    fake_verbs.attributes.orig_attr = (struct ibv_device_attr){.max_qp_wr = 4096,
        .max_qp_rd_atom = 128,
        .max_qp_init_rd_atom = 64,
        .device_cap_flags = IBV_DEVICE_MEM_MGT_EXTENSIONS,
        .vendor_id = 0x626d74};
}

void fake_verbs_cm(enum rdma_cm_event_type type, struct rdma_cm_id *id, int status) {
    struct rdma_cm_event event = {.event = type, .id = id, .status = status};

    if (type == RDMA_CM_EVENT_CONNECT_REQUEST)
        rdma_create_id(fake_verbs.listener->channel, &event.id, NULL, RDMA_PS_TCP);
    event.id->verbs = context;
    cm_events.items[cm_events.count++] = event;
}

static void fake_add_completion(struct ibv_cq *queue, const struct ibv_wc *completion) {
    completions.queues[completions.count] = queue;
    completions.items[completions.count++] = *completion;
}

static int64_t fake_now_us(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void fake_verbs_notice(struct rdma_cm_id *id, unsigned delay_us) {
    notices.from_us[notices.count] = fake_now_us() + delay_us;
    notices.queues[notices.count++] = id->qp->recv_cq;
}

static void fake_receive(struct rdma_cm_id *id, struct ibv_wc *completion, bool solicited) {
    completion->wr_id = fake_verbs.received[0];
    fake_verbs.receive_count--;
    memmove(
        fake_verbs.received, fake_verbs.received + 1, fake_verbs.receive_count * sizeof *fake_verbs.received);
    memmove(
        fake_verbs.buffers, fake_verbs.buffers + 1, fake_verbs.receive_count * sizeof *fake_verbs.buffers);
    fake_add_completion(id->qp->recv_cq, completion);
    if (solicited)
        fake_verbs_notice(id, 0);
}

void fake_verbs_receive(struct rdma_cm_id *id, const char *text, bool solicited) {
    struct ibv_wc completion = {.opcode = IBV_WC_RECV, .byte_len = (uint32_t)strlen(text)};

    memcpy((void *)(uintptr_t)fake_verbs.buffers[0].addr, text, strlen(text));
    fake_receive(id, &completion, solicited);
}

void fake_verbs_receive_excess(struct rdma_cm_id *id, uint32_t octets) {
    struct ibv_wc completion = {.opcode = IBV_WC_RECV, .byte_len = octets};

    fake_receive(id, &completion, false);
}

void fake_verbs_receive_immediate(struct rdma_cm_id *id, bool solicited) {
    struct ibv_wc completion = {.opcode = IBV_WC_RECV, .wc_flags = IBV_WC_WITH_IMM, .imm_data = 0x1234};

    fake_receive(id, &completion, solicited);
}

void fake_verbs_complete(struct rdma_cm_id *id, enum ibv_wc_status status) {
    struct ibv_wc completion = {.wr_id = fake_verbs.sent[0].wr_id, .status = status};

    fake_verbs.sent_count--;
    memmove(fake_verbs.sent, fake_verbs.sent + 1, fake_verbs.sent_count * sizeof *fake_verbs.sent);
    fake_add_completion(id->qp->send_cq, &completion);
}

void fake_verbs_async(enum ibv_event_type type, struct ibv_qp *pair) {
    async_events.items[async_events.count++] =
        (struct ibv_async_event){.event_type = type, .element.qp = pair};
}

/* ---- libibverbs ---- */

static int fake_poll(struct ibv_cq *queue, int most, struct ibv_wc *into) {
    int found = 0;

    for (size_t i = 0; i < completions.count && found < most;) {
        if (completions.queues[i] != queue) {
            i++;
            continue;
        }
        into[found++] = completions.items[i];
        completions.count--;
        memmove(completions.items + i, completions.items + i + 1,
            (completions.count - i) * sizeof *completions.items);
        memmove(completions.queues + i, completions.queues + i + 1,
            (completions.count - i) * sizeof *completions.queues);
    }
    for (; fake_verbs.flood > 0 && found < most; fake_verbs.flood--)
        into[found++] = (struct ibv_wc){.wr_id = fake_verbs.received[0], .status = IBV_WC_WR_FLUSH_ERR};
    return found;
}

static int fake_notify(struct ibv_cq *queue, int solicited) {
    (void)queue;
    (void)solicited;
    return 0;
}

static int fake_post_send(struct ibv_qp *pair, struct ibv_send_wr *request, struct ibv_send_wr **bad) {
    (void)pair;
    (void)bad;
    if (fake_verbs.sent_count == sizeof fake_verbs.sent / sizeof *fake_verbs.sent)
        return ENOMEM;
    fake_verbs.sent[fake_verbs.sent_count++] = *request;
    return fake_verbs.refuses_sends ? EINVAL : 0;
}

static int fake_post_receive(struct ibv_qp *pair, struct ibv_recv_wr *request, struct ibv_recv_wr **bad) {
    (void)pair;
    (void)bad;
    if (fake_verbs.receive_count == sizeof fake_verbs.received / sizeof *fake_verbs.received)
        return ENOMEM;
    fake_verbs.buffers[fake_verbs.receive_count] =
        request->num_sge > 0 ? *request->sg_list : (struct ibv_sge){0};
    fake_verbs.received[fake_verbs.receive_count++] = request->wr_id;
    return 0;
}

const char *ibv_get_device_name(struct ibv_device *of) {
    (void)of;
    return "fake0";
}

int ibv_query_device(struct ibv_context *of, struct ibv_device_attr *attributes) {
    (void)of;
    *attributes = fake_verbs.attributes.orig_attr;
    return 0;
}

static int fake_query_device_ex(struct ibv_context *of, const struct ibv_query_device_ex_input *input,
    struct ibv_device_attr_ex *attributes, size_t octets) {
    (void)of;
    (void)input;
    memcpy(attributes, &fake_verbs.attributes, octets);
    return 0;
}

/* ---- queue pairs ---- */

static void fake_add_sent(struct ibv_qp_ex *pair, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t to) {
    fake_verbs.sent[fake_verbs.sent_count++] = (struct ibv_send_wr){.wr_id = pair->wr_id,
        .opcode = opcode,
        .send_flags = pair->wr_flags,
        .wr.rdma = {.rkey = rkey, .remote_addr = to}};
}

static void fake_atomic_write(struct ibv_qp_ex *pair, uint32_t rkey, uint64_t to, const void *value) {
    memcpy(&fake_verbs.value, value, sizeof fake_verbs.value);
    fake_add_sent(pair, IBV_WR_ATOMIC_WRITE, rkey, to);
}

#ifdef IW_VERBS_HAVE_FLUSH
static void fake_flush(
    struct ibv_qp_ex *pair, uint32_t rkey, uint64_t to, size_t octets, uint8_t type, uint8_t level) {
    fake_verbs.flush.octets = octets;
    fake_verbs.flush.type = type;
    fake_verbs.flush.level = level;
    fake_add_sent(pair, IBV_WR_FLUSH, rkey, to);
}
#endif

static void fake_start(struct ibv_qp_ex *pair) {
    (void)pair;
}

static int fake_finish(struct ibv_qp_ex *pair) {
    (void)pair;
    return 0;
}

static struct ibv_qp *fake_create_pair(struct ibv_context *of, struct ibv_qp_init_attr_ex *attributes) {
    struct ibv_qp_ex *pair;

    errno = EOPNOTSUPP;
    if ((attributes->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) &&
        (attributes->send_ops_flags & ~fake_verbs.operations))
        return NULL;
    pair = calloc(1, sizeof *pair);
    *pair = (struct ibv_qp_ex){.qp_base = {.context = of,
                                   .pd = attributes->pd,
                                   .send_cq = attributes->send_cq,
                                   .recv_cq = attributes->recv_cq},
        .wr_atomic_write = fake_atomic_write,
#ifdef IW_VERBS_HAVE_FLUSH
        .wr_flush = fake_flush,
#endif
        .wr_start = fake_start,
        .wr_complete = fake_finish};
    fake_verbs.pairs++;
    return &pair->qp_base;
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *pair) {
    return (struct ibv_qp_ex *)pair;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *domain, struct ibv_qp_init_attr *attributes) {
    (void)domain;
    (void)attributes;
    return NULL;
}

int ibv_destroy_qp(struct ibv_qp *pair) {
    fake_verbs.pairs--;
    fake_verbs.kept = fake_verbs.registrations;
    free(pair);
    return 0;
}

/* ---- memory and queues ---- */

struct ibv_pd *ibv_alloc_pd(struct ibv_context *of) {
    struct ibv_pd *domain = calloc(1, sizeof *domain);

    domain->context = of;
    fake_verbs.domains++;
    return domain;
}

int ibv_dealloc_pd(struct ibv_pd *domain) {
    fake_verbs.domains--;
    free(domain);
    return 0;
}

struct ibv_mr *ibv_reg_mr_iova2(
    struct ibv_pd *domain, void *octets, size_t length, uint64_t to, unsigned access) {
    struct ibv_mr *registration = fake_verbs.full ? NULL : calloc(1, sizeof *registration);

    (void)to;
    errno = ENOMEM;
    if (!registration)
        return NULL;
    keys++;
    *registration = (struct ibv_mr){.context = domain->context,
        .pd = domain,
        .addr = octets,
        .length = length,
        .lkey = keys,
        .rkey = keys};
    fake_verbs.registered = domain;
    fake_verbs.access = access;
    fake_verbs.registrations++;
    return registration;
}

#undef ibv_reg_mr
struct ibv_mr *ibv_reg_mr(struct ibv_pd *domain, void *octets, size_t length, int access) {
    return ibv_reg_mr_iova2(domain, octets, length, 0, (unsigned)access);
}

#undef ibv_reg_mr_iova
struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *domain, void *octets, size_t length, uint64_t to, int access) {
    return ibv_reg_mr_iova2(domain, octets, length, to, (unsigned)access);
}

int ibv_dereg_mr(struct ibv_mr *registration) {
    fake_verbs.registrations--;
    free(registration);
    return 0;
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *of) {
    struct ibv_comp_channel *channel = calloc(1, sizeof *channel);

    *channel = (struct ibv_comp_channel){.context = of, .fd = -1};
    fake_verbs.channels++;
    return channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel) {
    fake_verbs.channels--;
    free(channel);
    return 0;
}

struct ibv_cq *ibv_create_cq(
    struct ibv_context *of, int size, void *user, struct ibv_comp_channel *channel, int vector) {
    struct ibv_cq *queue = calloc(1, sizeof *queue);

    (void)size;
    (void)vector;
    *queue = (struct ibv_cq){.context = of, .channel = channel, .cq_context = user};
    fake_verbs.queues++;
    return queue;
}

int ibv_destroy_cq(struct ibv_cq *queue) {
    fake_verbs.queues--;
    free(queue);
    return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **queue, void **user) {
    for (size_t i = 0; i < notices.count; i++) {
        if (notices.queues[i]->channel != channel || notices.from_us[i] > fake_now_us())
            continue;
        *queue = notices.queues[i];
        *user = (*queue)->cq_context;
        notices.queues[i] = notices.queues[--notices.count];
        notices.from_us[i] = notices.from_us[notices.count];
        return 0;
    }
    return -1;
}

void ibv_ack_cq_events(struct ibv_cq *queue, unsigned count) {
    (void)queue;
    (void)count;
}

int ibv_modify_qp(struct ibv_qp *pair, struct ibv_qp_attr *attributes, int mask) {
    (void)pair;
    (void)attributes;
    (void)mask;
    fake_verbs.modified++;
    return 0;
}

int ibv_get_async_event(struct ibv_context *of, struct ibv_async_event *event) {
    (void)of;
    errno = fake_verbs.gone ? EIO : EAGAIN;
    if (async_events.count == 0)
        return -1;
    *event = async_events.items[0];
    memmove(async_events.items, async_events.items + 1, --async_events.count * sizeof *async_events.items);
    return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event) {
    (void)event;
}

const char *ibv_event_type_str(enum ibv_event_type type) {
    (void)type;
    return "fake event";
}

/* ---- librdmacm ---- */

struct ibv_context **rdma_get_devices(int *count) {
    struct ibv_context **list = calloc(2, sizeof *list);

    extended.query_device_ex = fake_query_device_ex;
    extended.create_qp_ex = fake_create_pair;
    extended.sz = sizeof extended;
    context->abi_compat = __VERBS_ABI_IS_EXTENDED;
    context->device = &device;
    context->async_fd = -1;
    context->ops.poll_cq = fake_poll;
    context->ops.req_notify_cq = fake_notify;
    context->ops.post_send = fake_post_send;
    context->ops.post_recv = fake_post_receive;
    *count = !fake_verbs.absent;
    list[0] = context;
    return list;
}

void rdma_free_devices(struct ibv_context **list) {
    free(list);
}

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

    for (size_t i = 0; i < cm_events.count; i++)
        if (cm_events.items[i].id != id)
            cm_events.items[kept++] = cm_events.items[i];
    cm_events.count = kept;
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
    for (size_t i = 0; i < cm_events.count; i++) {
        if (cm_events.items[i].id->channel != channel)
            continue;
        *event = malloc(sizeof **event);
        **event = cm_events.items[i];
        memmove(
            cm_events.items + i, cm_events.items + i + 1, (--cm_events.count - i) * sizeof *cm_events.items);
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
