#include "iw_operation.h"

#include <stdlib.h>
#include <string.h>

#include "iw_crc32c.h"
#include "iw_unanswered.h"

/* ---- the list ---- */

enum { CAPACITY_AT_FIRST = 4, CAPACITY_KEPT = 8 };

static struct iw_operation *front(const struct iw_operation_list *list) {
    return list->count == 0 ? NULL : &list->slots[list->first];
}

static bool widen(struct iw_operation_list *list) {
    uint32_t capacity = list->capacity == 0 ? CAPACITY_AT_FIRST : list->capacity * 2;
    struct iw_operation *slots = malloc(capacity * sizeof *slots);

    if (slots == NULL)
        return false;
    for (uint32_t i = 0; i < list->count; i++)
        slots[i] = list->slots[(list->first + i) & (list->capacity - 1)];
    free(list->slots);
    list->slots = slots;
    list->capacity = capacity;
    list->first = 0;
    return true;
}

static struct iw_operation *push(struct iw_operation_list *list) {
    if (list->count == list->capacity && (list->count >= IW_OPERATION_MAX || !widen(list)))
        return NULL;
    return &list->slots[(list->first + list->count++) & (list->capacity - 1)];
}

/* With nothing waiting a list is small again, whatever has waited. */
static void rest(struct iw_operation_list *list) {
    if (list->count > 0 || list->capacity <= CAPACITY_KEPT)
        return;
    free(list->slots);
    *list = (struct iw_operation_list){0};
}

static void pop(struct iw_operation_list *list) {
    list->first = (list->first + 1) & (list->capacity - 1);
    list->count--;
    rest(list);
}

/* The entry so many behind the first. */
static struct iw_operation *slot(const struct iw_operation_list *list, uint32_t behind) {
    return &list->slots[(list->first + behind) & (list->capacity - 1)];
}

/* Makes the first of an entry further behind; the others keep their order. */
static void pull_forward(struct iw_operation_list *list, uint32_t behind) {
    struct iw_operation pulled = *slot(list, behind);

    for (; behind > 0; behind--)
        *slot(list, behind) = *slot(list, behind - 1);
    *slot(list, 0) = pulled;
}

/* ---- operations ---- */

void iw_operations_init(struct iw_operations *operations) {
    memset(operations, 0, sizeof *operations);
    operations->known = true;
}

void iw_operations_dispose(struct iw_operations *operations) {
    free(operations->reads.slots);
    free(operations->others.slots);
    free(operations->passed);
    memset(operations, 0, sizeof *operations);
}

void iw_operations_lost(struct iw_operations *operations) {
    iw_operations_pass(operations);
    operations->reads.count = 0;
    operations->others.count = 0;
    rest(&operations->reads);
    rest(&operations->others);
    operations->known = false;
}

void iw_operations_doubt(struct iw_operations *operations) {
    operations->doubted = true;
}

static uint32_t waiting(const struct iw_operation_list *list) {
    return list->count - (list->count > 0 && front(list)->filled);
}

uint32_t iw_operations_waiting(const struct iw_operations *operations) {
    return waiting(&operations->reads) + waiting(&operations->others);
}

uint32_t iw_operations_reads_waiting(const struct iw_operations *operations) {
    return waiting(&operations->reads);
}

const struct iw_operation *iw_operations_read(const struct iw_operations *operations, uint32_t msn) {
    const struct iw_operation_list *reads = &operations->reads;

    for (uint32_t i = 0; operations->known && i < reads->count; i++)
        if (slot(reads, i)->msn == msn)
            return slot(reads, i);
    return NULL;
}

const struct iw_operation *iw_operations_before_last(const struct iw_operations *operations) {
    const struct iw_operation_list *list = &operations->others;

    return list->count < 2 ? NULL : slot(list, list->count - 2);
}

enum { LOOK_AHEAD = 16 }; /* requests that are looked at for the one meant */

const struct iw_operation *iw_operations_find(const struct iw_operations *operations, uint32_t msn) {
    const struct iw_operation_list *list = &operations->others;

    for (uint32_t behind = 0; behind < list->count && behind < LOOK_AHEAD; behind++)
        if (slot(list, behind)->msn == msn)
            return slot(list, behind);
    return NULL;
}

bool iw_operations_earlier_waits(
    const struct iw_operations *operations, const struct iw_operation *operation) {
    const struct iw_operation *oldest = front(&operations->others);

    return oldest != NULL && oldest->number < operation->number;
}

