#include "iw_operation.h"

#include <stdlib.h>
#include <string.h>

#include "iw_placement.h"
#include "iw_unanswered.h"

enum { OPERATION_CAPACITY_AT_FIRST = 4, OPERATION_CAPACITY_KEPT = 8 };

static struct iw_operation *operation_list_front(const struct iw_operation_list *list) {
    return list->count == 0 ? NULL : iw_operation_at(list, 0);
}

static bool operation_list_grow(struct iw_operation_list *list) {
    uint32_t capacity = list->capacity == 0 ? OPERATION_CAPACITY_AT_FIRST : list->capacity * 2;
    struct iw_operation *slots = malloc(capacity * sizeof *slots);

    if (slots == NULL)
        return false;
    for (uint32_t i = 0; i < list->count; i++)
        slots[i] = *iw_operation_at(list, i);
    free(list->slots);
    list->slots = slots;
    list->capacity = capacity;
    list->first = 0;
    return true;
}

static struct iw_operation *operation_list_push(struct iw_operation_list *list) {
    if (list->count == list->capacity && (list->count >= IW_OPERATION_MAX || !operation_list_grow(list)))
        return NULL;
    return &list->slots[(list->first + list->count++) & (list->capacity - 1)];
}

/* Frees the memory of an empty list if it has grown large. */
static void operation_list_shrink(struct iw_operation_list *list) {
    if (list->count > 0 || list->capacity <= OPERATION_CAPACITY_KEPT)
        return;
    free(list->slots);
    *list = (struct iw_operation_list){0};
}

static void operation_list_pop(struct iw_operation_list *list) {
    assert(list->count > 0);
    list->first = (list->first + 1) & (list->capacity - 1);
    list->count--;
    operation_list_shrink(list);
}

static void operation_list_pull_forward(struct iw_operation_list *list, uint32_t position) {
    struct iw_operation pulled = *iw_operation_at(list, position);

    for (; position > 0; position--)
        *iw_operation_at(list, position) = *iw_operation_at(list, position - 1);
    *iw_operation_at(list, 0) = pulled;
}

void iw_operations_init(struct iw_operations *operations) {
    memset(operations, 0, sizeof *operations);
    operations->known = true;
}

void iw_operations_dispose(struct iw_operations *operations) {
    free(operations->waiting[IW_OPERATION_READS].slots);
    free(operations->waiting[IW_OPERATION_OTHERS].slots);
    free(operations->passed);
    free(operations->done);
    memset(operations, 0, sizeof *operations);
}

void iw_operations_lost(struct iw_operations *operations) {
    iw_operations_pass(operations);
    for (int kind = 0; kind < IW_OPERATION_KINDS; kind++) {
        operations->waiting[kind].count = 0;
        operation_list_shrink(&operations->waiting[kind]);
    }
    operations->known = false;
}

void iw_operations_doubt(struct iw_operations *operations) {
    operations->doubted = true;
}

static uint32_t operation_list_waiting(const struct iw_operation_list *list) {
    return list->count - (list->count > 0 && operation_list_front(list)->filled);
}

uint32_t iw_operations_waiting(const struct iw_operations *operations) {
    return operation_list_waiting(&operations->waiting[IW_OPERATION_READS]) +
           operation_list_waiting(&operations->waiting[IW_OPERATION_OTHERS]);
}

uint32_t iw_operations_reads_waiting(const struct iw_operations *operations) {
    return operation_list_waiting(&operations->waiting[IW_OPERATION_READS]);
}

static const struct iw_operation *operation_list_find(
    const struct iw_operation_list *list, uint32_t limit, uint32_t msn) {
    for (uint32_t i = 0; i < list->count && i < limit; i++)
        if (iw_operation_at(list, i)->msn == msn)
            return iw_operation_at(list, i);
    return NULL;
}

const struct iw_operation *iw_operations_read(const struct iw_operations *operations, uint32_t msn) {
    return operations->known ? operation_list_find(&operations->waiting[IW_OPERATION_READS], UINT32_MAX, msn)
                             : NULL;
}

const struct iw_operation *iw_operations_before_last(const struct iw_operations *operations) {
    const struct iw_operation_list *list = &operations->waiting[IW_OPERATION_OTHERS];

    return list->count < 2 ? NULL : iw_operation_at(list, list->count - 2);
}

