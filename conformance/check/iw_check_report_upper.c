#include <inttypes.h>
#include <string.h>

#include "iw_check_report.h"
#include "iw_plural.h"

/* The protocol above a connection, as text. */

static void upper_put_counts(FILE *out, const struct iw_check_connection *connection, enum iw_side caller) {
    const struct iw_upper_counts *counts = &connection->upper->counts;

    if (counts->calls[caller] == 0 && counts->buffers[caller] == 0)
        return;
    fprintf(out, "      %s: %" PRIu64 " call%s, %" PRIu64 " with a reply, %" PRIu64 " buffer%s advertised\n",
        iw_check_side_name(connection, caller), counts->calls[caller], iw_plural(counts->calls[caller]),
        counts->replies[caller], counts->buffers[caller], iw_plural(counts->buffers[caller]));
}

static void upper_put_calls(FILE *out, const struct iw_check_connection *connection) {
    const struct iw_check_upper *upper = connection->upper;
    size_t named = upper->call_count < IW_CHECK_UPPER_CALLS ? upper->call_count : IW_CHECK_UPPER_CALLS;

    if (upper->call_count == 0)
        return;
    fprintf(out, "      without a reply at the end: %zu call%s%s\n", upper->call_count,
        iw_plural(upper->call_count),
        upper->complete ? "" : ", perhaps answered, as not all was captured or understood");
    for (size_t i = 0; i < named; i++) {
        const struct iw_check_upper_call *call = &upper->calls[i];

        fprintf(out, "        %s, by the %s, frame %" PRIu64, call->name,
            iw_check_side_name(connection, call->call.caller), call->call.frame);
        iw_check_put_file(out, call->file, connection->file);
        fputc('\n', out);
    }
    if (named < upper->call_count)
        fprintf(out, "        and %zu more\n", upper->call_count - named);
}

static void upper_put_value(FILE *out, const char *name, const char *value) {
    if (value[0] != '\0')
        fprintf(out, "        %s: %s\n", name, value);
}

static bool upper_has_same_values(const struct iw_upper_finding *a, const struct iw_upper_finding *b) {
    return strcmp(a->expected, b->expected) == 0 && strcmp(a->actual, b->actual) == 0;
}

static void upper_put_values(
    FILE *out, const struct iw_upper_finding *finding, const struct iw_upper_finding *before) {
    if (before == NULL)
        upper_put_value(out, "requires", finding->rule->words);
    if (before != NULL && upper_has_same_values(before, finding))
        return;
    upper_put_value(out, "expected", finding->expected);
    upper_put_value(out, "actual", finding->actual);
}

/* `before`: the previous finding of the same rule, or NULL. Its texts are not repeated. */
static void upper_put_finding(FILE *out, const struct iw_check_report *report,
    const struct iw_check_connection *connection, const struct iw_check_upper_finding *placed,
    const struct iw_upper_finding *before) {
    const struct iw_upper_finding *finding = &placed->finding;
    const struct iw_waiver *waiver = iw_check_upper_waiver(connection->upper, finding);

    fprintf(out, "      frame %" PRIu64, finding->frame);
    iw_check_put_file(out, placed->file, connection->file);
    fprintf(out, ": %s%s %s by the %s: %s", waiver != NULL ? "waived " : "",
        iw_severity_name(iw_upper_rule_severity(finding->rule)), finding->rule->id,
        iw_check_side_name(connection, finding->side), finding->message);
    if (finding->about_frame != 0) {
        fprintf(out, "; see frame %" PRIu64, finding->about_frame);
        iw_check_put_file(out, placed->about_file, placed->file);
    }
    fputc('\n', out);
    upper_put_values(out, finding, before);
    if (waiver != NULL) {
        fputs("        ", out);
        iw_check_put_waiver(out, report, waiver);
    }
}

static void upper_put_findings(
    FILE *out, const struct iw_check_report *report, const struct iw_check_connection *connection) {
    const struct iw_check_upper *upper = connection->upper;
    const struct iw_upper_finding *latest[IW_UPPER_RULE_COUNT] = {NULL};

    for (size_t i = 0; i < upper->finding_count; i++) {
        size_t rule = (size_t)(upper->findings[i].finding.rule - iw_upper_rules);

        upper_put_finding(out, report, connection, &upper->findings[i], latest[rule]);
        latest[rule] = &upper->findings[i].finding;
    }
    for (size_t i = 0; i < upper->breach_count; i++) {
        const struct iw_check_upper_breach *breach = &upper->breaches[i];

        if (breach->count > breach->kept)
            fprintf(out, "      and %" PRIu64 " more of %s by the %s%s\n", breach->count - breach->kept,
                breach->rule->id, iw_check_side_name(connection, breach->side),
                breach->waiver != NULL ? ", waived" : "");
    }
}

void iw_check_put_upper(
    FILE *out, const struct iw_check_report *report, const struct iw_check_connection *connection) {
    const struct iw_check_upper *upper = connection->upper;

    if (upper == NULL)
        return;
    fprintf(out, "    upper protocol: %s\n", iw_upper_protocol_name(upper->protocol));
    upper_put_counts(out, connection, iw_check_first_side(connection));
    upper_put_counts(out, connection, iw_side_other(iw_check_first_side(connection)));
    upper_put_calls(out, connection);
    upper_put_findings(out, report, connection);
}
