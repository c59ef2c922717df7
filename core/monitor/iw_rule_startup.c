#include "iw_rules.h"

#include "iw_plural.h"

/* Rules about MPA Request and Reply Frames (RFC 5044 7.1, RFC 6581 6, 9, 10). */

/* The stream offset after the other side's Request; a lower bound before its PD_Length came; 0: none. */
static uint64_t startup_request_end(const struct iw_judge *judge) {
    const struct iw_startup_facts *startup = iw_mpa_startup(&judge->mpa, judge->peer->side);

    if (!startup->read)
        return iw_mpa_begun_request_end(&judge->mpa, judge->peer->side);
    return iw_judge_startup(judge, judge->peer, IW_STARTUP_REQUEST) != NULL ? startup->end : 0;
}

/* Whether the other side's Request may acknowledge octets that the capture shows after it or lacks: what this
 * side has sent first may be from before the Request, and no answer. */
static bool startup_request_may_follow(const struct iw_judge *judge) {
    enum iw_side other = judge->peer->side;

    return !iw_mpa_startup(&judge->mpa, other)->received.known && judge->mpa.acknowledges_missing[other];
}

/* Judges an invalid Key: the side that sends first must send a Request, a side that answers a Request must
 * send a Reply. If both sides send Requests, both act as initiators, and the startup must fail (RFC 5044
 * 7.1.2, 8). No side is at fault for that: the ULPs choose the roles (RFC 5044 7.1). Acknowledgement numbers
 * do not show the roles, because TCP may acknowledge a Request before MPA has read it. */
static void startup_key(struct iw_judge *judge, const struct iw_startup *frame) {
    bool asked = iw_judge_startup(judge, judge->peer, IW_STARTUP_REQUEST) != NULL;
    const struct iw_received *received = &iw_mpa_startup(&judge->mpa, judge->sender->side)->received;
    struct iw_finding *finding;

    if (frame->key != IW_STARTUP_UNKNOWN)
        return;
    if (asked && startup_request_may_follow(judge))
        return;
    if (asked && iw_judge_sight(received, startup_request_end(judge)) != IW_SIGHT_MISSING) {
        finding = iw_judge_report_key(judge, IW_REQ_RFC5044_7_1_1_03, iw_field_mpa_startup_key,
            "Key of the answer", "\"MPA ID Rep Frame\"", judge->event.llp->image);
        iw_judge_context(finding, judge->peer->begin.startup_frame);
    } else if (!asked && iw_mpa_opens(&judge->mpa, judge->sender->side)) {
        iw_judge_report_key(judge, IW_REQ_RFC5044_7_1_1_01, iw_field_mpa_startup_key,
            "Key of the first frame", "\"MPA ID Req Frame\"", judge->event.llp->image);
    }
}

/* Whether the other side, captured from its SYN on, has sent a Reply as its first octets. */
static bool rule_startup_answers_a_reply(const struct iw_judge *judge) {
    enum iw_side other = judge->peer->side;

    return iw_judge_startup(judge, judge->peer, IW_STARTUP_REPLY) != NULL &&
           iw_mpa_from_start(&judge->mpa, other) && iw_mpa_startup(&judge->mpa, other)->received.offset == 0;
}

/* Judges a Reply without a Request. The proof is its acknowledgement number; or the other side, captured from
 * its SYN on, has sent no Request yet, or begun with a Reply. A reject may answer malformed Requests. */
static void rule_startup_reply_without_request(struct iw_judge *judge, const struct iw_startup *frame) {
    enum iw_side side = judge->sender->side;
    enum iw_side other = judge->peer->side;
    const struct iw_startup_facts *request = iw_mpa_startup(&judge->mpa, other);
    bool unasked = iw_mpa_from_start(&judge->mpa, side) && iw_mpa_unstarted(&judge->mpa, other) &&
                   !iw_judge_answers_missing(judge) && (request->streaming == 0 || !frame->header.r);
    uint64_t start = request->read ? request->received.offset : iw_mpa_kept(&judge->mpa, other).offset;
    const struct iw_received *received = &iw_mpa_startup(&judge->mpa, side)->received;
    bool before = iw_judge_sight(received, startup_request_end(judge)) == IW_SIGHT_MISSING;
    struct iw_finding *finding;

    if (frame->key != IW_STARTUP_REPLY || !(unasked || before || rule_startup_answers_a_reply(judge)))
        return;
    finding = iw_judge_report(judge, IW_REQ_RFC5044_7_1_2_03, iw_field_mpa_startup_key, "The Reply",
        "after the Request",
        before && received->up_to > start ? "sent after %u octet%s of the Request"
                                          : "sent before any Request",
        (unsigned)(received->up_to - start), iw_plural(received->up_to - start));
    iw_judge_context(finding, request->streaming_frame);
}

