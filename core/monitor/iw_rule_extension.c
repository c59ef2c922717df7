#include "iw_rules.h"

#include <inttypes.h>
#include <stdio.h>

#include "iw_name.h"
#include "iw_plural.h"

/* Rules about the messages of RFC 7306, draft-talpey-rdma-commit-01 and draft-ietf-storm-rdmap-ext-01. */

bool iw_extension_is_swap(const struct iw_judge *judge, const struct iw_atomic_request *request) {
    return request->aopcode == IW_AOPCODE_SWAP && (judge->config.extensions & IW_EXT_STORM);
}

static bool extension_aopcode_is_defined(
    const struct iw_judge *judge, const struct iw_atomic_request *request) {
    return request->aopcode == IW_AOPCODE_FETCHADD || request->aopcode == IW_AOPCODE_CMPSWAP ||
           iw_extension_is_swap(judge, request);
}

static void extension_atomic_aopcode(struct iw_judge *judge, const struct iw_atomic_request *request) {
    if (extension_aopcode_is_defined(judge, request))
        return;
    iw_judge_report(judge, IW_REQ_RFC7306_5_2_1_01, iw_field_atomic_request_aopcode, "AOpCode",
        judge->config.extensions & IW_EXT_STORM ? "0, 1 or 2" : "0 or 2", "%u", request->aopcode);
}

/* Judges the fields that the operation does not use (RFC 7306 5.2.1, draft-ietf-storm-rdmap-ext-01 5.2.1). */
static void extension_atomic_unused_fields(struct iw_judge *judge, const struct iw_atomic_request *request) {
    bool swap = iw_extension_is_swap(judge, request);
    size_t first;
    enum iw_requirement_id compare = swap ? IW_REQ_EXT01_5_2_1_02 : IW_REQ_RFC7306_5_2_1_13;

    if (request->reserved != 0)
        iw_judge_report_value(judge, swap ? IW_REQ_EXT01_5_2_1_03 : IW_REQ_RFC7306_5_2_1_14,
            iw_field_atomic_request_reserved, "The Reserved field of an Atomic Request", 0,
            request->reserved);
    if (!swap && request->aopcode != IW_AOPCODE_FETCHADD)
        return;
    first = judge->finding_count;
    if (swap && request->mask != UINT64_MAX)
        iw_judge_report_value(judge, IW_REQ_EXT01_5_2_1_01, iw_field_atomic_request_mask,
            "Add or Swap Mask of a Swap", UINT64_MAX, request->mask);
    if (request->compare_data != 0)
        iw_judge_report_value(judge, compare, iw_field_atomic_request_compare_data,
            swap ? "Compare Data of a Swap" : "Compare Data of a FetchAdd", 0, request->compare_data);
    if (request->compare_mask != UINT64_MAX)
        iw_judge_report_value(judge, compare, iw_field_atomic_request_compare_mask,
            swap ? "Compare Mask of a Swap" : "Compare Mask of a FetchAdd", UINT64_MAX,
            request->compare_mask);
    iw_judge_attach(judge, first, first + 1); /* the AOpCode may be wrong */
}

IW_COLD static void extension_report_missing_hash(struct iw_judge *judge) {
    char subject[64];

    snprintf(subject, sizeof subject, "%s of RDMA Verify Response", iw_judge_length_name(judge));
    iw_judge_report_at_least(judge, IW_REQ_TALPEY_3_1_2_2_01, judge->event.llp->length_field, subject,
        iw_ddp_untagged_octets + 1, iw_ddp_untagged_octets);
}

void iw_extension_contents(struct iw_judge *judge, const struct iw_segment *segment) {
    size_t first = judge->finding_count;

    if (segment->opcode == IW_RDMAP_OP_VERIFY_RESPONSE && segment->length == iw_ddp_untagged_octets &&
        segment->mo == 0)
        extension_report_missing_hash(judge);
    if (judge->header == NULL)
        return;
    if (segment->opcode == IW_RDMAP_OP_ATOMIC_REQUEST) {
        struct iw_atomic_request request;
        size_t rest;

        iw_atomic_request_decode(judge->header, &request);
        extension_atomic_aopcode(judge, &request);
        rest = judge->finding_count;
        extension_atomic_unused_fields(judge, &request);
        iw_judge_attach(judge, first, rest);
    } else if (segment->opcode == IW_RDMAP_OP_ATOMIC_WRITE_REQUEST) {
        struct iw_atomic_write_request request;

        iw_atomic_write_request_decode(judge->header, &request);
        if (request.length != sizeof request.data)
            iw_judge_report_value(judge, IW_REQ_TALPEY_3_1_3_1_02, iw_field_atomic_write_request_length,
                "Data Sink Length", sizeof request.data, request.length);
    }
    if (segment->header_octets == 0) /* the field may be in an earlier segment */
        for (size_t i = first; i < judge->finding_count; i++)
            iw_judge_context(&judge->findings[i], judge->event.fact->message_frame);
}

