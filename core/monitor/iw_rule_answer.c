#include "iw_rules.h"

#include <inttypes.h>
#include <stdio.h>

#include "iw_name.h"

/* Rules about responses to the requests of RFC 7306 and the drafts, and Terminates about them. */

/* The clause by which a response with this opcode must wait for the response to the oldest request. */
static enum iw_requirement_id answer_order_clause(uint8_t opcode, const struct iw_operation *oldest) {
    if (oldest->opcode == IW_RDMAP_OP_ATOMIC_REQUEST && opcode == IW_RDMAP_OP_ATOMIC_RESPONSE)
        return IW_REQ_RFC7306_5_4_10;
    return IW_REQ_RFC7306_5_2_2_06;
}

IW_COLD static void answer_report_wrong_order(struct iw_judge *judge, enum iw_requirement_id id,
    const struct iw_segment *segment, const struct iw_operation *oldest) {
    uint8_t answer = iw_opcodes[oldest->opcode].answer;
    struct iw_finding *finding;

    if (answer != segment->opcode) {
        finding = iw_judge_report(judge, id, iw_judge_opcode_field(segment),
            "The response to the oldest request", iw_opcodes[answer].title, "%s", segment->op->title);
    } else {
        struct iw_atomic_response response;

        iw_atomic_response_decode(segment->header, &response);
        finding = iw_judge_report_value(judge, id, iw_field_atomic_response_identifier,
            "Original Request Identifier of the next response",
            oldest->request.header.atomic_request.identifier, response.identifier);
    }
    iw_judge_context(finding, oldest->request_frame);
}

/* Reports a wrong Original Request Identifier, unless a later request was answered before `operation`: this
 * was reported, and perhaps that response only had the wrong identifier. */
static void answer_report_identifier(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_operation *operation) {
    bool swap = iw_extension_is_swap(judge, &operation->request.header.atomic_request);
    struct iw_atomic_response response = {.identifier = operation->answer.first}; /* of a split header */
    struct iw_finding *finding;

    if (operation->overtaken)
        return;
    if (segment->header_octets > 0)
        iw_atomic_response_decode(segment->header, &response);
    finding = iw_judge_report_value(judge, swap ? IW_REQ_EXT01_5_2_2_01 : IW_REQ_RFC7306_5_2_1_12,
        iw_field_atomic_response_identifier, "Original Request Identifier",
        operation->request.header.atomic_request.identifier, response.identifier);
    iw_judge_context(finding, operation->request_frame);
}

/* Reports the length and CRC of hashes, because they may be long. */
IW_COLD static struct iw_finding *answer_report_hashes(
    struct iw_judge *judge, const struct iw_operation *operation) {
    const struct iw_payload_sum *hash = &operation->request.hash, *answer = &operation->answer;
    char expected[80];

    snprintf(expected, sizeof expected, "%" PRIu32 " octets with CRC32C 0x%08" PRIx32 ", or a Terminate",
        hash->octets, iw_payload_sum_crc(hash));
    return iw_judge_report(judge, IW_REQ_TALPEY_3_1_2_01, IW_FIELD_COUNT, "The hash of a Verify Response",
        expected, answer->captured ? "%" PRIu32 " octets with CRC32C 0x%08" PRIx32 : "%" PRIu32 " octets",
        answer->octets, answer->captured ? iw_payload_sum_crc(answer) : 0);
}

/* Reports a response that must not be sent. A misalignment is certain only once the earlier operation is
 * answered. The clause may be IW_REQ_RFC7306_5_2_1_08, IW_REQ_RFC7306_8_2_08 or IW_REQ_TALPEY_3_1_1_01. */
static void answer_judge_forbidden_response(struct iw_judge *judge, const struct iw_response_fact *fact) {
    const struct iw_operations *operations = &judge->peer->operations;
    struct iw_impossible impossible;
    struct iw_finding *finding;

    if (!fact->hash_ok) {
        finding = answer_report_hashes(judge, fact->operation);
    } else if (iw_rdmap_is_impossible(judge, fact->operation, &impossible) &&
               !iw_operations_earlier_waits(operations, fact->operation)) {
        finding = iw_judge_report(
            judge, impossible.id, IW_FIELD_COUNT, impossible.subject, "rejected by a Terminate", "answered");
    } else {
        return;
    }
    iw_judge_context(finding, fact->operation->request_frame);
}

