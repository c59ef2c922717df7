#include "iw_rules.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "iw_plural.h"

/* Rules about the message that a Terminate reports (RFC 5040 4.8, 7.1; RFC 5041 7.2). The headers that the
 * Terminate includes show whether this message can have the error. */

/* ---- the error ---- */

/* Describes the headers that can have the reported error, and the headers that the Terminate includes. */
struct mismatch {
    char expected[64];
    char actual[96];
};

static const char *terminated_title(const struct iw_segment *about) {
    return about->op == NULL ? "a message with an unknown opcode" : about->op->title;
}

__attribute__((format(printf, 3, 4))) static bool terminated_mismatches(
    struct mismatch *mismatch, const char *expected, const char *format, ...) {
    va_list arguments;

    snprintf(mismatch->expected, sizeof mismatch->expected, "%s", expected);
    va_start(arguments, format);
    vsnprintf(mismatch->actual, sizeof mismatch->actual, format, arguments);
    va_end(arguments);
    return true;
}

static bool terminated_is_about_fault(
    const struct iw_terminate_message *message, const struct iw_refusable *fault) {
    return fault->ddp_octets == message->terminated.ddp_octets &&
           memcmp(fault->header, message->terminated_octets, fault->ddp_octets) == 0;
}

/* Whether the TO of the segment may wrap: by the DDP Segment Length, or because a captured segment with this
 * header wraps. True if the length is absent or too small. */
static bool terminated_may_wrap(const struct iw_judge *judge, const struct iw_terminate_message *message) {
    const struct iw_segment *about = &message->terminated;
    const struct iw_party_trouble *trouble = iw_party_trouble(judge->peer);

    if (!message->control.m || message->segment_length < about->ddp_octets)
        return true;
    for (unsigned i = 0; i < trouble->refusable_count; i++)
        if (trouble->refusable[i].check == IW_REQ_RFC5041_7_1_06 &&
            terminated_is_about_fault(message, &trouble->refusable[i]))
            return true;
    return iw_judge_sum_wraps(about->to, message->segment_length - about->ddp_octets);
}

static bool terminated_wrong_version(struct mismatch *mismatch, const char *field, uint8_t version) {
    char expected[32];

    snprintf(expected, sizeof expected, "one with a %s other than %u", field, version);
    return terminated_mismatches(mismatch, expected, "one with %s %u", field, version);
}

/* Whether the included header cannot have the DDP error that is reported (RFC 5041 7.2). */
static bool terminated_no_ddp_error(
    const struct iw_judge *judge, const struct iw_terminate_message *message, struct mismatch *mismatch) {
    const struct iw_segment *about = &message->terminated;
    const struct iw_terminate *control = &message->control;

    if (control->etype == 1 && !about->tagged)
        return terminated_mismatches(
            mismatch, "a tagged one", "untagged: %s, MSN %" PRIu32, terminated_title(about), about->msn);
    if (control->etype == 2 && about->tagged)
        return terminated_mismatches(mismatch, "an untagged one", "tagged: %s, STag 0x%08" PRIx32,
            terminated_title(about), about->stag);
    switch (iw_terminate_error(control)) {
    case IW_ERROR_DDP_TAGGED_VERSION:
    case IW_ERROR_DDP_UNTAGGED_VERSION:
        return about->dv == judge->version && terminated_wrong_version(mismatch, "DV", about->dv);
    case IW_ERROR_DDP_INVALID_QN:
        return about->op != NULL && about->op->extension == IW_EXT_BASE && !about->op->tagged &&
               about->op->qn == about->qn &&
               terminated_mismatches(mismatch, "on a queue other than that of its opcode",
                   "%s on QN %" PRIu32, about->op->title, about->qn);
    case IW_ERROR_DDP_TO_WRAP:
        return !terminated_may_wrap(judge, message) &&
               terminated_mismatches(mismatch, "one that goes beyond 2^64",
                   "TO 0x%016" PRIx64 " and %d octet%s of payload", about->to,
                   message->segment_length - about->ddp_octets,
                   iw_plural(message->segment_length - about->ddp_octets));
    default:
        return false;
    }
}

