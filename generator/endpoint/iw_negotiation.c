#include "iw_negotiation.h"

#include <string.h>

static uint16_t negotiation_min(uint16_t a, uint16_t b) {
    return a < b ? a : b;
}

static void negotiate_rtr(struct iw_mpa_enhanced *enhanced, unsigned rtr) {
    enhanced->b = (rtr & IW_RTR_SEND) != 0;
    enhanced->c = (rtr & IW_RTR_WRITE) != 0;
    enhanced->d = (rtr & IW_RTR_READ) != 0;
}

static void negotiation_prepare_request(const struct iw_endpoint_config *config, struct iw_emit *emit) {
    emit->startup.rev = config->revision;
    emit->enhanced = config->revision >= 2 && config->enhanced;
    emit->enhanced_data.ird = config->ird;
    emit->enhanced_data.ord = config->ord;
    if (config->peer_to_peer) {
        emit->enhanced_data.a = 1;
        negotiate_rtr(&emit->enhanced_data, config->rtr);
    }
}

bool iw_negotiation_rejects(const struct iw_endpoint_config *config, const struct iw_startup *request) {
    const struct iw_mpa_enhanced *data = &request->enhanced_data;
    bool unmatched = request->enhanced && data->a && (iw_startup_rtr(data) & config->rtr) == 0;
    bool shallow = request->enhanced && data->ird < config->ord;

    return config->reject ||
           (unmatched && iw_policy_enforces(&config->policy, IW_POLICY_CHECK_REQUEST_RTR)) ||
           (shallow && iw_policy_enforces(&config->policy, IW_POLICY_CHECK_REQUEST_IRD));
}

/* Sets IRD, ORD, A and RTR types of the Reply to an enhanced Request (RFC 6581 9.1, 9.2). */
static void negotiation_answer_enhanced(const struct iw_endpoint_config *config,
    const struct iw_mpa_enhanced *request, bool rejected, struct iw_mpa_enhanced *answer) {
    answer->ird = config->ird;
    answer->ord = negotiation_min(config->ord, request->ird);
    if (request->a) {
        unsigned common = config->rtr & iw_startup_rtr(request);

        answer->a = 1;
        negotiate_rtr(answer,
            common != 0 && iw_policy_enforces(&config->policy, IW_POLICY_CHECK_RTR_REQUESTED) ? common
                                                                                              : config->rtr);
        if (answer->ird == 0 && request->d && answer->d)
            answer->ird = 1; /* an RTR Read needs an IRD of at least 1 */
    }
    if (rejected)
        answer->ord = config->ord; /* tells the initiator which IRD to offer */
    if (request->ord == IW_IRD_ORD_NONE)
        answer->ird = IW_IRD_ORD_NONE;
    if (request->ird == IW_IRD_ORD_NONE)
        answer->ord = IW_IRD_ORD_NONE;
}

static void negotiation_prepare_reply(
    const struct iw_endpoint_config *config, const struct iw_startup *request, struct iw_emit *emit) {
    emit->startup.rev = request->header.rev == 0 ? 1 : request->header.rev;
    emit->startup.r = iw_negotiation_rejects(config, request);
    emit->enhanced = request->enhanced;
    if (emit->enhanced)
        negotiation_answer_enhanced(config, &request->enhanced_data, emit->startup.r, &emit->enhanced_data);
}

void iw_negotiation_prepare(
    const struct iw_endpoint_config *config, const struct iw_startup *peer, struct iw_emit *emit) {
    memset(emit, 0, sizeof *emit);
    emit->kind = IW_EMIT_STARTUP;
    emit->cause = IW_EMIT_BY_STARTUP;
    memcpy(emit->startup.key, config->initiator ? iw_startup_key_request : iw_startup_key_reply, 16);
    emit->startup.m = config->markers;
    emit->startup.c = !config->no_crc;
    if (config->initiator)
        negotiation_prepare_request(config, emit);
    else
        negotiation_prepare_reply(config, peer, emit);
    emit->startup.s = emit->enhanced;
    emit->payload = config->private_data;
    emit->payload_octets = config->private_octets;
    emit->startup.pd_length =
        (uint16_t)(emit->payload_octets + (emit->enhanced ? (size_t)iw_mpa_enhanced_octets : 0));
}