/* A search looks only at this many of the oldest requests that are answered on queue 3. */
enum { OPERATION_LOOK_AHEAD = 16 };

const struct iw_operation *iw_operations_find(const struct iw_operations *operations, uint32_t msn) {
    return operation_list_find(&operations->waiting[IW_OPERATION_OTHERS], OPERATION_LOOK_AHEAD, msn);
}

bool iw_operations_earlier_waits(
    const struct iw_operations *operations, const struct iw_operation *operation) {
    const struct iw_operation *oldest = operation_list_front(&operations->waiting[IW_OPERATION_OTHERS]);

    return oldest != NULL && oldest->number < operation->number;
}

/* The hash of a Verify follows the header (draft-talpey-rdma-commit-01 3.1.2.1). */
static void operation_decode_request(struct iw_operation *operation, const struct iw_segment *segment) {
    iw_layout_decode(segment->op->header, segment->header, &operation->request.header);
    if (segment->op->payload == IW_PAYLOAD_HASH)
        iw_payload_sum_begin(&operation->request.hash, segment);
}

/* A hash may continue in later segments, which have no header. */
static void operation_list_continue_hash(struct iw_operation_list *list, const struct iw_segment *segment) {
    struct iw_operation *latest = list->count == 0 ? NULL : iw_operation_at(list, list->count - 1);

    if (segment->op->payload == IW_PAYLOAD_HASH && segment->mo > 0 && latest != NULL &&
        latest->opcode == segment->opcode && latest->msn == segment->msn)
        iw_payload_sum_add(&latest->request.hash, segment, iw_verify_request_octets);
}

/* Allocates `done` at the first request, and not at a response, so that each kept request can be completed.
 */
static struct iw_operation *operation_keep(struct iw_operations *operations, enum iw_operation_kind kind) {
    if (operations->done == NULL)
        operations->done = calloc(1, sizeof *operations->done);
    return operations->done == NULL ? NULL : operation_list_push(&operations->waiting[kind]);
}

struct iw_operation *iw_operations_request(
    struct iw_operations *operations, const struct iw_segment *segment, uint64_t frame, uint64_t time_ns) {
    enum iw_operation_kind kind =
        segment->opcode == IW_RDMAP_OP_READ_REQUEST ? IW_OPERATION_READS : IW_OPERATION_OTHERS;
    struct iw_operation *operation;

    if (segment->op == NULL || segment->op->answer == IW_RDMAP_OP_NONE)
        return NULL;
    if (segment->header_missing)
        operations->known = false; /* an unknown request is outstanding */
    if (segment->header_octets == 0) {
        operation_list_continue_hash(&operations->waiting[kind], segment);
        return NULL;
    }
    operation = operation_keep(operations, kind);
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
    if (frame < operations->answer_frame[kind])
        operations->doubted_up_to[kind] = operation->number; /* its response may be captured first */
    operation_decode_request(operation, segment);
    return operation;
}

/* The response is complete: moves the request from its list to `done`. */
static void operation_complete(
    struct iw_operations *operations, enum iw_operation_kind kind, struct iw_response_fact *fact) {
    *operations->done = *operation_list_front(&operations->waiting[kind]);
    operation_list_pop(&operations->waiting[kind]);
    fact->operation = operations->done;
    fact->complete = true;
}

static void operation_take_read_response(struct iw_operations *operations, const struct iw_segment *segment,
    struct iw_operation *operation, struct iw_response_fact *fact) {
    const struct iw_read_request *read = &operation->request.header.read_request;
    bool over = operation->answered > read->size;

    fact->octets_left = over ? 0 : read->size - operation->answered;
    fact->to_expected = read->sink_to + operation->answered;
    /* Without payload (RFC 5041 5.2), or for a Read of 0 octets, STag and TO may have any value. */
    if (segment->payload_octets > 0 && read->size > 0) {
        fact->stag_ok = segment->stag == read->sink_stag;
        fact->to_ok = segment->to == fact->to_expected;
    }
    fact->length_ok = !over && (segment->last ? segment->payload_octets == fact->octets_left
                                              : segment->payload_octets <= fact->octets_left);
    operation->answered += segment->payload_octets;
    operation->filled = operation->answered >= read->size;
    if (segment->last)
        operation_complete(operations, IW_OPERATION_READS, fact);
}

