#include "iw_defect_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "iw_terminate.h"

/* Applies a defect to an endpoint: to its configuration, to what it sends, and to what it executes. */

/* ---- header fields ---- */

void iw_defect_change_field(const struct iw_defect *defect, enum iw_layout_id layout, uint8_t *header) {
    const struct iw_field *field = defect->field ? iw_field_find(layout, defect->field) : NULL;

    if (field)
        iw_field_put(
            field, header, defect->add ? iw_field_get(field, header) + defect->value : defect->value);
}

static void apply_change_startup(const struct iw_defect *defect, struct iw_emit *emit) {
    uint8_t octets[iw_mpa_startup_octets];

    emit->startup.key[defect->octets.at] ^= defect->octets.flip;
    if (defect->plain) {
        emit->enhanced = false;
        emit->startup.pd_length -= iw_mpa_enhanced_octets;
    }
    if (!defect->field)
        return;
    iw_mpa_startup_encode(&emit->startup, octets);
    iw_defect_change_field(defect, iw_layout_mpa_startup, octets);
    iw_mpa_startup_decode(octets, &emit->startup);
    iw_mpa_enhanced_encode(&emit->enhanced_data, octets);
    iw_defect_change_field(defect, iw_layout_mpa_enhanced, octets);
    iw_mpa_enhanced_decode(octets, &emit->enhanced_data);
}

static void apply_change_headers(const struct iw_defect *defect, struct iw_emit *emit) {
    uint8_t octets[iw_ddp_untagged_octets];
    uint8_t opcode = emit->segment.opcode;
    size_t length;

    if (strcmp(defect->field, "rsvdulp_rest") == 0 && emit->segment.op &&
        emit->segment.op->invalidate == IW_INVALIDATE_STAG)
        return; /* not reserved in a Send with Invalidate */
    length = iw_segment_encode_ddp(&emit->segment, octets);
    iw_defect_change_field(
        defect, emit->segment.tagged ? iw_layout_ddp_tagged : iw_layout_ddp_untagged, octets);
    iw_defect_change_field(defect, iw_layout_rdmap_control, octets + 1);
    iw_segment_decode(octets, length, length, IW_EXT_ALL, &emit->segment);
    if (opcode < IW_RDMAP_OP_COUNT && iw_opcodes[opcode].header != IW_LAYOUT_NONE &&
        emit->header_octets >= iw_layouts[iw_opcodes[opcode].header].octets)
        iw_defect_change_field(defect, iw_opcodes[opcode].header, emit->header);
}

/* ---- framing and payload ---- */

static void apply_change_framing(const struct iw_defect *defect, struct iw_emit *emit) {
    const struct iw_fpdu_parts *wrong = &defect->framing.parts;
    struct iw_fpdu_parts *parts = &emit->parts;
    size_t ddp = emit->segment.tagged ? iw_ddp_tagged_octets : iw_ddp_untagged_octets;
    size_t ulpdu = ddp + emit->header_octets + emit->payload_octets;

    parts->overrides |= wrong->overrides;
    parts->crc_flip ^= wrong->crc_flip;
    parts->pad_value |= wrong->pad_value;
    parts->marker_reserved |= wrong->marker_reserved;
    parts->fpduptr_shift = (int16_t)(parts->fpduptr_shift + wrong->fpduptr_shift);
    if (wrong->overrides & IW_FPDU_SET_LENGTH)
        parts->ulpdu_length = wrong->ulpdu_length;
    if (defect->framing.length_add != 0) {
        parts->overrides |= IW_FPDU_SET_LENGTH;
        parts->ulpdu_length = (uint16_t)((int)ulpdu + defect->framing.length_add);
    }
    if (defect->framing.pad_add != 0) {
        parts->overrides |= IW_FPDU_SET_PAD_OCTETS;
        parts->pad_octets = (uint8_t)((int)((6 - ulpdu % 4) % 4) + defect->framing.pad_add);
    }
}

