#include "iw_rules.h"

#include <stdio.h>

#include "iw_name.h"

/* Rules about the RDMAP control octet and the demands of each opcode (RFC 5040 4.1 and 4.2). */

struct clauses {
    enum iw_requirement_id model;     /* T */
    enum iw_requirement_id queue;     /* untagged: the QN is that of the opcode; for a wrong QN from 0 to 3 */
    enum iw_requirement_id any_queue; /* the same, for a QN above 3 */
    enum iw_requirement_id header;    /* the message has its whole header */
    enum iw_requirement_id size;      /* no other octets after the header */
    enum iw_requirement_id invalidate; /* an Invalidate STag of 0 if the opcode does not use it */
};

/* In the drafts, a figure gives the length of a request, and the ordering rules name its queue. */
static const struct clauses
    clauses_RDMA_WRITE = {IW_REQ_RFC5040_5_1_01, IW_REQUIREMENT_COUNT, IW_REQUIREMENT_COUNT,
        IW_REQ_RFC5040_4_2_01, IW_REQ_RFC5040_4_2_01, IW_REQ_RFC5040_4_1_10},
    clauses_READ_REQUEST = {IW_REQ_RFC5040_5_2_1_01, IW_REQ_RFC5040_5_2_1_05, IW_REQ_RFC5040_4_1_07,
        IW_REQ_RFC5040_4_4_01, IW_REQ_RFC5040_4_2_01, IW_REQ_RFC5040_4_1_10},
    clauses_READ_RESPONSE = {IW_REQ_RFC5040_5_2_2_01, IW_REQUIREMENT_COUNT, IW_REQUIREMENT_COUNT,
        IW_REQ_RFC5040_4_2_01, IW_REQ_RFC5040_4_2_01, IW_REQ_RFC5040_4_1_10},
    clauses_SEND = {IW_REQ_RFC5040_5_3_01, IW_REQ_RFC5040_5_3_07, IW_REQ_RFC5040_4_1_07,
        IW_REQ_RFC5040_4_2_01, IW_REQ_RFC5040_4_2_01, IW_REQ_RFC5040_4_1_10},
    clauses_SEND_INV = {IW_REQ_RFC5040_5_3_01, IW_REQ_RFC5040_5_3_07, IW_REQ_RFC5040_4_1_07,
        IW_REQ_RFC5040_4_2_01, IW_REQ_RFC5040_4_2_01, IW_REQ_RFC5040_4_1_10},
    clauses_SEND_SE = {IW_REQ_RFC5040_5_3_01, IW_REQ_RFC5040_5_3_07, IW_REQ_RFC5040_4_1_07,
        IW_REQ_RFC5040_4_2_01, IW_REQ_RFC5040_4_2_01, IW_REQ_RFC5040_4_1_10},
    clauses_SEND_SE_INV = {IW_REQ_RFC5040_5_3_01, IW_REQ_RFC5040_5_3_07, IW_REQ_RFC5040_4_1_07,
        IW_REQ_RFC5040_4_2_01, IW_REQ_RFC5040_4_2_01, IW_REQ_RFC5040_4_1_10},
    clauses_TERMINATE = {IW_REQ_RFC5040_5_4_01, IW_REQ_RFC5040_5_4_02, IW_REQ_RFC5040_4_1_07,
        IW_REQ_RFC5040_4_8_01, IW_REQ_RFC5040_4_8_01, IW_REQ_RFC5040_4_1_10},
    clauses_IMMEDIATE = {IW_REQ_RFC7306_6_3_01, IW_REQ_RFC7306_6_3_04, IW_REQ_RFC7306_6_3_04,
        IW_REQ_RFC7306_6_3_05, IW_REQ_RFC7306_6_3_05, IW_REQ_RFC7306_4_1_01},
    clauses_IMMEDIATE_SE = {IW_REQ_RFC7306_6_3_01, IW_REQ_RFC7306_6_3_04, IW_REQ_RFC7306_6_3_04,
        IW_REQ_RFC7306_6_3_05, IW_REQ_RFC7306_6_3_05, IW_REQ_RFC7306_4_1_01},
    clauses_ATOMIC_REQUEST = {IW_REQ_RFC7306_5_2_1_04, IW_REQ_RFC7306_5_2_01, IW_REQ_RFC7306_5_2_1_09,
        IW_REQ_RFC7306_4_2_01, IW_REQ_RFC7306_4_2_01, IW_REQ_RFC7306_4_1_01},
    clauses_ATOMIC_RESPONSE = {IW_REQ_RFC7306_5_2_2_01, IW_REQ_RFC7306_5_2_02, IW_REQ_RFC7306_5_2_2_02,
        IW_REQ_RFC7306_5_2_1_12, IW_REQ_RFC7306_5_2_1_12, IW_REQ_RFC7306_4_1_01},
    clauses_FLUSH_REQUEST = {IW_REQ_RFC5040_4_1_05, IW_REQ_TALPEY_3_1_1_3_01, IW_REQ_TALPEY_3_1_1_3_01,
        IW_REQ_TALPEY_3_1_1_1_01, IW_REQ_TALPEY_3_1_1_1_01, IW_REQ_TALPEY_3_1_01},
    clauses_FLUSH_RESPONSE = {IW_REQ_RFC5040_4_1_05, IW_REQ_TALPEY_3_1_1_3_02, IW_REQ_TALPEY_3_1_1_3_02,
        IW_REQ_TALPEY_3_1_1_2_01, IW_REQ_TALPEY_3_1_1_2_01, IW_REQ_TALPEY_3_1_01},
    clauses_VERIFY_REQUEST = {IW_REQ_RFC5040_4_1_05, IW_REQ_TALPEY_3_1_2_3_01, IW_REQ_TALPEY_3_1_2_3_01,
        IW_REQ_TALPEY_3_1_2_1_01, IW_REQ_TALPEY_3_1_2_1_01, IW_REQ_TALPEY_3_1_01},
    clauses_VERIFY_RESPONSE = {IW_REQ_RFC5040_4_1_05, IW_REQ_TALPEY_3_1_2_3_02, IW_REQ_TALPEY_3_1_2_3_02,
        IW_REQ_TALPEY_3_1_2_2_01, IW_REQ_TALPEY_3_1_2_2_01, IW_REQ_TALPEY_3_1_01},
    clauses_ATOMIC_WRITE_REQUEST = {IW_REQ_RFC5040_4_1_05, IW_REQ_TALPEY_3_1_3_1_01, IW_REQ_TALPEY_3_1_3_1_01,
        IW_REQ_TALPEY_3_1_3_1_01, IW_REQ_TALPEY_3_1_3_1_01, IW_REQ_TALPEY_3_1_01},
    clauses_ATOMIC_WRITE_RESPONSE = {IW_REQ_RFC5040_4_1_05, IW_REQ_TALPEY_3_1_3_2_01,
        IW_REQ_TALPEY_3_1_3_2_01, IW_REQ_TALPEY_3_1_3_2_01, IW_REQ_TALPEY_3_1_3_2_01, IW_REQ_TALPEY_3_1_01};

