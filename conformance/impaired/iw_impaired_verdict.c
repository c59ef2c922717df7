#include "iw_impaired_verdict.h"

#include <inttypes.h>
#include <stdio.h>

#include "iw_error.h"
#include "iw_plural.h"

/* A device that sent octets at most this long before the unit reached it may not have seen the unit when it
 * sent what came next. The rules of the cases delay the unit by more. */
enum { QUIET_MS = 50 };

/* A device whose connection has lasted so long may close by its clock. */
enum { CLOCK_MS = 500 };

struct judge {
    const struct iw_case *one;
    const struct iw_case_relay *relay;
    const struct iw_impaired_facts *facts, *unimpaired;
    const struct iw_impaired_side *side, *other; /* the judged device; the other one */
    const struct iw_impaired_side *base;         /* the judged device without impairment */
    struct iw_trial_result *result;
    const struct iw_verdict_rules *rules;
    bool receiver; /* it gets the impaired unit */
};

/* ---- words ---- */

static void judge_expect(const struct judge *judge) {
    const struct iw_case_relay *relay = judge->relay;
    char *text = judge->result->reason.expected;
    size_t octets = sizeof judge->result->reason.expected, used = 0;
    const char *between = "";

    text[0] = '\0';
    for (size_t i = 0; i < relay->error_count && used < octets; i++) {
        const struct iw_error_row *row = iw_error_find(relay->errors[i]);
        char error[IW_ERROR_TEXT_OCTETS];

        iw_error_text(relay->errors[i], error);
        used += (size_t)snprintf(
            text + used, octets - used, "%sTerminate %s (%s, %s)", between, error, row->name, row->clause);
        between = ", or ";
    }
    if ((relay->reactions & IW_CASE_REACTION_REFUSE) != 0 && used < octets) {
        used += (size_t)snprintf(text + used, octets - used, "%sa close, or a Reply with R=1", between);
        between = ", or ";
    }
    if ((relay->reactions & IW_CASE_REACTION_CLOSE) != 0 && used < octets) {
        used += (size_t)snprintf(text + used, octets - used, "%sa close", between);
        between = ", or ";
    }
    if ((relay->reactions & IW_CASE_REACTION_ABSTAIN) != 0 && used < octets) {
        used += (size_t)snprintf(text + used, octets - used, "%sno message", between);
        between = ", or ";
    }
    if ((relay->reactions & IW_CASE_REACTION_CONTINUE) != 0 && used < octets)
        snprintf(text + used, octets - used, "%s%" PRIu64 " message%s, as without the impairment", between,
            judge->base->messages, iw_plural(judge->base->messages));
}

/* Writes what the device did. */
static void judge_describe(const struct judge *judge) {
    const struct iw_impaired_side *side = judge->side;
    char *text = judge->result->reason.actual, error[IW_ERROR_TEXT_OCTETS];
    size_t octets = sizeof judge->result->reason.actual, used = 0;

    iw_error_text(side->error, error);
    if (side->rejected)
        used += (size_t)snprintf(text, octets, "a Reply with R=1, ");
    else if (side->terminated)
        used += (size_t)snprintf(text, octets, "Terminate %s, ", error);
    used += (size_t)snprintf(
        text + used, octets - used, "%" PRIu64 " message%s, ", side->messages, iw_plural(side->messages));
    if (side->rst)
        snprintf(text + used, octets - used, "a RST");
    else if (side->fin)
        snprintf(text + used, octets - used, "a FIN");
    else if (side->got_rst)
        snprintf(text + used, octets - used, "reset by the other device");
    else if (judge->facts->deadline)
        snprintf(text + used, octets - used, "still open at the deadline of the conversation");
    else if (judge->facts->silent)
        snprintf(text + used, octets - used, "then nothing for %" PRIu32 " ms, and no close",
            judge->facts->waited_ms);
    else
        snprintf(text + used, octets - used, "no close");
}

static enum iw_verdict judge_end(const struct judge *judge, enum iw_verdict verdict, const char *message) {
    iw_trial_result_set(judge->result, verdict, message);
    return verdict;
}

static enum iw_verdict judge_fail(const struct judge *judge, const char *message) {
    judge->result->reason.reaction = true;
    return judge_end(judge, iw_trial_result_failure_verdict(judge->rules, judge->result->severity), message);
}

/* The device has not done what it must do, and its connection is open: it may be late. */
static enum iw_verdict judge_fail_open(const struct judge *judge, const char *message) {
    if (judge->facts->deadline)
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE, "the conversation had not ended at its deadline");
    return judge_fail(judge, message);
}

