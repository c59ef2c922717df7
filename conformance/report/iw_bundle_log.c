#define _GNU_SOURCE /* basename */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_bundle_check.h"
#include "iw_evidence.h"
#include "iw_json_member.h"
#include "iw_line_reader.h"
#include "iw_results.h"
#include "iw_text.h"

/* Compares the head and the end of each wire log with those that the results give: id, title and role of the
 * case; verdict, reason, close and requirements. */

enum { LOG_VERDICT_OCTETS = 64 };

/* Sets the members of a result that iw_evidence_verdict writes. */
static void bundle_log_result(
    struct iw_trial_result *result, const struct iw_outcome_case *one, const struct iw_case *known) {
    const json_t *left_out = json_object_get(one->object, "left_out");
    struct iw_trial_reason *reason = &result->reason;

    *result = (struct iw_trial_result){.one = known, .verdict = one->verdict};
    snprintf(reason->message, sizeof reason->message, "%s", one->message);
    snprintf(reason->expected, sizeof reason->expected, "%s", one->expected);
    snprintf(reason->actual, sizeof reason->actual, "%s", one->actual);
    snprintf(reason->script, sizeof reason->script, "%s", one->script);
    snprintf(reason->step, sizeof reason->step, "%s", one->step);
    reason->line = (int)(one->line & INT32_MAX);
    if (iw_verdict_find(iw_json_member_text(one->object, "checks"), &result->checks.verdict))
        snprintf(result->checks.message, sizeof result->checks.message, "%s",
            iw_json_member_text(one->object, "checks_message"));
    snprintf(result->close.how, sizeof result->close.how, "%s", one->close);
    result->evidence.shortened = iw_outcome_number(left_out, "frames_shortened");
    result->evidence.missing = iw_outcome_number(left_out, "frames_missing");
    result->evidence.left_out = iw_outcome_number(left_out, "log_lines");
    for (int verdict = IW_CLOSE_NOT_JUDGED; verdict <= IW_CLOSE_WRONG; verdict++)
        if (strcmp(one->close_verdict, iw_close_verdict_name((enum iw_close_verdict)verdict)) == 0)
            result->close.verdict = (enum iw_close_verdict)verdict;
}

static char *bundle_log_head(const struct iw_case *known) {
    struct iw_evidence evidence;
    struct iw_text text;

    if (!iw_text_open(&text))
        return NULL;
    iw_evidence_begin(&evidence, text.out, known);
    return iw_text_close(&text);
}

static char *bundle_log_end(const struct iw_outcome_case *one, const struct iw_case *known) {
    struct iw_evidence evidence = {.out = NULL};
    struct iw_trial_result *result = malloc(sizeof *result);
    struct iw_text text;
    char *end = NULL;

    if (result != NULL && iw_text_open(&text)) {
        evidence.out = text.out;
        bundle_log_result(result, one, known);
        iw_evidence_verdict(&evidence, result);
        end = iw_text_close(&text);
    }
    free(result);
    return end;
}

/* Returns whether the stream goes on with this text, and sets it after the text. */
static bool bundle_log_goes_on(FILE *in, const char *text) {
    for (; *text != '\0'; text++)
        if (getc(in) != (unsigned char)*text)
            return false;
    return true;
}

/* Finds the last verdict of the log: writes it to `verdict`, and returns the offset of its line; -1: no
 * verdict. Sets *crashed if the log quotes the console. */
static long bundle_log_find_verdict(struct iw_bundle_check *check, const struct iw_outcome_case *one,
    FILE *in, char verdict[LOG_VERDICT_OCTETS], bool *crashed) {
    struct iw_line_reader lines = {.in = in, .limit = IW_RESULTS_LINE_MAX};
    long at = 0, found = -1;

    verdict[0] = '\0';
    rewind(in);
    for (; iw_line_reader_next(&lines); at += (long)lines.octets) {
        const char *text = iw_evidence_verdict_of(lines.text);

        *crashed |= strncmp(lines.text, "console: ", strlen("console: ")) == 0;
        if (text == NULL)
            continue;
        snprintf(verdict, LOG_VERDICT_OCTETS, "%.*s", (int)strcspn(text, "\n"), text);
        found = at;
    }
    if (lines.error == IW_ERR_FORMAT)
        iw_bundle_fault(check, basename(one->log), "line %" PRIu64 " is longer than %u octets", lines.number,
            lines.limit);
    else if (lines.error != IW_OK)
        iw_bundle_note_no_memory();
    iw_line_reader_clear(&lines);
    return found;
}

/* Compares with the catalogue, if it has the case. */
static void bundle_log_compare_texts(struct iw_bundle_check *check, const struct iw_outcome_case *one,
    const struct iw_case *known, FILE *in, long at) {
    char *head = bundle_log_head(known), *end = bundle_log_end(one, known);

    if (head == NULL || end == NULL) {
        iw_bundle_note_no_memory();
    } else {
        rewind(in);
        if (!bundle_log_goes_on(in, head))
            iw_bundle_fault(
                check, basename(one->log), "does not begin with id, title and role of %s", one->id);
        if (fseek(in, at, SEEK_SET) != 0 || !bundle_log_goes_on(in, end + 1) || getc(in) != EOF)
            iw_bundle_fault(
                check, basename(one->log), "does not end with the verdict of %s in the results", one->id);
    }
    free(head);
    free(end);
}

static void bundle_log_check_case(struct iw_bundle_check *check, const struct iw_outcome_case *one) {
    const struct iw_case *known = iw_bundle_plan_find(&check->plan, one->id);
    FILE *in = fopen(one->log, "r");
    char verdict[LOG_VERDICT_OCTETS];
    bool crashed = false;
    long at;

    if (in == NULL) {
        iw_bundle_note_no_memory();
        return;
    }
    at = bundle_log_find_verdict(check, one, in, verdict, &crashed);
    if (strcmp(verdict, iw_verdict_name(one->verdict)) != 0)
        iw_bundle_fault(check, basename(one->log), "says \"%s\" of %s, the results \"%s\"", verdict, one->id,
            iw_verdict_name(one->verdict));
    else if (known != NULL)
        bundle_log_compare_texts(check, one, known, in, at);
    if (crashed != (iw_json_member_text(one->object, "crash")[0] != '\0'))
        iw_bundle_fault(check, basename(one->log), "%s a crash of the device, the results %s",
            crashed ? "shows" : "does not show", crashed ? "do not" : "do");
    fclose(in);
}

void iw_bundle_log_check(struct iw_bundle_check *check) {
    for (size_t i = 0; i < check->run.count; i++)
        if (check->run.cases[i].log != NULL)
            bundle_log_check_case(check, &check->run.cases[i]);
}
