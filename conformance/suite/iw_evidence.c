#include "iw_evidence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_check_result.h"
#include "iw_describe.h"
#include "iw_text.h"

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

/* ---- the limit ---- */

void iw_evidence_limit(struct iw_evidence *evidence, uint64_t octets) {
    evidence->limit = octets;
}

static void evidence_write(struct iw_evidence *evidence, const void *octets, size_t length) {
    fwrite(octets, 1, length, evidence->out);
    evidence->octets += length;
}

static void evidence_note_left_out(struct iw_evidence *evidence) {
    if (evidence->left_out_since > 0)
        fprintf(evidence->out, "  (%" PRIu64 " left out here: --evidence-limit)\n", evidence->left_out_since);
}

/* Writes the oldest text of the tail if it is kept and the limit permits, or leaves it out. */
static void evidence_drop_oldest(struct iw_evidence *evidence) {
    struct iw_tail_item *item = iw_tail_queue_take(&evidence->tail);

    if (item->kept && evidence->octets < evidence->limit - evidence->limit / 4) {
        evidence_note_left_out(evidence);
        evidence->left_out_since = 0;
        evidence_write(evidence, item->octets, item->length);
    } else {
        evidence->left_out++;
        evidence->left_out_since++;
    }
    free(item);
}

/* Logs a text now, or later if the limit leaves only the end of the log for it. */
static void evidence_put_text(struct iw_evidence *evidence, const char *text, size_t length, bool kept) {
    struct iw_tail_item *item;

    if (evidence->limit == 0 || (evidence->tail.count == 0 && evidence->octets < evidence->limit / 2)) {
        evidence_write(evidence, text, length);
        return;
    }
    item = iw_tail_queue_add(&evidence->tail, text, length);
    evidence->no_memory |= item == NULL;
    if (item != NULL)
        item->kept = kept;
    while (evidence->tail.octets > evidence->limit / 4)
        evidence_drop_oldest(evidence);
}

static void evidence_write_tail(struct iw_evidence *evidence) {
    struct iw_tail_item *item;

    evidence_note_left_out(evidence);
    while ((item = iw_tail_queue_take(&evidence->tail)) != NULL) {
        evidence_write(evidence, item->octets, item->length);
        free(item);
    }
    if (evidence->no_memory)
        fputs("  (memory ran out: events are missing)\n", evidence->out);
}

void iw_evidence_step(struct iw_evidence *evidence, const char *text) {
    char line[1024];
    int length = snprintf(line, sizeof line, "  step: %.1000s\n", text);

    evidence_put_text(evidence, line, (size_t)length, false);
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
    struct iw_text text;
    uint64_t since;
    char *octets;

    if (evidence->number++ == 0)
        evidence->begin_ns = llp->time_ns;
    /* The end of the capture is not a packet, so it has no time. */
    if (llp->time_ns != 0 && !(llp->kind == IW_LLP_CLOSE && llp->close == IW_LLP_CLOSE_INPUT))
        evidence->since_ns = llp->time_ns > evidence->begin_ns ? llp->time_ns - evidence->begin_ns : 0;
    since = evidence->since_ns;
    if (!iw_text_open(&text)) {
        evidence->no_memory = true;
        return;
    }
    fprintf(text.out, "%" PRIu64 "  %" PRIu64 ".%06" PRIu64 "  %u  %s", evidence->number, since / 1000000000u,
        since / 1000u % 1000000u, connection, own[llp->side] ? suite : device);
    iw_evidence_put(text.out, event);
    octets = iw_text_close(&text);
    if (octets != NULL)
        evidence_put_text(evidence, octets, strlen(octets), event->finding_count > 0);
    else
        evidence->no_memory = true;
    free(octets);
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

void iw_evidence_verdict(struct iw_evidence *evidence, const struct iw_trial_result *result) {
    FILE *out = evidence->out;
    char words[IW_TRIAL_EVIDENCE_OCTETS];

    evidence_write_tail(evidence);
    fprintf(out, "\n%s%s\n", verdict_head, iw_verdict_name(result->verdict));
    evidence_put_line(out, "expected", result->reason.expected);
    evidence_put_line(out, "actual", result->reason.actual);
    evidence_put_line(out, "because", result->reason.message);
    if (result->reason.script[0] != '\0' && result->reason.line > 0)
        fprintf(out, "at: %s:%d\n", result->reason.script, result->reason.line);
    evidence_put_line(out, "step", result->reason.step);
    if (result->checks.verdict != IW_VERDICT_PASS)
        fprintf(out, "checks: %s: %s\n", iw_verdict_name(result->checks.verdict), result->checks.message);
    iw_trial_evidence_words(&result->evidence, words, sizeof words);
    evidence_put_line(out, "evidence", words);
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
