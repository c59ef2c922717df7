#include "iw_relay_state.h"

/* Both TCP connections go to the capture, with their true addresses. */

/* A recorder that cannot write reports that itself (iw_recorder_tell), and the relay goes on. */
static void record_chunk(struct relay_pair *pair, enum iw_side end, const struct iw_chunk *chunk) {
    const struct iw_relay_config *config = &pair->relay->config;
    const struct iw_relay_tap tap = {
        .connection = pair->number, .end = end, .addresses = pair->addresses[end], .chunk = chunk};

    if (config->tap != NULL)
        config->tap(config->user, &tap);
    for (int i = 0; i < IW_RELAY_RECORDERS; i++)
        if (pair->flows[i][end] != NULL && iw_recorder_chunk(pair->flows[i][end], chunk) == IW_ERR_NOMEM)
            iw_recorder_stop(pair->relay->config.recorders[i], "out of memory");
}

void relay_record_begin(struct relay_pair *pair, enum iw_side end) {
    for (int i = 0; i < IW_RELAY_RECORDERS; i++) {
        struct iw_recorder *recorder = pair->relay->config.recorders[i];

        if (recorder == NULL)
            continue;
        pair->flows[i][end] = iw_recorder_flow(recorder, pair->addresses[end], NULL);
        if (pair->flows[i][end] == NULL)
            iw_recorder_stop(recorder, "out of memory");
    }
    relay_record(pair, end, end == IW_SIDE_A, IW_CHUNK_START, NULL, 0);
    relay_record(pair, end, end == IW_SIDE_B, IW_CHUNK_START, NULL, 0);
}

/* The initiator opens the connection to the relay, and the relay that to the device. So the peer is side A of
 * the first connection, and side B of the second. */
void relay_record(struct relay_pair *pair, enum iw_side end, bool received, enum iw_chunk_kind kind,
    const uint8_t *octets, size_t length) {
    const struct iw_chunk chunk = {.kind = kind,
        .side = received ? end : iw_side_other(end),
        .octets = octets,
        .length = (uint32_t)length,
        .time_ns = iw_loop_time_ns(pair->relay->loop)};

    if (pair->relay->copies)
        record_chunk(pair, end, &chunk);
}
