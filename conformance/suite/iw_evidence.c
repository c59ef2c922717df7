#include "iw_evidence.h"

#include <inttypes.h>
#include <string.h>

#include "iw_check_result.h"
#include "iw_describe.h"

/* Texts of the log that both its writer and its parser use. */
static const char verdict_head[] = "verdict: ";
static const char indent[] = "    "; /* before each line of an event except the first */
static const char suite[] = "suite ", device[] = "device ";

void iw_evidence_begin(struct iw_evidence *evidence, FILE *out, const struct iw_case *one) {
    *evidence = (struct iw_evidence){.out = out};
    fprintf(out, "%s: %s\n", one->id, one->title);
    fprintf(out, "device under test: %s\n\n", one->initiator ? "initiator" : "responder");
    fputs("number, seconds, connection, sender, frame of the capture: event; below it its octets "
          "without Markers, and its violations after !\n",
        out);
}

void iw_evidence_step(struct iw_evidence *evidence, const char *text) {
    fprintf(evidence->out, "  step: %s\n", text);
}

static void evidence_put_octets(FILE *out, const struct iw_monitor_event *event) {
    const struct iw_llp_event *llp = event->llp;
    uint32_t shown = llp->image_captured < IW_EVIDENCE_OCTETS ? llp->image_captured : IW_EVIDENCE_OCTETS;

    for (uint32_t i = 0; i < shown; i++) {
        if (i % IW_EVIDENCE_ROW == 0)
            fprintf(out, "%s%s%04" PRIx32 " ", i > 0 ? "\n" : "", indent, i);
        fprintf(out, " %02x", llp->image[i]);
    }
    if (shown > 0 && llp->image_octets > shown)
        fprintf(out, " +%" PRIu32, llp->image_octets - shown);
    if (shown > 0)
        fputc('\n', out);
}

void iw_evidence_put(FILE *out, const struct iw_monitor_event *event) {
    fprintf(out, "%s  frame %" PRIu64 ": ", iw_check_party_name(event->role, event->llp->side),
        event->llp->frame);
    iw_describe_event(out, event);
    fputc('\n', out);
    evidence_put_octets(out, event);
    for (size_t i = 0; i < event->finding_count; i++) {
        fprintf(out, "%s! ", indent);
        iw_describe_finding(out, &event->findings[i], NULL);
        iw_describe_cause(out, &event->findings[i]);
        fputc('\n', out);
    }
}

void iw_evidence_event(struct iw_evidence *evidence, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event) {
    const struct iw_llp_event *llp = event->llp;
    uint64_t since;

    if (evidence->number++ == 0)
        evidence->begin_ns = llp->time_ns;
    /* The end of the capture is not a packet, so it has no time. */
    if (llp->time_ns != 0 && !(llp->kind == IW_LLP_CLOSE && llp->close == IW_LLP_CLOSE_INPUT))
        evidence->since_ns = llp->time_ns > evidence->begin_ns ? llp->time_ns - evidence->begin_ns : 0;
    since = evidence->since_ns;
    fprintf(evidence->out, "%" PRIu64 "  %" PRIu64 ".%06" PRIu64 "  %u  %s", evidence->number,
        since / 1000000000u, since / 1000u % 1000000u, connection, own[llp->side] ? suite : device);
    iw_evidence_put(evidence->out, event);
}

static void evidence_put_line(FILE *out, const char *name, const char *text) {
    if (text[0] != '\0')
        fprintf(out, "%s: %s\n", name, text);
}

static void evidence_put_clauses(FILE *out, const struct iw_case *one) {
    for (size_t i = 0; i < one->requirement_count; i++) {
        const struct iw_requirement *requirement = one->requirements[i];

        fprintf(out, "requires: %s (%s %s, %s): %s\n", requirement->id, requirement->document,
            requirement->section, iw_level_name(requirement->level), requirement->words);
    }
}

void iw_evidence_verdict(const struct iw_evidence *evidence, const struct iw_trial_result *result) {
    FILE *out = evidence->out;

    fprintf(out, "\n%s%s\n", verdict_head, iw_verdict_name(result->verdict));
    evidence_put_line(out, "expected", result->reason.expected);
    evidence_put_line(out, "actual", result->reason.actual);
    evidence_put_line(out, "because", result->reason.message);
    if (result->reason.script[0] != '\0' && result->reason.line > 0)
        fprintf(out, "at: %s:%d\n", result->reason.script, result->reason.line);
    evidence_put_line(out, "step", result->reason.step);
    evidence_put_line(out, "close", result->close.how);
    if (result->close.how[0] != '\0' && result->close.verdict != IW_CLOSE_NOT_JUDGED)
        fprintf(out, "close verdict: %s\n", iw_close_verdict_name(result->close.verdict));
    evidence_put_clauses(out, result->one);
}

/* Returns the text after `head`; NULL if `text` does not start with `head`. */
static const char *evidence_text_after(const char *text, const char *head) {
    size_t length = strlen(head);

    return strncmp(text, head, length) == 0 ? text + length : NULL;
}

const char *iw_evidence_event_of(const char *line) {
    const char *event;

    for (int i = 0; i < 3; i++) { /* fields before suite or device: number, seconds, connection */
        size_t digits = strspn(line, i == 1 ? "0123456789." : "0123456789");

        if (digits == 0 || strncmp(line + digits, "  ", 2) != 0)
            return NULL;
        line += digits + 2;
    }
    event = evidence_text_after(line, suite);
    return event ? event : evidence_text_after(line, device);
}

bool iw_evidence_is_continuation(const char *line) {
    return evidence_text_after(line, indent) != NULL;
}

const char *iw_evidence_verdict_of(const char *line) {
    return evidence_text_after(line, verdict_head);
}
