#include "iw_endpoint_state.h"

#include <string.h>

#include "iw_array.h"
#include "iw_mulpdu.h"
#include "iw_negotiation.h"

void iw_endpoint_prepare_startup(struct iw_endpoint *endpoint, struct iw_emit *emit) {
    iw_negotiation_prepare(&endpoint->config, &endpoint->startup.peer_frame, emit);
}

void iw_endpoint_startup_note(struct iw_endpoint *endpoint, const struct iw_emit *emit) {
    struct iw_startup *own = &endpoint->startup.own_frame;

    own->header = emit->startup;
    own->key = iw_startup_key_of(emit->startup.key);
    own->enhanced = emit->enhanced && emit->startup.s && emit->startup.rev >= 2;
    own->enhanced_data = emit->enhanced_data;
}

/* Sends the startup frame. Stores it as changed by the filter: the terms depend on what the peer got. */
static void startup_send_frame(struct iw_endpoint *endpoint) {
    struct iw_emit emit;

    iw_endpoint_prepare_startup(endpoint, &emit);
    iw_endpoint_put_filtered(endpoint, &emit);
    iw_endpoint_startup_note(endpoint, &emit);
}

static void startup_on_timeout(void *user) {
    struct iw_endpoint *endpoint = user;

    iw_endpoint_enter(endpoint);
    iw_endpoint_give_up(endpoint, IW_ERROR_MPA_STARTUP,
        endpoint->config.initiator ? "no MPA Reply Frame in time" : "no MPA Request Frame in time");
    iw_endpoint_exit(endpoint);
}

void iw_endpoint_startup_begin(struct iw_endpoint *endpoint) {
    if (!endpoint->config.automatic.startup)
        return;
    if (endpoint->config.initiator)
        startup_send_frame(endpoint);
    if (endpoint->phase != IW_PHASE_STARTUP)
        return; /* the stream has ended while the frame was sent */
    iw_timer_start(&endpoint->startup.timer, endpoint->loop,
        (uint64_t)endpoint->config.timeouts.startup_ms * 1000, startup_on_timeout, endpoint);
}

static struct iw_terms startup_terms(const struct iw_endpoint *endpoint) {
    return iw_negotiation_terms(
        &endpoint->config, &endpoint->startup.own_frame, &endpoint->startup.peer_frame);
}

static void startup_enter_full(struct iw_endpoint *endpoint, const struct iw_terms *terms) {
    uint64_t origin = endpoint->input.received - endpoint->startup.held_octets;

    iw_timer_stop(&endpoint->startup.timer);
    endpoint->terms = *terms;
    endpoint->phase = IW_PHASE_FULL;
    if (endpoint->config.memory != NULL && !endpoint->stream.joined)
        iw_memory_join(endpoint->config.memory, &endpoint->stream, endpoint->config.domain);
    endpoint->input.first_fpdu = true;
    if (endpoint->config.mulpdu == 0 && endpoint->config.emss_of_tcp)
        endpoint->config.mulpdu = iw_mulpdu(iw_port_emss(endpoint->port), terms->markers_out);
    iw_fpdu_writer_init(&endpoint->output.writer, terms->markers_out, terms->crc);
    iw_fpdu_reader_dispose(&endpoint->input.reader);
    iw_fpdu_reader_init(&endpoint->input.reader, terms->markers_in,
        terms->crc || iw_policy_enforces(&endpoint->config.policy, IW_POLICY_CHECK_CRC_UNUSED) ? IW_CRC_ON
                                                                                               : IW_CRC_OFF,
        origin, origin);
}

static void startup_report_established(struct iw_endpoint *endpoint) {
    struct iw_event event = {.kind = IW_EVENT_ESTABLISHED, .error = IW_NO_ERROR, .terms = &endpoint->terms};

    iw_endpoint_schedule(endpoint);
    iw_endpoint_notify(endpoint, &event);
}

void iw_endpoint_full(struct iw_endpoint *endpoint, const struct iw_terms *terms) {
    struct iw_terms negotiated = startup_terms(endpoint);

    if (endpoint->phase != IW_PHASE_STARTUP && endpoint->phase != IW_PHASE_HOLD)
        return;
    startup_enter_full(endpoint, terms != NULL ? terms : &negotiated);
    endpoint->output.allowed = true;
    startup_report_established(endpoint);
}

static void startup_report_rejected(struct iw_endpoint *endpoint, const struct iw_startup *frame) {
    struct iw_event event = {.kind = IW_EVENT_REJECTED, .error = IW_NO_ERROR, .startup = frame};

    iw_timer_stop(&endpoint->startup.timer);
    endpoint->phase = IW_PHASE_OUTSIDE;
    iw_endpoint_flush(endpoint);
    iw_endpoint_notify(endpoint, &event);
    if (endpoint->config.policy.ending.rejected == IW_REJECTED_CLOSES)
        iw_endpoint_close(endpoint);
}