/* ---- whether there is something to judge ---- */

static const char *judge_name(enum iw_side side) {
    return side == IW_SIDE_A ? "initiator" : "responder";
}

/* Returns what the devices would have to use, or NULL. */
static const char *judge_unmet_need(const struct judge *judge) {
    const struct iw_impaired_facts *facts = judge->unimpaired;

    if ((judge->relay->needs & IW_CASE_NEED_CRC) != 0 && !facts->crc)
        return "the devices use no CRC";
    if ((judge->relay->needs & IW_CASE_NEED_MARKERS) != 0 &&
        !facts->markers[iw_side_other(judge->relay->sender)])
        return "the receiver of the unit does not request Markers";
    if ((judge->relay->needs & IW_CASE_NEED_ENHANCED) != 0 &&
        !(facts->enhanced[IW_SIDE_A] && facts->enhanced[IW_SIDE_B]))
        return "the devices do not use enhanced startup frames (RFC 6581)";
    if ((judge->relay->needs & IW_CASE_NEED_DEPTHS) != 0 && !facts->depths)
        return "the initiator does not negotiate its IRD (RFC 6581 9.1)";
    return NULL;
}

/* Returns false, with the verdict set, if the conversation did not come to what the case is about. */
static bool judge_is_about(const struct judge *judge) {
    const char *unmet = judge_unmet_need(judge);
    char text[256];

    if (unmet != NULL) {
        judge_end(judge, IW_VERDICT_NOT_APPLICABLE, unmet);
        return false;
    }
    if (judge->relay->rule_count == 0 || judge->facts->impaired)
        return true;
    if (judge->facts->unfit)
        snprintf(text, sizeof text, "not impaired: what the %s sends lacks what the rule changes; needed: %s",
            judge_name(judge->relay->sender), judge->relay->unit);
    else
        snprintf(text, sizeof text,
            "not impaired: the %s sends nothing of the kind in this conversation; needed: %s",
            judge_name(judge->relay->sender), judge->relay->unit);
    judge_end(judge, IW_VERDICT_INCONCLUSIVE, text);
    return false;
}

/* ---- reactions ---- */

static bool judge_allows(const struct judge *judge, enum iw_case_reaction reaction) {
    return (judge->relay->reactions & reaction) != 0;
}

static bool judge_closed(const struct iw_impaired_side *side) {
    return side->fin || side->rst;
}

/* Whether the device was quiet before the unit reached it. What came later is then a reaction. */
static bool judge_reacts(const struct judge *judge) {
    return judge->side->reached && !judge->side->closed_before &&
           judge->side->quiet_ns >= QUIET_MS * UINT64_C(1000000);
}

static bool judge_names_error(const struct judge *judge) {
    for (size_t i = 0; i < judge->relay->error_count; i++)
        if (judge->relay->errors[i] == judge->side->error)
            return true;
    return false;
}

/* Whether it has sent anything after its startup frame but a Terminate. After a Reply with R=1, only messages
 * count: the ULP may use the connection for other purposes (RFC 5044 7.1.2, rule 3). */
static bool judge_went_on(const struct iw_impaired_side *side) {
    return side->messages > 0 || (!side->terminated && !side->got_reject && side->startup_octets > 0 &&
                                     side->octets > side->startup_octets);
}

/* Whether the device has accepted the other one's startup frame: by a Reply with R=0, or by a message. */
static bool judge_accepted(const struct iw_impaired_side *side, bool initiator) {
    return initiator ? judge_went_on(side) : side->replied && !side->rejected;
}

static enum iw_verdict judge_refusal(const struct judge *judge) {
    if (judge_accepted(judge->side, judge->one->initiator))
        return judge_fail(judge, "accepts the startup frame");
    if (judge->side->rejected || judge_closed(judge->side))
        return judge_end(judge, IW_VERDICT_PASS, "");
    if (judge->side->got_rst || !judge->side->reached)
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE, "the other device ended the connection first");
    return judge_fail_open(judge, "neither rejects nor closes");
}

/* RFC 5044 8 demands the close after an invalid startup frame; the monitor judges a Terminate before it. */
static enum iw_verdict judge_unwanted_terminate(const struct judge *judge) {
    if (!judge->receiver)
        return judge_end(
            judge, IW_VERDICT_INCONCLUSIVE, "sends a Terminate, but got nothing that was changed");
    if (judge_allows(judge, IW_CASE_REACTION_CONTINUE))
        return judge_fail(judge, "sends a Terminate, although it must accept the unit");
    if (judge_allows(judge, IW_CASE_REACTION_REFUSE))
        return judge_refusal(judge);
    return judge_fail(judge, "sends a Terminate");
}