/* The search for the request that a Read Response answers looks only at this many of the oldest. */
enum { OPERATION_OVERTAKING_MAX = 64 };

/* Whether the segment may begin the response to the request, even with more octets than requested. A
 * segment without payload may begin it if the request has size 0, or if the segment lacks L. */
static bool operation_may_respond_to(const struct iw_operation *operation, const struct iw_segment *segment) {
    const struct iw_read_request *read = &operation->request.header.read_request;

    if (segment->payload_octets == 0)
        return read->size == 0 || !segment->last;
    return segment->stag == read->sink_stag && segment->to == read->sink_to;
}

static bool operation_begins_response_to(
    const struct iw_operation *operation, const struct iw_segment *segment) {
    uint32_t size = operation->request.header.read_request.size;

    return operation_may_respond_to(operation, segment) && segment->payload_octets <= size &&
           (segment->payload_octets > 0 || size == 0);
}

/* If the response to the oldest request cannot begin with the segment and has not begun, moves the request
 * whose response begins to the front. Returns the oldest, now overtaken; NULL if nothing moved. */
static const struct iw_operation *operation_overtake_read(
    struct iw_operation_list *reads, const struct iw_segment *segment) {
    struct iw_operation *oldest = operation_list_front(reads);
    uint32_t turn = 1;

    if (oldest == NULL || oldest->answered > 0 || operation_may_respond_to(oldest, segment))
        return NULL;
    while (turn < reads->count && turn < OPERATION_OVERTAKING_MAX &&
           !operation_begins_response_to(iw_operation_at(reads, turn), segment))
        turn++;
    if (turn == reads->count || turn == OPERATION_OVERTAKING_MAX)
        return NULL;
    operation_list_pull_forward(reads, turn);
    return iw_operation_at(reads, 1);
}

/* Whether the response has the opcode for this request and, if Atomic with a whole header, its identifier. */
static bool operation_response_matches(
    const struct iw_segment *segment, const struct iw_operation *operation) {
    struct iw_atomic_response response;

    if (iw_opcodes[operation->opcode].answer != segment->opcode)
        return false;
    if (segment->opcode != IW_RDMAP_OP_ATOMIC_RESPONSE || segment->header_octets == 0)
        return true;
    iw_atomic_response_decode(segment->header, &response);
    return response.identifier == operation->request.header.atomic_request.identifier;
}

/* If the response does not match the front of the list, moves the first later request that it matches to the
 * front. Returns whether it moved a request. */
static bool operation_overtake_queued(struct iw_operation_list *list, const struct iw_segment *segment) {
    if (list->count == 0 || operation_response_matches(segment, operation_list_front(list)))
        return false;
    for (uint32_t i = 1; i < list->count && i < OPERATION_LOOK_AHEAD; i++) {
        if (!operation_response_matches(segment, iw_operation_at(list, i)))
            continue;
        operation_list_pull_forward(list, i);
        return true;
    }
    return false;
}

/* Whether the response has the hash of the request, or they cannot be compared. A hash of a different length
 * differs, even if its octets are truncated in the capture. */
static bool operation_is_hash_of(const struct iw_operation *operation) {
    const struct iw_payload_sum *hash = &operation->request.hash, *answer = &operation->answer;

    if (!iw_payload_sum_whole(hash) || !hash->captured || hash->octets == 0 ||
        !iw_payload_sum_whole(answer) || answer->octets == 0)
        return true;
    return answer->octets == hash->octets &&
           (!answer->captured || iw_payload_sum_crc(answer) == iw_payload_sum_crc(hash));
}

enum { OPERATION_IDENTIFIER_OCTETS = 4 };

