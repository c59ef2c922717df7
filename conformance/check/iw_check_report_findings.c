#include "iw_check_report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "iw_describe.h"
#include "iw_show.h"

enum { INDENT = 4, DEPTH_MAX = 8 };

struct print {
    FILE *out;
    const struct iw_check_report *report;
    const struct iw_check_connection *connection;
    const struct iw_check_entry *entry;   /* the last printed line of the wire log */
    bool explained[IW_REQUIREMENT_COUNT]; /* by requirement: the text was printed */
};

static void check_findings_indent(FILE *out, unsigned depth) {
    fprintf(out, "%*s", (int)(INDENT + 2 * depth), "");
}

void iw_check_put_file(FILE *out, const char *file, const char *known) {
    if (file != known) {
        fputs(" of ", out);
        iw_show_name(out, file);
    }
}

void iw_check_put_waiver(FILE *out, const struct iw_check_report *report, const struct iw_waiver *waiver) {
    fprintf(out, "waived: %s (%s, %s:%u)\n", waiver->reason, iw_waiver_owner(waiver), report->waivers->path,
        waiver->line);
}

static void findings_put_context(FILE *out, const struct iw_check_finding *finding) {
    for (unsigned i = 0; i < finding->finding.context_count; i++) {
        fprintf(out, "%s%" PRIu64,
            i > 0                                ? ", "
            : finding->finding.context_count > 1 ? "; see frames "
                                                 : "; see frame ",
            finding->finding.context[i]);
        iw_check_put_file(out, finding->context_file[i], finding->file);
    }
}

static void findings_put_octets(FILE *out, const struct iw_check_finding *finding, unsigned depth) {
    const struct iw_field *field = finding->finding.field;
    int column, columns;

    if (finding->octets.count == 0)
        return;
    check_findings_indent(out, depth);
    column = iw_check_octets_print(&finding->octets, out, &columns);
    fputc('\n', out);
    if (columns == 0)
        return;
    check_findings_indent(out, depth);
    fprintf(out, "%*s", column, "");
    for (int i = 0; i < columns; i++)
        fputc('^', out);
    fprintf(out, "%s%s\n", field != NULL ? " " : "", field != NULL ? field->label : "");
}

/* Prints the expected and the actual value, unless the message contains the expected value. */
static void findings_put_expected(FILE *out, const struct iw_finding *finding, unsigned depth) {
    if (finding->expected[0] == '\0' || strstr(finding->message, finding->expected) != NULL)
        return;
    check_findings_indent(out, depth);
    fprintf(out, "expected: %s\n", finding->expected);
    if (finding->actual[0] != '\0') {
        check_findings_indent(out, depth);
        fprintf(out, "actual: %s\n", finding->actual);
    }
}

/* Prints the frame of the cause, if the cause is not printed. */
static void findings_put_cause(
    const struct print *print, const struct iw_check_finding *finding, unsigned depth) {
    FILE *out = print->out;

    if (finding->finding.cause == 0 || !iw_check_is_root(&print->connection->kept, finding))
        return;
    check_findings_indent(out, depth);
    fprintf(out, "follows from a violation in frame %" PRIu64, finding->finding.cause_frame);
    iw_check_put_file(out, finding->cause_file, finding->file);
    fputs(" that is not shown\n", out);
}

/* Prints the text of a requirement, once per connection. */
static void findings_put_words(
    struct print *print, const struct iw_requirement *requirement, unsigned depth) {
    bool *explained = &print->explained[requirement - iw_requirements];

    if (*explained)
        return;
    *explained = true;
    check_findings_indent(print->out, depth);
    fprintf(print->out, "requires: %s\n", requirement->words);
}

static void findings_put_finding(
    struct print *print, const struct iw_check_finding *finding, unsigned depth) {
    FILE *out = print->out;

    check_findings_indent(out, depth);
    fprintf(out, "frame %" PRIu64, finding->finding.frame);
    iw_check_put_file(out, finding->file, print->connection->file);
    fprintf(out, ": %s", finding->waiver != NULL ? "waived " : "");
    iw_describe_finding(out, &finding->finding, print->connection->address[finding->finding.side]);
    findings_put_context(out, finding);
    fputc('\n', out);
    findings_put_words(print, finding->finding.requirement, depth + 1);
    findings_put_cause(print, finding, depth + 1);
    findings_put_expected(out, &finding->finding, depth + 1);
    if (finding->waiver != NULL) {
        check_findings_indent(out, depth + 1);
        iw_check_put_waiver(out, print->report, finding->waiver);
    }
    if (finding->entry != print->entry) {
        check_findings_indent(out, depth + 1);
        fprintf(out, "%s\n", finding->entry->text);
        print->entry = finding->entry;
    }
    findings_put_octets(out, finding, depth + 1);
}

/* Prints the findings caused by finding number `cause`, each with its own consequences. */
static void findings_put_followers(struct print *print, size_t cause, unsigned depth) {
    const struct iw_check_kept *kept = &print->connection->kept;

    for (size_t i = cause + 1; i < kept->finding_count; i++) {
        const struct iw_check_finding *finding = &kept->findings[i];

        if (finding->finding.cause != kept->findings[cause].finding.number)
            continue;
        findings_put_finding(print, finding, depth);
        findings_put_followers(print, i, depth < DEPTH_MAX ? depth + 1 : depth);
    }
}

static void findings_put_roots(struct print *print) {
    const struct iw_check_kept *kept = &print->connection->kept;

    for (size_t i = 0; i < kept->finding_count; i++)
        if (iw_check_is_root(kept, &kept->findings[i])) {
            findings_put_finding(print, &kept->findings[i], 0);
            findings_put_followers(print, i, 1);
        }
}

static void check_findings_put_rest(FILE *out, const struct iw_check_connection *connection) {
    const struct iw_check_kept *kept = &connection->kept;

    for (size_t i = 0; i < kept->breach_count; i++) {
        const struct iw_check_breach *breach = &kept->breaches[i];

        if (breach->count > breach->kept)
            fprintf(out, "    and %" PRIu64 " more of %s by %s%s%s\n", breach->count - breach->kept,
                breach->requirement->id, breach->role != IW_ROLE_UNKNOWN ? "the " : "",
                iw_check_offender(connection, breach->side, breach->role),
                breach->waiver != NULL ? ", waived" : "");
    }
    if (kept->incomplete)
        fputs("    out of memory: findings are missing\n", out);
}

void iw_check_put_findings(
    FILE *out, const struct iw_check_report *report, const struct iw_check_connection *connection) {
    struct print print = {.out = out, .report = report, .connection = connection};

    findings_put_roots(&print);
    check_findings_put_rest(out, connection);
}