/* Whether the Terminate includes a Read Request header. Only this RDMAP header may be included. */
static bool terminated_has_read_request(const struct iw_terminate_message *message) {
    return message->has_rdmap && !message->terminated.tagged &&
           message->terminated.opcode == IW_RDMAP_OP_READ_REQUEST;
}

static bool terminated_read_cannot_wrap(
    const struct iw_terminate_message *message, struct mismatch *mismatch) {
    struct iw_read_request read;

    iw_read_request_decode(message->rdmap_octets, &read);
    return !iw_judge_sum_wraps(read.source_to, read.size) && !iw_judge_sum_wraps(read.sink_to, read.size) &&
           terminated_mismatches(mismatch, "one that goes beyond 2^64",
               "source TO 0x%" PRIx64 ", sink TO 0x%" PRIx64 " and %" PRIu32 " octet%s", read.source_to,
               read.sink_to, read.size, iw_plural(read.size));
}

static bool terminated_mismatches_send(
    struct mismatch *mismatch, const struct iw_segment *about, const char *expected) {
    return terminated_mismatches(mismatch, expected, "%s, MSN %" PRIu32, terminated_title(about), about->msn);
}

/* Whether the included headers cannot have the RDMAP error that is reported (RFC 5040 4.8). A Send is
 * unexpected if another message must come first (RFC 6581 9.2), or inside another message. */
static bool terminated_no_rdmap_error(
    const struct iw_judge *judge, const struct iw_terminate_message *message, struct mismatch *mismatch) {
    const struct iw_segment *about = &message->terminated;
    bool plain = iw_judge_version_right(judge, about) && iw_segment_is_send(about);

    switch (iw_terminate_error(&message->control)) {
    case IW_ERROR_RDMAP_VERSION:
        return about->rv == iw_judge_rv(judge, about) && terminated_wrong_version(mismatch, "RV", about->rv);
    case IW_ERROR_RDMAP_CANNOT_INVALIDATE:
    case IW_ERROR_RDMAP_OPERATION_CANNOT_INVALIDATE:
        return iw_judge_version_right(judge, about) && about->op != NULL &&
               about->op->invalidate == IW_INVALIDATE_ZERO &&
               terminated_mismatches(mismatch, "one that invalidates an STag", "%s", about->op->title);
    case IW_ERROR_RDMAP_TO_WRAP:
        if (terminated_has_read_request(message) && terminated_read_cannot_wrap(message, mismatch))
            return true;
        return plain && terminated_mismatches_send(mismatch, about, "one that names a Tagged Offset");
    case IW_ERROR_RDMAP_BASE_BOUNDS:
        return plain && terminated_mismatches_send(mismatch, about, "one that names a Tagged Offset");
    case IW_ERROR_RDMAP_UNEXPECTED_OPCODE:
        return plain && about->msn > 1 && about->mo == 0 &&
               terminated_mismatches_send(mismatch, about, "not a complete Send after an earlier message");
    default:
        return false;
    }
}

static bool terminated_no_error(
    const struct iw_judge *judge, const struct iw_terminate_message *message, struct mismatch *mismatch) {
    if (message->control.layer == 0)
        return terminated_no_rdmap_error(judge, message, mismatch);
    return message->control.layer == 1 && terminated_no_ddp_error(judge, message, mismatch);
}

bool iw_terminated_can_have_error(const struct iw_judge *judge, const struct iw_terminate_message *message) {
    struct mismatch mismatch;

    return !terminated_no_error(judge, message, &mismatch);
}

static void terminated_cause(struct iw_judge *judge, const struct iw_terminate_message *message) {
    const struct iw_terminate *control = &message->control;
    struct mismatch mismatch;
    char subject[64];
    char text[IW_ERROR_TEXT_OCTETS];

    if (!terminated_no_error(judge, message, &mismatch))
        return;
    iw_error_text(iw_terminate_error(control), text);
    snprintf(subject, sizeof subject, "The segment that error %s is about", text);
    iw_judge_report(judge, control->layer == 0 ? IW_REQ_RFC5040_7_1_02 : IW_REQ_RFC5041_7_2_01,
        iw_field_terminate_code, subject, mismatch.expected, "%s", mismatch.actual);
}