/* Whether the segment completes a wrong Request Identifier of an Atomic Response with a split header. */
IW_COLD static bool operation_splits_wrong_identifier(
    const struct iw_operation *operation, const struct iw_segment *segment, uint32_t before) {
    const struct iw_payload_sum *answer = &operation->answer;

    return segment->opcode == IW_RDMAP_OP_ATOMIC_RESPONSE && segment->header_octets == 0 && answer->placed &&
           answer->captured && before < OPERATION_IDENTIFIER_OCTETS &&
           answer->octets >= OPERATION_IDENTIFIER_OCTETS &&
           answer->first != operation->request.header.atomic_request.identifier;
}

static void operation_judge_answer(
    struct iw_operation *operation, const struct iw_segment *segment, struct iw_response_fact *fact) {
    uint32_t before = segment->mo == 0 ? 0 : operation->answer.octets;

    if (segment->mo == 0)
        iw_payload_sum_begin(&operation->answer, segment);
    else
        iw_payload_sum_add(&operation->answer, segment, 0);
    fact->identifier_ok = operation_response_matches(segment, operation) &&
                          !operation_splits_wrong_identifier(operation, segment, before);
    if (segment->opcode == IW_RDMAP_OP_VERIFY_RESPONSE)
        fact->hash_ok = operation_is_hash_of(operation);
}

static void operation_take_queued_response(struct iw_operations *operations, const struct iw_segment *segment,
    struct iw_operation *operation, struct iw_response_fact *fact) {
    fact->opcode_ok = iw_opcodes[operation->opcode].answer == segment->opcode;
    if (fact->opcode_ok)
        operation_judge_answer(operation, segment, fact);
    operation->filled = true; /* perhaps complete: only a hash may have more segments */
    operation->answer_msn = segment->msn;
    if (segment->last)
        operation_complete(operations, IW_OPERATION_OTHERS, fact);
}

/* Whether the segment may continue the response to `operation`, perhaps beyond the requested size. */
static bool operation_continues_response(
    const struct iw_operation *operation, const struct iw_segment *segment) {
    const struct iw_read_request *read = &operation->request.header.read_request;
    bool read_response = segment->opcode == IW_RDMAP_OP_READ_RESPONSE;

    if (operation->opcode != IW_RDMAP_OP_READ_REQUEST)
        return !read_response && segment->msn == operation->answer_msn;
    return read_response &&
           (segment->payload_octets == 0 ||
               (segment->stag == read->sink_stag && segment->to == read->sink_to + operation->answered));
}

/* Removes the front request if its response lacks only L and the segment does not continue that response: the
 * sender has omitted L. */
static void operation_list_end_filled(struct iw_operation_list *list, const struct iw_segment *segment) {
    if (list->count > 0 && operation_list_front(list)->filled &&
        !operation_continues_response(operation_list_front(list), segment))
        operation_list_pop(list);
}

/* Whether the segment continues the previous response, whose L came too early, and begins no other. */
static bool operation_resumes_done(const struct iw_operations *operations, const struct iw_segment *segment) {
    const struct iw_operation *done = operations->done;
    const struct iw_operation *oldest = operation_list_front(&operations->waiting[IW_OPERATION_READS]);

    return segment->opcode == IW_RDMAP_OP_READ_RESPONSE && segment->payload_octets > 0 && done != NULL &&
           done->opcode == IW_RDMAP_OP_READ_REQUEST && done->answered > 0 &&
           done->answered + segment->payload_octets <= done->request.header.read_request.size &&
           operation_continues_response(done, segment) &&
           (oldest == NULL || (oldest->answered == 0 && !operation_begins_response_to(oldest, segment)));
}

static void operation_resume_done(
    struct iw_operations *operations, const struct iw_segment *segment, struct iw_response_fact *fact) {
    fact->resumed = true;
    fact->operation = operations->known ? operations->done : NULL;
    fact->octets_left = operations->done->request.header.read_request.size - operations->done->answered;
    fact->to_expected = segment->to;
    operations->done->answered += segment->payload_octets;
}

static bool operation_fact_fits(const struct iw_response_fact *fact) {
    return fact->operation != NULL && fact->overtakes == 0 && fact->overtaken == NULL && fact->in_order &&
           fact->opcode_ok && fact->identifier_ok && fact->hash_ok && fact->stag_ok && fact->to_ok &&
           fact->length_ok;
}

/* Whether there is a request for the response. If the oldest arrived after this response was sent, sets
 * `too_early`. */
