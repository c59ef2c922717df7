#include "iw_fake_verbs_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* libibverbs: the device, its memory and its asynchronous events. */

static struct ibv_device device = {.transport_type = IBV_TRANSPORT_IWARP};
static struct verbs_context extended;
static uint32_t keys;

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

struct ibv_context *fake_context(void) {
    return &extended.context;
}

struct ibv_context **rdma_get_devices(int *count) {
    struct ibv_context *context = fake_context();
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

int ibv_get_async_event(struct ibv_context *of, struct ibv_async_event *event) {
    (void)of;
    errno = fake_verbs.gone ? EIO : EAGAIN;
    if (fake_state.async_events.count == 0)
        return -1;
    *event = fake_state.async_events.items[0];
    memmove(fake_state.async_events.items, fake_state.async_events.items + 1,
        --fake_state.async_events.count * sizeof *fake_state.async_events.items);
    return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event) {
    (void)event;
}

const char *ibv_event_type_str(enum ibv_event_type type) {
    (void)type;
    return "fake event";
}
