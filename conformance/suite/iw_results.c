#include "iw_results.h"

#include <inttypes.h>

#include "iw_json.h"
#include "iw_plural.h"
#include "iw_show.h"

static const char *const marks[] = {
    [IW_VERDICT_PASS] = "pass",
    [IW_VERDICT_FAIL] = "FAIL",
    [IW_VERDICT_WARNING] = "WARNING",
    [IW_VERDICT_NOTE] = "note",
    [IW_VERDICT_INCONCLUSIVE] = "INCONCL",
    [IW_VERDICT_NOT_APPLICABLE] = "n/a",
    [IW_VERDICT_ERROR] = "ERROR",
};

static void print_close(FILE *out, const struct iw_trial_result *result) {
    char text[64];

    snprintf(text, sizeof text, "%s%s", result->close,
        result->close_verdict == IW_CLOSE_WRONG       ? " (wrong)"
        : result->close_verdict == IW_CLOSE_TOLERATED ? " (tolerated)"
                                                      : "");
    fprintf(out, "%s\n", text);
}

static void print_detail(FILE *out, const struct iw_trial_result *result) {
    if (result->expected[0])
        fprintf(out, "          expected  %s\n", result->expected);
    if (result->actual[0])
        fprintf(out, "          actual    %s\n", result->actual);
    if (result->message[0])
        fprintf(out, "          because   %s\n", result->message);
    if (result->script[0] && result->line > 0)
        fprintf(out, "          at        %s:%d\n", result->script, result->line);
    if (result->step[0])
        fprintf(out, "          step      %s\n", result->step);
    fputs("          requires ", out);
    for (size_t i = 0; i < result->one->requirement_count; i++)
        fprintf(out, " %s", result->one->requirements[i]->id);
    fprintf(out, " (%s)\n", iw_case_level(iw_case_severity(result->one)));
    if (result->capture[0])
        fprintf(out, "          capture   %s\n", result->capture);
}

void iw_results_print(FILE *out, const struct iw_trial_result *result) {
    fprintf(out, "%-8s  %-22s  %-62s  ", marks[result->verdict], result->one->id, result->one->title);
    print_close(out, result);
    if (result->verdict != IW_VERDICT_PASS && result->verdict != IW_VERDICT_NOT_APPLICABLE)
        print_detail(out, result);
    fflush(out);
}

void iw_results_print_summary(FILE *out, const struct iw_run_counts *counts) {
    const char *between = "";

    fprintf(out, "\n%u case%s:", counts->cases, iw_plural(counts->cases));
    for (int i = 0; i <= IW_VERDICT_ERROR; i++) {
        bool mild =
            i == IW_VERDICT_WARNING || i == IW_VERDICT_NOTE; /* rare enough not to be named for nothing */

        if (mild && counts->verdicts[i] == 0)
            continue;
        fprintf(out, "%s %u %s", between, counts->verdicts[i], iw_verdict_name((enum iw_verdict)i));
        between = ",";
    }
    if (counts->wrong_closes > 0)
        fprintf(out, "; %u wrong close%s", counts->wrong_closes, iw_plural(counts->wrong_closes));
    if (counts->left > 0)
        fprintf(out, "; interrupted: %u not run", counts->left);
    fputc('\n', out);
}

static json_t *requirements(const struct iw_case *one) {
    json_t *array = json_array();

    for (size_t i = 0; i < one->requirement_count; i++)
        json_array_append_new(array, json_string(one->requirements[i]->id));
    return array;
}

