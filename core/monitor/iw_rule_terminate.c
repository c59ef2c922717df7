#include "iw_rules.h"

#include <stdio.h>
#include <string.h>

#include "iw_plural.h"

/* Rules about the Terminate Message (RFC 5040 4.8, 5.4). */

/* Whether the octets are a valid Terminate in reversed bit order (iw_terminate_message_reversed). */
static bool rule_terminate_is_reversed(const struct iw_judge *judge) {
    return judge->terminate->meant != judge->terminate->sent;
}

static void terminate_triple(struct iw_judge *judge, const struct iw_terminate *control) {
    uint16_t error = iw_terminate_error(control);
    char meant[IW_ERROR_TEXT_OCTETS];
    char text[64];

    iw_error_text(error, text);
    if (rule_terminate_is_reversed(judge)) {
        iw_error_text(iw_terminate_error(&judge->terminate->meant->control), meant);
        snprintf(text + strlen(text), sizeof text - strlen(text), ", in reversed bit order %s", meant);
    }
    if (error >> 8 == IW_ERROR_DDP_LLP >> 8 && judge->event.llp->session == NULL)
        iw_judge_report(judge, IW_REQ_RFC6580_3_2_02, iw_field_terminate_etype, "Layer/EType/Error Code",
            "layer 2, if it reports an error of MPA", "%s", text);
    if (iw_error_find(error) != NULL)
        return;
    iw_judge_report(judge, IW_REQ_RFC5040_4_8_03, iw_field_terminate_code, "Layer/EType/Error Code",
        "a value from the table", "%s", text);
}

/* Reports a wrong bit of HdrCt, as following from an earlier finding about its headers, if any. */
static void terminate_bit(struct iw_judge *judge, enum iw_requirement_id id, enum iw_field_id field,
    const char *subject, unsigned expected, unsigned actual) {
    size_t latest = judge->finding_count;

    iw_judge_report_value(judge, id, field, subject, expected, actual);
    for (size_t i = 0; i < latest; i++) {
        bool more = judge->findings[i].requirement == &iw_requirements[IW_REQ_RFC5040_4_2_01];

        if (judge->findings[i].field == &iw_fields[field] || (more && expected == 1))
            iw_judge_attach(judge, i, latest);
    }
}

/* Judges M and D: an error of DDP includes the header; an LLP error or local catastrophic RDMA error does
 * not. Not judged: other RDMA errors, which include it if an incoming message is at fault; and a local
 * catastrophic error of DDP, for which figure 10 and the text differ (RFC 5040 4.8, 7.1). */
static void terminate_m_and_d(struct iw_judge *judge, const struct iw_terminate *control) {
    bool must = control->layer == 1 && (control->etype == 1 || control->etype == 2);
    bool must_not = control->layer == 2 || (control->layer == 0 && control->etype == 0);

    if ((must && !control->m) || (must_not && control->m))
        terminate_bit(judge, IW_REQ_RFC5040_4_8_04, iw_field_terminate_m, "M", must ? 1 : 0, control->m);
    if ((must && !control->d) || (must_not && control->d))
        terminate_bit(judge, IW_REQ_RFC5040_4_8_05, iw_field_terminate_d, "D", must ? 1 : 0, control->d);
}

/* Judges R: it is allowed only in an RDMA error about an RDMA Read Request. Figure 10 and the text demand R
 * with a Remote Protection Error, only 7.1 with a Remote Operation Error (RFC 5040 4.8, 7.1). */
static void terminate_r(struct iw_judge *judge, const struct iw_terminate_message *message) {
    const struct iw_terminate *control = &message->control;
    const struct iw_opcode *op = message->has_ddp ? message->terminated.op : NULL;
    bool extension = op != NULL && op->extension != IW_EXT_BASE;
    bool protection = control->layer == 0 && control->etype == 1;
    bool operation = control->layer == 0 && control->etype == 2;
    bool about_read = message->has_ddp && !message->terminated.tagged &&
                      message->terminated.opcode == IW_RDMAP_OP_READ_REQUEST;
    bool may = (protection || operation) && (about_read || !message->has_ddp);

    if (control->r && about_read && !iw_terminated_can_have_error(judge, message))
        return; /* the reported error is wrong, and R may be right for the correct error */
    if (control->r && !may)
        terminate_bit(judge,
            extension ? iw_answer_terminate_clause(&message->terminated) : IW_REQ_RFC5040_4_8_06,
            iw_field_terminate_r, "R", 0, 1);
    else if (!control->r && protection && about_read)
        terminate_bit(judge, IW_REQ_RFC5040_4_8_06, iw_field_terminate_r, "R", 1, 0);
}

/* Judges whether all that HdrCt announces is present, and the DDP Segment Length long enough. */
static void terminate_headers(struct iw_judge *judge, const struct iw_terminate_message *message) {
    const struct iw_terminate *control = &message->control;

    if (control->m && !control->d && !message->has_length)
        iw_judge_report(judge, IW_REQ_RFC5040_4_8_08, iw_field_terminate_m, "The DDP Segment Length",
            "present, because M=1", "missing");
    else if (control->m && message->has_ddp && message->segment_length < message->terminated.ddp_octets)
        iw_judge_report_at_least(judge, IW_REQ_RFC5040_4_8_08, IW_FIELD_COUNT, "The DDP Segment Length",
            message->terminated.ddp_octets, message->segment_length);
    if (control->d && !message->has_length)
        iw_judge_report(judge, IW_REQ_RFC5040_4_8_09, iw_field_terminate_d, "The DDP Segment Length",
            "present, because D=1", "missing");
    else if (control->d && !message->has_ddp)
        iw_judge_report(judge, IW_REQ_RFC5040_4_8_10, iw_field_terminate_d, "The Terminated DDP Header",
            "present, because D=1", "incomplete");
    else if (control->r && !message->has_rdmap)
        iw_judge_report(judge, IW_REQ_RFC5040_4_8_11, iw_field_terminate_r, "The Terminated RDMA Header",
            "present, because R=1", "incomplete");
}