/* No clause says when the sender of a Terminate closes, so it may wait until its peer does (RFC 5040 7). */
static enum iw_verdict judge_terminated(const struct judge *judge) {
    const struct iw_impaired_side *side = judge->side;

    if (judge->base->terminated)
        return judge_end(
            judge, IW_VERDICT_INCONCLUSIVE, "sends a Terminate, as it does without the impairment");
    if (side->terminated_before)
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE, "sent a Terminate before the unit reached it");
    if (!judge_allows(judge, IW_CASE_REACTION_TERMINATE))
        return judge_unwanted_terminate(judge);
    if (!judge_names_error(judge))
        return judge_fail(judge, "the Terminate reports a different error");
    if (judge_closed(side) || side->got_rst || !side->got_fin)
        return judge_end(judge, IW_VERDICT_PASS, "");
    return judge_fail_open(judge, "keeps the connection open after its Terminate");
}

static enum iw_verdict judge_abstention(const struct judge *judge) {
    if (!judge->receiver && judge_accepted(judge->other, !judge->one->initiator))
        return judge_end(judge, IW_VERDICT_NOT_TESTED, "the other device has accepted the startup frame");
    if (judge_went_on(judge->side))
        return judge_fail(judge, "sends messages");
    if (!judge->side->reached)
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE, "the other device ended the connection first");
    return judge_end(judge, IW_VERDICT_PASS, "");
}

static enum iw_verdict judge_close(const struct judge *judge) {
    const struct iw_impaired_side *side = judge->side;

    if (!side->told && !side->got_fin && !side->got_rst)
        return judge_end(judge, IW_VERDICT_NOT_TESTED,
            "neither a Terminate nor a close of the other device has reached it");
    if (judge_closed(side))
        return judge_end(judge, IW_VERDICT_PASS, "");
    if (side->got_rst)
        return judge_end(judge, IW_VERDICT_NOT_TESTED, "the other device has reset the connection");
    if (!side->told) /* RFC 5041 6.2.1: its ULP decides when to close the other half */
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE, "keeps its half of the connection open");
    if (!side->got_fin)
        return judge_end(
            judge, IW_VERDICT_INCONCLUSIVE, "keeps the connection open, as the other device does");
    return judge_fail_open(judge, "keeps the connection open");
}

static bool judge_continued(const struct judge *judge) {
    const struct iw_impaired_side *side = judge->side, *base = judge->base;

    return side->messages >= base->messages && (!base->replied || (side->replied && !side->rejected));
}

/* The conversation after a reset. */
static enum iw_verdict judge_refused(const struct judge *judge) {
    if (judge->one->initiator)
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE, "the responder refuses the next connection");
    return judge_fail(judge, "refuses the next connection");
}

/* It sends less than without the impairment, and has closed. */
static enum iw_verdict judge_early_close(const struct judge *judge) {
    const struct iw_impaired_side *side = judge->side, *base = judge->base;

    if (side->followed)
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE, "the other device ended the connection first");
    if (side->fin && !side->rst && base->fin && !base->followed &&
        side->life_ns >= CLOCK_MS * UINT64_C(1000000))
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE,
            "sends less than without the impairment, and closes first, as it does without it");
    return judge_fail(judge, "ends the connection");
}

static enum iw_verdict judge_continuation(const struct judge *judge) {
    const struct iw_impaired_side *side = judge->side;

    if (judge->relay->again && !judge->facts->opened)
        return judge_refused(judge);
    if (judge_continued(judge) && judge->base->messages == 0 && !judge->base->replied)
        return judge_end(
            judge, IW_VERDICT_INCONCLUSIVE, "sends nothing in this conversation that shows a reaction");
    if (judge_continued(judge))
        return judge_end(judge, IW_VERDICT_PASS, "");
    if (!judge->receiver)
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE,
            "sends less than without the impairment, but got all "
            "octets unchanged");
    if (!side->reached)
        return judge_end(
            judge, IW_VERDICT_INCONCLUSIVE, "the unit did not reach it: the connection had ended");
    if (side->closed_before)
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE, "it had closed before the unit reached it");
    if (judge_closed(side))
        return judge_early_close(judge);
    if (judge_closed(judge->other) || side->got_rst)
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE, "the other device ended the connection first");
    return judge_fail_open(judge, "does not continue");
}

/* Its connection is open. An implementation may drop a TCP segment in which it finds an error of MPA, and
 * wait for TCP to send it again (RFC 5044 8). */
