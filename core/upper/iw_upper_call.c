#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_array.h"
#include "iw_upper_state.h"

/* Open calls. */

struct iw_upper_call *iw_upper_call_find(const struct iw_upper *upper, enum iw_side caller, uint64_t key) {
    for (uint32_t i = 0; i < upper->call_count; i++)
        if (upper->calls[i].key == key && upper->calls[i].caller == caller)
            return &upper->calls[i];
    return NULL;
}

bool iw_upper_call_counts(const struct iw_upper_call *call, enum iw_side caller) {
    return call->caller == caller && !call->may_be_answered && !call->hidden;
}

bool iw_upper_call_waits_for_event(const struct iw_upper_call *call) {
    return call->waits_for_event;
}

uint32_t iw_upper_calls_of(const struct iw_upper *upper, enum iw_side caller) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < upper->call_count; i++)
        count += iw_upper_call_counts(&upper->calls[i], caller);
    return count;
}

struct iw_upper_call *iw_upper_call_add(
    struct iw_upper *upper, const struct iw_upper_send *send, uint64_t key, const char *operation) {
    struct iw_upper_call *call;

    upper->counts.calls[send->side]++;
    if (upper->call_count >= IW_UPPER_CALLS_MAX) {
        upper->lost = true;
        return NULL;
    }
    if (!iw_array_reserve(
            &upper->calls, &upper->call_capacity, upper->call_count + 1u, sizeof *upper->calls)) {
        iw_upper_set_no_memory(upper);
        return NULL;
    }
    call = &upper->calls[upper->call_count++];
    *call = (struct iw_upper_call){.key = key,
        .caller = send->side,
        .frame = send->frame,
        .time_ns = send->time_ns,
        .operation = operation,
        .number = ++upper->numbers};
    if (upper->handlers->called != NULL)
        upper->handlers->called(upper->user, call);
    return call;
}

static void upper_call_remove(struct iw_upper *upper, struct iw_upper_call *call) {
    upper->hidden -= call->hidden;
    upper->call_count--;
    memmove(call, call + 1, (size_t)(&upper->calls[upper->call_count] - call) * sizeof *call);
}

void iw_upper_call_end(struct iw_upper *upper, struct iw_upper_call *call) {
    for (uint32_t i = 0; i < upper->buffer_count; i++)
        if (upper->buffers[i].number == call->number)
            iw_upper_buffer_end(upper, &upper->buffers[i], IW_UPPER_END_REPLY);
    if (upper->handlers->replied != NULL)
        upper->handlers->replied(upper->user, call);
    upper->counts.replies[call->caller]++;
    upper_call_remove(upper, call);
}

void iw_upper_note_unmatched(struct iw_upper *upper, const struct iw_upper_send *send) {
    upper->lost |= send->received > upper->reached[iw_side_other(send->side)];
}

void iw_upper_call_detach(struct iw_upper *upper, const struct iw_upper_call *call) {
    for (uint32_t i = 0; i < upper->buffer_count; i++)
        if (upper->buffers[i].number == call->number)
            upper->buffers[i].number = 0;
}

void iw_upper_call_drop(struct iw_upper *upper, struct iw_upper_call *call) {
    iw_upper_call_detach(upper, call);
    upper_call_remove(upper, call);
}

const char *iw_upper_call_name(
    const struct iw_upper *upper, const struct iw_upper_call *call, char text[IW_UPPER_TEXT_OCTETS]) {
    static const struct {
        const char *key;
        int digits;
    } keys[IW_ULP_COUNT] = {
        [IW_ULP_RPC] = {"XID", 8}, [IW_ULP_ISER] = {"ITT", 8}, [IW_ULP_NVME] = {"CID", 4}};
    const char *key = keys[upper->protocol].key;

    if (key != NULL)
        snprintf(text, IW_UPPER_TEXT_OCTETS, "%s, %s 0x%0*" PRIx64, call->operation, key,
            keys[upper->protocol].digits, call->key);
    else
        snprintf(text, IW_UPPER_TEXT_OCTETS, "%s, MessageId %" PRIu64, call->operation, call->key);
    return text;
}
