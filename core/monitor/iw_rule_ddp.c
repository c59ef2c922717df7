#include "iw_rules.h"

#include <inttypes.h>
#include <stdio.h>

/* Rules about the DDP header and the order of segments (RFC 5041 4 and 5). */

/* With a wrong DV, the bits of Rsvd may have a meaning: a finding about Rsvd follows from that about DV. */
static void ddp_control(struct iw_judge *judge, const struct iw_segment *segment) {
    uint8_t version = judge->version;
    size_t first = judge->finding_count;

    if (segment->dv != version)
        iw_judge_report_value(judge, IW_REQ_RFC5041_4_1_08,
            segment->tagged ? iw_field_ddp_tagged_dv : iw_field_ddp_untagged_dv, "DV", version, segment->dv);
    if (segment->rsvd != 0)
        iw_judge_report_value(judge, IW_REQ_RFC5041_4_1_07,
            segment->tagged ? iw_field_ddp_tagged_rsvd : iw_field_ddp_untagged_rsvd, "Rsvd", 0,
            segment->rsvd);
    if (segment->dv != version)
        iw_judge_attach(judge, first, first + 1);
}

/* If `same`, and `fault` is on queue `qn`, the finding follows from `fault`; else it replaces `fault`. */
IW_COLD static void ddp_follow_or_note(
    struct iw_fault *fault, bool same, struct iw_finding *finding, uint32_t qn, uint64_t message) {
    if (same && fault->finding.number != 0 && fault->qn == qn)
        iw_judge_because_of(finding, &fault->finding);
    else
        iw_judge_note_fault(fault, finding, qn, message);
}

/* A finding about order may follow from an earlier one about the message, but an error not from a warning. */
IW_COLD static void ddp_note_order(
    struct iw_judge *judge, struct iw_finding *finding, uint32_t qn, uint64_t message) {
    struct iw_fault *fault = &iw_judge_trouble(judge, judge->sender)->faults.order;
    bool warning = iw_requirement_severity(finding->requirement) == IW_SEVERITY_WARNING;

    ddp_follow_or_note(
        fault, fault->message_frame == message && (warning || !fault->warning), finding, qn, message);
}

/* Whether octets are missing before the last segment, which has the expected MO or TO if `expected`. */
static bool ddp_leaves_hole(const struct iw_segment_fact *fact, bool expected) {
    return fact->order == IW_SEGMENT_HOLE && (fact->skip_frame != 0 || expected);
}

IW_COLD static struct iw_finding *ddp_report_offset(struct iw_judge *judge, enum iw_requirement_id id,
    const char *subject, const char *expected, const char *wrong) {
    const struct iw_segment *segment = judge->event.segment;

    return segment->tagged ? iw_judge_report(judge, id, iw_field_ddp_tagged_to, subject, expected,
                                 "0x%016" PRIx64 ", %s", segment->to, wrong)
                           : iw_judge_report(judge, id, iw_field_ddp_untagged_mo, subject, expected,
                                 "%" PRIu32 ", %s", segment->mo, wrong);
}

/* Segments should be sent in order (RFC 5041 5.3). Skipped parts may follow, but not after L=1 (4.1). */
IW_COLD static void ddp_report_order(struct iw_judge *judge, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, enum iw_requirement_id wrong, uint64_t expected, uint64_t actual) {
    bool skipped = ddp_leaves_hole(fact, expected == actual);
    enum iw_field_id field = segment->tagged ? iw_field_ddp_tagged_to : iw_field_ddp_untagged_mo;
    const char *subject = segment->tagged ? "TO" : "MO";
    struct iw_finding *finding;

    if (fact->order == IW_SEGMENT_FILLS_HOLE) {
        finding = ddp_report_offset(judge, IW_REQ_RFC5041_5_3_03, subject, "higher than in earlier segments",
            "lower than in an earlier segment");
    } else if (skipped) {
        finding = iw_judge_report(judge, wrong, field, "A message", "complete",
            segment->tagged ? "without the octet at 0x%" PRIx64 : "without the octet at %" PRIu64,
            fact->missing);
        iw_judge_context(finding, fact->skip_frame);
    } else if (expected == actual) {
        finding =
            ddp_report_offset(judge, wrong, subject, "after those octets", "within octets already sent");
    } else {
        finding = iw_judge_report_value(judge, wrong, field, subject, expected, actual);
    }
    iw_judge_context(finding, fact->message_frame);
    ddp_note_order(judge, finding, segment->tagged ? IW_QN_TAGGED : segment->qn, fact->message_frame);
}

static void ddp_order(struct iw_judge *judge, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, enum iw_requirement_id wrong, uint64_t expected, uint64_t actual) {
    if (fact->order != IW_SEGMENT_IN_ORDER && fact->order != IW_SEGMENT_AHEAD)
        ddp_report_order(judge, segment, fact, wrong, expected, actual);
}