/* Whether the Terminate is about a Terminate of the other side; reports it if that Terminate had no error. A
 * valid Terminate is accepted without an answer (RFC 5040 5.4). */
static bool terminated_about_terminate(struct iw_judge *judge, const struct iw_terminate_message *message) {
    const struct iw_segment *about = &message->terminated;
    uint16_t error = iw_terminate_error(&message->control);
    struct iw_finding *finding;

    if (about->opcode != IW_RDMAP_OP_TERMINATE || !iw_judge_header_is_right(judge, about) ||
        about->msn != 1 || about->mo != 0)
        return false;
    if (judge->peer->terminate.frame == 0 || judge->peer->terminate.faulty || judge->peer->lost ||
        judge->peer->hidden)
        return true; /* that Terminate has a fault, or was not captured completely */
    finding = iw_judge_report(judge,
        error == IW_ERROR_DDP_MSN_NO_BUFFER ? IW_REQ_RFC5040_5_4_04 : IW_REQ_RFC5040_5_4_05, IW_FIELD_COUNT,
        "The message that the Terminate is about", "one with an error",
        "the Terminate of frame %" PRIu64 ", which has no error", judge->peer->terminate.frame);
    iw_judge_context(finding, judge->peer->terminate.frame);
    return true;
}

static bool terminated_asks_for_nothing(
    const struct iw_judge *judge, const struct iw_terminate_message *message) {
    const struct iw_operation *request =
        iw_operations_read(&judge->peer->operations, message->terminated.msn);
    struct iw_read_request read;

    if (!terminated_has_read_request(message) || request == NULL ||
        request->request.header.read_request.size != 0 || !iw_judge_all_seen(judge))
        return false;
    iw_read_request_decode(message->rdmap_octets, &read);
    return read.size == 0;
}

/* Whether the Terminate reports a wrong STag or Tagged Offset of a segment without payload, or of a Read of
 * size 0, and reports it: a receiver checks neither (RFC 5041 5.2, RFC 5040 5.2.1). The included size lacks
 * what was sent of a Read Response (RFC 5040 4.8), so only a captured request proves a size of 0. */
static bool terminated_about_nothing(struct iw_judge *judge, const struct iw_terminate_message *message) {
    const struct iw_segment *about = &message->terminated;
    const struct iw_terminate *control = &message->control;
    bool write = control->layer == 1 && control->etype == 1 && control->code <= 3 && about->tagged &&
                 control->m && message->segment_length == about->ddp_octets && judge->peer->empty.sent &&
                 about->stag == judge->peer->empty.stag && about->to == judge->peer->empty.to;
    bool nothing = terminated_asks_for_nothing(judge, message);

    if (!write && (control->layer != 0 || control->etype != 1 || control->code > 4 || !nothing))
        return false;
    iw_judge_report(judge, write ? IW_REQ_RFC5041_5_2_10 : IW_REQ_RFC5040_5_2_1_13, iw_field_terminate_code,
        "The segment that the Terminate is about", "at least one octet to place or fetch",
        write ? "a segment without payload, STag 0x%08" PRIx32 : "a Read of size 0, MSN %" PRIu32,
        write ? about->stag : about->msn);
    return true;
}

/* ---- the headers that a Terminate includes ---- */

/* Returns whether the values are equal; if not, reports them with `digits` hexadecimal digits; 0: decimal. */
static bool terminated_same(struct iw_judge *judge, const struct iw_operation *request, const char *subject,
    int digits, uint64_t expected, uint64_t actual) {
    struct iw_finding *finding;
    char text[24];

    if (expected == actual)
        return true;
    snprintf(text, sizeof text, "0x%0*" PRIx64, digits, expected);
    if (digits > 0)
        finding = iw_judge_report(
            judge, IW_REQ_RFC5040_4_8_12, IW_FIELD_COUNT, subject, text, "0x%0*" PRIx64, digits, actual);
    else
        finding =
            iw_judge_report_value(judge, IW_REQ_RFC5040_4_8_12, IW_FIELD_COUNT, subject, expected, actual);
    iw_judge_context(finding, request->request_frame);
    return false;
}

