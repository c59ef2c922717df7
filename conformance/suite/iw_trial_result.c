#include "iw_trial_result.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_describe.h"
#include "iw_opcode.h"
#include "iw_plural.h"
#include "iw_show.h"

/* Copies a text as one printable line, because an agent or a command may have written it. */
static void trial_result_set_text(char *to, size_t octets, const char *from) {
    iw_show_line(to, octets, from ? from : "");
}

static void trial_result_close(struct iw_trial_result *result, const struct iw_llp_event *llp) {
    static const char *const closes[] = {
        [IW_LLP_CLOSE_GRACEFUL] = "fin", [IW_LLP_CLOSE_ABORTIVE] = "rst", [IW_LLP_CLOSE_INPUT] = "open"};

    if (llp->close == IW_LLP_CLOSE_INPUT && result->close.how[0] && strcmp(result->close.how, "open") != 0)
        return; /* an open connection does not replace the close of an earlier one */
    snprintf(result->close.how, sizeof result->close.how, "%s%s",
        result->close.terminate[0] ? "terminate+" : "", closes[llp->close]);
}

static void trial_result_store_finding(
    struct iw_trial_findings *findings, unsigned connection, const struct iw_finding *finding) {
    enum iw_severity severity = iw_requirement_severity(finding->requirement);
    unsigned at = findings->kept_count;

    findings->counts[severity]++;
    if (at == IW_TRIAL_FINDINGS_MAX) /* replaces the last finding of lower severity, if any */
        while (at > 0 && iw_requirement_severity(findings->kept[at - 1].requirement) >= severity)
            at--;
    else
        at = ++findings->kept_count;
    if (at == 0)
        return;
    findings->connections[at - 1] = connection;
    findings->kept[at - 1] = *finding;
}

/* Notes which violation of the device the Terminate of the suite answers: the first whose requirement names
 * this error. */
static void trial_result_answer(
    struct iw_trial_findings *findings, unsigned connection, const struct iw_terminate_message *terminate) {
    char error[IW_ERROR_TEXT_OCTETS];

    iw_error_text(iw_terminate_error(&terminate->control), error);
    for (unsigned i = 0; i < findings->kept_count && findings->answered == 0; i++)
        if (findings->connections[i] == connection &&
            strcmp(findings->kept[i].requirement->terminate, error) == 0)
            findings->answered = findings->kept[i].number;
}

/* Notes which violation of the device is that it closed its stream within an FPDU: what it did not send to
 * the end is not known. */
static void trial_result_cut(struct iw_trial_findings *findings, const struct iw_monitor_event *close) {
    if (close->llp->pending.octets > 0 && !close->llp->pending.startup && close->finding_count > 0 &&
        findings->cut == 0)
        findings->cut = close->findings[0].number;
}

/* Describes the request and, unless the connection is open, how long before the close it was sent. */
static void trial_result_append_request(
    char *text, size_t octets, const struct iw_request_name *first, const struct iw_llp_event *llp) {
    uint64_t since_ms = llp->time_ns > first->time_ns ? (llp->time_ns - first->time_ns) / 1000000 : 0;
    const char *title = iw_opcodes[first->opcode].title;
    char since[48] = "", part[IW_DESCRIBE_PART_OCTETS];

    if (llp->close != IW_LLP_CLOSE_INPUT)
        snprintf(
            since, sizeof since, ", %" PRIu64 ".%03u s before", since_ms / 1000, (unsigned)(since_ms % 1000));
    snprintf(text, octets, ", the first %s %s, MSN %" PRIu32 ", in frame %" PRIu64 "%s%s",
        strchr("AEIOR", title[0]) ? "an" : "a", title, first->msn, first->frame, since,
        iw_describe_request_part(first, part));
}

