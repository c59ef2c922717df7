#include "iw_defect_state.h"

/* A defect of a device as a whole: connections that the device should forget, or not wait for, keep it from
 * serving others. */

static void device_move(struct iw_defect_state *state, enum iw_defect_phase phase) {
    state->device->connections[state->phase]--;
    state->device->connections[phase]++;
    state->phase = phase;
}

void iw_defect_device_begin(struct iw_defect_state *state) {
    if (!state->device)
        return;
    state->phase = IW_DEFECT_STARTING;
    state->device->connections[IW_DEFECT_STARTING]++;
}

static enum iw_defect_phase device_ended_phase(enum iw_defect_phase phase) {
    static const enum iw_defect_phase ended[IW_DEFECT_PHASES] = {
        [IW_DEFECT_STARTING] = IW_DEFECT_ABANDONED,
        [IW_DEFECT_IDLE] = IW_DEFECT_ENDED,
        [IW_DEFECT_ACTIVE] = IW_DEFECT_ENDED,
        [IW_DEFECT_TERMINATED] = IW_DEFECT_FAILED,
    };

    return phase < IW_DEFECT_ABANDONED ? ended[phase] : phase;
}

void iw_defect_device_end(struct iw_defect_state *state) {
    if (state->device)
        device_move(state, device_ended_phase(state->phase));
}

/* Whether more connections than the device can have are in one of the phases that count; this one is not. */
static bool device_is_exhausted(const struct iw_defect_state *state) {
    const struct iw_defect_limit *limit = &state->defect->limit;
    unsigned count = 0;

    for (unsigned phase = 0; phase < IW_DEFECT_PHASES; phase++)
        if (limit->phases >> phase & 1)
            count += state->device->connections[phase] - (phase == state->phase);
    return count > limit->capacity;
}

static bool device_suppresses(const struct iw_defect_state *state, const struct iw_emit *emit) {
    const struct iw_defect_limit *limit = &state->defect->limit;
    bool concerned = emit->kind == IW_EMIT_STARTUP || !limit->startup_only;

    return limit->phases != 0 && concerned && device_is_exhausted(state);
}

bool iw_defect_device_sends(struct iw_defect_state *state, const struct iw_emit *emit) {
    if (!state->device)
        return true;
    if (device_suppresses(state, emit))
        return false;
    if (emit->kind == IW_EMIT_STARTUP)
        device_move(state, IW_DEFECT_IDLE);
    else if (emit->kind == IW_EMIT_FPDU && emit->segment.opcode == IW_RDMAP_OP_TERMINATE)
        device_move(state, IW_DEFECT_TERMINATED);
    else if (emit->kind == IW_EMIT_FPDU && state->phase == IW_DEFECT_IDLE)
        device_move(state, IW_DEFECT_ACTIVE);
    else if (emit->kind == IW_EMIT_CLOSE && state->phase != IW_DEFECT_TERMINATED)
        device_move(state, device_ended_phase(state->phase));
    return true;
}