/* A Reply may have Rev 0 if the Request has Rev 0 or was not captured (RFC 5044 C). A Reply with the
 * undefined Rev of the Request repeats the fault of the Request; so may it without a captured Request. */
static void startup_revision(struct iw_judge *judge, const struct iw_startup *frame) {
    const struct iw_startup *request = iw_judge_startup(judge, judge->peer, IW_STARTUP_REQUEST);
    const struct iw_mpa_terms *terms = &judge->mpa.terms;
    enum iw_side other = judge->peer->side;
    const char *dialect = iw_startup_dialect(frame->header.rev);

    if (frame->key == IW_STARTUP_REPLY && frame->header.rev == 0 &&
        (request == NULL || request->header.rev == 0))
        return;
    if (frame->header.rev == 1 || frame->header.rev == 2)
        return;
    if (!iw_startup_is_defined(frame) && frame->key == IW_STARTUP_REPLY &&
        (!terms->seen[other] || terms->frame[other].header.rev == frame->header.rev))
        return;
    iw_judge_report(judge, IW_REQ_RFC5044_7_1_1_12, iw_field_mpa_startup_rev, "Rev", "1 or 2",
        dialect != NULL ? "%u (%s)" : "%u", frame->header.rev, dialect);
}

/* Whether the Request has Rev 2 and S=1, and the Reply has Rev 1 but is long enough for enhanced data. */
static bool rule_startup_gives_enhanced_data(const struct iw_judge *judge, const struct iw_startup *reply) {
    enum iw_side initiator = judge->peer->side;
    const struct iw_startup *request = &judge->mpa.terms.frame[initiator];

    return reply->key == IW_STARTUP_REPLY && reply->header.rev == 1 &&
           reply->header.pd_length >= iw_mpa_enhanced_octets && judge->mpa.terms.seen[initiator] &&
           request->header.rev == 2 && request->header.s;
}

/* Before Rev 2, S is reserved (RFC 5044 7.1.1); but with enhanced data in a Reply, it is S of RFC 6581 6. */
static void rule_startup_s_bit(struct iw_judge *judge, const struct iw_startup *frame) {
    if (frame->header.rev >= 2 || !frame->header.s)
        return;
    if (rule_startup_gives_enhanced_data(judge, frame))
        iw_judge_report_at_least(
            judge, IW_REQ_RFC6581_6_03, iw_field_mpa_startup_rev, "Rev with S=1", 2, frame->header.rev);
    else if (frame->header.res == 0)
        iw_judge_report_value(
            judge, IW_REQ_RFC5044_7_1_1_11, iw_field_mpa_startup_s, "The first reserved bit (S)", 0, 1);
}

static void rule_startup_request_r(struct iw_judge *judge, const struct iw_startup *frame) {
    if (frame->key == IW_STARTUP_REQUEST && frame->header.r)
        iw_judge_report_value(judge, IW_REQ_RFC5044_7_1_1_10, iw_field_mpa_startup_r, "R of a Request", 0, 1);
}

static void startup_reserved(struct iw_judge *judge, const struct iw_startup *frame) {
    bool enhanced = frame->header.rev >= 2;
    unsigned first =
        !enhanced && frame->header.s && !rule_startup_gives_enhanced_data(judge, frame) ? 0x10 : 0;

    if (frame->header.res != 0)
        iw_judge_report_value(judge, enhanced ? IW_REQ_RFC6581_6_01 : IW_REQ_RFC5044_7_1_1_11,
            iw_field_mpa_startup_res, "Res", 0, first | frame->header.res);
    rule_startup_request_r(judge, frame);
}

static void rule_startup_private_data_size(struct iw_judge *judge, const struct iw_startup *frame) {
    if (frame->header.pd_length > IW_STARTUP_PD_MAX)
        iw_judge_report_at_most(judge, IW_REQ_RFC5044_7_1_1_17, iw_field_mpa_startup_pd_length, "PD_Length",
            IW_STARTUP_PD_MAX, frame->header.pd_length);
}