static void trial_result_add_outstanding(struct iw_trial_result *result, unsigned connection, bool of_suite,
    const struct iw_unanswered *unanswered, const struct iw_monitor_event *event) {
    size_t length = strlen(result->close.outstanding);
    char where[32] = "", perhaps[48] = "", first[160 + IW_DESCRIBE_PART_OCTETS] = "";

    if (connection != 1)
        snprintf(where, sizeof where, "connection %u: ", connection);
    if (unanswered->perhaps > 0)
        snprintf(perhaps, sizeof perhaps, " (%" PRIu64 " perhaps answered)", unanswered->perhaps);
    if (unanswered->named_count > 0)
        trial_result_append_request(first, sizeof first, &unanswered->named[0], event->llp);
    snprintf(result->close.outstanding + length, sizeof result->close.outstanding - length,
        "%s%s%" PRIu64 " request%s of the %s without %s %s%s%s", length > 0 ? "; " : "", where,
        unanswered->count, iw_plural(unanswered->count), of_suite ? "suite" : "device",
        iw_describe_unanswered_lack(unanswered),
        iw_describe_unanswered_end(unanswered->end, event->llp->session != NULL), perhaps, first);
}

void iw_trial_result_event(struct iw_trial_result *result, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event) {
    if (connection > result->connections)
        result->connections = connection;
    for (size_t i = 0; i < event->finding_count; i++)
        if (!own[event->findings[i].side])
            trial_result_store_finding(&result->findings, connection, &event->findings[i]);
    for (enum iw_side requester = IW_SIDE_A; requester <= IW_SIDE_B; requester++)
        if (event->unanswered[requester])
            trial_result_add_outstanding(
                result, connection, own[requester], event->unanswered[requester], event);
    if (own[event->llp->side] && event->terminate)
        trial_result_answer(&result->findings, connection, event->terminate);
    if (own[event->llp->side])
        return;
    iw_sent_summary_event(&result->sent, event);
    if (event->terminate)
        iw_error_text(iw_terminate_error(&event->terminate->control), result->close.terminate);
    if (event->llp->kind == IW_LLP_CLOSE) {
        trial_result_close(result, event->llp);
        trial_result_cut(&result->findings, event);
    }
}

void iw_trial_result_set(struct iw_trial_result *result, enum iw_verdict verdict, const char *message) {
    result->verdict = verdict;
    trial_result_set_text(result->reason.message, sizeof result->reason.message, message);
}

enum iw_verdict iw_trial_result_failure_verdict(
    const struct iw_verdict_rules *rules, enum iw_severity severity) {
    switch (severity) {
    case IW_SEVERITY_NOTE:
        return IW_VERDICT_NOTE;
    case IW_SEVERITY_WARNING:
        return rules->strict ? IW_VERDICT_FAIL : IW_VERDICT_WARNING;
    case IW_SEVERITY_ERROR:
        break;
    }
    return IW_VERDICT_FAIL;
}

/* An unreachable foreign device is inconclusive, but the embedded peer must be reachable. */
static enum iw_verdict trial_result_outcome_verdict(
    const struct iw_verdict_rules *rules, enum iw_severity severity, enum iw_scenario_outcome outcome) {
    switch (outcome) {
    case IW_SCENARIO_OK:
        return IW_VERDICT_PASS;
    case IW_SCENARIO_FAILED:
        return iw_trial_result_failure_verdict(rules, severity);
    case IW_SCENARIO_DEADLINE:
    case IW_SCENARIO_INTERRUPTED:
        return IW_VERDICT_INCONCLUSIVE;
    case IW_SCENARIO_INAPPLICABLE:
        return IW_VERDICT_NOT_APPLICABLE;
    case IW_SCENARIO_UNSUPPORTED:
        return IW_VERDICT_NOT_TESTED;
    case IW_SCENARIO_ABSENT:
        return rules->foreign ? IW_VERDICT_INCONCLUSIVE : iw_trial_result_failure_verdict(rules, severity);
    case IW_SCENARIO_ENVIRONMENT:
    case IW_SCENARIO_UNREACHED:
        return rules->foreign ? IW_VERDICT_INCONCLUSIVE : IW_VERDICT_ERROR;
    case IW_SCENARIO_ERROR:
        break;
    }
    return IW_VERDICT_ERROR;
}