static size_t apply_cut_off(size_t octets, size_t shorter) {
    return octets - (octets < shorter ? octets : shorter);
}

static void apply_change_payload(struct iw_defect_state *state, struct iw_emit *emit) {
    const struct iw_defect *defect = state->defect;

    if (emit->kind == IW_EMIT_FPDU)
        emit->header[defect->octets.at] ^= defect->octets.flip;
    emit->header_octets = apply_cut_off(emit->header_octets, defect->octets.header_shorter);
    emit->payload_octets = apply_cut_off(emit->payload_octets, defect->octets.shorter);
    if ((defect->octets.longer == 0 && defect->octets.payload_flip == 0) ||
        emit->payload_octets + defect->octets.longer > sizeof state->payload)
        return;
    if (emit->payload_octets > 0)
        memcpy(state->payload, emit->payload, emit->payload_octets);
    memset(state->payload + emit->payload_octets, 0xEE, defect->octets.longer);
    emit->payload_octets += defect->octets.longer;
    state->payload[0] ^= emit->payload_octets > 0 ? defect->octets.payload_flip : 0;
    emit->payload = state->payload;
}

/* ---- additional and delayed FPDUs ---- */

static void apply_add_extra(struct iw_defect_state *state, struct iw_emit *emit) {
    static const uint8_t payload[1024];
    const struct iw_defect_extra *extra = &state->defect->extra;
    const struct iw_segment *beside = &emit->segment;

    if (extra->place == IW_DEFECT_NOWHERE)
        return;
    iw_emit_init_fpdu(&state->extra, extra->opcode);
    state->extra.segment.msn = 1;
    state->extra.segment.stag = beside->stag;
    if (emit->kind == IW_EMIT_FPDU && !beside->tagged && beside->qn == state->extra.segment.qn)
        state->extra.segment.msn = beside->msn + (extra->place == IW_DEFECT_AFTER);
    state->extra.payload = payload;
    state->extra.payload_octets = extra->payload_octets;
    state->extra.shortened = extra->cut > 0;
    state->extra.cut = extra->cut;
    if (extra->place == IW_DEFECT_BEFORE)
        emit->before = &state->extra;
    else
        emit->after = &state->extra;
}

/* Stores a copy of *emit to send later, and returns false. Returns true if *emit is to be sent now: an item
 * is stored already, which is then sent after it, or its payload is too long to store. */
static bool apply_hold_back(struct iw_defect_state *state, struct iw_emit *emit) {
    if (state->holding) {
        state->holding = false;
        emit->after = &state->held;
        return true;
    }
    if (emit->payload_octets > sizeof state->held_payload)
        return true;
    state->holding = true;
    state->held = *emit;
    if (emit->payload_octets > 0)
        memcpy(state->held_payload, emit->payload, emit->payload_octets);
    state->held.payload = state->held_payload;
    return false;
}

/* ---- filter of what the endpoint sends ---- */

static bool apply_concerns_message(const struct iw_defect *defect, uint8_t opcode, const uint8_t *header) {
    struct iw_atomic_request request;

    if (defect->messages != 0 && !(defect->messages >> opcode & 1))
        return false;
    if (defect->operation == 0)
        return true;
    if (opcode != IW_RDMAP_OP_ATOMIC_REQUEST)
        return false;
    iw_atomic_request_decode(header, &request);
    return request.aopcode == defect->operation - 1;
}

static bool apply_concerns_fpdu(const struct iw_defect *defect, const struct iw_emit *emit) {
    const struct iw_segment *segment = &emit->segment;
    struct iw_terminate terminate;

    if (!apply_concerns_message(defect, segment->opcode, emit->header))
        return false;
    if (defect->where != IW_DEFECT_ANYWHERE && segment->last != (defect->where == IW_DEFECT_LAST))
        return false;
    if (defect->about == 0)
        return true;
    if (segment->opcode != IW_RDMAP_OP_TERMINATE)
        return false;
    iw_terminate_decode(emit->header, &terminate);
    return iw_terminate_error(&terminate) == defect->about - 1;
}