static const struct clauses *const clauses_of_opcode[IW_RDMAP_OP_COUNT] = {
#define IW_OPCODE(name, value, ...) [value] = &clauses_##name,
#include "iw_opcode.def"
};

static const struct clauses swap = {IW_REQ_RFC7306_5_2_1_04, IW_REQ_EXT01_4_1_02, IW_REQ_EXT01_4_1_02,
    IW_REQ_EXT01_4_2_01, IW_REQ_EXT01_4_2_01, IW_REQ_EXT01_4_1_01};

enum { AOPCODE_OCTETS = 4 }; /* octets of the header of an Atomic Request up to its AOpCode */

/* The octets with the AOpCode of the Atomic Request that this segment belongs to; or NULL. */
static const uint8_t *rdmap_aopcode_octets(const struct iw_judge *judge, const struct iw_segment *segment) {
    const struct iw_split *split = judge->sender->split;

    if (segment->header_octets > 0)
        return segment->header;
    if (segment->mo == 0)
        return segment->payload_captured < AOPCODE_OCTETS ? NULL : segment->payload;
    return split != NULL && split->request.have >= AOPCODE_OCTETS &&
                   split->request.opcode == segment->opcode && split->request.msn == segment->msn
               ? split->request.octets
               : NULL;
}

static bool rdmap_asks_for_swap(const struct iw_judge *judge, const struct iw_segment *segment) {
    const uint8_t *octets;

    if (segment->opcode != IW_RDMAP_OP_ATOMIC_REQUEST || segment->tagged ||
        (judge->config.extensions & IW_EXT_STORM) == 0)
        return false;
    octets = rdmap_aopcode_octets(judge, segment);
    return octets != NULL &&
           iw_field_get(&iw_fields[iw_field_atomic_request_aopcode], octets) == IW_AOPCODE_SWAP;
}