uint64_t iw_trial_result_stream_end(const struct iw_trial_result *result) {
    if (result->connections != 1)
        return 0;
    return result->findings.answered > 0 ? result->findings.answered : result->findings.cut;
}

/* Whether a lossy network would explain the outcome. */
static bool trial_result_is_of_network(
    const struct iw_verdict_rules *rules, const struct iw_scenario_result *script) {
    return rules->lossy &&
           (script->outcome == IW_SCENARIO_ABSENT || script->outcome == IW_SCENARIO_UNREACHED ||
               (script->outcome == IW_SCENARIO_FAILED && script->loss_explains));
}

void iw_trial_result_script(struct iw_trial_result *result, const struct iw_verdict_rules *rules,
    const struct iw_scenario_result *script) {
    bool of_network = trial_result_is_of_network(rules, script);
    char message[sizeof result->reason.message];

    snprintf(message, sizeof message, "%s%s", script->message,
        of_network ? "; the network loses or reorders packets, which would explain this" : "");
    iw_trial_result_set(result,
        of_network ? IW_VERDICT_INCONCLUSIVE
                   : trial_result_outcome_verdict(rules, result->severity, script->outcome),
        message);
    result->end = script->outcome == IW_SCENARIO_UNREACHED     ? IW_TRIAL_UNREACHED
                  : script->outcome == IW_SCENARIO_INTERRUPTED ? IW_TRIAL_UNFINISHED
                                                               : IW_TRIAL_FINISHED;
    trial_result_set_text(result->reason.expected, sizeof result->reason.expected, script->expected);
    trial_result_set_text(result->reason.actual, sizeof result->reason.actual, script->actual);
    trial_result_set_text(result->reason.script, sizeof result->reason.script, script->script);
    trial_result_set_text(result->reason.step, sizeof result->reason.step, script->step);
    result->reason.line = script->line;
    /* At the end of the stream, the failure says nothing more about the device. */
    result->findings.follows = script->outcome == IW_SCENARIO_FAILED && script->stream_ended
                                   ? iw_trial_result_stream_end(result)
                                   : 0;
}

/* Sets the message of the reason to the finding; names the frame if there is a capture. */
static void trial_result_explain_finding(struct iw_trial_result *result, const struct iw_finding *finding) {
    char frame[40] = "";

    if (finding->frame > 0)
        snprintf(frame, sizeof frame, " in frame %llu", (unsigned long long)finding->frame);
    snprintf(result->reason.message, sizeof result->reason.message, "%s%s: %s", finding->requirement->id,
        frame, finding->message);
}

static const struct iw_finding *trial_result_severest_finding(const struct iw_trial_findings *findings) {
    const struct iw_finding *worst = NULL;

    for (unsigned i = 0; i < findings->kept_count; i++)
        if (!worst || iw_requirement_severity(findings->kept[i].requirement) >
                          iw_requirement_severity(worst->requirement))
            worst = &findings->kept[i];
    return worst;
}

/* Whether a finding of this severity gives the verdict. A violation that was seen counts, whatever became of
 * the case. A case that is not judged must not seem judged by a warning or note, and a fault of the suite
 * stays. */
static bool trial_result_finding_decides(
    const struct iw_trial_result *result, const struct iw_verdict_rules *rules, enum iw_severity severity) {
    switch (result->verdict) {
    case IW_VERDICT_PASS:
    case IW_VERDICT_NOT_APPLICABLE:
        return true;
    case IW_VERDICT_NOTE:
    case IW_VERDICT_WARNING:
    case IW_VERDICT_FAIL:
        return severity > result->severity;
    case IW_VERDICT_NOT_TESTED:
    case IW_VERDICT_INCONCLUSIVE:
        return iw_trial_result_failure_verdict(rules, severity) == IW_VERDICT_FAIL;
    case IW_VERDICT_ERROR:
    case IW_VERDICT_COUNT:
        break;
    }
    return false;
}

/* Keeps what became of the script, which does not explain the verdict. A result with a verdict on the device
 * is final: --resume does not replace it. */
