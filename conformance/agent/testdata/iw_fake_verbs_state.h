#pragma once

#include <stdint.h>

#include "iw_fake_verbs.h"

/* State shared by the parts of the device that the tests play. */

enum { FAKE_QUEUE_MAX = 1024 };

struct fake_state {
    struct {
        struct rdma_cm_event items[FAKE_QUEUE_MAX];
        size_t count;
    } cm_events;
    struct {
        struct ibv_wc items[FAKE_QUEUE_MAX];
        struct ibv_cq *queues[FAKE_QUEUE_MAX];
        size_t count;
    } completions;
    struct {
        struct ibv_cq *queues[FAKE_QUEUE_MAX];
        int64_t from_us[FAKE_QUEUE_MAX];
        size_t count;
    } notices; /* solicited events, and when they are raised */
    struct {
        struct ibv_async_event items[FAKE_QUEUE_MAX];
        size_t count;
    } async_events;
};

extern struct fake_state fake_state;

struct ibv_context *fake_context(void);
int64_t fake_now_us(void);

/* iw_fake_queue.c */
int fake_poll(struct ibv_cq *queue, int most, struct ibv_wc *into);
int fake_notify(struct ibv_cq *queue, int solicited);

/* iw_fake_pair.c */
struct ibv_qp *fake_create_pair(struct ibv_context *of, struct ibv_qp_init_attr_ex *attributes);
int fake_post_send(struct ibv_qp *pair, struct ibv_send_wr *request, struct ibv_send_wr **bad);
int fake_post_receive(struct ibv_qp *pair, struct ibv_recv_wr *request, struct ibv_recv_wr **bad);