/* The Read Request with this MSN: outstanding, or the latest that was answered completely; or NULL. */
static const struct iw_operation *terminated_read_of(const struct iw_judge *judge, uint32_t msn) {
    const struct iw_operations *requests = &judge->peer->operations;
    const struct iw_operation *waiting = iw_operations_read(requests, msn);
    const struct iw_operation *done = requests->done;

    if (waiting != NULL)
        return waiting;
    return requests->known && !requests->doubted && !iw_party_trouble(judge->peer)->faults.read &&
                   done != NULL && done->opcode == IW_RDMAP_OP_READ_REQUEST && done->msn == msn &&
                   done->answered == done->request.header.read_request.size
               ? done
               : NULL;
}

/* The included Read Request header tells how much of the Read Response was sent before the Terminate (RFC
 * 5040 4.8). One difference is enough. A request that was not captured may have the same MSN. */
static void terminated_progress(struct iw_judge *judge, const struct iw_terminate_message *message) {
    const struct iw_operation *request = terminated_read_of(judge, message->terminated.msn);
    struct iw_read_request actual;
    struct iw_read_request expected;

    if (request == NULL || request->answered > request->request.header.read_request.size ||
        !iw_judge_all_seen(judge))
        return;
    expected = request->request.header.read_request;
    iw_read_request_decode(message->rdmap_octets, &actual);
    if (terminated_same(judge, request, "Data Sink STag of the Terminated RDMA Header", 8, expected.sink_stag,
            actual.sink_stag) &&
        terminated_same(judge, request, "Data Sink Tagged Offset of the Terminated RDMA Header", 16,
            expected.sink_to + request->answered, actual.sink_to) &&
        terminated_same(judge, request, "RDMA Read Message Size of the Terminated RDMA Header", 0,
            expected.size - request->answered, actual.size) &&
        terminated_same(judge, request, "Data Source STag of the Terminated RDMA Header", 8,
            expected.source_stag, actual.source_stag))
        terminated_same(judge, request, "Data Source Tagged Offset of the Terminated RDMA Header", 16,
            expected.source_to + request->answered, actual.source_to);
}

/* Whether the Terminate is certainly about this message. MSN and MO identify an untagged segment. A tagged
 * header may equal an earlier header; so its version must be wrong, or its error must be that reported. */
static bool terminated_is_surely_of(const struct iw_terminate_message *message,
    const struct iw_refusable *fault, const struct iw_judge *judge) {
    uint16_t error = iw_terminate_error(&message->control);

    if (!terminated_is_about_fault(message, fault) || fault->again || fault->hidden_before)
        return false;
    if (!message->terminated.tagged || !iw_judge_version_right(judge, &message->terminated))
        return true;
    return fault->check == IW_REQ_RFC5041_7_1_06 ? error == IW_ERROR_DDP_TO_WRAP
                                                 : error == IW_ERROR_RDMAP_UNEXPECTED_OPCODE;
}

/* Whether the Terminate is about a Read Request, all Read Requests were captured, and none has a fault. */
static bool terminated_is_right_read(const struct iw_judge *judge, const struct iw_segment *about) {
    const struct iw_party_trouble *trouble = iw_party_trouble(judge->peer);

    return trouble->refusable_count == 0 && !trouble->faults.read && iw_judge_all_seen(judge) &&
           about->opcode == IW_RDMAP_OP_READ_REQUEST && iw_judge_header_is_right(judge, about);
}

/* Judges the DDP Segment Length (RFC 5040 4.8). The correct value is known for the first segment found wrong,
 * for a Read Request, and for a segment that its header identifies. */