static json_t *case_object(const struct iw_trial_result *result) {
    json_t *object = iw_json_object("case", NULL, 0);

    iw_json_set_text(object, "case", result->one->id);
    iw_json_set_text(object, "title", result->one->title);
    json_object_set_new(object, "requirements", requirements(result->one));
    iw_json_set_text(object, "role", result->one->initiator ? "initiator" : "responder");
    iw_json_set_text(object, "verdict", iw_verdict_name(result->verdict));
    iw_json_set_text(object, "level", iw_case_level(result->severity));
    iw_json_set_text(object, "close", result->close);
    iw_json_set_text(object, "close_verdict", iw_close_verdict_name(result->close_verdict));
    iw_json_set_text(object, "terminate", result->terminate);
    iw_json_set_text(object, "message", result->message);
    iw_json_set_text(object, "expected", result->expected);
    iw_json_set_text(object, "actual", result->actual);
    iw_json_set_text(object, "script", result->script);
    if (result->line > 0)
        json_object_set_new(object, "line", json_integer(result->line));
    iw_json_set_text(object, "step", result->step);
    iw_json_set_text(object, "file", result->capture);
    json_object_set_new(object, "duration_ms", json_integer((json_int_t)result->duration_ms));
    return object;
}

void iw_results_json(FILE *out, const struct iw_trial_result *result) {
    iw_json_line(out, case_object(result));
    for (unsigned i = 0; i < result->kept_count; i++) {
        json_t *object = iw_json_object("finding", result->capture, result->kept_connection[i] - 1);

        iw_json_set_text(object, "case", result->one->id);
        iw_json_add_finding(object, &result->kept[i]);
        iw_json_line(out, object);
    }
}

void iw_results_json_summary(FILE *out, const struct iw_run_counts *counts, enum iw_exit exit) {
    json_t *object = iw_json_object("summary", NULL, 0);

    json_object_set_new(object, "cases", json_integer(counts->cases));
    for (int i = 0; i <= IW_VERDICT_ERROR; i++)
        json_object_set_new(object, iw_verdict_key((enum iw_verdict)i), json_integer(counts->verdicts[i]));
    json_object_set_new(object, "wrong_closes", json_integer(counts->wrong_closes));
    if (counts->left > 0)
        json_object_set_new(object, "not_run", json_integer(counts->left));
    json_object_set_new(object, "exit", json_integer(exit));
    iw_json_line(out, object);
}

/* ---- what failed combinations come down to ---- */

/* "sweep-001.0010" */
static const char *minimal_id(const struct iw_minimal *minimal, char *text, size_t octets) {
    char digits[IW_CHOICE_TEXT_OCTETS];
    size_t length = strcspn(minimal->one.id, ".");

    iw_factors_format(minimal->one.factors, &minimal->one.choice, digits);
    snprintf(text, octets, "%.*s.%s", (int)length, minimal->one.id, digits);
    return text;
}

static const char *minimal_words(const struct iw_minimal *minimal, char *text, size_t octets) {
    iw_factors_words(
        iw_script_lua(minimal->one.script), minimal->one.factors, &minimal->one.choice, text, octets);
    if (text[0] == '\0')
        snprintf(
            text, octets, "%s", minimal->one.factors->seeded ? "all of its steps" : "whatever the settings");
    return text;
}

void iw_results_print_minimise(FILE *out, const struct iw_minimise *minimise) {
    char id[96], words[512];

    if (minimise->count > 0)
        fprintf(out, "\nThe failures come down to:\n");
    for (size_t i = 0; i < minimise->count; i++) {
        const struct iw_minimal *minimal = &minimise->found[i];

        fprintf(out, "  %-24s %s (%u combination%s%s)\n", minimal_id(minimal, id, sizeof id),
            minimal_words(minimal, words, sizeof words), minimal->combinations,
            iw_plural(minimal->combinations), minimal->certain ? "" : "; it did not fail again");
    }
    if (minimise->unexplained > 0)
        fprintf(out, "  and %u more\n", minimise->unexplained);
}

void iw_results_json_minimise(FILE *out, const struct iw_minimise *minimise) {
    char id[96], words[512];

    for (size_t i = 0; i < minimise->count; i++) {
        const struct iw_minimal *minimal = &minimise->found[i];
        json_t *object = iw_json_object("minimal", NULL, 0);

        iw_json_set_text(object, "case", minimal_id(minimal, id, sizeof id));
        iw_json_set_text(object, "values", minimal_words(minimal, words, sizeof words));
        json_object_set_new(object, "combinations", json_integer(minimal->combinations));
        json_object_set_new(object, "again", json_boolean(minimal->certain));
        iw_json_line(out, object);
    }
}
