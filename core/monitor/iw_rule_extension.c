#include "iw_rule_extension.h"

#include <assert.h>
#include <stdio.h>

#include "iw_name.h"

/* Rules about the messages of RFC 7306, draft-talpey-rdma-commit-01 and draft-ietf-storm-rdmap-ext-01. */

/* ---- where the messages of the table have their fields from ---- */

/* By opcode, from Immediate Data on. Where a request is described by its figure, its length is the figure's;
 * the queue stands with the ordering rules (draft-talpey-rdma-commit-01 3.1). */
static const struct iw_clauses clauses[] = {
    [IW_RDMAP_OP_IMMEDIATE - IW_RDMAP_OP_IMMEDIATE] = {IW_REQ_RFC7306_6_3_01, IW_REQ_RFC7306_6_3_04,
        IW_REQ_RFC7306_6_3_04, IW_REQ_RFC7306_6_3_05, IW_REQ_RFC7306_4_1_01},
    [IW_RDMAP_OP_IMMEDIATE_SE - IW_RDMAP_OP_IMMEDIATE] = {IW_REQ_RFC7306_6_3_01, IW_REQ_RFC7306_6_3_04,
        IW_REQ_RFC7306_6_3_04, IW_REQ_RFC7306_6_3_05, IW_REQ_RFC7306_4_1_01},
    [IW_RDMAP_OP_ATOMIC_REQUEST - IW_RDMAP_OP_IMMEDIATE] = {IW_REQ_RFC7306_5_2_1_04, IW_REQ_RFC7306_5_2_01,
        IW_REQ_RFC7306_5_2_1_09, IW_REQ_RFC5040_4_2_01, IW_REQ_RFC7306_4_1_01},
    [IW_RDMAP_OP_ATOMIC_RESPONSE - IW_RDMAP_OP_IMMEDIATE] = {IW_REQ_RFC7306_5_2_2_01, IW_REQ_RFC7306_5_2_02,
        IW_REQ_RFC7306_5_2_2_02, IW_REQ_RFC7306_5_2_1_12, IW_REQ_RFC7306_4_1_01},
    [IW_RDMAP_OP_FLUSH_REQUEST - IW_RDMAP_OP_IMMEDIATE] = {IW_REQ_RFC5040_4_1_05, IW_REQ_TALPEY_3_1_1_3_01,
        IW_REQ_TALPEY_3_1_1_3_01, IW_REQ_TALPEY_3_1_1_1_01, IW_REQ_TALPEY_3_1_01},
    [IW_RDMAP_OP_FLUSH_RESPONSE - IW_RDMAP_OP_IMMEDIATE] = {IW_REQ_RFC5040_4_1_05, IW_REQ_TALPEY_3_1_1_3_02,
        IW_REQ_TALPEY_3_1_1_3_02, IW_REQ_TALPEY_3_1_1_2_01, IW_REQ_TALPEY_3_1_01},
    [IW_RDMAP_OP_VERIFY_REQUEST - IW_RDMAP_OP_IMMEDIATE] = {IW_REQ_RFC5040_4_1_05, IW_REQ_TALPEY_3_1_2_3_01,
        IW_REQ_TALPEY_3_1_2_3_01, IW_REQ_TALPEY_3_1_2_1_01, IW_REQ_TALPEY_3_1_01},
    [IW_RDMAP_OP_VERIFY_RESPONSE - IW_RDMAP_OP_IMMEDIATE] = {IW_REQ_RFC5040_4_1_05, IW_REQ_TALPEY_3_1_2_3_02,
        IW_REQ_TALPEY_3_1_2_3_02, IW_REQ_TALPEY_3_1_2_2_01, IW_REQ_TALPEY_3_1_01},
    [IW_RDMAP_OP_ATOMIC_WRITE_REQUEST - IW_RDMAP_OP_IMMEDIATE] = {IW_REQ_RFC5040_4_1_05,
        IW_REQ_TALPEY_3_1_3_1_01, IW_REQ_TALPEY_3_1_3_1_01, IW_REQ_TALPEY_3_1_3_1_01, IW_REQ_TALPEY_3_1_01},
    [IW_RDMAP_OP_ATOMIC_WRITE_RESPONSE - IW_RDMAP_OP_IMMEDIATE] = {IW_REQ_RFC5040_4_1_05,
        IW_REQ_TALPEY_3_1_3_2_01, IW_REQ_TALPEY_3_1_3_2_01, IW_REQ_TALPEY_3_1_3_2_01, IW_REQ_TALPEY_3_1_01},
};

static const struct iw_clauses swap_clauses = {IW_REQ_RFC7306_5_2_1_04, IW_REQ_EXT01_4_1_02,
    IW_REQ_EXT01_4_1_02, IW_REQ_EXT01_4_2_01, IW_REQ_EXT01_4_1_01};

/* Swap is defined where the draft that has it is in force. */
static bool is_swap(const struct iw_judge *judge, const struct iw_atomic_request *request) {
    return request->aopcode == IW_AOPCODE_SWAP && (judge->config.extensions & IW_EXT_STORM);
}

