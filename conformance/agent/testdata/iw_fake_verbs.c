#include "iw_fake_verbs_state.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* The test's side of the device. */

struct fake_verbs fake_verbs;
struct fake_state fake_state;

void fake_verbs_begin(void) {
    memset(&fake_verbs, 0, sizeof fake_verbs);
    memset(&fake_state, 0, sizeof fake_state);
    fake_verbs.attributes.orig_attr = (struct ibv_device_attr){.fw_ver = "3.1",
        .max_qp_wr = 4096,
        .max_qp_rd_atom = 128,
        .max_qp_init_rd_atom = 64,
        .device_cap_flags = IBV_DEVICE_MEM_MGT_EXTENSIONS,
        .vendor_id = 0x626d74};
}

bool fake_verbs_is_empty(void) {
    return (fake_verbs.domains | fake_verbs.registrations | fake_verbs.queues | fake_verbs.pairs |
               fake_verbs.ids | fake_verbs.channels) == 0;
}

void fake_verbs_cm(enum rdma_cm_event_type type, struct rdma_cm_id *id, int status) {
    struct rdma_cm_event event = {.event = type, .id = id, .status = status};

    if (type == RDMA_CM_EVENT_CONNECT_REQUEST)
        rdma_create_id(fake_verbs.listener->channel, &event.id, NULL, RDMA_PS_TCP);
    event.id->verbs = fake_context();
    fake_state.cm_events.items[fake_state.cm_events.count++] = event;
}

static void fake_add_completion(struct ibv_cq *queue, const struct ibv_wc *completion) {
    fake_state.completions.queues[fake_state.completions.count] = queue;
    fake_state.completions.items[fake_state.completions.count++] = *completion;
}

int64_t fake_now_us(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void fake_verbs_notice(struct rdma_cm_id *id, unsigned delay_us) {
    fake_state.notices.from_us[fake_state.notices.count] = fake_now_us() + delay_us;
    fake_state.notices.queues[fake_state.notices.count++] = id->qp->recv_cq;
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
    fake_state.async_events.items[fake_state.async_events.count++] =
        (struct ibv_async_event){.event_type = type, .element.qp = pair};
}