static bool defect_concerns(const struct iw_defect *defect, const struct iw_emit *emit) {
    static const enum iw_defect_of of[] = {[IW_EMIT_STARTUP] = IW_DEFECT_OF_STARTUP,
        [IW_EMIT_FPDU] = IW_DEFECT_OF_FPDU,
        [IW_EMIT_CLOSE] = IW_DEFECT_OF_CLOSE};

    if (defect->of != of[emit->kind] || (defect->causes != 0 && !(defect->causes >> emit->cause & 1)))
        return false;
    return emit->kind != IW_EMIT_FPDU || apply_concerns_fpdu(defect, emit);
}

static void defect_change(struct iw_defect_state *state, struct iw_emit *emit) {
    const struct iw_defect *defect = state->defect;

    if (emit->kind == IW_EMIT_STARTUP)
        apply_change_startup(defect, emit);
    else if (emit->kind == IW_EMIT_FPDU && defect->field)
        apply_change_headers(defect, emit);
    emit->segment.tagged ^= defect->retag;
    apply_change_payload(state, emit);
    apply_change_framing(defect, emit);
    if (defect->tcp.pieces > 0 && emit->kind != IW_EMIT_CLOSE) {
        emit->split_count = 60 / defect->tcp.pieces > 0 ? 60 / defect->tcp.pieces : 1;
        for (size_t i = 0; i < emit->split_count; i++)
            emit->split[i] = defect->tcp.pieces;
    }
    if (defect->tcp.cut > 0) {
        emit->shortened = true;
        emit->cut = defect->tcp.cut;
    }
    emit->merge |= defect->tcp.merge;
    emit->reset |= defect->tcp.reset;
}

static unsigned defect_send(void *user, struct iw_emit *emit) {
    struct iw_defect_state *state = user;
    const struct iw_defect *defect = state->defect;

    if (!iw_defect_device_sends(state, emit))
        return 0;
    if (!defect_concerns(defect, emit))
        return 1;
    state->seen++;
    if (defect->only != 0 && state->seen != defect->only && !state->holding)
        return 1;
    defect_change(state, emit);
    apply_add_extra(state, emit);
    if (defect->late && !apply_hold_back(state, emit))
        return 0;
    return defect->times == IW_DEFECT_NEVER ? 0 : defect->times == IW_DEFECT_TWICE ? 2 : 1;
}

/* ---- received messages ---- */

static int defect_execute(void *user, struct iw_memory *memory, const struct iw_access *access,
    unsigned extensions, struct iw_execute_request *request, struct iw_execute_answer *answer) {
    const struct iw_defect *defect = ((const struct iw_defect_state *)user)->defect;

    if (apply_concerns_message(defect, request->opcode, request->header))
        iw_defect_change_field(defect, iw_opcodes[request->opcode].header, request->header);
    return iw_execute(memory, access, extensions, request, answer);
}

static bool apply_delivers_others(void *user, uint8_t opcode) {
    return !(((const struct iw_defect_state *)user)->defect->messages >> opcode & 1);
}

/* ---- configuration of the endpoint ---- */

static struct iw_automatic apply_without(struct iw_automatic all, struct iw_automatic omitted) {
    return (struct iw_automatic){.startup = all.startup && !omitted.startup,
        .rtr = all.rtr && !omitted.rtr,
        .responses = all.responses && !omitted.responses,
        .terminate = all.terminate && !omitted.terminate,
        .close = all.close && !omitted.close};
}

static void *defect_begin(void *user) {
    struct iw_defect_state *state = calloc(1, sizeof *state);

    if (state)
        state->defect = user;
    return state;
}

static void *defect_begin_on_device(void *user) {
    struct iw_defect_device *device = user;
    struct iw_defect_state *state = defect_begin((void *)(uintptr_t)device->defect);

    if (state) {
        state->device = device;
        iw_defect_device_begin(state);
    }
    return state;
}