/* Only draft-ietf-storm-rdmap-ext-01 defines Swap, so the clauses of that draft apply to it. */
IW_COLD static const struct clauses *rdmap_clauses_of(
    const struct iw_judge *judge, const struct iw_segment *segment) {
    return rdmap_asks_for_swap(judge, segment) ? &swap : clauses_of_opcode[segment->opcode];
}

static bool rdmap_impossible_atomic(
    const struct iw_judge *judge, const struct iw_operation *operation, struct iw_impossible *impossible) {
    const struct iw_atomic_request *request = &operation->request.header.atomic_request;

    if (request->aopcode > IW_AOPCODE_CMPSWAP)
        *impossible =
            (struct iw_impossible){IW_REQ_RFC7306_5_2_1_08, "An Atomic Request with an undefined AOpCode"};
    else if (iw_judge_wraps(request->to, sizeof request->data))
        *impossible = (struct iw_impossible){IW_REQ_RFC7306_8_2_08, "An Atomic Request beyond 2^64"};
    else if (operation->misaligned)
        *impossible = (struct iw_impossible){
            iw_extension_kind(judge, operation)->misaligned, "A misaligned Atomic Request"};
    else
        return false;
    return true;
}

static bool rdmap_impossible_write(const struct iw_operation *operation, struct iw_impossible *impossible) {
    const struct iw_atomic_write_request *request = &operation->request.header.atomic_write_request;

    impossible->id = IW_REQ_TALPEY_3_1_3_1_06;
    if (request->length != sizeof request->data)
        impossible->subject = "An Atomic Write with a length other than 8";
    else if (iw_judge_wraps(request->to, sizeof request->data))
        impossible->subject = "An Atomic Write beyond 2^64";
    else if (operation->misaligned)
        impossible->subject = "A misaligned Atomic Write";
    else
        return false;
    return true;
}

bool iw_rdmap_is_impossible(
    const struct iw_judge *judge, const struct iw_operation *operation, struct iw_impossible *impossible) {
    const union iw_header *header = &operation->request.header;

    switch ((enum iw_request)operation->opcode) {
    case IW_REQUEST_READ: /* iw_rule_reaction.c judges its response */
        break;
    case IW_REQUEST_ATOMIC:
        return rdmap_impossible_atomic(judge, operation, impossible);
    case IW_REQUEST_ATOMIC_WRITE:
        return rdmap_impossible_write(operation, impossible);
    case IW_REQUEST_FLUSH:
        *impossible = (struct iw_impossible){IW_REQ_TALPEY_3_1_1_01, "An RDMA Flush beyond 2^64"};
        return iw_judge_wraps(header->flush_request.to, header->flush_request.length);
    case IW_REQUEST_VERIFY:
        *impossible = (struct iw_impossible){IW_REQ_TALPEY_3_1_2_01, "An RDMA Verify beyond 2^64"};
        return iw_judge_wraps(header->verify_request.to, header->verify_request.length);
    }
    return false;
}

static void rdmap_control(struct iw_judge *judge, const struct iw_segment *segment) {
    uint8_t version = iw_judge_rv(judge, segment);

    if (segment->rv != version)
        iw_judge_report_value(judge,
            iw_segment_is_rfc7306(segment) ? IW_REQ_RFC7306_4_1_01 : IW_REQ_RFC5040_4_1_08,
            segment->five_bit ? iw_field_rdmap_control5_rv : iw_field_rdmap_control_rv, "RV", version,
            segment->rv);
    if (segment->rsv != 0)
        iw_judge_report_value(judge, IW_REQ_RFC5040_4_1_09,
            segment->five_bit ? iw_field_rdmap_control5_rsv : iw_field_rdmap_control_rsv, "Rsv", 0,
            segment->rsv);
}