/* Sets STag and TO of an operation on 64 bits. False: a different operation, or an undefined AOpCode. */
static bool extension_atomic_target(
    const struct iw_judge *judge, const struct iw_operation *operation, uint32_t *stag, uint64_t *to) {
    const union iw_header *header = &operation->request.header;

    if (operation->opcode == IW_RDMAP_OP_ATOMIC_REQUEST) {
        if (!extension_aopcode_is_defined(judge, &header->atomic_request))
            return false; /* the memory that it accesses is not known */
        *stag = header->atomic_request.stag;
        *to = header->atomic_request.to;
    } else if (operation->opcode == IW_RDMAP_OP_ATOMIC_WRITE_REQUEST) {
        *stag = header->atomic_write_request.stag;
        *to = header->atomic_write_request.to;
    } else {
        return false;
    }
    return true;
}

const struct iw_atomic_kind *iw_extension_kind(
    const struct iw_judge *judge, const struct iw_operation *operation) {
    static const struct iw_atomic_kind fetchadd = {"a FetchAdd", IW_REQ_RFC7306_5_1_1_01,
                                           IW_REQ_RFC7306_5_1_1_02},
                                       cmpswap = {"a CmpSwap", IW_REQ_RFC7306_5_1_2_02,
                                           IW_REQ_RFC7306_5_1_2_03},
                                       swap = {"a Swap", IW_REQ_EXT01_5_1_2_02, IW_REQ_EXT01_5_1_2_03},
                                       write = {"an Atomic Write", IW_REQ_TALPEY_3_1_3_1_03,
                                           IW_REQ_TALPEY_3_1_3_1_06};

    if (operation->opcode == IW_RDMAP_OP_ATOMIC_WRITE_REQUEST)
        return &write;
    if (iw_extension_is_swap(judge, &operation->request.header.atomic_request))
        return &swap;
    return operation->request.header.atomic_request.aopcode == IW_AOPCODE_CMPSWAP ? &cmpswap : &fetchadd;
}

/* Whether a Send after the operation, or in its frame, has invalidated the STag (RFC 5040 5.3). */
static bool extension_is_invalidated_after(
    const struct iw_judge *judge, uint32_t stag, const struct iw_operation *operation) {
    const struct iw_stag_life *life = iw_stags_find(&judge->peer->stags, stag);

    return life != NULL && (life->ended_before >= operation->request_frame ||
                               life->invalidated_frame >= operation->request_frame);
}

/* The address is the base of the buffer, which is not in the traffic, plus the Tagged Offset (RFC 7306
 * 5.2.1). One operation alone shows no misalignment. But if two operations on one STag are outstanding, and
 * their offsets do not differ by a multiple of 8, one is misaligned. If both may not be outstanding, the STag
 * may name a different buffer for the second. */
void iw_extension_request(struct iw_judge *judge, struct iw_operation *operation) {
    const struct iw_operations *operations = &judge->sender->operations;
    const struct iw_operation *before = iw_operations_before_last(operations);
    struct iw_finding *finding;
    char subject[64];
    uint32_t stag[2];
    uint64_t to[2];
    uint64_t distance;

    if (!judge->mpa.terms.settled || !operations->known || before == NULL || before->misaligned ||
        !extension_atomic_target(judge, before, &stag[0], &to[0]) ||
        !extension_atomic_target(judge, operation, &stag[1], &to[1]) || stag[0] != stag[1] ||
        (to[0] - to[1]) % 8 == 0 || extension_is_invalidated_after(judge, stag[0], before))
        return;
    operation->misaligned = true;
    snprintf(subject, sizeof subject, "Distance of %s to the previous operation",
        iw_extension_kind(judge, operation)->title);
    distance = to[1] > to[0] ? to[1] - to[0] : to[0] - to[1];
    finding = iw_judge_report(judge, iw_extension_kind(judge, operation)->aligned,
        operation->opcode == IW_RDMAP_OP_ATOMIC_REQUEST ? iw_field_atomic_request_to
                                                        : iw_field_atomic_write_request_to,
        subject, "a multiple of 8 octets", "%" PRIu64 " octet%s", distance, iw_plural(distance));
    iw_judge_context(finding, before->request_frame);
}
