#include "iw_fake_verbs_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* libibverbs: queue pairs and work requests. */

int fake_post_send(struct ibv_qp *pair, struct ibv_send_wr *request, struct ibv_send_wr **bad) {
    (void)pair;
    (void)bad;
    if (fake_verbs.sent_count == sizeof fake_verbs.sent / sizeof *fake_verbs.sent)
        return ENOMEM;
    fake_verbs.sent[fake_verbs.sent_count++] = *request;
    return fake_verbs.refuses_sends ? EINVAL : 0;
}

int fake_post_receive(struct ibv_qp *pair, struct ibv_recv_wr *request, struct ibv_recv_wr **bad) {
    (void)pair;
    (void)bad;
    if (fake_verbs.receive_count == sizeof fake_verbs.received / sizeof *fake_verbs.received ||
        (fake_verbs.receive_limit > 0 && fake_verbs.receive_count == fake_verbs.receive_limit))
        return ENOMEM;
    fake_verbs.buffers[fake_verbs.receive_count] =
        request->num_sge > 0 ? *request->sg_list : (struct ibv_sge){0};
    fake_verbs.received[fake_verbs.receive_count++] = request->wr_id;
    return 0;
}

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

struct ibv_qp *fake_create_pair(struct ibv_context *of, struct ibv_qp_init_attr_ex *attributes) {
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

int ibv_modify_qp(struct ibv_qp *pair, struct ibv_qp_attr *attributes, int mask) {
    (void)pair;
    (void)attributes;
    (void)mask;
    fake_verbs.modified++;
    return 0;
}
