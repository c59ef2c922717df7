#include "iw_defect_state.h"

#include <stdlib.h>
#include <string.h>

static const struct iw_defect *omitted_defect(const void *user) {
    return ((const struct iw_defect_state *)user)->defect;
}

static bool omitted_has(const void *user, enum iw_omitted_check check) {
    return (omitted_defect(user)->endpoint.omitted_checks & check) != 0;
}

static void omitted_negotiate(void *user, const struct iw_endpoint_config *config, struct iw_terms *terms) {
    terms->markers_out |= omitted_has(user, IW_OMITTED_CHECK_MARKS);
    if (omitted_has(user, IW_OMITTED_CHECK_DEPTH))
        terms->ord = config->ord;
}

static uint32_t omitted_slots(void *user, uint32_t ird) {
    return omitted_has(user, IW_OMITTED_CHECK_CAPACITY) && ird > 1 ? ird - 1 : ird;
}

/* NARROW replaces the upper half of the TO by the region's. */
static void omitted_access(void *user, const struct iw_memory *memory, struct iw_access *access) {
    const struct iw_region *region = memory == NULL ? NULL : iw_memory_find(memory, access->stag);

    if (omitted_has(user, IW_OMITTED_CHECK_NARROW) && region != NULL)
        access->to = (region->base & ~(uint64_t)UINT32_MAX) | (uint32_t)access->to;
    access->skip |= omitted_defect(user)->endpoint.unchecked_memory;
}

/* ---- tagged messages ---- */

static void omitted_settle(void *user, struct iw_memory *memory) {
    struct iw_defect_overtaken *overtaken = &((struct iw_defect_state *)user)->overtaken;

    if (overtaken->octets == NULL)
        return;
    iw_memory_place(memory, overtaken->stag, overtaken->to, overtaken->octets, overtaken->count);
    free(overtaken->octets);
    overtaken->octets = NULL;
}

/* Returns false if out of memory. */
static bool omitted_delay(void *user, struct iw_memory *memory, const struct iw_segment *segment) {
    struct iw_defect_overtaken *overtaken = &((struct iw_defect_state *)user)->overtaken;

    omitted_settle(user, memory);
    overtaken->octets = malloc(segment->payload_octets);
    if (overtaken->octets == NULL)
        return false;
    memcpy(overtaken->octets, segment->payload, segment->payload_octets);
    overtaken->count = segment->payload_octets;
    overtaken->stag = segment->stag;
    overtaken->to = segment->to;
    return true;
}

static void omitted_place(void *user, struct iw_memory *memory, const struct iw_segment *segment) {
    size_t octets = segment->payload_octets;

    if (octets > 0 && segment->opcode == IW_RDMAP_OP_RDMA_WRITE &&
        omitted_has(user, IW_OMITTED_CHECK_OVERTAKEN) && omitted_delay(user, memory, segment))
        return;
    octets -= octets > 0 && omitted_has(user, IW_OMITTED_CHECK_PLACED);
    iw_memory_place(memory, segment->stag, segment->to, segment->payload, octets);
}

static void omitted_reject(void *user, struct iw_memory *memory, const struct iw_segment *segment) {
    (void)user;
    iw_memory_place(memory, segment->stag, segment->to, segment->payload, segment->payload_octets);
}

/* ---- other messages ---- */

static int omitted_execute(void *user, struct iw_memory *memory, const struct iw_access *access,
    unsigned extensions, struct iw_execute_request *request, struct iw_execute_answer *answer) {
    struct iw_access bold = *access;
    struct iw_execute_answer nothing;
    int error;

    iw_defect_change_request(omitted_defect(user), request);
    error = iw_execute(memory, access, extensions, request, answer);
    if (error == IW_NO_ERROR || !omitted_has(user, IW_OMITTED_CHECK_REJECTED))
        return error;
    bold.skip |= IW_MEMORY_RIGHTS | IW_MEMORY_ALIGNMENT;
    iw_execute(memory, &bold, extensions, request, &nothing);
    return error;
}

static enum iw_delivery omitted_deliver(void *user, uint8_t opcode) {
    if (omitted_defect(user)->endpoint.undelivered >> opcode & 1)
        return IW_DELIVERY_OF_NOTHING;
    return omitted_has(user, IW_OMITTED_CHECK_EARLY) ? IW_DELIVERY_OF_FIRST_SEGMENT : IW_DELIVERY_OF_MESSAGE;
}

void iw_omitted_configure(const struct iw_defect *defect, struct iw_policy *policy) {
    struct iw_policy_handling *handling = &policy->handling;
    unsigned checks = defect->endpoint.omitted_checks;

    if (checks != 0 || defect->endpoint.unchecked_memory != 0) {
        policy->negotiate = omitted_negotiate;
        policy->slots = omitted_slots;
        policy->access = omitted_access;
        handling->place = omitted_place;
    }
    if (checks & IW_OMITTED_CHECK_OVERTAKEN)
        handling->settle = omitted_settle;
    if (checks & IW_OMITTED_CHECK_REJECTED)
        handling->reject = omitted_reject;
    if ((checks & IW_OMITTED_CHECK_REJECTED) || defect->of == IW_DEFECT_OF_EXECUTING)
        handling->execute = omitted_execute;
    if ((checks & IW_OMITTED_CHECK_EARLY) || defect->endpoint.undelivered != 0)
        handling->deliver = omitted_deliver;
    if (checks & IW_OMITTED_CHECK_VALID)
        handling->invalidation = IW_INVALIDATION_REPORTED;
    if (checks & IW_OMITTED_CHECK_INVALIDATED)
        handling->invalidation = IW_INVALIDATION_OF_ANY_SEND;
    policy->completes_unordered |= (checks & IW_OMITTED_CHECK_COMPLETED) != 0;
}