/* Reports an opcode of draft-talpey-rdma-commit-01 that the user did not choose, once (RFC 6580 3.4). */
static void rdmap_draft_opcode(struct iw_judge *judge, const struct iw_segment *segment) {
    if ((judge->config.extensions & IW_EXT_DRAFT_NOTE) == 0 || segment->op->extension != IW_EXT_COMMIT ||
        judge->draft_noted)
        return;
    judge->draft_noted = true;
    iw_judge_report(judge, IW_REQ_RFC6580_3_4_01, iw_judge_opcode_field(segment), "Opcode",
        "one that an RFC defines", "0x%x, %s of %s", segment->opcode, segment->op->title,
        segment->op->clause);
}

/* Reports an unknown opcode. Fh may be an experiment: one note per connection (RFC 6580 3.4). */
static void rdmap_unknown_opcode(struct iw_judge *judge, const struct iw_segment *segment) {
    bool experiment = segment->opcode == IW_RDMAP_OP_EXPERIMENTAL;

    if (experiment && judge->experiment_noted)
        return;
    judge->experiment_noted |= experiment;
    iw_judge_report(judge, experiment ? IW_REQ_RFC6580_3_4_02 : IW_REQ_RFC5040_4_1_06,
        iw_judge_opcode_field(segment), "Opcode", "an opcode of the documents in use", "0x%x%s",
        segment->opcode, experiment ? ", reserved for experiments" : "");
}

IW_COLD static void rdmap_queue(struct iw_judge *judge, const struct iw_segment *segment) {
    const struct clauses *clauses = rdmap_clauses_of(judge, segment);
    char subject[64];

    snprintf(subject, sizeof subject, "QN of %s", segment->op->title);
    iw_judge_report_value(judge, segment->qn < IW_QN_COUNT ? clauses->queue : clauses->any_queue,
        iw_field_ddp_untagged_qn, subject, segment->op->qn, segment->qn);
}

/* Judges T and QN. Returns whether T is right, so that the opcode's header can be decoded. */
static bool rdmap_model(struct iw_judge *judge, const struct iw_segment *segment) {
    const struct iw_opcode *op = segment->op;
    char subject[64];

    if (segment->tagged != op->tagged) {
        snprintf(subject, sizeof subject, "T of %s", op->title);
        iw_judge_report_value(judge, rdmap_clauses_of(judge, segment)->model,
            segment->tagged ? iw_field_ddp_tagged_t : iw_field_ddp_untagged_t, subject, op->tagged,
            segment->tagged);
        return false;
    }
    if (!segment->tagged && segment->qn != op->qn && !judge->event.fact->strayed)
        rdmap_queue(judge, segment);
    return true;
}

/* In a message that invalidates nothing, the octets of the Invalidate STag are shown as a field of DDP. */
static void rdmap_invalidate(struct iw_judge *judge, const struct iw_segment *segment) {
    if (segment->tagged || segment->op->invalidate != IW_INVALIDATE_ZERO || segment->invalidate_stag == 0)
        return;
    iw_judge_report_value(judge, rdmap_clauses_of(judge, segment)->invalidate,
        iw_field_ddp_untagged_rsvdulp_rest, "Invalidate STag", 0, segment->invalidate_stag);
}

static void rdmap_wrong_size(
    struct iw_judge *judge, const struct iw_segment *segment, uint32_t least, uint32_t actual) {
    const struct iw_opcode *op = segment->op;
    const struct clauses *clauses = rdmap_clauses_of(judge, segment);
    bool alone = segment->mo == 0 || segment->tagged;
    uint32_t header = alone ? segment->ddp_octets : 0;
    enum iw_requirement_id id = actual < least ? clauses->header : clauses->size;
    enum iw_field_id field = judge->event.llp->length_field;
    char subject[96];

    if (alone)
        snprintf(subject, sizeof subject, "%s of %s", iw_judge_length_name(judge), op->title);
    else
        snprintf(
            subject, sizeof subject, "Length of %s in several segments, without DDP headers,", op->title);
    if (op->payload == IW_PAYLOAD_NONE)
        iw_judge_report_value(judge, id, field, subject, least + header, actual + header);
    else
        iw_judge_report_at_least(judge, id, field, subject, least + header, actual + header);
}