void iw_answer_response(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_response_fact *fact) {
    if (fact->overtaken != NULL)
        answer_report_wrong_order(
            judge, answer_order_clause(segment->opcode, fact->overtaken), segment, fact->overtaken);
    else if (!fact->opcode_ok) /* the response does not fit a later request either */
        answer_report_wrong_order(judge, IW_REQ_RFC7306_5_05, segment, fact->operation);
    else if (!fact->identifier_ok)
        answer_report_identifier(judge, segment, fact->operation);
    if (!fact->opcode_ok || !fact->complete)
        return;
    if (segment->opcode == IW_RDMAP_OP_ATOMIC_RESPONSE)
        judge->sender->atomics_answered = true;
    answer_judge_forbidden_response(judge, fact);
}

/* Whether an Atomic Response, or the part of it up to this segment, has the right length. Then only its
 * identifier can be wrong, and no clause makes the requester check that: RFC 7306 8.2 lists the checks. */
static bool answer_has_response_length(const struct iw_segment *segment) {
    uint64_t octets = (uint64_t)segment->mo + segment->payload_octets;

    if (segment->header_octets > 0)
        return segment->payload_octets == 0;
    return segment->last ? octets == iw_atomic_response_octets : octets <= iw_atomic_response_octets;
}

enum iw_requirement_id iw_answer_check(enum iw_requirement_id fault, const struct iw_segment *segment) {
    switch (fault) {
    case IW_REQ_RFC7306_6_3_05:
        return IW_REQ_RFC7306_6_3_07;
    case IW_REQ_RFC7306_5_2_1_12:
    case IW_REQ_EXT01_5_2_2_01:
        return answer_has_response_length(segment) ? IW_REQUIREMENT_COUNT : IW_REQ_RFC7306_5_2_2_07;
    case IW_REQ_RFC7306_5_05:
        return segment->opcode == IW_RDMAP_OP_ATOMIC_RESPONSE ? IW_REQ_RFC7306_5_2_2_07
                                                              : IW_REQUIREMENT_COUNT;
    case IW_REQ_RFC5040_4_1_08:
        return IW_REQ_RFC5040_7_2_03;
    case IW_REQ_RFC7306_4_1_01: /* RV is wrong, or the Invalidate STag, which a receiver ignores */
        return segment->rv == 1 ? IW_REQUIREMENT_COUNT : IW_REQ_RFC7306_8_2_04;
    case IW_REQ_RFC5040_4_1_05:
        return IW_REQ_RFC5040_7_2_07;
    case IW_REQ_RFC7306_5_2_1_04:
    case IW_REQ_RFC7306_5_2_2_01:
    case IW_REQ_RFC7306_6_3_01:
        return IW_REQ_RFC7306_8_2_03;
    case IW_REQ_RFC5041_4_1_08:
    case IW_REQ_RFC5041_4_3_08:
    case IW_REQ_RFC5041_4_3_09:
    case IW_REQ_RFC7306_5_2_01:
    case IW_REQ_RFC7306_5_2_1_09:
    case IW_REQ_RFC7306_5_2_02:
    case IW_REQ_RFC7306_5_2_2_02:
    case IW_REQ_RFC7306_6_3_04:
    case IW_REQ_EXT01_4_1_02:
    case IW_REQ_TALPEY_3_1_1_3_01:
    case IW_REQ_TALPEY_3_1_1_3_02:
    case IW_REQ_TALPEY_3_1_2_3_01:
    case IW_REQ_TALPEY_3_1_2_3_02:
        return segment->op->extension == IW_EXT_COMMIT ? IW_REQ_TALPEY_5_2_02 : IW_REQ_RFC7306_8_2_02;
    default:
        return IW_REQUIREMENT_COUNT;
    }
}

/* A side that has answered an Atomic Request supports FetchAdd and CmpSwap (RFC 7306 5). */
static bool answer_supports_atomic(const struct iw_party *party, const struct iw_operation *operation) {
    return party->atomics_answered &&
           (operation->request.header.atomic_request.aopcode == IW_AOPCODE_FETCHADD ||
               operation->request.header.atomic_request.aopcode == IW_AOPCODE_CMPSWAP);
}

