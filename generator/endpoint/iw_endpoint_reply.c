#include "iw_endpoint_state.h"

#include <stdlib.h>
#include <string.h>

/* Answers to the peer's Reads, in the order of the requests (RFC 5040 5.2.2, 5.5). */

static struct iw_endpoint_read *new_read(struct iw_endpoint *endpoint) {
    struct iw_endpoint_read *spare = endpoint->spare_reads;

    if (spare == NULL)
        return malloc(sizeof *spare);
    endpoint->spare_reads = spare->next;
    endpoint->spare_read_count--;
    return spare;
}

static void free_read(struct iw_endpoint *endpoint, struct iw_endpoint_read *read) {
    if (endpoint->spare_read_count == IW_ENDPOINT_SPARE_MAX) {
        free(read);
        return;
    }
    read->next = endpoint->spare_reads;
    endpoint->spare_reads = read;
    endpoint->spare_read_count++;
}

void iw_endpoint_reply_dispose(struct iw_endpoint *endpoint) {
    while (endpoint->spare_reads != NULL)
        free(new_read(endpoint));
}

bool iw_endpoint_reply_add(
    struct iw_endpoint *endpoint, const struct iw_segment *segment, const uint8_t *ddp) {
    struct iw_endpoint_read *read = new_read(endpoint);

    if (read == NULL)
        return false;
    *read = (struct iw_endpoint_read){.next = NULL};
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
    free_read(endpoint, read);
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

static const uint8_t *source_of(
    const struct iw_endpoint *endpoint, const struct iw_read_request *rest, size_t count) {
    const struct iw_memory *memory = endpoint->config.memory;

    return memory == NULL ? NULL : iw_memory_fetch(memory, rest->source_stag, rest->source_to, count);
}

static void serve(struct iw_endpoint *endpoint, struct iw_endpoint_read *read, size_t count) {
    read->begun = true;
    read->served += count;
    if (read->served == read->request.size)
        drop_first(endpoint);
}

/* All that is left at once, from where it lies. */
static unsigned gather_reply(
    struct iw_endpoint *endpoint, const struct iw_read_request *rest, const uint8_t *source) {
    struct iw_endpoint_read *read = endpoint->reads;
    const struct iw_segment segment = {.tagged = true,
        .dv = 1,
        .control = iw_segment_control(1, 0, IW_RDMAP_OP_READ_RESPONSE),
        .stag = rest->sink_stag,
        .to = rest->sink_to};
    size_t left = rest->size;
    unsigned sent = iw_endpoint_gather(endpoint, &segment, source, &left);

    if (endpoint->reads == read)
        serve(endpoint, read, rest->size - left);
    return sent;
}

static void send_reply_segment(struct iw_endpoint *endpoint, const struct iw_read_request *rest) {
    static const uint8_t nothing[65536]; /* where a check was left out and no memory is */
    struct iw_endpoint_read *read = endpoint->reads;
    size_t room = iw_endpoint_room(endpoint, iw_ddp_tagged_octets);
    size_t count = rest->size < room ? rest->size : room;
    const uint8_t *source = source_of(endpoint, rest, count);
    struct iw_emit emit;

    iw_emit_init_fpdu(&emit, IW_RDMAP_OP_READ_RESPONSE);
    emit.cause = IW_EMIT_BY_RESPONSE;
    emit.segment.last = count == rest->size;
    emit.segment.stag = rest->sink_stag;
    emit.segment.to = rest->sink_to;
    emit.payload = source != NULL ? source : nothing;
    emit.payload_octets = count;
    iw_endpoint_put_filtered(endpoint, &emit);
    if (endpoint->reads == read)
        serve(endpoint, read, count);
}

unsigned iw_endpoint_reply_step(struct iw_endpoint *endpoint) {
    struct iw_read_request rest = rest_of(endpoint->reads);
    int error = check_rest(endpoint, &rest);
    const uint8_t *source = source_of(endpoint, &rest, rest.size);

    if (error != IW_NO_ERROR)
        refuse(endpoint, (uint16_t)error, &rest);
    else if (source != NULL && iw_endpoint_gathers(endpoint))
        return gather_reply(endpoint, &rest, source);
    else
        send_reply_segment(endpoint, &rest);
    return 1;
}