/* The hash stands behind the header (draft-talpey-rdma-commit-01 3.1.2.1). */
static void note_hash(struct iw_operation *operation, const struct iw_segment *segment) {
    if (!segment->last || segment->payload_captured < segment->payload_octets)
        return;
    operation->request.hash_octets = segment->payload_octets;
    operation->request.hash_crc = iw_crc32c(segment->payload, segment->payload_octets);
}

static void note_request(struct iw_operation *operation, const struct iw_segment *segment) {
    switch (segment->opcode) {
    case IW_RDMAP_OP_READ_REQUEST:
        iw_read_request_decode(segment->header, &operation->request.read);
        break;
    case IW_RDMAP_OP_ATOMIC_REQUEST:
        iw_atomic_request_decode(segment->header, &operation->request.atomic);
        break;
    case IW_RDMAP_OP_FLUSH_REQUEST:
        iw_flush_request_decode(segment->header, &operation->request.flush);
        break;
    case IW_RDMAP_OP_VERIFY_REQUEST:
        iw_verify_request_decode(segment->header, &operation->request.verify);
        note_hash(operation, segment);
        break;
    case IW_RDMAP_OP_ATOMIC_WRITE_REQUEST:
        iw_atomic_write_request_decode(segment->header, &operation->request.atomic_write);
        break;
    default:
        break;
    }
}

struct iw_operation *iw_operations_request(
    struct iw_operations *operations, const struct iw_segment *segment, uint64_t frame, uint64_t time_ns) {
    bool read = segment->opcode == IW_RDMAP_OP_READ_REQUEST;
    struct iw_operation *operation;

    if (segment->op == NULL || segment->op->answer == IW_RDMAP_OP_NONE)
        return NULL;
    if (segment->header_missing)
        operations->known = false; /* there is a request, but nobody can say which */
    if (segment->header_octets == 0)
        return NULL;
    operation = push(read ? &operations->reads : &operations->others);
    if (operation == NULL) {
        operations->known = false;
        operations->dropped++;
        return NULL;
    }
    memset(operation, 0, sizeof *operation);
    operation->number = ++operations->requests;
    operation->opcode = segment->opcode;
    operation->msn = segment->msn;
    operation->request_frame = frame;
    operation->request_time_ns = time_ns;
    if (frame < operations->answer_frame[read ? 0 : 1])
        operations->doubted_up_to[read ? 0 : 1] = operation->number; /* its response came first */
    note_request(operation, segment);
    return operation;
}

/* The answer is complete: the request leaves its list, and stays readable in `done`. */
static void complete(
    struct iw_operations *operations, struct iw_operation_list *list, struct iw_response_fact *fact) {
    operations->done = *front(list);
    pop(list);
    fact->operation = &operations->done;
    fact->complete = true;
}

static void read_response(struct iw_operations *operations, const struct iw_segment *segment,
    struct iw_operation *operation, struct iw_response_fact *fact) {
    const struct iw_read_request *read = &operation->request.read;
    bool over = operation->answered > read->size;

    fact->octets_left = over ? 0 : read->size - operation->answered;
    fact->to_expected = read->sink_to + operation->answered;
    /* Neither is checked without payload (RFC 5041 5.2). */
    if (segment->payload_octets > 0 && read->size > 0) {
        fact->stag_ok = segment->stag == read->sink_stag;
        fact->to_ok = segment->to == fact->to_expected;
    }
    fact->length_ok = !over && (segment->last ? segment->payload_octets == fact->octets_left
                                              : segment->payload_octets <= fact->octets_left);
    operation->answered += segment->payload_octets;
    operation->filled = operation->answered >= read->size;
    if (segment->last)
        complete(operations, &operations->reads, fact);
}

enum { OVERTAKING_MAX = 64 }; /* Read Requests that are looked through for the one that is answered */

static bool begins_answer_to(const struct iw_operation *operation, const struct iw_segment *segment) {
    const struct iw_read_request *read = &operation->request.read;

    if (segment->payload_octets == 0)
        return read->size == 0;
    return segment->stag == read->sink_stag && segment->to == read->sink_to &&
           segment->payload_octets <= read->size;
}