/* Whether the error is a Remote Operation Error that a misaligned address cannot cause. Possible are a
 * catastrophic error (RFC 7306 8.2), and an unexpected opcode if the responder lacks the operation. */
static bool answer_contradicts_misalignment(uint16_t error) {
    return iw_error_layer(error) == 0 && iw_error_etype(error) == 2 &&
           error != IW_ERROR_RDMAP_CATASTROPHIC_STREAM && error != IW_ERROR_RDMAP_CATASTROPHIC_GLOBAL &&
           error != IW_ERROR_RDMAP_UNEXPECTED_OPCODE;
}

/* Reports errors that a Terminate about an Atomic Request cannot have: not supported, although earlier Atomic
 * Requests were answered; and a Remote Operation Error that a misaligned address cannot cause, unless an
 * earlier request may be the reason. */
static void answer_judge_refused_atomic(
    struct iw_judge *judge, uint16_t error, const struct iw_operation *operation) {
    const struct iw_operations *operations = &judge->peer->operations;
    bool swap = iw_extension_is_swap(judge, &operation->request.header.atomic_request);
    char expected[48] = "";
    char text[IW_ERROR_TEXT_OCTETS];
    struct iw_finding *finding;
    enum iw_requirement_id id;

    if (error == IW_ERROR_RDMAP_UNEXPECTED_OPCODE && answer_supports_atomic(judge->sender, operation)) {
        id = IW_REQ_RFC7306_5_03;
        snprintf(expected, sizeof expected, "none, because earlier ones were answered");
    } else if (operation->misaligned && answer_contradicts_misalignment(error) &&
               !iw_operations_earlier_waits(operations, operation)) {
        id = swap ? IW_REQ_EXT01_8_2_01 : IW_REQ_RFC7306_8_2_07;
        iw_error_text(IW_ERROR_RDMAP_CATASTROPHIC_STREAM, expected);
    } else {
        return;
    }
    iw_error_text(error, text);
    finding = iw_judge_report(
        judge, id, iw_field_terminate_code, "The error reported for an Atomic Request", expected, "%s", text);
    iw_judge_context(finding, operation->request_frame);
}

/* Reports a Terminate for a lack of buffers if its sender has requested the response (RFC 7306 5.2.2). */
static void answer_judge_refused_response(
    struct iw_judge *judge, uint16_t error, const struct iw_segment *about) {
    const struct iw_queue *queue = iw_sequence_queue(&judge->peer->sequence, IW_QN_RESPONSE);
    char actual[IW_ERROR_TEXT_OCTETS];

    if (error != IW_ERROR_DDP_MSN_NO_BUFFER || !judge->sender->operations.known || !queue->known ||
        queue->doubted || queue->skipped_from != queue->skipped_to || queue->msn - about->msn - 1 > INT32_MAX)
        return;
    iw_error_text(error, actual);
    iw_judge_report(judge, IW_REQ_RFC7306_5_2_2_04, iw_field_terminate_code,
        "The error reported for an Atomic Response", "none, because it was requested", "%s", actual);
}

void iw_answer_terminate(struct iw_judge *judge, const struct iw_terminate_message *message) {
    const struct iw_operations *operations = &judge->peer->operations;
    uint16_t error = iw_terminate_error(&message->control);
    const struct iw_segment *about = &message->terminated;
    const struct iw_operation *operation;

    if (!message->has_ddp || about->op == NULL || !iw_segment_opcode_fits(about) || !iw_judge_all_seen(judge))
        return; /* another message may have the same header */
    if (about->opcode == IW_RDMAP_OP_ATOMIC_RESPONSE)
        answer_judge_refused_response(judge, error, about);
    if (about->opcode != IW_RDMAP_OP_ATOMIC_REQUEST)
        return;
    operation = iw_operations_find(operations, about->msn);
    if (operation != NULL && operation->opcode == IW_RDMAP_OP_ATOMIC_REQUEST)
        answer_judge_refused_atomic(judge, error, operation);
}

enum iw_requirement_id iw_answer_terminate_clause(const struct iw_segment *about) {
    return about->op->extension == IW_EXT_COMMIT ? IW_REQ_TALPEY_5_1_01 : IW_REQ_RFC7306_8_1_01;
}