static void startup_answer_request(struct iw_endpoint *endpoint) {
    bool rejects = iw_negotiation_rejects(&endpoint->config, &endpoint->startup.peer_frame);

    startup_send_frame(endpoint);
    if (endpoint->phase != IW_PHASE_STARTUP)
        return;
    if (rejects && iw_policy_enforces(&endpoint->config.policy, IW_POLICY_CHECK_REJECTION)) {
        startup_report_rejected(endpoint, NULL);
        return;
    }
    struct iw_terms terms = startup_terms(endpoint);
    startup_enter_full(endpoint, &terms);
    endpoint->output.allowed = !endpoint->config.automatic.rtr ||
                               !iw_policy_enforces(&endpoint->config.policy, IW_POLICY_CHECK_FIRST_FPDU);
    startup_report_established(endpoint);
}

static void startup_await_answer(struct iw_endpoint *endpoint) {
    struct iw_event event = {.kind = IW_EVENT_REQUESTED, .error = IW_NO_ERROR};

    iw_timer_stop(&endpoint->startup.timer);
    endpoint->phase = IW_PHASE_HOLD;
    endpoint->startup.requested = true;
    iw_endpoint_notify(endpoint, &event);
}

bool iw_endpoint_answer(struct iw_endpoint *endpoint, bool reject) {
    if (!endpoint->startup.requested || endpoint->phase != IW_PHASE_HOLD)
        return false;
    iw_endpoint_enter(endpoint);
    endpoint->startup.requested = false;
    endpoint->config.reject = reject;
    endpoint->phase = IW_PHASE_STARTUP;
    if (iw_policy_enforces(&endpoint->config.policy, IW_POLICY_CHECK_TRAILING) &&
        endpoint->startup.held_octets > 0)
        iw_endpoint_give_up(endpoint, IW_ERROR_MPA_STARTUP, "octets after the MPA Request Frame");
    else
        startup_answer_request(endpoint);
    iw_endpoint_exit(endpoint);
    return true;
}

/* The RTR types that can be used. A Read needs a responder's IRD of at least 1, which the responder may offer
 * even if the initiator's ORD is 0 (RFC 6581 9.1). */
static unsigned startup_possible_rtr(const struct iw_endpoint *endpoint, const struct iw_terms *terms) {
    bool place = endpoint->startup.peer_frame.enhanced_data.ird > 0;

    return place ? terms->rtr : terms->rtr & ~(unsigned)IW_RTR_READ;
}

static enum iw_rtr startup_choose_rtr(const struct iw_endpoint *endpoint, unsigned rtr) {
    static const enum iw_rtr usual[] = {IW_RTR_WRITE, IW_RTR_READ, IW_RTR_SEND};
    const enum iw_rtr *order = endpoint->config.policy.rtr_order;

    if (order == NULL)
        order = usual;
    while (!(rtr & *order))
        order++;
    return *order;
}

/* After an enhanced startup, RFC 6581 9.3 requires a Terminate; for others, RFC 5044 defines none. */
void iw_endpoint_fail_locally(struct iw_endpoint *endpoint) {
    if (endpoint->terms.enhanced)
        iw_endpoint_offend(endpoint, IW_ERROR_MPA_LOCAL_CATASTROPHIC, NULL);
    else
        iw_endpoint_give_up(endpoint, IW_ERROR_MPA_LOCAL_CATASTROPHIC, "insufficient resources");
}

static void startup_refuse(struct iw_endpoint *endpoint, const struct iw_startup *frame, const char *fault) {
    struct iw_terms terms = startup_terms(endpoint);
    bool terminates = endpoint->config.policy.ending.invalid_reply == IW_INVALID_REPLY_TERMINATES &&
                      endpoint->startup.own_frame.enhanced && frame->key == IW_STARTUP_REPLY;

    if (!terminates) {
        iw_endpoint_give_up(endpoint, IW_ERROR_MPA_STARTUP, fault);
        return;
    }
    startup_enter_full(endpoint, &terms);
    iw_endpoint_offend(endpoint, IW_ERROR_MPA_LOCAL_CATASTROPHIC, NULL);
}