/* It may be the answer to the oldest request, right or wrong. Without payload nothing but its size tells. */
static bool may_answer(const struct iw_operation *oldest, const struct iw_segment *segment) {
    const struct iw_read_request *read = &oldest->request.read;

    if (segment->payload_octets == 0)
        return read->size == 0 || !segment->last;
    return segment->stag == read->sink_stag && segment->to == read->sink_to;
}

/* An answer that begins before its turn: its request goes to the front of the list. Where it could be the
 * answer to the oldest, it is. Returns the oldest, which it overtakes, or NULL. */
static const struct iw_operation *overtake_read(
    struct iw_operation_list *reads, const struct iw_segment *segment) {
    struct iw_operation *oldest = front(reads);
    uint32_t turn = 1;

    if (oldest == NULL || oldest->answered > 0 || may_answer(oldest, segment))
        return NULL;
    while (turn < reads->count && turn < OVERTAKING_MAX && !begins_answer_to(slot(reads, turn), segment))
        turn++;
    if (turn == reads->count || turn == OVERTAKING_MAX)
        return NULL;
    pull_forward(reads, turn);
    return slot(reads, 1);
}

/* The answer is of the kind that the request asks for and, of an Atomic, has its identifier. */
static bool answers(const struct iw_segment *segment, const struct iw_operation *operation) {
    struct iw_atomic_response response;

    if (iw_opcodes[operation->opcode].answer != segment->opcode)
        return false;
    if (segment->opcode != IW_RDMAP_OP_ATOMIC_RESPONSE || segment->header_octets == 0)
        return true;
    iw_atomic_response_decode(segment->header, &response);
    return response.identifier == operation->request.atomic.identifier;
}

/* Queue 3 is answered in order; an answer that cannot be to the oldest request is taken for that to the first
 * one behind it that it fits, so that what follows finds its requests again. Returns whether there is one. */
static bool overtake_queued(struct iw_operation_list *list, const struct iw_segment *segment) {
    if (list->count == 0 || answers(segment, front(list)))
        return false;
    for (uint32_t behind = 1; behind < list->count && behind < LOOK_AHEAD; behind++) {
        if (!answers(segment, slot(list, behind)))
            continue;
        pull_forward(list, behind);
        return true;
    }
    return false;
}

/* A hash of other length is another one, whatever was captured of it. */
static bool is_hash_of(const struct iw_operation *operation, const struct iw_segment *segment) {
    bool whole = segment->mo == 0 && segment->last && segment->payload_octets > 0;

    if (operation->request.hash_octets == 0 || !whole)
        return true;
    if (segment->payload_octets != operation->request.hash_octets)
        return false;
    return segment->payload_captured < segment->payload_octets ||
           iw_crc32c(segment->payload, segment->payload_octets) == operation->request.hash_crc;
}

static void queued_response(struct iw_operations *operations, const struct iw_segment *segment,
    struct iw_operation *operation, struct iw_response_fact *fact) {
    fact->opcode_ok = iw_opcodes[operation->opcode].answer == segment->opcode;
    if (fact->opcode_ok) {
        fact->identifier_ok = answers(segment, operation);
        if (segment->opcode == IW_RDMAP_OP_VERIFY_RESPONSE)
            fact->hash_ok = is_hash_of(operation, segment);
    }
    operation->filled = true; /* how long a hash is nobody knows, and the others are one segment */
    operation->answer_msn = segment->msn;
    if (segment->last)
        complete(operations, &operations->others, fact);
}

/* Once for each that is overtaken: who leaves one out altogether is told so with the first answer behind it.
 */
static void note_overtaken(struct iw_operation *oldest, struct iw_response_fact *fact) {
    fact->overtaken = oldest->overtaken ? NULL : oldest;
    oldest->overtaken = true;
}

/* The segment may be more of that answer. What a Read Response has beyond the size is still of it. */
static bool goes_on(const struct iw_operation *operation, const struct iw_segment *segment) {
    const struct iw_read_request *read = &operation->request.read;
    bool read_response = segment->opcode == IW_RDMAP_OP_READ_RESPONSE;

    if (operation->opcode != IW_RDMAP_OP_READ_REQUEST)
        return !read_response && segment->msn == operation->answer_msn;
    return read_response &&
           (segment->payload_octets == 0 ||
               (segment->stag == read->sink_stag && segment->to == read->sink_to + operation->answered));
}

/* An answer that lacks nothing but its L is over when another one begins: the L was left out, and the request
 * is answered all the same. */