/* Reports that the segment begins a message although the open message has had no segment with L=1 (RFC 5041
 * 4.1); or that it continues an earlier message while a later message is open. */
IW_COLD static void ddp_report_open(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    uint32_t qn = segment->tagged ? IW_QN_TAGGED : segment->qn;
    bool resumed = fact->bound == IW_BOUND_RESUMED;
    struct iw_finding *finding = iw_judge_report(judge, IW_REQ_RFC5041_4_1_02,
        segment->tagged ? iw_field_ddp_tagged_stag : iw_field_ddp_untagged_msn,
        resumed ? "The previous message when an earlier one continues"
                : "The previous message when this one begins",
        "ended by a segment with L=1", "open");

    iw_judge_context(finding, fact->bound_frame);
    ddp_follow_or_note(
        &iw_judge_trouble(judge, judge->sender)->faults.open, resumed, finding, qn, fact->message_frame);
}

/* A segment after that with L=1: L was set, or the segment with L was sent, too early (RFC 5041 4.1). */
static void ddp_report_after_last(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    bool late = fact->bound == IW_BOUND_LATE;
    enum iw_requirement_id id = late ? IW_REQ_RFC5041_4_1_04 : IW_REQ_RFC5041_4_1_03;
    const char *subject = "The segment after the one with L=1";
    const char *part = late ? "an earlier part of" : "more of";
    struct iw_finding *finding;
    char expected[64];

    snprintf(expected, sizeof expected, "the next message, MSN %" PRIu32, segment->msn + 1);
    if (segment->tagged)
        finding = iw_judge_report(judge, id, iw_field_ddp_tagged_to, subject, "the next message",
            "%s the same message, STag 0x%08" PRIx32 ", TO 0x%016" PRIx64, part, segment->stag, segment->to);
    else
        finding = iw_judge_report(judge, id, iw_field_ddp_untagged_mo, subject, expected,
            "%s MSN %" PRIu32 ", MO %" PRIu32, part, segment->msn, segment->mo);
    iw_judge_context(finding, fact->bound_frame);
    ddp_note_order(judge, finding, segment->tagged ? IW_QN_TAGGED : segment->qn, fact->bound_frame);
}

/* Reports an STag or RsvdULP that differs from the earlier segments of the message (RFC 5041 4.2, 4.3). If
 * `fault` is about this message, the earlier value is wrong, and the finding follows from `fault`. */
IW_COLD static void ddp_report_difference(struct iw_judge *judge, const struct iw_fault *fault,
    enum iw_requirement_id id, enum iw_field_id field, const char *subject, uint64_t expected,
    uint64_t actual) {
    struct iw_finding *finding = iw_judge_report_value(judge, id, field, subject, expected, actual);

    if (fault->message_frame == judge->event.fact->message_frame)
        iw_judge_because_of(finding, &fault->finding);
    iw_judge_context(finding, judge->event.fact->message_frame);
}

static void ddp_tagged(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    const struct iw_faults *faults = &iw_party_trouble(judge->sender)->faults;
    bool hole = ddp_leaves_hole(fact, fact->to_ok);

    if (fact->bound == IW_BOUND_OPEN || fact->bound == IW_BOUND_RESUMED)
        ddp_report_open(judge, segment, fact);
    else if (fact->bound == IW_BOUND_LATE)
        ddp_report_after_last(judge, segment, fact);
    if (!fact->stag_ok)
        ddp_report_difference(judge, &faults->stag, IW_REQ_RFC5041_4_2_08, iw_field_ddp_tagged_stag,
            "STag after a segment with L=0", fact->stag_expected, segment->stag);
    else if (!fact->same_message && !iw_judge_control_wrong(judge, segment))
        ddp_report_difference(judge, &faults->control, IW_REQ_RFC5041_4_2_04, iw_field_ddp_tagged_rsvdulp,
            "RsvdULP after a segment with L=0", fact->control_expected, segment->control);
    else
        ddp_order(judge, segment, fact, hole ? IW_REQ_RFC5041_5_2_03 : IW_REQ_RFC5041_5_2_07,
            fact->to_expected, segment->to);
}