static void startup_receive_reply(struct iw_endpoint *endpoint, const struct iw_startup *reply) {
    struct iw_terms terms = startup_terms(endpoint);
    bool asked = endpoint->startup.own_frame.enhanced && endpoint->startup.own_frame.enhanced_data.a;

    if (reply->header.r && iw_policy_enforces(&endpoint->config.policy, IW_POLICY_CHECK_REJECTION)) {
        startup_report_rejected(endpoint, reply);
        return;
    }
    startup_enter_full(endpoint, &terms);
    endpoint->output.allowed = true;
    if (endpoint->config.local_error) {
        iw_endpoint_fail_locally(endpoint);
        return;
    }
    if (iw_negotiation_lacks_ird(
            &endpoint->config, &endpoint->startup.own_frame, &endpoint->startup.peer_frame)) {
        iw_endpoint_offend(endpoint, IW_ERROR_MPA_INSUFFICIENT_IRD, NULL);
        return;
    }
    if (asked && endpoint->config.automatic.rtr) {
        unsigned rtr = startup_possible_rtr(endpoint, &terms);

        if (rtr == 0 && iw_policy_enforces(&endpoint->config.policy, IW_POLICY_CHECK_RTR)) {
            iw_endpoint_offend(endpoint, IW_ERROR_MPA_NO_RTR, NULL);
            return;
        }
        iw_endpoint_send_rtr(endpoint, startup_choose_rtr(endpoint, rtr != 0 ? rtr : endpoint->config.rtr));
    }
    if (endpoint->phase == IW_PHASE_FULL)
        startup_report_established(endpoint);
}

/* Handles the first `length` held octets: a frame, or the part of an invalid frame that can be decoded. */
static void startup_receive_frame(struct iw_endpoint *endpoint, size_t length) {
    bool automatic = endpoint->config.automatic.startup;
    struct iw_startup frame;
    struct iw_event event = {.kind = IW_EVENT_STARTUP,
        .error = IW_NO_ERROR,
        .startup = &frame,
        .octets = endpoint->startup.held,
        .octet_count = length};

    iw_startup_decode(endpoint->startup.held, length, &frame);
    const char *fault = iw_negotiation_fault(
        &endpoint->config, &endpoint->startup.own_frame, &frame, endpoint->startup.held_octets > length);
    endpoint->startup.peer_frame = frame;
    endpoint->startup.peer_frame.private_data = NULL;
    endpoint->startup.held_octets -= length;
    if (!automatic)
        endpoint->phase = IW_PHASE_HOLD;
    iw_endpoint_notify(endpoint, &event);
    if (automatic && endpoint->phase == IW_PHASE_STARTUP) {
        if (fault != NULL)
            startup_refuse(endpoint, &frame, fault);
        else if (endpoint->config.initiator)
            startup_receive_reply(endpoint, &frame);
        else if (endpoint->config.held)
            startup_await_answer(endpoint);
        else
            startup_answer_request(endpoint);
    }
    memmove(endpoint->startup.held, endpoint->startup.held + length, endpoint->startup.held_octets);
}

static bool startup_hold(struct iw_endpoint *endpoint, const uint8_t *octets, size_t length) {
    size_t need = endpoint->startup.held_octets + length;

    if (need > IW_ENDPOINT_HELD_MAX ||
        !iw_array_reserve(&endpoint->startup.held, &endpoint->startup.held_capacity, need, 1))
        return false;
    memcpy(endpoint->startup.held + endpoint->startup.held_octets, octets, length);
    endpoint->startup.held_octets = need;
    endpoint->input.received += length;
    return true;
}

/* The number of held octets to handle as the startup frame, or 0 to wait for the rest. Does not wait for the
 * rest of an invalid frame, or with IW_PARTIAL_FRAME_TAKEN. */
static size_t startup_frame_octets(const struct iw_endpoint *endpoint) {
    if (endpoint->startup.held_octets < iw_mpa_startup_octets)
        return 0;
    size_t frame = iw_startup_octets(endpoint->startup.held);
    if (iw_startup_key_of(endpoint->startup.held) == IW_STARTUP_UNKNOWN ||
        frame > iw_mpa_startup_octets + IW_STARTUP_PD_MAX)
        return frame < endpoint->startup.held_octets ? frame : endpoint->startup.held_octets;
    /* A vendor's extension of MPA comes in the same read as the frame. Not all peers send it: do not wait. */
    if (endpoint->startup.held_octets > frame)
        frame += iw_startup_extension(endpoint->startup.held);
    if (endpoint->startup.held_octets >= frame)
        return frame;
    return endpoint->config.policy.partial_frame == IW_PARTIAL_FRAME_TAKEN ? endpoint->startup.held_octets
                                                                           : 0;
}

void iw_endpoint_startup_octets(struct iw_endpoint *endpoint, const uint8_t *octets, size_t length) {
    if (!startup_hold(endpoint, octets, length)) {
        iw_endpoint_give_up(endpoint, IW_ERROR_MPA_STARTUP, "too many octets before full operation");
        return;
    }
    size_t frame = endpoint->phase == IW_PHASE_STARTUP ? startup_frame_octets(endpoint) : 0;
    if (frame > 0)
        startup_receive_frame(endpoint, frame);
    else if (endpoint->phase == IW_PHASE_STARTUP &&
             endpoint->config.policy.partial_frame == IW_PARTIAL_FRAME_REFUSED)
        iw_endpoint_give_up(endpoint, IW_ERROR_MPA_STARTUP, "a startup frame in several TCP segments");
}