static bool asks_for_swap(const struct iw_judge *judge, const struct iw_segment *segment) {
    struct iw_atomic_request request;

    if (segment->opcode != IW_RDMAP_OP_ATOMIC_REQUEST || segment->header_octets == 0)
        return false;
    iw_atomic_request_decode(segment->header, &request);
    return is_swap(judge, &request);
}

const struct iw_clauses *iw_extension_clauses(
    const struct iw_judge *judge, const struct iw_segment *segment) {
    assert(segment->opcode >= IW_RDMAP_OP_IMMEDIATE && segment->opcode < IW_RDMAP_OP_COUNT);
    return asks_for_swap(judge, segment) ? &swap_clauses : &clauses[segment->opcode - IW_RDMAP_OP_IMMEDIATE];
}

/* ---- fields ---- */

IW_COLD static void wrong_value(struct iw_judge *judge, enum iw_requirement_id id, enum iw_field_id field,
    const char *subject, uint64_t expected, uint64_t actual) {
    iw_judge_values(iw_judge_report(judge, id, field, subject), expected, actual);
}

static void aopcode(struct iw_judge *judge, const struct iw_atomic_request *request) {
    char actual[8];

    if (request->aopcode == IW_AOPCODE_FETCHADD || request->aopcode == IW_AOPCODE_CMPSWAP ||
        is_swap(judge, request))
        return;
    snprintf(actual, sizeof actual, "%u", request->aopcode);
    iw_judge_texts(
        iw_judge_report(judge, IW_REQ_RFC7306_5_2_1_01, iw_field_atomic_request_aopcode, "AOpCode"),
        judge->config.extensions & IW_EXT_STORM ? "0, 1 or 2" : "0 or 2", actual);
}

/* What an operation does not use (RFC 7306 5.2.1, draft-ietf-storm-rdmap-ext-01 5.2.1). */
static void unused(struct iw_judge *judge, const struct iw_atomic_request *request) {
    bool swap = is_swap(judge, request);
    enum iw_requirement_id compare = swap ? IW_REQ_EXT01_5_2_1_02 : IW_REQ_RFC7306_5_2_1_13;

    if (request->reserved != 0)
        wrong_value(judge, swap ? IW_REQ_EXT01_5_2_1_03 : IW_REQ_RFC7306_5_2_1_14,
            iw_field_atomic_request_reserved, "Reserved bits of an Atomic Request", 0, request->reserved);
    if (!swap && request->aopcode != IW_AOPCODE_FETCHADD)
        return;
    if (swap && request->mask != UINT64_MAX)
        wrong_value(judge, IW_REQ_EXT01_5_2_1_01, iw_field_atomic_request_mask, "Add or Swap Mask of a Swap",
            UINT64_MAX, request->mask);
    if (request->compare_data != 0)
        wrong_value(judge, compare, iw_field_atomic_request_compare_data,
            swap ? "Compare Data of a Swap" : "Compare Data of a FetchAdd", 0, request->compare_data);
    if (request->compare_mask != UINT64_MAX)
        wrong_value(judge, compare, iw_field_atomic_request_compare_mask,
            swap ? "Compare Mask of a Swap" : "Compare Mask of a FetchAdd", UINT64_MAX,
            request->compare_mask);
}

void iw_extension_contents(struct iw_judge *judge, const struct iw_segment *segment) {
    if (segment->header_octets == 0)
        return;
    if (segment->opcode == IW_RDMAP_OP_ATOMIC_REQUEST) {
        struct iw_atomic_request request;

        iw_atomic_request_decode(segment->header, &request);
        aopcode(judge, &request);
        unused(judge, &request);
    } else if (segment->opcode == IW_RDMAP_OP_ATOMIC_WRITE_REQUEST) {
        struct iw_atomic_write_request request;

        iw_atomic_write_request_decode(segment->header, &request);
        if (request.length != sizeof request.data)
            wrong_value(judge, IW_REQ_TALPEY_3_1_3_1_02, iw_field_atomic_write_request_length,
                "Data Sink Length", sizeof request.data, request.length);
    }
}

/* ---- answers ---- */

void iw_extension_response(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_response_fact *fact) {
    struct iw_finding *finding = NULL;

    if (!fact->opcode_ok) {
        uint8_t answer = iw_opcodes[fact->operation->opcode].answer;

        finding = iw_judge_report(judge, IW_REQ_RFC7306_5_2_2_06, iw_judge_opcode_field(segment),
            "The answer to the oldest request");
        iw_judge_texts(finding, iw_opcodes[answer].title, segment->op->title);
    } else if (!fact->identifier_ok) {
        bool swap = is_swap(judge, &fact->operation->request.atomic);
        struct iw_atomic_response response;

        iw_atomic_response_decode(segment->header, &response);
        finding = iw_judge_report(judge, swap ? IW_REQ_EXT01_5_2_2_01 : IW_REQ_RFC7306_5_2_1_12,
            iw_field_atomic_response_identifier, "Original Request Identifier");
        iw_judge_values(finding, fact->operation->request.atomic.identifier, response.identifier);
    }
    if (finding != NULL)
        iw_judge_context(finding, fact->operation->request_frame);
}
