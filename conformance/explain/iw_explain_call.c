#include "iw_explain_call.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"

void iw_explain_calls_dispose(struct iw_explain_calls *calls) {
    for (unsigned i = 0; i < calls->count; i++)
        iw_latency_dispose(&calls->rows[i].latency);
    free(calls->rows);
}

static struct iw_explain_call *calls_find(
    struct iw_explain_calls *calls, const char *operation, enum iw_side caller) {
    for (unsigned i = 0; i < calls->count; i++) {
        const char *other = calls->rows[i].operation;
        bool same = operation == NULL ? other == NULL : other != NULL && strcmp(other, operation) == 0;

        if (same && calls->rows[i].caller == caller)
            return &calls->rows[i];
    }
    return NULL;
}

/* Returns the row of the kind, a new one at the first call; NULL if memory runs out. */
static struct iw_explain_call *calls_row(
    struct iw_explain_calls *calls, const char *operation, enum iw_side caller) {
    struct iw_explain_call *row = calls_find(calls, operation, caller);

    if (row != NULL)
        return row;
    if (calls->count >= IW_EXPLAIN_CALLS && operation != NULL)
        return calls_row(calls, NULL, caller);
    if (!iw_array_grow(&calls->rows, calls->count, sizeof *calls->rows))
        return NULL;
    row = &calls->rows[calls->count++];
    *row = (struct iw_explain_call){.operation = operation, .caller = caller};
    return row;
}

void iw_explain_calls_add(
    struct iw_explain_calls *calls, const struct iw_upper_call *call, uint64_t frame, uint64_t time_ns) {
    uint64_t ns = time_ns > call->time_ns ? time_ns - call->time_ns : 0;
    struct iw_explain_call *row = calls_row(calls, call->operation, call->caller);

    if (row == NULL || !iw_latency_add(&row->latency, ns, ns, call->frame, frame))
        calls->no_memory = true;
}

const char *iw_explain_call_name(const struct iw_explain_call *call) {
    return call->operation != NULL ? call->operation : "other calls";
}