static void terminate_reserved(struct iw_judge *judge, const struct iw_terminate *control) {
    const struct iw_terminate *meant = &judge->terminate->meant->control;
    const char *subject = "The Reserved field of a Terminate";

    if (control->reserved != 0 && rule_terminate_is_reversed(judge))
        iw_judge_report(judge, IW_REQ_RFC5040_4_8_07, iw_field_terminate_reserved, subject, "0x0000",
            "0x%04x, in reversed bit order M=%u D=%u R=%u", control->reserved, meant->m, meant->d, meant->r);
    else if (control->reserved != 0)
        iw_judge_report_value(
            judge, IW_REQ_RFC5040_4_8_07, iw_field_terminate_reserved, subject, 0, control->reserved);
}

/* Nothing follows the headers that HdrCt announces, except a DDP Segment Length that it does not announce.
 * With reserved bits set, another finding reports that HdrCt may be elsewhere. */
static void terminate_leftover(struct iw_judge *judge, const struct iw_terminate_message *message) {
    size_t left = judge->terminate->octets - message->used;
    size_t allowed = message->has_length ? 0 : iw_terminate_length_octets;
    bool length_begins = left < allowed && (message->control.m || !judge->event.segment->last);

    if (left == 0 || left == allowed || length_begins || message->truncated ||
        message->control.reserved != 0 || !judge->terminate->captured ||
        judge->terminate->progress.excess_reported)
        return;
    judge->terminate->progress.excess_reported = true;
    iw_judge_report(judge, IW_REQ_RFC5040_4_2_01, IW_FIELD_COUNT, "What follows the headers of a Terminate",
        "nothing", "%zu octet%s", left, iw_plural(left));
}

/* The error selects a row of figure 10 for M, D and R; M and D share one column. Findings about wrong bits
 * follow from a finding about the reserved bits or the headers; else from that about a wrong error; else from
 * the first wrong bit. Each part of a Terminate in several segments is judged once it is complete. */
IW_COLD static void terminate_header(struct iw_judge *judge, const struct iw_terminate_message *message) {
    bool control = !judge->terminate->progress.control;
    bool headers = iw_judge_terminate_headers(judge);
    size_t error = judge->finding_count;
    size_t shape;
    size_t bits;

    if (control)
        terminate_triple(judge, &judge->terminate->sent->control);
    shape = judge->finding_count;
    if (control)
        terminate_reserved(judge, &judge->terminate->sent->control);
    if (headers && judge->terminate->captured)
        terminate_headers(judge, message);
    terminate_leftover(judge, message);
    bits = judge->finding_count;
    if (control)
        terminate_m_and_d(judge, &message->control);
    if (headers && (control || !judge->sender->terminate.faulty))
        terminate_r(judge, message);
    if (shape < bits)
        iw_judge_attach(judge, shape, shape + 1);
    else if (error < shape)
        iw_judge_attach(judge, error, bits);
    else
        iw_judge_attach(judge, bits, bits + 1);
}

/* Whether the segment may continue a Terminate of which octets are missing. */
static bool rule_terminate_may_continue(const struct iw_party *party, const struct iw_segment *segment) {
    return party->terminate.stage == IW_TERMINATE_STAGE_TORN && segment->opcode == IW_RDMAP_OP_TERMINATE &&
           iw_segment_opcode_fits(segment) && segment->mo > 0;
}

IW_COLD static void after_terminate(struct iw_judge *judge) {
    const struct iw_monitor_event *event = &judge->event;
    struct iw_finding *finding;

    if (rule_terminate_may_continue(judge->sender, event->segment)) {
        if (event->segment->last)
            judge->sender->terminate.stage = IW_TERMINATE_STAGE_OVER;
        return;
    }
    if (judge->sender->terminate.stage == IW_TERMINATE_STAGE_OPEN)
        judge->sender->terminate.stage = IW_TERMINATE_STAGE_OVER;
    finding = iw_judge_report(
        judge, IW_REQ_RFC5040_5_4_06, IW_FIELD_COUNT, "What follows the Terminate", "nothing", "an FPDU");
    iw_judge_context(finding, judge->sender->terminate.frame);
}

void iw_rules_terminate(struct iw_judge *judge) {
    size_t first = judge->finding_count;

    if (judge->over) {
        after_terminate(judge);
        return;
    }
    if (judge->terminate == NULL)
        return;
    terminate_header(judge, judge->terminate->meant);
    if (iw_judge_terminate_headers(judge))
        iw_answer_terminate(judge, judge->terminate->meant);
    if (rule_terminate_is_reversed(judge))
        iw_judge_attach(judge, first, first + 1); /* all have the same cause: the reversed bit order */
    /* RV, T or QN does not fit a Terminate: so it may be a different message. */
    iw_judge_attach_to(judge, IW_REQ_RFC5040_4_1_08, first);
    iw_judge_attach_to(judge, IW_REQ_RFC5040_5_4_01, first);
    iw_judge_attach_to(judge, IW_REQ_RFC5040_5_4_02, first);
    iw_judge_attach_to(judge, IW_REQ_RFC5040_4_1_07, first);
}