static bool operation_is_due(
    const struct iw_operation_list *list, uint64_t received, struct iw_response_fact *fact) {
    const struct iw_operation *oldest = operation_list_front(list);

    if (oldest != NULL && oldest->request_end > received)
        fact->too_early = oldest->request_frame;
    return oldest != NULL && oldest->request_end <= received;
}

static void operation_fact_init(struct iw_response_fact *fact, bool known) {
    memset(fact, 0, sizeof *fact);
    fact->opcode_ok = fact->in_order = fact->identifier_ok = true;
    fact->stag_ok = fact->to_ok = fact->length_ok = fact->hash_ok = true;
    fact->known = known;
}

/* Responses of both lists come in the order of their requests (RFC 7306 5.4). */
static void operation_judge_order(const struct iw_operation *operation, const struct iw_operation_list *other,
    struct iw_response_fact *fact) {
    const struct iw_operation *oldest = operation_list_front(other);

    fact->in_order = oldest == NULL || oldest->number > operation->number;
    fact->earlier = fact->in_order ? NULL : oldest;
}

/* Reports an omitted response once, not at each later response. */
static void operation_report_overtaken(const struct iw_operation_list *list, struct iw_response_fact *fact) {
    struct iw_operation *oldest = fact->complete ? operation_list_front(list) : iw_operation_at(list, 1);

    fact->overtaken = oldest->overtaken ? NULL : oldest;
    oldest->overtaken = true;
}

/* Finds the request that the segment responds to, and how the segment fits it. */
static void operation_take_response(struct iw_operations *operations, enum iw_operation_kind kind,
    const struct iw_segment *segment, uint64_t frame, struct iw_response_fact *fact) {
    struct iw_operation_list *list = &operations->waiting[kind];
    bool read = kind == IW_OPERATION_READS;
    const struct iw_operation *overtaken =
        read && operations->known ? operation_overtake_read(list, segment) : NULL;
    bool early = !read && operation_overtake_queued(list, segment);
    struct iw_operation *operation = operation_list_front(list);

    fact->overtakes = overtaken == NULL ? 0 : overtaken->request_frame;
    fact->operation = operation;
    operation_judge_order(operation, &operations->waiting[!kind], fact);
    if (operation->response_frame == 0)
        operation->response_frame = frame;
    if (read)
        operation_take_read_response(operations, segment, operation, fact);
    else
        operation_take_queued_response(operations, segment, operation, fact);
    if (early)
        operation_report_overtaken(list, fact);
}

/* After an unsolicited or wrong response, the request of the next response is uncertain. */
static void operation_judge_certainty(struct iw_operations *operations, struct iw_response_fact *fact) {
    if (operations->doubted && !operation_fact_fits(fact))
        fact->known = false;
    if (fact->operation == NULL || !fact->opcode_ok || !fact->stag_ok || !fact->known)
        operations->known = false;
    if (!fact->known)
        fact->operation = NULL;
}

bool iw_operations_response(struct iw_operations *operations, const struct iw_segment *segment,
    uint64_t received, uint64_t frame, struct iw_response_fact *fact) {
    enum iw_operation_kind kind =
        segment->opcode == IW_RDMAP_OP_READ_RESPONSE ? IW_OPERATION_READS : IW_OPERATION_OTHERS;

    if (segment->op == NULL || iw_opcode_answered(segment->opcode) == IW_RDMAP_OP_NONE)
        return false;
    operation_fact_init(fact, operations->known);
    if (operation_resumes_done(operations, segment)) {
        operation_resume_done(operations, segment, fact);
        return true;
    }
    operation_list_end_filled(&operations->waiting[IW_OPERATION_READS], segment);
    operation_list_end_filled(&operations->waiting[IW_OPERATION_OTHERS], segment);
    if (operation_is_due(&operations->waiting[kind], received, fact))
        operation_take_response(operations, kind, segment, frame, fact);
    if (segment->last)
        operations->answer_frame[kind] = frame;
    if (segment->last && !operations->known)
        iw_operations_pass_response(
            operations, kind, fact->complete ? operations->done : NULL, operation_fact_fits(fact));
    operation_judge_certainty(operations, fact);
    return true;
}