static enum iw_verdict judge_no_reaction(const struct judge *judge) {
    if (judge->relay->llp && judge->facts->silent && !judge_continued(judge))
        return judge_end(
            judge, IW_VERDICT_INCONCLUSIVE, "sends nothing more: it may have dropped the TCP segment");
    return judge_fail_open(judge, "sends no Terminate");
}

/* It has closed after an error of MPA. The Terminate is a SHOULD then (RFC 5040 6.2.1); a responder must not
 * send one before it has got a valid FPDU (RFC 5044 7.1.2, rule 4). */
static enum iw_verdict judge_close_without_report(const struct judge *judge) {
    if (!judge->one->initiator && !judge->side->got_fpdu)
        return judge_end(judge, IW_VERDICT_PASS, "");
    judge->result->severity = IW_SEVERITY_WARNING;
    return judge_fail(judge, "closes without a Terminate");
}

/* Whether it closed because the other device had ended the connection. */
static bool judge_was_ended(const struct iw_impaired_side *side) {
    return side->followed && side->after == 0 && side->alone_ns < QUIET_MS * UINT64_C(1000000);
}

/* It must send a Terminate, and has sent none. */
static enum iw_verdict judge_lack_of_terminate(const struct judge *judge) {
    const struct iw_impaired_side *side = judge->side;

    if (!judge->receiver || (judge->relay->detects && !judge_went_on(judge->other)))
        return judge_end(
            judge, IW_VERDICT_NOT_TESTED, "the other device has sent nothing that it must report");
    if (!side->reached)
        return judge_end(
            judge, IW_VERDICT_INCONCLUSIVE, "the unit did not reach it: the connection had ended");
    if (side->closed_before)
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE, "it had closed before the unit reached it");
    if (!judge_closed(side) && side->got_rst)
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE, "the other device has reset the connection");
    if (!judge_closed(side))
        return judge_no_reaction(judge);
    if (!judge_reacts(judge))
        return judge_end(
            judge, IW_VERDICT_INCONCLUSIVE, "closes without a Terminate, perhaps before it saw the unit");
    if (judge_was_ended(side))
        return judge_end(judge, IW_VERDICT_INCONCLUSIVE,
            "closes without a Terminate, after the other device has ended the connection");
    if (judge->relay->llp && !judge->one->initiator && !side->got_fpdu &&
        side->after > 0) /* RFC 5044 7.1.2, rule 4 */
        return judge_fail(judge, "continues as after a valid FPDU");
    if (judge->relay->llp && (side->after == 0 || !judge_continued(judge)))
        return judge_close_without_report(judge);
    return judge_fail(
        judge, side->after > 0 ? "continues, and closes without a Terminate" : "closes without a Terminate");
}

static enum iw_verdict judge_reaction(const struct judge *judge) {
    const struct iw_impaired_side *side = judge->side;

    if (side->terminated)
        return judge_terminated(judge);
    if (judge_allows(judge, IW_CASE_REACTION_CONTINUE) && judge_continued(judge))
        return judge_continuation(judge);
    if (judge_allows(judge, IW_CASE_REACTION_REFUSE) &&
        !(judge_allows(judge, IW_CASE_REACTION_CONTINUE) && judge_accepted(side, judge->one->initiator)))
        return judge_refusal(judge);
    if (judge_allows(judge, IW_CASE_REACTION_ABSTAIN))
        return judge_abstention(judge);
    if (judge_allows(judge, IW_CASE_REACTION_CLOSE))
        return judge_close(judge);
    if (judge_allows(judge, IW_CASE_REACTION_TERMINATE))
        return judge_lack_of_terminate(judge);
    return judge_continuation(judge);
}

void iw_impaired_verdict(struct iw_trial_result *result, const struct iw_impaired_facts *facts,
    const struct iw_impaired_facts *base, const struct iw_verdict_rules *rules) {
    enum iw_side side = result->one->initiator ? IW_SIDE_A : IW_SIDE_B;
    const struct judge judge = {.one = result->one,
        .relay = result->one->relay,
        .facts = facts,
        .unimpaired = base,
        .side = &facts->sides[side],
        .other = &facts->sides[iw_side_other(side)],
        .base = &base->sides[side],
        .result = result,
        .rules = rules,
        .receiver = result->one->relay->sender != side || result->one->relay->detects};

    if (!judge_is_about(&judge) || judge_reaction(&judge) == IW_VERDICT_PASS)
        return;
    judge_expect(&judge);
    judge_describe(&judge);
}
