#include "iw_unanswered.h"

#include <stdlib.h>
#include <string.h>

/* ---- requests that were outstanding at a loss ---- */

/* Requests of one kind, no longer in `waiting`, that may lack a response, in order. */
struct iw_passed_requests {
    uint64_t count;
    unsigned named_count;
    struct iw_request_name named[IW_UNANSWERED_NAMED]; /* the oldest of these requests */
};

static struct iw_request_name unanswered_request_name(const struct iw_operation *operation, bool perhaps) {
    bool read = operation->opcode == IW_RDMAP_OP_READ_REQUEST;

    return (struct iw_request_name){.number = operation->number,
        .opcode = operation->opcode,
        .perhaps = perhaps,
        .msn = operation->msn,
        .frame = operation->request_frame,
        .time_ns = operation->request_time_ns,
        .answered = read ? operation->answered : 0,
        .read_octets = read ? operation->request.header.read_request.size : 0};
}

static void unanswered_passed_add(
    struct iw_operations *operations, enum iw_operation_kind kind, const struct iw_operation *operation) {
    struct iw_passed_requests *passed;

    if (operations->passed == NULL)
        operations->passed = calloc(IW_OPERATION_KINDS, sizeof *operations->passed);
    if (operations->passed == NULL) {
        operations->dropped++;
        return;
    }
    passed = &operations->passed[kind];
    if (passed->named_count == passed->count && passed->count < IW_UNANSWERED_NAMED)
        passed->named[passed->named_count++] = unanswered_request_name(operation, true);
    passed->count++;
}

static void unanswered_passed_drop_oldest(struct iw_passed_requests *passed) {
    passed->count--;
    if (passed->named_count == 0)
        return;
    passed->named_count--;
    memmove(passed->named, passed->named + 1, passed->named_count * sizeof *passed->named);
}

void iw_operations_pass(struct iw_operations *operations) {
    for (unsigned kind = 0; kind < IW_OPERATION_KINDS; kind++) {
        const struct iw_operation_list *list = &operations->waiting[kind];

        for (uint32_t i = 0; i < list->count; i++)
            if (!iw_operation_at(list, i)->filled)
                unanswered_passed_add(operations, kind, iw_operation_at(list, i));
        operations->doubted_up_to[kind] = operations->requests;
    }
}

/* Responses come in the order of their requests, so this response counts as that of the oldest request. */
void iw_operations_pass_response(struct iw_operations *operations, enum iw_operation_kind kind,
    const struct iw_operation *done, bool fits) {
    bool older = operations->passed != NULL && operations->passed[kind].count > 0;

    operations->doubted_up_to[kind] = operations->requests;
    if (older)
        unanswered_passed_drop_oldest(&operations->passed[kind]);
    if (done != NULL && (older || !fits))
        unanswered_passed_add(operations, kind, done);
}

/* ---- outstanding requests at the end ---- */

/* Adds a request to the named requests: the oldest, in order. */
static void unanswered_insert(struct iw_unanswered *unanswered, struct iw_request_name name) {
    unsigned at = unanswered->named_count;

    if (at == IW_UNANSWERED_NAMED && unanswered->named[at - 1].number < name.number)
        return;
    if (at == IW_UNANSWERED_NAMED)
        at--;
    else
        unanswered->named_count++;
    for (; at > 0 && unanswered->named[at - 1].number > name.number; at--)
        unanswered->named[at] = unanswered->named[at - 1];
    unanswered->named[at] = name;
}

static uint64_t unanswered_sure_after(const struct iw_operations *operations, bool perhaps) {
    const uint64_t *up_to = operations->doubted_up_to;

    if (perhaps || operations->doubted)
        return UINT64_MAX;
    return up_to[IW_OPERATION_READS] > up_to[IW_OPERATION_OTHERS] ? up_to[IW_OPERATION_READS]
                                                                  : up_to[IW_OPERATION_OTHERS];
}

void iw_operations_unanswered(
    const struct iw_operations *operations, bool perhaps, struct iw_unanswered *unanswered) {
    memset(unanswered, 0, sizeof *unanswered);
    unanswered->sure_after = unanswered_sure_after(operations, perhaps);
    for (unsigned kind = 0; kind < IW_OPERATION_KINDS; kind++) {
        const struct iw_operation_list *list = &operations->waiting[kind];

        if (operations->passed != NULL) {
            const struct iw_passed_requests *passed = &operations->passed[kind];

            unanswered->count += passed->count;
            unanswered->perhaps += passed->count;
            for (unsigned i = 0; i < passed->named_count; i++) {
                unanswered->in_part += passed->named[i].answered > 0;
                unanswered_insert(unanswered, passed->named[i]);
            }
        }
        for (uint32_t i = 0; i < list->count; i++) {
            const struct iw_operation *waits = iw_operation_at(list, i);
            bool doubtful =
                perhaps || operations->doubted || waits->number <= operations->doubted_up_to[kind];
            struct iw_request_name name = unanswered_request_name(waits, doubtful);

            if (waits->filled)
                continue;
            unanswered->count++;
            unanswered->perhaps += doubtful;
            unanswered_insert(unanswered, name);
            unanswered->in_part += name.answered > 0;
        }
    }
}

void iw_operations_without_response(
    const struct iw_operations *operations, struct iw_unanswered *unanswered) {
    iw_operations_unanswered(operations, false, unanswered);
    unanswered->perhaps = 0;
    unanswered->sure_after = 0;
    for (unsigned i = 0; i < unanswered->named_count; i++)
        unanswered->named[i].perhaps = false;
}