static void trial_result_set_checks_aside(struct iw_trial_result *result) {
    result->checks.verdict = result->verdict;
    trial_result_set_text(result->checks.message, sizeof result->checks.message, result->reason.message);
    result->reason.script[0] = '\0';
    result->reason.line = 0;
    result->end = IW_TRIAL_FINISHED;
}

static void trial_result_judge_findings(
    struct iw_trial_result *result, const struct iw_verdict_rules *rules) {
    const struct iw_finding *finding = trial_result_severest_finding(&result->findings);
    enum iw_severity severity;

    if (!finding)
        return;
    severity = iw_requirement_severity(finding->requirement);
    if (!trial_result_finding_decides(result, rules, severity))
        return;
    if (!iw_verdict_is_tested(result->verdict))
        trial_result_set_checks_aside(result);
    result->verdict = iw_trial_result_failure_verdict(rules, severity);
    result->severity = severity;
    trial_result_explain_finding(result, finding);
    trial_result_set_text(result->reason.expected, sizeof result->reason.expected,
        finding->expected[0] ? finding->expected : finding->requirement->words);
    trial_result_set_text(result->reason.actual, sizeof result->reason.actual,
        finding->actual[0] ? finding->actual : finding->message);
}

/* A FIN arrives after all that was sent before it; a RST may destroy that, and may itself get lost. */
static bool trial_result_ended_by_fin(const struct iw_trial_result *result) {
    size_t length = strlen(result->close.how);

    return length >= 3 && strcmp(result->close.how + length - 3, "fin") == 0;
}

void iw_trial_result_judge(struct iw_trial_result *result, const struct iw_verdict_rules *rules) {
    const struct iw_case *one = result->one;

    trial_result_judge_findings(result, rules);
    if (one->close_count == 0 || !result->close.how[0] || result->end != IW_TRIAL_FINISHED ||
        iw_verdict_is_left_out(result->verdict))
        return;
    result->close.verdict = IW_CLOSE_WRONG;
    for (size_t i = 0; i < one->close_count; i++)
        if (strcmp(one->closes[i], result->close.how) == 0)
            result->close.verdict = i == 0 ? IW_CLOSE_RIGHT : IW_CLOSE_TOLERATED;
    if (result->close.verdict == IW_CLOSE_WRONG && rules->lossy && !trial_result_ended_by_fin(result))
        result->close.verdict = IW_CLOSE_NOT_JUDGED;
}

void iw_trial_result_judge_device(struct iw_trial_result *result) {
    const struct iw_trial_device *device = &result->device;
    struct iw_trial_reason *reason = &result->reason;
    const char *own = reason->actual[0] ? reason->actual : reason->message;
    char what[sizeof device->unresponsive + 64], message[sizeof what + sizeof reason->actual + 2];

    if (device->crash[0])
        snprintf(what, sizeof what, "the device crashed: %s", device->crash);
    else if (device->unresponsive[0])
        snprintf(what, sizeof what, "the device is not responsive after the case: %s", device->unresponsive);
    else
        return;
    snprintf(message, sizeof message, "%s%s%s", what, own[0] ? "; " : "", own);
    trial_result_set_text(reason->message, sizeof reason->message, message);
    if (result->verdict == IW_VERDICT_ERROR)
        return;
    result->checks = (struct iw_trial_checks){.verdict = IW_VERDICT_PASS};
    result->verdict = IW_VERDICT_FAIL;
    result->severity = IW_SEVERITY_ERROR;
    result->end = IW_TRIAL_FINISHED;
    trial_result_set_text(reason->expected, sizeof reason->expected, "the device remains responsive");
    trial_result_set_text(reason->actual, sizeof reason->actual, what);
}

void iw_trial_evidence_words(const struct iw_trial_evidence *evidence, char *text, size_t octets) {
    text[0] = '\0';
    if (evidence->shortened + evidence->missing + evidence->left_out == 0)
        return;
    snprintf(text, octets,
        "%" PRIu64 " frames shortened to their headers, %" PRIu64 " last frames missing, %" PRIu64
        " lines of the log left out (--evidence-limit)",
        evidence->shortened, evidence->missing, evidence->left_out);
}
