#include "iw_endpoint_state.h"

#include <stdlib.h>
#include <string.h>

/* Answers the peer's requests on queue 1 in order. A request is executed after everything received before it
 * was placed, and after the previous request was answered (RFC 5040 5.2.2, 5.5, RFC 7306 5.4, 7). A request
 * that fails ends the stream; later requests are not executed. */

static struct iw_endpoint_request *reply_request_new(struct iw_endpoint *endpoint) {
    struct iw_endpoint_request *spare = endpoint->replies.spare;

    if (spare == NULL)
        return malloc(sizeof *spare);
    endpoint->replies.spare = spare->next;
    endpoint->replies.spare_count--;
    return spare;
}

static void reply_request_free(struct iw_endpoint *endpoint, struct iw_endpoint_request *request) {
    if (endpoint->replies.spare_count == IW_ENDPOINT_SPARE_MAX) {
        free(request);
        return;
    }
    request->next = endpoint->replies.spare;
    endpoint->replies.spare = request;
    endpoint->replies.spare_count++;
}

void iw_endpoint_reply_dispose(struct iw_endpoint *endpoint) {
    while (endpoint->replies.spare != NULL)
        free(reply_request_new(endpoint));
}

bool iw_endpoint_reply_add(struct iw_endpoint *endpoint, const struct iw_segment *segment, const uint8_t *ddp,
    const struct iw_read_request *read) {
    struct iw_endpoint_request *request = reply_request_new(endpoint);

    if (request == NULL)
        return false;
    struct iw_execute_request *execute = &request->execute;
    size_t hash = segment->payload_octets;
    *request = (struct iw_endpoint_request){.opcode = segment->opcode, .length = segment->length};
    if (segment->opcode == IW_RDMAP_OP_READ_REQUEST) {
        request->read = *read;
    } else {
        execute->opcode = segment->opcode;
        execute->invalidate_stag = segment->invalidate_stag;
        memcpy(execute->header, segment->header, segment->header_octets);
        execute->hash_octets = hash;
        if (hash > 0)
            memcpy(execute->hash, segment->payload, hash < IW_HASH_OCTETS_MAX ? hash : IW_HASH_OCTETS_MAX);
    }
    memcpy(request->ddp, ddp, sizeof request->ddp);
    if (endpoint->config.policy.response_delay_us > 0)
        iw_endpoint_pump_late(endpoint);
    *endpoint->replies.last = request;
    endpoint->replies.last = &request->next;
    endpoint->replies.count++;
    return true;
}

static void reply_drop_first(struct iw_endpoint *endpoint) {
    struct iw_endpoint_request *request = endpoint->replies.first;

    endpoint->replies.first = request->next;
    if (endpoint->replies.first == NULL)
        endpoint->replies.last = &endpoint->replies.first;
    endpoint->replies.count--;
    reply_request_free(endpoint, request);
}

void iw_endpoint_reply_drop(struct iw_endpoint *endpoint) {
    while (endpoint->replies.first != NULL)
        reply_drop_first(endpoint);
}

static void reply_refuse(struct iw_endpoint *endpoint, uint16_t error, const struct iw_read_request *rest) {
    struct iw_endpoint_request *request = endpoint->replies.first;
    struct iw_segment segment;
    struct iw_endpoint_offence offence = {.segment = &segment, .ddp = request->ddp, .read = rest};

    iw_segment_decode(
        request->ddp, sizeof request->ddp, request->length, endpoint->config.extensions, &segment);
    iw_endpoint_offend(endpoint, error, &offence);
    if (endpoint->replies.first == request)
        reply_drop_first(endpoint); /* without automatic.terminate, the error is only reported */
}

/* The unanswered part of a Read. If this part fails, the Terminate shows it (RFC 5040 4.8). */
static struct iw_read_request reply_rest(const struct iw_endpoint_request *request) {
    struct iw_read_request rest = request->read;

    rest.sink_to += request->served;
    rest.source_to += request->served;
    rest.size -= (uint32_t)request->served;
    return rest;
}

/* Checks the unanswered part of a Read. Called before each part, since the memory may have changed. */
static int reply_check_rest(const struct iw_endpoint *endpoint, const struct iw_read_request *rest) {
    const struct iw_policy *policy = &endpoint->config.policy;
    struct iw_access access = iw_endpoint_access(endpoint, rest->source_stag, rest->source_to, rest->size);

    access.rights = IW_RIGHT_READ;
    if (rest->size == 0) /* a Read of 0 octets is not checked (RFC 5040 5.2.1) */
        return policy->checks.empty_read == NULL ? IW_NO_ERROR
                                                 : policy->checks.empty_read(endpoint->config.memory, rest);
    return iw_memory_check_source(endpoint->config.memory, &access);
}

static const uint8_t *reply_source(
    const struct iw_endpoint *endpoint, const struct iw_read_request *rest, size_t count) {
    const struct iw_memory *memory = endpoint->config.memory;

    return memory == NULL ? NULL : iw_memory_fetch(memory, rest->source_stag, rest->source_to, count);
}

static void reply_served(struct iw_endpoint *endpoint, struct iw_endpoint_request *request, size_t count) {
    request->begun = true;
    request->served += count;
    if (request->served == request->read.size)
        reply_drop_first(endpoint);
}

