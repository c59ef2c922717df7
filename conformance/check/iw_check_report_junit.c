#include <inttypes.h>
#include <stdlib.h>

#include "iw_check_report.h"
#include "iw_describe.h"
#include "iw_junit.h"
#include "iw_plural.h"
#include "iw_text.h"

/* For continuous integration: a test suite for each connection, and for each file with an error or unread
 * packets. The suite of a connection has a test case for each violated requirement and side, for each reason
 * why something was not judged, and for all other requirements. */

static bool report_junit_breach_fails(
    const struct iw_check_connection *connection, const struct iw_check_breach *breach) {
    return breach->waiver == NULL &&
           iw_totals_violates(&connection->totals, iw_requirement_severity(breach->requirement));
}

/* Returns the first kept finding of the breach; NULL if none was kept. */
static const struct iw_check_finding *report_junit_first_of(
    const struct iw_check_connection *connection, const struct iw_check_breach *breach) {
    for (size_t i = 0; i < connection->kept.finding_count; i++) {
        const struct iw_check_finding *finding = &connection->kept.findings[i];

        if (finding->finding.requirement == breach->requirement && finding->finding.side == breach->side &&
            finding->waiver == breach->waiver)
            return finding;
    }
    return NULL;
}

static void report_junit_put_waiver(char *message, size_t size, const struct iw_waiver *waiver) {
    snprintf(message, size, "waived: %s (%s)", waiver->reason, iw_waiver_owner(waiver));
}

static void report_junit_put_breach(struct iw_junit *junit, const struct iw_check_connection *connection,
    const struct iw_check_breach *breach) {
    const struct iw_requirement *requirement = breach->requirement;
    const struct iw_check_finding *first = report_junit_first_of(connection, breach);
    char group[128], name[128], message[512], text[512] = "";
    struct iw_junit_case one = {.group = group, .name = name, .message = message, .text = text};

    snprintf(group, sizeof group, "%s %s", requirement->document, requirement->section);
    snprintf(name, sizeof name, "%s %s%s%s", requirement->id,
        iw_check_offender(connection, breach->side, breach->role), breach->root != NULL ? " after " : "",
        breach->root != NULL ? breach->root->id : "");
    if (breach->waiver != NULL) {
        one.result = IW_JUNIT_SKIPPED;
        report_junit_put_waiver(message, sizeof message, breach->waiver);
    } else if (report_junit_breach_fails(connection, breach)) {
        one.result = IW_JUNIT_FAILURE;
        one.type = iw_level_name(requirement->level);
        snprintf(message, sizeof message, "%s%s%" PRIu64 " finding%s",
            first != NULL ? first->finding.message : "", first != NULL ? "; " : "", breach->count,
            iw_plural(breach->count));
        if (first != NULL)
            snprintf(text, sizeof text, "%s: frame %" PRIu64 ": %s\n", first->file, first->finding.frame,
                requirement->words);
    }
    iw_junit_case(junit, &one);
}

static void junit_put_skipped(struct iw_junit *junit, const char *group, const char *name, const char *why) {
    iw_junit_case(junit,
        &(struct iw_junit_case){.group = group, .name = name, .result = IW_JUNIT_SKIPPED, .message = why});
}

static void junit_put_unjudged(struct iw_junit *junit, const struct iw_monitor_counts *counts) {
    char text[256];

    for (enum iw_unjudged i = 0; i < IW_UNJUDGED_COUNT; i++) {
        if (counts->unjudged[i] == 0)
            continue;
        snprintf(text, sizeof text, "%" PRIu64 " %s: %s", counts->unjudged[i],
            iw_unjudged_name(i, counts->unjudged[i]), iw_unjudged_why(i));
        junit_put_skipped(junit, "not judged", iw_unjudged_key(i), text);
    }
}

/* ---- the protocol above: a test case for each rule with findings, and side ---- */

static bool report_junit_upper_fails(
    const struct iw_check_connection *connection, const struct iw_check_upper_breach *breach) {
    return connection->upper->mode == IW_CHECK_UPPER_JUDGE && breach->waiver == NULL &&
           iw_totals_violates(&connection->totals, iw_upper_rule_severity(breach->rule));
}