static void startup_private_data(struct iw_judge *judge, const struct iw_startup *frame) {
    rule_startup_private_data_size(judge, frame);
    if (frame->header.rev >= 2 && frame->header.s && frame->header.pd_length < iw_mpa_enhanced_octets)
        judge->sender->tcp.pd_length = /* the next octets may be the rest of the enhanced data */
            iw_judge_finding_ref(
                iw_judge_report_at_least(judge, IW_REQ_RFC6581_6_06, iw_field_mpa_startup_pd_length,
                    "PD_Length with S=1", iw_mpa_enhanced_octets, frame->header.pd_length));
}

void iw_rules_enhanced_data(struct iw_judge *judge, const struct iw_mpa_enhanced *data) {
    if (!data->a && iw_startup_rtr(data) != 0)
        iw_judge_report(judge, IW_REQ_RFC6581_9_2_14, iw_field_mpa_enhanced_a, "An RTR type with A=0", "none",
            "%s", iw_startup_rtr_text(iw_startup_rtr(data)));
}

void iw_rules_depths(struct iw_judge *judge, const struct iw_mpa_enhanced *asked,
    const struct iw_mpa_enhanced *given, bool rejects) {
    if (asked->ord == IW_IRD_ORD_NONE && given->ird != IW_IRD_ORD_NONE)
        iw_judge_report_value(
            judge, IW_REQ_RFC6581_9_1_11, iw_field_mpa_enhanced_ird, "IRD", IW_IRD_ORD_NONE, given->ird);
    if (rejects)
        return; /* the ORD of a Reject states what the responder needs (RFC 6581 9.1) */
    if (asked->ird == IW_IRD_ORD_NONE) {
        if (given->ord != IW_IRD_ORD_NONE)
            iw_judge_report_value(
                judge, IW_REQ_RFC6581_9_1_13, iw_field_mpa_enhanced_ord, "ORD", IW_IRD_ORD_NONE, given->ord);
    } else if (given->ord > asked->ird && given->ord != IW_IRD_ORD_NONE) {
        iw_judge_report_at_most(judge, IW_REQ_RFC6581_9_1_04, iw_field_mpa_enhanced_ord,
            "ORD, limited by the initiator's IRD,", asked->ird, given->ord);
    }
}

/* Judges A and the RTR types of a Reply. The A of the Request, like an IRD of 3FFFh (RFC 6581 9.1), is due in
 * every "reply message" (RFC 6581 9.2), also one that rejects: for only one of the two, RFC 6581 writes
 * "Accept Frame" or "Reject Frame". RTR types are for a connection: only an accepting Reply must name one. */
static void startup_model(
    struct iw_judge *judge, const struct iw_mpa_enhanced *asked, const struct iw_startup *reply) {
    const struct iw_mpa_enhanced *given = &reply->enhanced_data;
    size_t answer = judge->finding_count;

    if (asked->a != given->a)
        iw_judge_report_value(judge, asked->a ? IW_REQ_RFC6581_9_2_04 : IW_REQ_RFC6581_9_2_13,
            iw_field_mpa_enhanced_a, "A", asked->a, given->a);
    iw_judge_attach_to(judge, IW_REQ_RFC6581_9_2_14, answer); /* RTR types with A=0 are the same fault */
    if (asked->a && given->a && iw_startup_rtr(given) == 0 && !reply->header.r)
        iw_judge_report(judge, iw_startup_rtr(asked) == 0 ? IW_REQ_RFC6581_9_2_08 : IW_REQ_RFC6581_9_2_05,
            iw_field_mpa_enhanced_b, "RTR types with A=1", "at least one of B, C, D", "none");
}

/* Reports a Reply that accepts a malformed Request (RFC 5044 7.1.1, RFC 6581 6). Returns whether it does. */
static bool rule_startup_accepts_malformed(struct iw_judge *judge, const struct iw_startup *request) {
    enum iw_requirement_id id = IW_REQ_RFC6581_6_07;

    if (request->key == IW_STARTUP_UNKNOWN)
        id = IW_REQ_RFC5044_7_1_1_02;
    else if (request->header.pd_length > IW_STARTUP_PD_MAX)
        id = IW_REQ_RFC5044_7_1_1_16;
    else if (request->header.rev < 2 || !request->header.s ||
             request->header.pd_length >= iw_mpa_enhanced_octets)
        return false;
    iw_judge_report(judge, id, iw_field_mpa_startup_r, "The answer to a malformed Request", "a close",
        "a Reply with R=0");
    return true;
}