static void terminated_length(struct iw_judge *judge, const struct iw_terminate_message *message) {
    const struct iw_segment *about = &message->terminated;
    uint32_t expected = message->segment_length;
    const struct iw_party_trouble *trouble = iw_party_trouble(judge->peer);
    const struct iw_logged_header *sent;
    uint64_t frame = trouble->refusable[0].frame;
    struct iw_finding *finding;

    if (!message->control.m || message->segment_length < about->ddp_octets)
        return;
    sent = iw_terminated_segment(judge, message);
    if (trouble->refusable_count > 0 && terminated_is_surely_of(message, &trouble->refusable[0], judge)) {
        expected = trouble->refusable[0].length;
    } else if (terminated_is_right_read(judge, about)) {
        expected = (uint32_t)about->ddp_octets + iw_read_request_octets;
    } else if (sent != NULL) {
        expected = sent->length;
        frame = sent->frame;
    }
    if (expected == message->segment_length)
        return;
    finding = iw_judge_report_value(judge, IW_REQ_RFC5040_4_8_08, IW_FIELD_COUNT, "The DDP Segment Length",
        expected, message->segment_length);
    iw_judge_context(finding, frame);
}

static void terminated_describe(char text[72], const struct iw_refusable *fault) {
    struct iw_segment segment = {.tagged = fault->ddp_octets == iw_ddp_tagged_octets};

    iw_segment_decode_ddp(fault->header, &segment);
    if (segment.tagged)
        snprintf(text, 72, "the one to STag 0x%08" PRIx32 ", TO 0x%" PRIx64, segment.stag, segment.to);
    else
        snprintf(text, 72, "the one on QN %" PRIu32 ", MSN %" PRIu32 ", MO %" PRIu32, segment.qn, segment.msn,
            segment.mo);
}

/* The Terminate must report the first of two faulty segments (RFC 5040 7.1), unless the first has L=0. */
static void terminated_first_of_two(struct iw_judge *judge, const struct iw_terminate_message *message) {
    const struct iw_party_trouble *trouble = iw_party_trouble(judge->peer);
    const struct iw_refusable *fault = trouble->refusable;
    struct iw_finding *finding;
    char first[72];
    char second[72];
    char expected[96];

    if (trouble->refusable_count < 2 || !terminated_is_surely_of(message, &fault[1], judge) ||
        terminated_is_about_fault(message, &fault[0]) || !fault[0].last)
        return;
    terminated_describe(first, &fault[0]);
    terminated_describe(second, &fault[1]);
    snprintf(expected, sizeof expected, "%s: the first error", first);
    finding = iw_judge_report(judge, IW_REQ_RFC5040_7_1_03, IW_FIELD_COUNT,
        "The segment that the Terminate is about", expected, "%s", second);
    iw_judge_context(finding, fault[0].frame);
}

/* The Terminate has reversed bit order: later findings follow from that about its error or reserved bits. */
static void terminated_attach_to_reserved(struct iw_judge *judge) {
    for (size_t i = 0; i < judge->finding_count; i++)
        if (judge->findings[i].cause == 0 &&
            (judge->findings[i].requirement == &iw_requirements[IW_REQ_RFC5040_4_8_03] ||
                judge->findings[i].requirement == &iw_requirements[IW_REQ_RFC5040_4_8_07])) {
            iw_judge_attach(judge, i, i + 1);
            return;
        }
}

void iw_rules_terminated(struct iw_judge *judge) {
    const struct iw_terminate_message *message = judge->terminate->meant;
    size_t before;

    if (!iw_judge_header_is_right(judge, judge->event.segment) || !message->has_ddp)
        return;
    if (!iw_rules_terminated_header(judge, message)) {
        if (message != judge->terminate->sent)
            terminated_attach_to_reserved(judge);
        return;
    }
    if (terminated_about_terminate(judge, message))
        return;
    if (terminated_has_read_request(message))
        terminated_progress(judge, message);
    before = judge->finding_count;
    if (!terminated_about_nothing(judge, message))
        terminated_cause(judge, message);
    /* these findings compare the error with the headers, which may be wrong themselves */
    iw_judge_attach_to(judge, IW_REQ_RFC5040_4_8_03, before);
    iw_judge_attach_to(judge, IW_REQ_RFC5040_4_2_01, before);
    iw_judge_attach_to(judge, IW_REQ_RFC5040_4_8_12, before);
    terminated_length(judge, message);
    terminated_first_of_two(judge, message);
    if (message != judge->terminate->sent)
        terminated_attach_to_reserved(judge);
}