/* Returns the first kept finding of the breach; NULL if none was kept. */
static const struct iw_check_upper_finding *report_junit_first_upper(
    const struct iw_check_upper *upper, const struct iw_check_upper_breach *breach) {
    for (size_t i = 0; i < upper->finding_count; i++)
        if (upper->findings[i].finding.rule == breach->rule &&
            upper->findings[i].finding.side == breach->side)
            return &upper->findings[i];
    return NULL;
}

static void report_junit_put_upper_breach(struct iw_junit *junit,
    const struct iw_check_connection *connection, const struct iw_check_upper_breach *breach) {
    const struct iw_check_upper_finding *first = report_junit_first_upper(connection->upper, breach);
    const struct iw_upper_rule *rule = breach->rule;
    char group[128], name[128], message[512], text[512] = "";
    struct iw_junit_case one = {.group = group, .name = name, .message = message};

    one.result = report_junit_upper_fails(connection, breach) ? IW_JUNIT_FAILURE : IW_JUNIT_SKIPPED;
    if (one.result == IW_JUNIT_FAILURE) {
        one.type = iw_level_name(rule->level);
        one.text = text;
    }
    snprintf(group, sizeof group, "%s %s", rule->document, rule->section);
    snprintf(name, sizeof name, "%s %s", rule->id,
        iw_check_offender(connection, breach->side, connection->role[breach->side]));
    if (breach->waiver != NULL)
        report_junit_put_waiver(message, sizeof message, breach->waiver);
    else
        snprintf(message, sizeof message, "%s%s%s%" PRIu64 " finding%s",
            one.result == IW_JUNIT_FAILURE ? "" : "not counted: ",
            first != NULL ? first->finding.message : "", first != NULL ? "; " : "", breach->count,
            iw_plural(breach->count));
    if (first != NULL)
        snprintf(
            text, sizeof text, "%s: frame %" PRIu64 ": %s\n", first->file, first->finding.frame, rule->words);
    iw_junit_case(junit, &one);
}

static void report_junit_put_upper(struct iw_junit *junit, const struct iw_check_connection *connection) {
    for (size_t i = 0; connection->upper != NULL && i < connection->upper->breach_count; i++)
        report_junit_put_upper_breach(junit, connection, &connection->upper->breaches[i]);
}

static void report_junit_count_upper(
    const struct iw_check_connection *connection, struct iw_junit_counts *numbers) {
    for (size_t i = 0; connection->upper != NULL && i < connection->upper->breach_count; i++) {
        bool fails = report_junit_upper_fails(connection, &connection->upper->breaches[i]);

        numbers->tests++;
        numbers->failures += fails;
        numbers->skipped += !fails;
    }
}

static struct iw_junit_counts report_junit_connection_count_cases(
    const struct iw_check_connection *connection) {
    const struct iw_check_kept *kept = &connection->kept;
    struct iw_junit_counts numbers = {.tests = 1};

    for (size_t i = 0; i < kept->breach_count; i++, numbers.tests++) {
        numbers.failures += report_junit_breach_fails(connection, &kept->breaches[i]);
        numbers.skipped += kept->breaches[i].waiver != NULL;
    }
    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        if (connection->counts.unjudged[i] > 0) {
            numbers.tests++;
            numbers.skipped++;
        }
    report_junit_count_upper(connection, &numbers);
    return numbers;
}

/* Writes the numbers of outstanding requests. The text of the suite names the requests. */
static void junit_put_unanswered(struct iw_junit *junit, const struct iw_check_connection *connection) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        const struct iw_unanswered *unanswered = &connection->unanswered[side];
        char text[160];

        if (unanswered->count == 0)
            continue;
        snprintf(text, sizeof text, "%" PRIu64 " request%s of %s%s without %s %s", unanswered->count,
            iw_plural(unanswered->count), connection->role[side] == IW_ROLE_UNKNOWN ? "" : "the ",
            iw_check_side_name(connection, side), iw_describe_unanswered_lack(unanswered),
            iw_describe_unanswered_end(unanswered->end, connection->sctp));
        iw_junit_property(junit, "outstanding", text);
    }
}

