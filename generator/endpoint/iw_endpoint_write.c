#include "iw_endpoint_state.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"

/* Writes items (struct iw_emit) to the port: each in its own write, split, or merged with others. */

enum { STACK_OCTETS = 2048 }; /* larger items are encoded on the heap */

/* Writes the parts in emit->split, each with its own write. Sets `written` to the octets written. */
static enum iw_status endpoint_write_split(struct iw_endpoint *endpoint, const struct iw_emit *emit,
    const uint8_t *octets, size_t length, size_t *written) {
    enum iw_status status = IW_OK;

    *written = 0;
    for (size_t i = 0; i < emit->split_count && i < IW_EMIT_SPLIT_MAX && status == IW_OK; i++) {
        size_t left = length - *written;
        size_t piece = emit->split[i] < left ? emit->split[i] : left;

        status = iw_port_write(endpoint->port, octets + *written, piece);
        *written += piece;
    }
    return status;
}

static bool endpoint_merge(struct iw_endpoint *endpoint, const uint8_t *octets, size_t length) {
    struct iw_endpoint_output *output = &endpoint->output;

    /* one octet more than needed: the array must exist even if it is empty */
    if (!iw_array_reserve(&output->merged, &output->merged_capacity, output->merged_octets + length + 1, 1))
        return false;
    if (length > 0)
        memcpy(output->merged + output->merged_octets, octets, length);
    output->merged_octets += length;
    return true;
}

static enum iw_status endpoint_write_octets(
    struct iw_endpoint *endpoint, const struct iw_emit *emit, const uint8_t *octets, size_t length) {
    bool merged = emit->merge || endpoint->output.merged_octets > 0;
    size_t written;

    if (merged && !endpoint_merge(endpoint, octets, length))
        return IW_ERR_NOMEM;
    if (merged) {
        octets = endpoint->output.merged;
        length = endpoint->output.merged_octets;
    }
    enum iw_status status = endpoint_write_split(endpoint, emit, octets, length, &written);
    if (status == IW_OK && !emit->merge) {
        status = iw_port_write(endpoint->port, octets + written, length - written);
        written = length;
    }
    if (merged) {
        memmove(endpoint->output.merged, endpoint->output.merged + written, length - written);
        endpoint->output.merged_octets = length - written;
    }
    return status;
}

static enum iw_status endpoint_put_into(
    struct iw_endpoint *endpoint, const struct iw_emit *emit, uint8_t *octets, size_t most) {
    struct iw_output output = iw_output_into(octets, most);

    iw_emit_write(emit, &endpoint->output.writer, &output);
    return endpoint_write_octets(endpoint, emit, octets, output.length);
}

enum iw_status iw_endpoint_put(struct iw_endpoint *endpoint, const struct iw_emit *emit) {
    uint8_t usual[STACK_OCTETS];
    size_t most = iw_emit_max(emit);

    if (endpoint->freed)
        return IW_OK;
    if (most <= sizeof usual)
        return endpoint_put_into(endpoint, emit, usual, most);
    uint8_t *large = malloc(most);
    if (large == NULL)
        return IW_ERR_NOMEM;
    enum iw_status status = endpoint_put_into(endpoint, emit, large, most);
    free(large);
    return status;
}

/* Whether the two items encode differently; true if memory runs out. */
static bool endpoint_encodings_differ(
    const struct iw_endpoint *endpoint, const struct iw_emit *original, const struct iw_emit *emit) {
    const struct iw_emit *both[2] = {original, emit};
    struct iw_output outputs[2];
    uint8_t *octets[2];
    bool same = true;

    for (int i = 0; i < 2; i++) {
        struct iw_fpdu_writer writer = endpoint->output.writer;
        size_t most = iw_emit_max(both[i]);

        octets[i] = malloc(most + 1);
        outputs[i] = iw_output_into(octets[i], octets[i] == NULL ? 0 : most);
        iw_emit_write(both[i], &writer, &outputs[i]);
        same &= octets[i] != NULL;
    }
    same = same && outputs[0].length == outputs[1].length &&
           memcmp(octets[0], octets[1], outputs[0].length) == 0;
    free(octets[0]);
    free(octets[1]);
    return !same;
}

unsigned iw_endpoint_filter(struct iw_endpoint *endpoint, struct iw_emit *emit) {
    const struct iw_endpoint_config *config = &endpoint->config;

    if (config->policy.send == NULL)
        return 1;
    if (config->policy.deviated == NULL || *config->policy.deviated)
        return config->policy.send(config->policy.send_user, emit);
    struct iw_emit original = *emit;
    unsigned times = config->policy.send(config->policy.send_user, emit);
    *config->policy.deviated = times != 1 || emit->reset || emit->before != NULL || emit->after != NULL ||
                               endpoint_encodings_differ(endpoint, &original, emit);
    return times;
}

void iw_endpoint_put_filtered(struct iw_endpoint *endpoint, struct iw_emit *emit) {
    unsigned times = iw_endpoint_filter(endpoint, emit);
    enum iw_status status = emit->before == NULL ? IW_OK : iw_endpoint_put(endpoint, emit->before);

    while (times-- > 0 && status == IW_OK)
        status = iw_endpoint_put(endpoint, emit);
    if (emit->after != NULL && status == IW_OK)
        status = iw_endpoint_put(endpoint, emit->after);
    if (status != IW_OK)
        iw_endpoint_give_up(endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, "out of memory");
}

struct iw_fpdu_shape iw_endpoint_measure(
    const struct iw_endpoint *endpoint, const struct iw_emit *emit, size_t *waiting) {
    *waiting = endpoint->output.merged_octets;
    return iw_emit_measure(emit, &endpoint->output.writer);
}

void iw_endpoint_fin(struct iw_endpoint *endpoint) {
    if (endpoint->output.merged_octets > 0)
        iw_port_write(endpoint->port, endpoint->output.merged, endpoint->output.merged_octets);
    endpoint->output.merged_octets = 0;
    iw_port_close(endpoint->port);
}