/* Judges MO. The last segment must not fill a hole, because its MO is the highest (RFC 5041 4.1). */
static void ddp_untagged_order(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    bool skipped = fact->skip_frame != 0;
    bool begins = skipped ? fact->missing == 0 : fact->mo_expected == 0;
    enum iw_requirement_id wrong =
        skipped && fact->order == IW_SEGMENT_HOLE ? IW_REQ_RFC5041_5_2_03 : IW_REQ_RFC5041_5_2_05;
    struct iw_finding *finding;

    if (fact->order != IW_SEGMENT_FILLS_HOLE || !segment->last) {
        ddp_order(
            judge, segment, fact, begins ? IW_REQ_RFC5041_4_3_12 : wrong, fact->mo_expected, segment->mo);
        return;
    }
    finding = ddp_report_offset(judge, IW_REQ_RFC5041_4_1_05, "MO of the last segment",
        "the highest of the message", "lower than another");
    iw_judge_context(finding, fact->skip_frame);
    iw_judge_context(finding, fact->message_frame);
    ddp_note_order(judge, finding, segment->qn, fact->message_frame);
}

/* Reports a wrong MSN. If the queue's previous MSN was wrong or a jump, the finding follows from it. */
static void ddp_msn(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    enum iw_requirement_id id = IW_REQ_RFC5041_4_3_08;
    struct iw_finding *finding;

    if (fact->mo_expected != 0)
        id = IW_REQ_RFC5041_4_3_11; /* a message is open */
    else if (fact->msn_expected == 1 && fact->bound_frame == 0)
        id = IW_REQ_RFC5041_4_3_09; /* the first message of the queue, not a message after MSN 0 */
    else if (fact->msn_expected == 0)
        id = IW_REQ_RFC5041_4_3_10;
    finding =
        iw_judge_report_value(judge, id, iw_field_ddp_untagged_msn, "MSN", fact->msn_expected, segment->msn);
    if (fact->mo_expected != 0)
        iw_judge_context(finding, fact->bound_frame);
    ddp_follow_or_note(&iw_judge_trouble(judge, judge->sender)->faults.msn,
        fact->doubted || fact->bound == IW_BOUND_SKIPPED, finding, segment->qn, fact->message_frame);
}

/* Reports the wrong QN of a segment that continues a message on another queue (RFC 5041 4.3). */
IW_COLD static void ddp_strayed(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    struct iw_finding *finding = iw_judge_report_value(judge, IW_REQ_RFC5041_4_3_07, iw_field_ddp_untagged_qn,
        "QN after a segment with L=0", segment->op->qn, segment->qn);

    iw_judge_context(finding, fact->message_frame);
}

static void ddp_untagged(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    if (!fact->sequence_known)
        return;
    if (fact->bound == IW_BOUND_OPEN || fact->bound == IW_BOUND_RESUMED)
        ddp_report_open(judge, segment, fact);
    else if (fact->bound == IW_BOUND_ENDED || fact->bound == IW_BOUND_LATE)
        ddp_report_after_last(judge, segment, fact);
    else if (!fact->msn_ok)
        ddp_msn(judge, segment, fact);
    else if (fact->order != IW_SEGMENT_IN_ORDER)
        ddp_untagged_order(judge, segment, fact);
    if (!fact->same_message && fact->msn_ok && fact->order == IW_SEGMENT_IN_ORDER &&
        !iw_judge_control_wrong(judge, segment)) {
        bool control = fact->control_expected != segment->control;

        ddp_report_difference(judge, &iw_party_trouble(judge->sender)->faults.control, IW_REQ_RFC5041_4_3_04,
            control ? iw_field_ddp_untagged_rsvdulp : iw_field_ddp_untagged_rsvdulp_rest,
            control ? "RsvdULP of a later segment" : "RsvdULP[8:39] of a later segment",
            control ? fact->control_expected : fact->invalidate_stag_expected,
            control ? segment->control : segment->invalidate_stag);
    }
}

/* Judges the last of several segments of a message without payload. To DDP, the RDMAP header is payload. */
static void ddp_empty_message(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    uint64_t octets = segment->tagged ? fact->message_octets
                                      : (uint64_t)segment->mo + segment->length - segment->ddp_octets;
    struct iw_finding *finding;

    if (!segment->last || fact->first || octets > 0 || (!segment->tagged && !fact->sequence_known))
        return;
    finding = iw_judge_report(judge, IW_REQ_RFC5041_5_2_08,
        segment->tagged ? iw_field_ddp_tagged_l : iw_field_ddp_untagged_l, "A message without payload",
        "one segment", "several segments");
    iw_judge_context(finding, fact->message_frame);
}

IW_HOT void iw_rules_ddp(struct iw_judge *judge) {
    const struct iw_segment *segment = judge->event.segment;

    ddp_control(judge, segment);
    if (judge->event.fact->strayed)
        ddp_strayed(judge, segment, judge->event.fact);
    if (segment->dv != judge->version || !iw_segment_opcode_fits(segment))
        return; /* the version, T or QN is wrong, so the meaning of other fields is unknown */
    if (segment->tagged)
        ddp_tagged(judge, segment, judge->event.fact);
    else
        ddp_untagged(judge, segment, judge->event.fact);
    ddp_empty_message(judge, segment, judge->event.fact);
}
