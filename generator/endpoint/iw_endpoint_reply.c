#include "iw_endpoint_state.h"

#include <stdlib.h>
#include <string.h>

/* Answers to the peer's Reads, in the order of the requests (RFC 5040 5.2.2, 5.5). */

bool iw_endpoint_reply_add(
    struct iw_endpoint *endpoint, const struct iw_segment *segment, const uint8_t *ddp) {
    struct iw_endpoint_read *read = calloc(1, sizeof *read);

    if (read == NULL)
        return false;
    iw_read_request_decode(segment->header, &read->request);
    memcpy(read->ddp, ddp, sizeof read->ddp);
    *endpoint->last_read = read;
    endpoint->last_read = &read->next;
    endpoint->read_count++;
    return true;
}

static void drop_first(struct iw_endpoint *endpoint) {
    struct iw_endpoint_read *read = endpoint->reads;

    endpoint->reads = read->next;
    if (endpoint->reads == NULL)
        endpoint->last_read = &endpoint->reads;
    endpoint->read_count--;
    free(read);
}

void iw_endpoint_reply_drop(struct iw_endpoint *endpoint) {
    while (endpoint->reads != NULL)
        drop_first(endpoint);
}

/* What is left of the request: what a Terminate shows after part of it was served (RFC 5040 4.8). */
static struct iw_read_request rest_of(const struct iw_endpoint_read *read) {
    struct iw_read_request rest = read->request;

    rest.sink_to += read->served;
    rest.source_to += read->served;
    rest.size -= (uint32_t)read->served;
    return rest;
}

/* The memory may have changed since the last segment, so the rest is checked before each. */
static int check_rest(const struct iw_endpoint *endpoint, const struct iw_read_request *rest) {
    struct iw_access access = iw_endpoint_access(endpoint, rest->source_stag, rest->source_to, rest->size);

    access.rights = IW_RIGHT_READ;
    return iw_memory_check_source(endpoint->config.memory, &access);
}

static void refuse(struct iw_endpoint *endpoint, uint16_t error, const struct iw_read_request *rest) {
    struct iw_endpoint_read *read = endpoint->reads;
    struct iw_segment segment;
    struct iw_endpoint_offence offence = {.segment = &segment, .ddp = read->ddp, .read = rest};

    iw_segment_decode(read->ddp, sizeof read->ddp, iw_ddp_untagged_octets + iw_read_request_octets,
        endpoint->config.extensions, &segment);
    iw_endpoint_offend(endpoint, error, &offence);
    if (endpoint->reads == read)
        drop_first(endpoint); /* errors of the peer are only reported */
}

void iw_endpoint_reply_step(struct iw_endpoint *endpoint) {
    static const uint8_t nothing[65536]; /* where a check was left out and no memory is */
    struct iw_endpoint_read *read = endpoint->reads;
    struct iw_read_request rest = rest_of(read);
    size_t room = iw_endpoint_mulpdu(endpoint) - (size_t)iw_ddp_tagged_octets;
    size_t count = rest.size < room ? rest.size : room;
    int error = check_rest(endpoint, &rest);
    const uint8_t *source = NULL;
    struct iw_emit emit;

    if (error != IW_NO_ERROR) {
        refuse(endpoint, (uint16_t)error, &rest);
        return;
    }
    if (endpoint->config.memory != NULL)
        source = iw_memory_fetch(endpoint->config.memory, rest.source_stag, rest.source_to, count);
    iw_emit_init_fpdu(&emit, IW_RDMAP_OP_READ_RESPONSE);
    emit.cause = IW_EMIT_BY_RESPONSE;
    emit.segment.last = count == rest.size;
    emit.segment.stag = rest.sink_stag;
    emit.segment.to = rest.sink_to;
    emit.payload = source != NULL ? source : nothing;
    emit.payload_octets = count;
    read->begun = true;
    read->served += count;
    iw_endpoint_put_filtered(endpoint, &emit);
    if (count == rest.size && endpoint->reads == read)
        drop_first(endpoint);
}