const char *iw_negotiation_fault(const struct iw_endpoint_config *config, const struct iw_startup *own,
    const struct iw_startup *frame, bool more) {
    bool initiator = config->initiator;
    const struct iw_policy *policy = &config->policy;
    const char *fault = NULL;

    if (iw_policy_enforces(policy, IW_POLICY_CHECK_KEY) &&
        frame->key != (initiator ? IW_STARTUP_REPLY : IW_STARTUP_REQUEST))
        return initiator ? "not the key of an MPA Reply Frame" : "not the key of an MPA Request Frame";
    if (policy->checks.startup != NULL)
        fault = policy->checks.startup(frame);
    if (fault != NULL)
        return fault;
    if (iw_policy_enforces(policy, IW_POLICY_CHECK_PD_LENGTH) && frame->header.pd_length > IW_STARTUP_PD_MAX)
        return "PD_Length above 512";
    if (iw_policy_enforces(policy, IW_POLICY_CHECK_REVISION) &&
        (frame->header.rev == 0 || frame->header.rev > config->revision))
        return "revision not supported";
    if (iw_policy_enforces(policy, IW_POLICY_CHECK_ENHANCED) && frame->header.rev >= 2 && frame->header.s &&
        !frame->enhanced && frame->header.pd_length < iw_mpa_enhanced_octets)
        return "S=1 without enhanced data";
    if (iw_policy_enforces(policy, IW_POLICY_CHECK_ENHANCED) && initiator && own->enhanced &&
        !frame->enhanced)
        return "no enhanced data in the Reply to an enhanced Request";
    if (iw_policy_enforces(policy, IW_POLICY_CHECK_TRAILING) && !initiator && more)
        return "octets after the MPA Request Frame";
    return NULL;
}

bool iw_negotiation_lacks_ird(
    const struct iw_endpoint_config *config, const struct iw_startup *own, const struct iw_startup *peer) {
    const struct iw_policy *policy = &config->policy;
    uint16_t wanted = peer->enhanced_data.ord;

    if (!iw_policy_enforces(policy, IW_POLICY_CHECK_DEPTH) || !own->enhanced || !peer->enhanced ||
        wanted == IW_IRD_ORD_NONE || own->enhanced_data.ird == IW_IRD_ORD_NONE)
        return false;
    return wanted > config->ird || (policy->checks.ord != NULL && !policy->checks.ord(config->ird, wanted));
}

static void negotiate_depths(const struct iw_endpoint_config *config, const struct iw_mpa_enhanced *own,
    const struct iw_mpa_enhanced *peer, struct iw_terms *terms) {
    terms->ord = peer->ird == IW_IRD_ORD_NONE ? config->ord : negotiation_min(config->ord, peer->ird);
    terms->ird = own->ird == IW_IRD_ORD_NONE ? config->ird : own->ird;
    terms->peer_to_peer = own->a && peer->a;
    terms->rtr = terms->peer_to_peer ? iw_startup_rtr(own) & iw_startup_rtr(peer) : 0;
}

struct iw_terms iw_negotiation_terms(
    const struct iw_endpoint_config *config, const struct iw_startup *own, const struct iw_startup *peer) {
    struct iw_terms terms = {.markers_out = peer->header.m,
        .markers_in = own->header.m,
        .crc = own->header.c || peer->header.c,
        .enhanced = own->enhanced && peer->enhanced,
        .revision = config->initiator ? peer->header.rev : own->header.rev,
        .ird = config->ird,
        .ord = config->ord};

    if (terms.enhanced)
        negotiate_depths(config, &own->enhanced_data, &peer->enhanced_data, &terms);
    if (config->policy.negotiate != NULL)
        config->policy.negotiate(config, peer, &terms);
    return terms;
}
