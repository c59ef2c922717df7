#include "iw_endpoint_state.h"

#include <stdio.h>
#include <string.h>

/* Handles errors of the peer: sends the Terminate and ends the stream (RFC 5040 4.8, 5.4, 7). */

static void terminate_describe(uint16_t error, char text[96]) {
    const char *name = iw_error_name(IW_LLP_MPA, error);
    char triple[IW_ERROR_TEXT_OCTETS];

    iw_error_text(error, triple);
    snprintf(text, 96, "%s %s", triple, name == NULL ? "" : name);
}

/* Whether the Terminate has headers: for DDP errors and RDMAP errors of a message (RFC 5040 4.8). */
static bool terminate_shows_header(uint16_t error) {
    uint8_t layer = iw_error_layer(error);

    return layer == 1 || (layer == 0 && iw_error_etype(error) != 0);
}

static void terminate_fill_headers(
    struct iw_emit *emit, const struct iw_endpoint_offence *offence, bool read) {
    struct iw_terminate_length length = {.length = offence->segment->length};
    size_t at = iw_terminate_octets;

    iw_terminate_length_encode(&length, emit->header + at);
    at += iw_terminate_length_octets;
    memcpy(emit->header + at, offence->ddp, offence->segment->ddp_octets);
    at += offence->segment->ddp_octets;
    if (read) {
        iw_read_request_encode(offence->read, emit->header + at);
        at += iw_read_request_octets;
    }
    emit->header_octets = at;
}

static void terminate_send(
    struct iw_endpoint *endpoint, uint16_t error, const struct iw_endpoint_offence *offence) {
    bool header = offence != NULL && offence->segment != NULL && terminate_shows_header(error);
    bool read = header && offence->read != NULL && error >> 8 == IW_ERROR_RDMAP_INVALID_STAG >> 8;
    struct iw_terminate terminate = {.layer = iw_error_layer(error),
        .etype = iw_error_etype(error),
        .code = iw_error_code(error),
        .m = header,
        .d = header,
        .r = read};
    struct iw_emit emit;

    iw_endpoint_prepare_fpdu(endpoint, IW_RDMAP_OP_TERMINATE, &emit);
    emit.cause = IW_EMIT_BY_TERMINATE;
    iw_terminate_encode(&terminate, emit.header);
    if (header)
        terminate_fill_headers(&emit, offence, read);
    endpoint->output.next_msn[IW_QN_TERMINATE]++;
    iw_endpoint_put_filtered(endpoint, &emit);
    endpoint->phase = IW_PHASE_DEAF;
    iw_endpoint_flush(endpoint);
    if (endpoint->config.policy.ending.terminated == IW_TERMINATED_AWAITS_FIN)
        iw_endpoint_await_close(endpoint);
    else
        iw_endpoint_shut(endpoint, IW_EMIT_BY_TERMINATE);
}

/* Answers earlier requests while TCP accepts octets. If a request fails, the Terminate reports that error. */
static void terminate_answer_first(struct iw_endpoint *endpoint) {
    while (
        endpoint->phase == IW_PHASE_FULL && endpoint->replies.first != NULL && !iw_port_full(endpoint->port))
        iw_endpoint_reply_step(endpoint);
}

void iw_endpoint_offend(
    struct iw_endpoint *endpoint, uint16_t error, const struct iw_endpoint_offence *offence) {
    bool answer = endpoint->config.automatic.terminate;
    char text[96];
    struct iw_event event = {.kind = IW_EVENT_ERROR,
        .error = error,
        .text = text,
        .terminates = answer,
        .segment = offence == NULL ? NULL : offence->segment};

    if (answer && endpoint->config.policy.ending.terminate == IW_TERMINATE_AFTER_RESPONSES &&
        endpoint->output.allowed && !endpoint->replies.running) {
        terminate_answer_first(endpoint);
        if (endpoint->phase != IW_PHASE_FULL)
            return;
    }
    terminate_describe(error, text);
    if (answer)
        terminate_send(endpoint, error, offence);
    iw_endpoint_notify(endpoint, &event);
}

void iw_endpoint_give_up(struct iw_endpoint *endpoint, uint16_t error, const char *text) {
    struct iw_event event = {.kind = IW_EVENT_ERROR, .error = error, .text = text};

    endpoint->phase = IW_PHASE_DEAF;
    iw_endpoint_flush(endpoint);
    iw_endpoint_shut(endpoint, IW_EMIT_BY_STARTUP);
    iw_endpoint_notify(endpoint, &event);
}

void iw_endpoint_terminate(struct iw_endpoint *endpoint, uint16_t error) {
    if (endpoint->phase == IW_PHASE_FULL)
        terminate_send(endpoint, error, NULL);
}
