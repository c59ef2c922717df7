#include "iw_judge.h"

#include <inttypes.h>
#include <stdio.h>

/* Rules about the DDP header and the order of segments (RFC 5041 4 and 5). */

static void control(struct iw_judge *judge, const struct iw_segment *segment) {
    uint8_t version = iw_judge_version(judge);

    if (segment->rsvd != 0)
        iw_judge_values(iw_judge_report(judge, IW_REQ_RFC5041_4_1_07,
                            segment->tagged ? iw_field_ddp_tagged_rsvd : iw_field_ddp_untagged_rsvd, "Rsvd"),
            0, segment->rsvd);
    if (segment->dv != version)
        iw_judge_values(iw_judge_report(judge, IW_REQ_RFC5041_4_1_08,
                            segment->tagged ? iw_field_ddp_tagged_dv : iw_field_ddp_untagged_dv, "DV"),
            version, segment->dv);
}

/* Segments should be sent in order (RFC 5041 5.3), so a segment further on may still be followed by those
 * before it, but the last one cannot (RFC 5041 4.1). */
static void order(struct iw_judge *judge, const struct iw_segment_fact *fact, enum iw_requirement_id wrong,
    enum iw_field_id field, const char *subject, uint64_t expected, uint64_t actual) {
    bool skipped = fact->order == IW_SEGMENT_HOLE && fact->skip_frame != 0;
    struct iw_finding *finding;
    char text[48];

    if (fact->order == IW_SEGMENT_IN_ORDER || fact->order == IW_SEGMENT_AHEAD)
        return;
    if (fact->order == IW_SEGMENT_BACK) {
        finding = iw_judge_report(judge, IW_REQ_RFC5041_5_3_03, field, subject);
        iw_judge_texts(finding, "above those before it", "below one of them");
    } else if (skipped) {
        finding = iw_judge_report(judge, wrong, field, "A message");
        snprintf(text, sizeof text,
            finding->field->kind == IW_KIND_HEX ? "without the octet at 0x%" PRIx64
                                                : "without the octet at %" PRIu64,
            fact->missing);
        iw_judge_texts(finding, "whole", text);
        iw_judge_context(finding, fact->skip_frame);
    } else {
        finding = iw_judge_report(judge, wrong, field, subject);
        iw_judge_values(finding, expected, actual);
    }
    iw_judge_context(finding, fact->message_frame);
}

static void tagged(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    struct iw_finding *finding = NULL;

    if (!fact->stag_ok)
        finding = iw_judge_report(
            judge, IW_REQ_RFC5041_4_2_08, iw_field_ddp_tagged_stag, "STag behind a segment without L");
    else if (!fact->same_message)
        finding = iw_judge_report(
            judge, IW_REQ_RFC5041_4_2_04, iw_field_ddp_tagged_rsvdulp, "RsvdULP behind a segment without L");
    if (finding != NULL) {
        iw_judge_texts(finding, "that of the open message", "another");
        iw_judge_context(finding, fact->message_frame);
    } else {
        order(
            judge, fact, IW_REQ_RFC5041_5_2_07, iw_field_ddp_tagged_to, "TO", fact->to_expected, segment->to);
    }
}

/* The last segment has the highest MO (RFC 5041 4.1). */
static void untagged_order(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    bool begins = fact->skip_frame != 0 ? fact->missing == 0 : fact->mo_expected == 0;
    struct iw_finding *finding;

    if (fact->order != IW_SEGMENT_BACK || !segment->last) {
        order(judge, fact, begins ? IW_REQ_RFC5041_4_3_12 : IW_REQ_RFC5041_5_2_05, iw_field_ddp_untagged_mo,
            "MO", fact->mo_expected, segment->mo);
        return;
    }
    finding =
        iw_judge_report(judge, IW_REQ_RFC5041_4_1_05, iw_field_ddp_untagged_mo, "MO of the last segment");
    iw_judge_texts(finding, "the highest of the message", "below another");
    iw_judge_context(finding, fact->skip_frame);
    iw_judge_context(finding, fact->message_frame);
}

static void msn(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    enum iw_requirement_id id = IW_REQ_RFC5041_4_3_08;
    struct iw_finding *finding;

    if (fact->mo_expected != 0)
        id = IW_REQ_RFC5041_4_3_11; /* a message is open */
    else if (fact->msn_expected == 1)
        id = IW_REQ_RFC5041_4_3_09;
    finding = iw_judge_report(judge, id, iw_field_ddp_untagged_msn, "MSN");
    iw_judge_values(finding, fact->msn_expected, segment->msn);
    iw_judge_context(finding, fact->message_frame);
}

static void untagged(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    struct iw_finding *finding;

    if (!fact->sequence_known)
        return;
    if (!fact->msn_ok) {
        msn(judge, segment, fact);
    } else if (fact->order != IW_SEGMENT_IN_ORDER) {
        untagged_order(judge, segment, fact);
    } else if (!fact->same_message) {
        finding = iw_judge_report(
            judge, IW_REQ_RFC5041_4_3_04, iw_field_ddp_untagged_rsvdulp, "RsvdULP of a later segment");
        iw_judge_texts(finding, "that of the first", "another");
        iw_judge_context(finding, fact->message_frame);
    }
}

/* The last segment of a message in which nothing was sent, and not the first. To DDP the header of an RDMA
 * Message is payload. */
static void empty_message(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    uint64_t octets = segment->tagged ? fact->message_octets
                                      : (uint64_t)segment->mo + segment->length - segment->ddp_octets;
    struct iw_finding *finding;

    if (!segment->last || fact->first || octets > 0 || (!segment->tagged && !fact->sequence_known))
        return;
    finding = iw_judge_report(judge, IW_REQ_RFC5041_5_2_08,
        segment->tagged ? iw_field_ddp_tagged_l : iw_field_ddp_untagged_l, "A message of no octets");
    iw_judge_texts(finding, "one segment", "more than one");
    iw_judge_context(finding, fact->message_frame);
}

void iw_rules_ddp(struct iw_judge *judge) {
    const struct iw_segment *segment = judge->event.segment;

    control(judge, segment);
    if (segment->dv != iw_judge_version(judge) || !iw_segment_opcode_fits(segment))
        return; /* the version, or T or QN, is what is wrong; the other fields cannot be told from it */
    if (segment->tagged)
        tagged(judge, segment, judge->event.fact);
    else
        untagged(judge, segment, judge->event.fact);
    empty_message(judge, segment, judge->event.fact);
}