static void defect_end(void *user) {
    struct iw_defect_state *state = user;

    iw_defect_device_end(state);
    free(state->overtaken.octets);
    free(state);
}

/* Whether the policy is zero, apart from the two sets of checks, checks.fpdu, `send`, `begin`, `end`,
 * `deviated` and the user pointers. memcmp is safe: `handling` has only pointers and `ending` only enums. */
static bool apply_policy_is_usual(const struct iw_policy *policy) {
    static const struct iw_policy usual;
    const struct iw_policy_checks *checks = &policy->checks;

    return policy->partial_frame == usual.partial_frame && policy->rtr_order == NULL &&
           policy->negotiate == NULL && policy->slots == NULL && policy->access == NULL &&
           policy->omitted_accesses == 0 && checks->startup == NULL && checks->ord == NULL &&
           checks->empty_read == NULL && checks->delivery == NULL && policy->response_delay_us == 0 &&
           memcmp(&policy->handling, &usual.handling, sizeof usual.handling) == 0 &&
           memcmp(&policy->ending, &usual.ending, sizeof usual.ending) == 0;
}

/* Only defects that change what is sent or executed, or the checks of FPDUs, set `deviated`. */
bool iw_defect_sets_deviated(const struct iw_defect *defect) {
    static const struct iw_automatic nothing;

    return apply_policy_is_usual(&defect->policy) &&
           (defect->policy.omitted_checks & ~IW_POLICY_CHECKS_OF_FPDUS) == 0 &&
           defect->policy.unusual_checks == 0 &&
           memcmp(&defect->settings.omitted, &nothing, sizeof nothing) == 0 &&
           !defect->settings.startup_unlimited && defect->settings.mulpdu == 0 &&
           defect->of != IW_DEFECT_OF_SCTP && defect->of != IW_DEFECT_OF_DELIVERING &&
           defect->of != IW_DEFECT_OF_DEVICE;
}

static void apply_settings(const struct iw_defect_settings *settings, struct iw_endpoint_config *config) {
    static const uint8_t private_data[512];

    config->automatic = apply_without(config->automatic, settings->omitted);
    if (settings->startup_unlimited)
        config->timeouts.startup_ms = UINT32_MAX;
    config->markers |= settings->markers;
    config->no_crc |= settings->no_crc;
    config->joined |= settings->joined;
    config->enhanced |= settings->enhanced;
    config->ird = settings->ird ? settings->ird : config->ird;
    config->ord = settings->ord ? settings->ord : config->ord;
    config->rtr = settings->rtr ? settings->rtr : config->rtr;
    config->mulpdu = settings->mulpdu ? settings->mulpdu : config->mulpdu;
    if (settings->private_octets > 0) {
        config->private_data = private_data;
        config->private_octets = settings->private_octets;
    }
}

void iw_defect_configure(
    const struct iw_defect *defect, struct iw_defect_device *device, struct iw_endpoint_config *config) {
    const struct iw_policy given = config->policy;

    if (!defect || defect->of == IW_DEFECT_OF_SCTP)
        return;
    assert(given.begin == NULL && given.end == NULL && given.send == NULL && given.checks.fpdu == NULL &&
           apply_policy_is_usual(&given));
    config->policy = defect->policy;
    config->policy.deviated = given.deviated;
    config->policy.omitted_checks |= given.omitted_checks;
    config->policy.unusual_checks |= given.unusual_checks;
    config->policy.send = defect_send;
    config->policy.user = device ? (void *)device : (void *)(uintptr_t)defect;
    config->policy.begin = device ? defect_begin_on_device : defect_begin;
    config->policy.end = defect_end;
    if (device)
        device->defect = defect;
    if (defect->of == IW_DEFECT_OF_DELIVERING)
        config->policy.handling.delivers = apply_delivers_others;
    if (defect->of == IW_DEFECT_OF_EXECUTING)
        config->policy.handling.execute = defect_execute;
    apply_settings(&defect->settings, config);
}