static void junit_put_connection(
    struct iw_check_report *report, const struct iw_check_connection *connection) {
    struct iw_junit *junit = report->state;
    char session[64] = "";
    char name[512];
    struct iw_text output;
    char *text;

    if (junit == NULL)
        return;
    if (iw_text_open(&output))
        iw_check_put_connection(output.out, report, connection);
    text = iw_text_close(&output);
    if (connection->sctp)
        snprintf(session, sizeof session, ", session %" PRIu32 " on DDP Stream %u",
            connection->session.number, connection->session.stream);
    snprintf(name, sizeof name, "%s stream %" PRIu64 "%s", connection->file, connection->number, session);
    iw_junit_suite_begin(junit, connection->file, name, NULL, report_junit_connection_count_cases(connection),
        connection->first_time_ns, connection->last_time_ns - connection->first_time_ns);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_junit_property(junit, iw_check_side_name(connection, side), connection->address[side]);
    if (connection->sctp)
        iw_junit_property(junit, "transport", "SCTP");
    if (connection->mapped)
        iw_junit_property(junit, "advertised address", connection->advertised);
    iw_junit_property(junit, "verdict", iw_totals_verdict(&connection->totals));
    if (connection->totals.unstarted > 0)
        iw_junit_property(junit, "startup", IW_CHECK_UNSTARTED);
    junit_put_unanswered(junit, connection);
    if (connection->upper != NULL)
        iw_junit_property(junit, "upper protocol", iw_upper_protocol_name(connection->upper->protocol));
    iw_junit_properties_end(junit);
    for (size_t i = 0; i < connection->kept.breach_count; i++)
        report_junit_put_breach(junit, connection, &connection->kept.breaches[i]);
    junit_put_unjudged(junit, &connection->counts);
    report_junit_put_upper(junit, connection);
    iw_junit_case(junit,
        &(struct iw_junit_case){.group = "warpcheck", .name = "all other requirements that could be judged"});
    iw_junit_suite_end(junit, text != NULL ? text : "out of memory");
    report->result.incomplete |= text == NULL;
    free(text);
}

static void report_junit_begin_document(struct iw_check_report *report) {
    if (report->state == NULL)
        report->state = iw_junit_new(report->out);
}

/* Writes a suite for a file that was not read to its end, has no iWARP, or has unread packets. */
static void junit_put_file(struct iw_check_report *report, const struct iw_check_counts *counts) {
    struct iw_junit *junit = report->state;
    unsigned errors = report->error != NULL;
    struct iw_junit_counts numbers = {.tests = errors, .errors = errors};
    struct iw_check_unread rows[IW_CHECK_UNREAD];
    char text[IW_CHECK_UNREAD_OCTETS];

    iw_check_unread(counts, rows);
    for (size_t i = 0; i < IW_CHECK_UNREAD; i++)
        numbers.skipped += rows[i].count > 0;
    numbers.tests += numbers.skipped;
    if (junit == NULL || numbers.tests == 0)
        return;
    iw_junit_suite_begin(junit, report->file, report->file, NULL, numbers, 0, 0);
    iw_junit_properties_end(junit);
    if (errors > 0)
        iw_junit_case(junit, &(struct iw_junit_case){.group = "warpcheck",
                                 .name = "the file can be read and has iWARP in it",
                                 .result = IW_JUNIT_ERROR,
                                 .type = "environment",
                                 .message = report->error});
    for (size_t i = 0; i < IW_CHECK_UNREAD; i++)
        if (rows[i].count > 0)
            junit_put_skipped(junit, "not read", rows[i].key, iw_check_unread_text(&rows[i], text));
    iw_junit_suite_end(junit, "");
}

static void report_junit_end_document(struct iw_check_report *report, enum iw_exit exit) {
    (void)exit;
    if (!iw_junit_free(report->state))
        report->result.incomplete = true;
    report->state = NULL;
}

const struct iw_check_report_form iw_check_report_junit = {
    .file_begin = report_junit_begin_document,
    .connection = junit_put_connection,
    .file_end = junit_put_file,
    .end = report_junit_end_document,
};