static void settle(struct iw_operation_list *list, const struct iw_segment *segment) {
    if (list->count > 0 && front(list)->filled && !goes_on(front(list), segment))
        pop(list);
}

/* The answer before has had L before all of it had come, and this is what comes next of it, not the beginning
 * of another. */
static bool resumes(const struct iw_operations *operations, const struct iw_segment *segment) {
    const struct iw_operation *done = &operations->done;
    const struct iw_operation *oldest = front(&operations->reads);

    return segment->opcode == IW_RDMAP_OP_READ_RESPONSE && segment->payload_octets > 0 &&
           done->opcode == IW_RDMAP_OP_READ_REQUEST && done->answered > 0 &&
           done->answered + segment->payload_octets <= done->request.read.size && goes_on(done, segment) &&
           (oldest == NULL || (oldest->answered == 0 && !begins_answer_to(oldest, segment)));
}

static void resume(
    struct iw_operations *operations, const struct iw_segment *segment, struct iw_response_fact *fact) {
    fact->resumed = true;
    fact->operation = operations->known ? &operations->done : NULL;
    fact->octets_left = operations->done.request.read.size - operations->done.answered;
    fact->to_expected = segment->to;
    operations->done.answered += segment->payload_octets;
}

static bool fits(const struct iw_response_fact *fact) {
    return fact->operation != NULL && fact->overtakes == 0 && fact->overtaken == NULL && fact->in_order &&
           fact->opcode_ok && fact->identifier_ok && fact->hash_ok && fact->stag_ok && fact->to_ok &&
           fact->length_ok;
}

/* The oldest request, unless it arrived after this response was sent. */
static struct iw_operation *due(
    const struct iw_operation_list *list, uint64_t received, struct iw_response_fact *fact) {
    struct iw_operation *oldest = front(list);

    if (oldest == NULL || oldest->request_end <= received)
        return oldest;
    fact->too_early = oldest->request_frame;
    return NULL;
}

bool iw_operations_response(struct iw_operations *operations, const struct iw_segment *segment,
    uint64_t received, uint64_t frame, struct iw_response_fact *fact) {
    bool read = segment->opcode == IW_RDMAP_OP_READ_RESPONSE;
    struct iw_operation_list *list = read ? &operations->reads : &operations->others;
    const struct iw_operation_list *rest = read ? &operations->others : &operations->reads;
    const struct iw_operation *overtaken = NULL;
    struct iw_operation *operation;
    bool blind = !operations->known;
    bool early = false;

    if (segment->op == NULL || iw_opcode_answered(segment->opcode) == IW_RDMAP_OP_NONE)
        return false;
    memset(fact, 0, sizeof *fact);
    fact->opcode_ok = fact->in_order = fact->identifier_ok = true;
    fact->stag_ok = fact->to_ok = fact->length_ok = fact->hash_ok = true;
    fact->known = operations->known;
    if (resumes(operations, segment)) {
        resume(operations, segment, fact);
        return true;
    }
    settle(&operations->reads, segment);
    settle(&operations->others, segment);
    operation = due(list, received, fact);
    if (operation != NULL) {
        overtaken = read && operations->known ? overtake_read(list, segment) : NULL;
        early = !read && overtake_queued(list, segment);
        operation = front(list);
    }
    fact->overtakes = overtaken == NULL ? 0 : overtaken->request_frame;
    fact->operation = operation;
    if (operation != NULL) {
        fact->earlier = front(rest);
        fact->in_order = fact->earlier == NULL || fact->earlier->number > operation->number;
        if (fact->in_order)
            fact->earlier = NULL;
        if (operation->response_frame == 0)
            operation->response_frame = frame;
        if (read)
            read_response(operations, segment, operation, fact);
        else
            queued_response(operations, segment, operation, fact);
    }
    if (early)
        note_overtaken(fact->complete ? front(list) : slot(list, 1), fact);
    if (segment->last)
        operations->answer_frame[read ? 0 : 1] = frame;
    if (blind && segment->last)
        iw_operations_pass_response(operations, read, fact->complete ? &operations->done : NULL, fits(fact));
    if (operations->doubted && !fits(fact))
        fact->known = false;
    /* An answer to none, or not to the oldest: which request the next one is to, nobody can say. */
    if (operation == NULL || !fact->opcode_ok || !fact->stag_ok || !fact->known)
        operations->known = false;
    if (!fact->known)
        fact->operation = NULL;
    return true;
}