static void startup_enhanced_reply(
    struct iw_judge *judge, const struct iw_startup *request, const struct iw_startup *reply) {
    bool asked = request->header.rev >= 2 && request->header.s;
    bool given = reply->header.s && (reply->header.rev >= 2 || asked);
    size_t answer = judge->finding_count;

    if (request->header.rev < 2 && request->header.s)
        asked = given; /* a responder may or may not treat it as S=1 */
    if (asked != given)
        iw_judge_report_value(judge, asked ? IW_REQ_RFC6581_10_05 : IW_REQ_RFC6581_10_06,
            iw_field_mpa_startup_s, "S of the Reply", asked, given);
    if (given && !asked) /* the enhanced data that an unrequested S announces may be missing as well */
        iw_judge_attach_to(judge, IW_REQ_RFC6581_6_06, answer);
    if (request->enhanced && reply->enhanced) {
        iw_rules_depths(judge, &request->enhanced_data, &reply->enhanced_data, reply->header.r);
        startup_model(judge, &request->enhanced_data, reply);
    }
}

static void startup_answer(struct iw_judge *judge, const struct iw_startup *reply) {
    const struct iw_mpa_terms *terms = &judge->mpa.terms;
    const struct iw_startup unknown = {.key = IW_STARTUP_UNKNOWN};
    const struct iw_startup *request =
        terms->seen[judge->peer->side] ? &terms->frame[judge->peer->side] : &unknown;
    size_t before = judge->finding_count;

    if (judge->peer->begin.startup_frame == 0 || request->key == IW_STARTUP_REPLY || judge->mpa.unpaired)
        return;
    if ((reply->header.r || !rule_startup_accepts_malformed(judge, request)) &&
        request->key == IW_STARTUP_REQUEST)
        startup_enhanced_reply(judge, request, reply);
    for (size_t i = before; i < judge->finding_count; i++)
        iw_judge_context(&judge->findings[i], judge->peer->begin.startup_frame);
}

/* The rules for a frame depend on its Rev, which may be the wrong field. */
static void rule_startup_attach_to_revision(struct iw_judge *judge, const struct iw_startup *frame) {
    size_t first = judge->finding_count;
    size_t rest;

    startup_revision(judge, frame);
    rest = judge->finding_count;
    rule_startup_s_bit(judge, frame);
    if (frame->header.rev == 0 && !frame->header.c) /* the RDMA Consortium's peers use CRCs (RFC 5044 C.1) */
        iw_judge_report_value(judge, IW_REQ_RFC5044_AppC_02, iw_field_mpa_startup_c, "C with Rev 0", 1, 0);
    iw_judge_attach(judge, first, rest);
}

/* Judges a frame with a Rev that no RFC defines: the Rev, and with the Rev of a vendor's dialect of MPA also
 * R and the size of the private data, which have the same meaning there. */
static void startup_undefined_rev(struct iw_judge *judge, const struct iw_startup *frame) {
    judge->counts.unjudged[IW_UNJUDGED_REVISION]++;
    startup_revision(judge, frame);
    if (iw_startup_dialect(frame->header.rev) == NULL)
        return;
    rule_startup_request_r(judge, frame);
    rule_startup_private_data_size(judge, frame);
}

/* If both sides have sent a Request, the startup fails, but only the ULPs know which side had to wait for the
 * other's Request (RFC 5044 7.1.2, 8). */
static void startup_two_requests(struct iw_judge *judge, const struct iw_startup *frame) {
    if (frame->key == IW_STARTUP_REQUEST && iw_judge_startup(judge, judge->peer, IW_STARTUP_REQUEST) != NULL)
        judge->counts.unjudged[IW_UNJUDGED_STARTUP] += 2;
}

void iw_rules_startup(struct iw_judge *judge) {
    const struct iw_startup *frame = judge->event.llp->startup;

    startup_key(judge, frame);
    startup_two_requests(judge, frame);
    rule_startup_reply_without_request(judge, frame);
    if (frame->key == IW_STARTUP_UNKNOWN)
        return;
    if (!iw_startup_is_defined(frame)) {
        startup_undefined_rev(judge, frame);
        return;
    }
    rule_startup_attach_to_revision(judge, frame);
    startup_reserved(judge, frame);
    startup_private_data(judge, frame);
    if (frame->enhanced)
        iw_rules_enhanced_data(judge, &frame->enhanced_data);
    if (frame->key == IW_STARTUP_REPLY)
        startup_answer(judge, frame);
}