/* Messages without payload have a fixed length; another rule judges the headers in a Terminate. DDP may split
 * any message anywhere (RFC 5041 5.2), so the whole message is judged. A segment before the last, or one with
 * an unknown offset, can only exceed the length. */
static void rdmap_size(struct iw_judge *judge, const struct iw_segment *segment) {
    const struct iw_segment_fact *fact = judge->event.fact;
    bool placed = segment->tagged || segment->mo == 0 || (fact->sequence_known && fact->mo_ok);
    uint32_t least = (uint32_t)iw_opcode_min_ulpdu(segment->op) - segment->ddp_octets;
    uint32_t octets = (uint32_t)segment->length - segment->ddp_octets;

    if (placed && !segment->tagged && segment->mo <= UINT32_MAX - octets)
        octets += segment->mo;
    if ((placed && segment->last && octets < least) ||
        (segment->op->payload == IW_PAYLOAD_NONE && octets > least))
        rdmap_wrong_size(judge, segment, least, octets);
}

/* Stores the finding at `index` as a fault if the control octet or Invalidate STag is wrong, with L=0. */
static void rdmap_note_control(struct iw_judge *judge, size_t index) {
    const struct iw_segment *segment = judge->event.segment;

    if (index >= judge->finding_count || segment->last || !iw_judge_control_wrong(judge, segment))
        return;
    iw_judge_note_fault(&iw_judge_trouble(judge, judge->sender)->faults.control, &judge->findings[index],
        segment->tagged ? IW_QN_TAGGED : segment->qn, judge->event.fact->message_frame);
}

/* Whether opcode Fh may be an experiment, not draft-talpey-rdma-commit-01: --extensions does not name the
 * draft, no opcode of the draft has come, and T or QN does not fit the draft's opcode. */
static bool rdmap_may_be_experiment(const struct iw_judge *judge, const struct iw_segment *segment) {
    return (judge->config.extensions & IW_EXT_DRAFT_NOTE) && !judge->draft_noted &&
           segment->opcode == IW_RDMAP_OP_EXPERIMENTAL && !iw_segment_opcode_fits(segment);
}

static void rdmap_message(struct iw_judge *judge) {
    const struct iw_segment *segment = judge->event.segment;
    size_t model;
    size_t rest;
    size_t size;

    rdmap_control(judge, segment);
    if (!iw_judge_version_right(judge, segment))
        return;
    if (segment->op == NULL || rdmap_may_be_experiment(judge, segment)) {
        rdmap_unknown_opcode(judge, segment);
        return;
    }
    rdmap_draft_opcode(judge, segment);
    model = judge->finding_count;
    if (!rdmap_model(judge, segment))
        return;
    rest = judge->finding_count;
    rdmap_invalidate(judge, segment);
    size = judge->finding_count;
    rdmap_size(judge, segment);
    if (judge->finding_count == size)
        size = rest; /* the length fits the opcode, so the opcode is right */
    if (segment->op->extension != IW_EXT_BASE)
        iw_extension_contents(judge, segment);
    if (model < rest) /* the opcode may be wrong, and so the rest of the header */
        iw_judge_attach(judge, model, rest);
    if (rest < size) /* it may be a Send with Invalidate with a wrong opcode, which has any length */
        iw_judge_attach(judge, rest, size);
}

/* With a wrong version, judges only the control octet: the meaning of the octets after it is unknown. */
void iw_rules_rdmap(struct iw_judge *judge) {
    const struct iw_segment *segment = judge->event.segment;
    size_t first = judge->finding_count;

    rdmap_message(judge);
    if (judge->finding_count == first)
        return;
    /* A wrong RV or Rsv may mean that the opcode beside it is wrong too. */
    if (segment->rv != iw_judge_rv(judge, segment) || segment->rsv != 0)
        iw_judge_attach(judge, first, first + 1);
    /* If a later segment has another control octet, the first one may have the right opcode. */
    iw_judge_attach_to(judge, segment->tagged ? IW_REQ_RFC5041_4_2_04 : IW_REQ_RFC5041_4_3_04, first);
    rdmap_note_control(judge, first);
}
