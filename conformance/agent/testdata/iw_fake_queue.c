#include "iw_fake_verbs_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* libibverbs: completion queues and their events. */

int fake_poll(struct ibv_cq *queue, int most, struct ibv_wc *into) {
    int found = 0;

    for (size_t i = 0; i < fake_state.completions.count && found < most;) {
        if (fake_state.completions.queues[i] != queue) {
            i++;
            continue;
        }
        into[found++] = fake_state.completions.items[i];
        fake_state.completions.count--;
        memmove(fake_state.completions.items + i, fake_state.completions.items + i + 1,
            (fake_state.completions.count - i) * sizeof *fake_state.completions.items);
        memmove(fake_state.completions.queues + i, fake_state.completions.queues + i + 1,
            (fake_state.completions.count - i) * sizeof *fake_state.completions.queues);
    }
    for (; fake_verbs.flood > 0 && found < most; fake_verbs.flood--)
        into[found++] = (struct ibv_wc){.wr_id = fake_verbs.received[0], .status = IBV_WC_WR_FLUSH_ERR};
    return found;
}

int fake_notify(struct ibv_cq *queue, int solicited) {
    (void)queue;
    (void)solicited;
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
    for (size_t i = 0; i < fake_state.notices.count; i++) {
        if (fake_state.notices.queues[i]->channel != channel || fake_state.notices.from_us[i] > fake_now_us())
            continue;
        *queue = fake_state.notices.queues[i];
        *user = (*queue)->cq_context;
        fake_state.notices.queues[i] = fake_state.notices.queues[--fake_state.notices.count];
        fake_state.notices.from_us[i] = fake_state.notices.from_us[fake_state.notices.count];
        return 0;
    }
    return -1;
}

void ibv_ack_cq_events(struct ibv_cq *queue, unsigned count) {
    (void)queue;
    (void)count;
}