/* Sends the unanswered part of a Read, or as much as iw_endpoint_gather does. Returns the FPDUs sent. */
static unsigned reply_gather(
    struct iw_endpoint *endpoint, const struct iw_read_request *rest, const uint8_t *source) {
    struct iw_endpoint_request *request = endpoint->replies.first;
    const struct iw_segment segment = {.tagged = true,
        .dv = 1,
        .control = iw_segment_control(1, 0, IW_RDMAP_OP_READ_RESPONSE),
        .stag = rest->sink_stag,
        .to = rest->sink_to};
    size_t left = rest->size;
    unsigned sent = iw_endpoint_gather(endpoint, &segment, source, &left);

    if (endpoint->replies.first == request)
        reply_served(endpoint, request, rest->size - left);
    return sent;
}

static void reply_send_segment(struct iw_endpoint *endpoint, const struct iw_read_request *rest) {
    static const uint8_t nothing[65536]; /* sent if the policy omits a check and the source does not exist */
    struct iw_endpoint_request *request = endpoint->replies.first;
    size_t limit = iw_endpoint_payload_limit(endpoint, iw_ddp_tagged_octets);
    size_t count = rest->size < limit ? rest->size : limit;
    const uint8_t *source = reply_source(endpoint, rest, count);
    struct iw_emit emit;

    iw_emit_init_fpdu(&emit, IW_RDMAP_OP_READ_RESPONSE);
    emit.cause = IW_EMIT_BY_RESPONSE;
    emit.segment.last = count == rest->size;
    emit.segment.stag = rest->sink_stag;
    emit.segment.to = rest->sink_to;
    emit.payload = source != NULL ? source : nothing;
    emit.payload_octets = count;
    iw_endpoint_put_filtered(endpoint, &emit);
    if (endpoint->replies.first == request)
        reply_served(endpoint, request, count);
}

static unsigned reply_serve_read(struct iw_endpoint *endpoint) {
    struct iw_read_request rest = reply_rest(endpoint->replies.first);
    int error = reply_check_rest(endpoint, &rest);
    const uint8_t *source = reply_source(endpoint, &rest, rest.size);

    if (error != IW_NO_ERROR)
        reply_refuse(endpoint, (uint16_t)error, &rest);
    else if (source != NULL && iw_endpoint_gathers(endpoint))
        return reply_gather(endpoint, &rest, source);
    else
        reply_send_segment(endpoint, &rest);
    return 1;
}

static void reply_answer(struct iw_endpoint *endpoint, const struct iw_execute_answer *done) {
    const struct iw_execute_request *request = &endpoint->replies.first->execute;
    struct iw_emit emit;

    iw_endpoint_prepare_fpdu(endpoint, iw_opcodes[request->opcode].answer, &emit);
    endpoint->output.next_msn[IW_QN_RESPONSE]++;
    emit.cause = IW_EMIT_BY_RESPONSE;
    if (request->opcode == IW_RDMAP_OP_ATOMIC_REQUEST) {
        struct iw_atomic_request atomic;
        struct iw_atomic_response response = {.value = done->original};

        iw_atomic_request_decode(request->header, &atomic);
        response.identifier = atomic.identifier;
        iw_atomic_response_encode(&response, emit.header);
    }
    emit.payload = done->hash;
    emit.payload_octets = done->hash_octets;
    iw_endpoint_put_filtered(endpoint, &emit);
}

static int reply_execute_request(
    struct iw_endpoint *endpoint, const struct iw_execute_request *request, struct iw_execute_answer *done) {
    const struct iw_endpoint_config *config = &endpoint->config;
    const struct iw_policy *policy = &config->policy;
    struct iw_access access = iw_endpoint_access(endpoint, 0, 0, 0);
    int error;

    if (policy->handling.execute == NULL)
        return iw_execute(config->memory, &access, config->extensions, request, done);
    struct iw_execute_request changed = *request;
    error =
        policy->handling.execute(policy->user, config->memory, &access, config->extensions, &changed, done);
    if (policy->deviated != NULL)
        *policy->deviated |= memcmp(changed.header, request->header, sizeof changed.header) != 0;
    return error;
}

static void reply_execute(struct iw_endpoint *endpoint) {
    struct iw_endpoint_request *request = endpoint->replies.first;
    struct iw_event event = {.kind = IW_EVENT_EXECUTED, .error = IW_NO_ERROR, .opcode = request->opcode};
    struct iw_execute_answer done;
    int error = reply_execute_request(endpoint, &request->execute, &done);

    if (error != IW_NO_ERROR) {
        reply_refuse(endpoint, (uint16_t)error, NULL);
        return;
    }
    event.stag = done.target.stag;
    event.to = done.target.to;
    event.length = done.target.length;
    reply_answer(endpoint, &done);
    if (endpoint->replies.first == request)
        reply_drop_first(endpoint);
    iw_endpoint_notify(endpoint, &event);
}

unsigned iw_endpoint_reply_step(struct iw_endpoint *endpoint) {
    bool replying = endpoint->replies.running;
    unsigned count = 1;

    endpoint->replies.running = true;
    if (endpoint->replies.first->opcode == IW_RDMAP_OP_READ_REQUEST)
        count = reply_serve_read(endpoint);
    else
        reply_execute(endpoint);
    endpoint->replies.running = replying;
    return count;
}
