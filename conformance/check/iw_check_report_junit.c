#include <inttypes.h>
#include <libxml/xmlwriter.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "iw_check_report.h"
#include "iw_plural.h"
#include "iw_show.h"

/* As most readers of JUnit XML take it: <testsuites> with a <testsuite> per connection, and in it a
 * <testcase> per requirement that a side breaks, per reason why something could not be judged, and one for
 * all the rest. */

struct junit {
    xmlTextWriterPtr xml;
    unsigned suites;
    bool failed;
};

/* Octets of a file's name need not be UTF-8, and XML has no control characters. */
static char *cleaned(const char *text) {
    char *copy = strdup(text);
    bool utf8 = xmlCheckUTF8((const xmlChar *)text);

    for (char *at = copy; at != NULL && *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;

        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F || (c >= 0x80 && !utf8))
            *at = '?';
    }
    return copy;
}

static void begin(struct junit *junit, const char *element) {
    junit->failed |= xmlTextWriterStartElement(junit->xml, (const xmlChar *)element) < 0;
}

static void end(struct junit *junit) {
    junit->failed |= xmlTextWriterEndElement(junit->xml) < 0;
}

static void attribute(struct junit *junit, const char *name, const char *text) {
    char *copy = cleaned(text);

    junit->failed |= copy == NULL || xmlTextWriterWriteAttribute(
                                         junit->xml, (const xmlChar *)name, (const xmlChar *)copy) < 0;
    free(copy);
}

static void attributef(struct junit *junit, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void attributef(struct junit *junit, const char *name, const char *format, ...) {
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    attribute(junit, name, text);
}

static void content(struct junit *junit, const char *text) {
    char *copy = cleaned(text);

    junit->failed |= copy == NULL || xmlTextWriterWriteString(junit->xml, (const xmlChar *)copy) < 0;
    free(copy);
}

static void property(struct junit *junit, const char *name, const char *value) {
    begin(junit, "property");
    attribute(junit, "name", name);
    attribute(junit, "value", value);
    end(junit);
}

/* Left open. */
static void begin_case(struct junit *junit, const char *group, const char *name) {
    begin(junit, "testcase");
    attribute(junit, "classname", group);
    attribute(junit, "name", name);
    attribute(junit, "time", "0");
}

static void skipped(struct junit *junit, const char *why) {
    begin(junit, "skipped");
    attribute(junit, "message", why);
    end(junit);
}

static bool fails(const struct iw_check_connection *connection, const struct iw_check_breach *breach) {
    return breach->waiver == NULL &&
           iw_tally_violates(&connection->tally, iw_requirement_severity(breach->requirement));
}

/* The first finding that is kept of it, or NULL. */
static const struct iw_check_finding *first_of(
    const struct iw_check_connection *connection, const struct iw_check_breach *breach) {
    for (size_t i = 0; i < connection->kept.finding_count; i++) {
        const struct iw_check_finding *finding = &connection->kept.findings[i];

        if (finding->finding.requirement == breach->requirement && finding->finding.side == breach->side &&
            finding->waiver == breach->waiver)
            return finding;
    }
    return NULL;
}

static void put_breach(
    struct junit *junit, const struct iw_check_connection *connection, const struct iw_check_breach *breach) {
    const struct iw_requirement *requirement = breach->requirement;
    const struct iw_check_finding *first = first_of(connection, breach);
    char group[128], name[128], text[512];

    snprintf(group, sizeof group, "%s %s", requirement->document, requirement->section);
    snprintf(name, sizeof name, "%s %s%s%s", requirement->id, iw_role_name(breach->role),
        breach->root != NULL ? " after " : "", breach->root != NULL ? breach->root->id : "");
    begin_case(junit, group, name);
    if (breach->waiver != NULL) {
        snprintf(text, sizeof text, "waived: %s (%s)", breach->waiver->reason, breach->waiver->owner);
        skipped(junit, text);
    } else if (fails(connection, breach)) {
        begin(junit, "failure");
        attribute(junit, "type", iw_level_name(requirement->level));
        attributef(junit, "message", "%s%s%" PRIu64 " finding%s", first != NULL ? first->finding.message : "",
            first != NULL ? "; " : "", breach->count, iw_plural(breach->count));
        if (first != NULL) {
            snprintf(text, sizeof text, "%s: frame %" PRIu64 ": %s\n", first->file, first->finding.frame,
                requirement->words);
            content(junit, text);
        }
        end(junit);
    }
    end(junit);
}

static void put_unjudged(struct junit *junit, const struct iw_monitor_counts *counts) {
    char text[256];

    for (enum iw_unjudged i = 0; i < IW_UNJUDGED_COUNT; i++) {
        if (counts->unjudged[i] == 0)
            continue;
        snprintf(text, sizeof text, "%" PRIu64 " %s: %s", counts->unjudged[i],
            iw_unjudged_name(i, counts->unjudged[i]), iw_unjudged_why(i));
        begin_case(junit, "not judged", iw_unjudged_key(i));
        skipped(junit, text);
        end(junit);
    }
}

struct numbers {
    unsigned tests, failures, skipped;
};

static struct numbers count_cases(const struct iw_check_connection *connection) {
    const struct iw_check_kept *kept = &connection->kept;
    struct numbers numbers = {1, 0, 0};

    for (size_t i = 0; i < kept->breach_count; i++, numbers.tests++) {
        numbers.failures += fails(connection, &kept->breaches[i]);
        numbers.skipped += kept->breaches[i].waiver != NULL;
    }
    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        if (connection->counts.unjudged[i] > 0) {
            numbers.tests++;
            numbers.skipped++;
        }
    return numbers;
}

/* Left open. `time_ns` and `duration_ns` of the capture. */
static void begin_suite(struct junit *junit, const char *package, const char *name, struct numbers numbers,
    unsigned errors, uint64_t time_ns, uint64_t duration_ns) {
    char when[IW_SHOW_TIME_OCTETS];

    iw_show_time(time_ns, when);
    when[sizeof "2026-01-31T12:00:00" - 1] = '\0';
    begin(junit, "testsuite");
    attribute(junit, "package", package);
    attributef(junit, "id", "%u", junit->suites++);
    attribute(junit, "name", name);
    attribute(junit, "timestamp", when);
    attribute(junit, "hostname", "localhost");
    attributef(junit, "tests", "%u", numbers.tests);
    attributef(junit, "failures", "%u", numbers.failures);
    attributef(junit, "errors", "%u", errors);
    attributef(junit, "skipped", "%u", numbers.skipped);
    attributef(junit, "time", "%" PRIu64 ".%06" PRIu64, duration_ns / 1000000000u,
        duration_ns % 1000000000u / 1000u);
}

static void end_suite(struct junit *junit, const char *text) {
    begin(junit, "system-out");
    content(junit, text);
    end(junit);
    begin(junit, "system-err");
    end(junit);
    end(junit);
}

/* What the form for people says of it; NULL: no memory. */
static char *told(struct iw_check_report *report, const struct iw_check_connection *connection) {
    struct iw_check_report copy = *report;
    char *text = NULL;
    size_t octets;

    copy.out = open_memstream(&text, &octets);
    copy.state = &copy; /* without the name of the file */
    if (copy.out == NULL)
        return NULL;
    iw_check_report_text.connection(&copy, connection);
    fclose(copy.out);
    return text;
}

static void put_connection(struct iw_check_report *report, const struct iw_check_connection *connection) {
    struct junit *junit = report->state;
    char *text = told(report, connection);
    char session[64] = "";
    char name[512];

    if (junit == NULL)
        return;
    if (connection->sctp)
        snprintf(session, sizeof session, ", session %" PRIu32 " on DDP Stream %u",
            connection->session.number, connection->session.stream);
    snprintf(name, sizeof name, "%s stream %" PRIu64 "%s", connection->file, connection->number, session);
    begin_suite(junit, connection->file, name, count_cases(connection), 0, connection->first_time_ns,
        connection->last_time_ns - connection->first_time_ns);
    begin(junit, "properties");
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        property(junit,
            connection->role[side] != IW_ROLE_UNKNOWN ? iw_role_name(connection->role[side])
            : side == IW_SIDE_A                       ? "side A"
                                                      : "side B",
            connection->address[side]);
    if (connection->sctp)
        property(junit, "transport", "SCTP");
    property(junit, "verdict", iw_tally_verdict(&connection->tally));
    end(junit);
    for (size_t i = 0; i < connection->kept.breach_count; i++)
        put_breach(junit, connection, &connection->kept.breaches[i]);
    put_unjudged(junit, &connection->counts);
    begin_case(junit, "warpcheck", "all other requirements that could be judged");
    end(junit);
    end_suite(junit, text != NULL ? text : "");
    junit->failed |= text == NULL;
    free(text);
}

/* What does not arrive is told by who has opened the file, not by libxml2. */
static int write_out(void *user, const char *octets, int count) {
    (void)!fwrite(octets, 1, (size_t)count, user);
    return count;
}

static void begin_document(struct iw_check_report *report) {
    struct junit *junit = report->state;
    xmlOutputBufferPtr buffer;

    if (junit != NULL)
        return;
    report->state = junit = calloc(1, sizeof *junit);
    if (junit == NULL)
        return;
    buffer = xmlOutputBufferCreateIO(write_out, NULL, report->out, NULL);
    junit->xml = buffer == NULL ? NULL : xmlNewTextWriter(buffer);
    if (junit->xml == NULL) {
        free(junit);
        report->state = NULL;
        return;
    }
    junit->failed |= xmlTextWriterSetIndent(junit->xml, 1) < 0 ||
                     xmlTextWriterStartDocument(junit->xml, NULL, "UTF-8", NULL) < 0;
    begin(junit, "testsuites");
}

static void put_error(struct junit *junit, const char *error) {
    begin_case(junit, "warpcheck", "the file can be read and has iWARP in it");
    begin(junit, "error");
    attribute(junit, "type", "environment");
    attribute(junit, "message", error);
    end(junit);
    end(junit);
}

static void put_unread(struct junit *junit, const struct iw_check_unread *row) {
    char text[128];

    snprintf(
        text, sizeof text, "%" PRIu64 " %s%s %s", row->count, row->what, iw_plural(row->count), row->which);
    begin_case(junit, "not read", row->key);
    skipped(junit, text);
    end(junit);
}

/* A file that could not be judged, or not to its end, or of which something could not be read, has a suite of
 * its own for that. */
static void put_file(struct iw_check_report *report, const struct iw_check_counts *counts) {
    struct junit *junit = report->state;
    unsigned errors = report->error != NULL;
    struct numbers numbers = {errors, 0, 0};
    struct iw_check_unread rows[IW_CHECK_UNREAD];

    iw_check_unread(counts, rows);
    for (size_t i = 0; i < IW_CHECK_UNREAD; i++)
        numbers.skipped += rows[i].count > 0;
    numbers.tests += numbers.skipped;
    if (junit == NULL || numbers.tests == 0)
        return;
    begin_suite(junit, report->file, report->file, numbers, errors, 0, 0);
    begin(junit, "properties");
    end(junit);
    if (errors > 0)
        put_error(junit, report->error);
    for (size_t i = 0; i < IW_CHECK_UNREAD; i++)
        if (rows[i].count > 0)
            put_unread(junit, &rows[i]);
    end_suite(junit, "");
}

static void end_document(struct iw_check_report *report, enum iw_exit exit) {
    struct junit *junit = report->state;
    bool failed = junit == NULL || xmlTextWriterEndDocument(junit->xml) < 0 || junit->failed;

    (void)exit;
    if (junit != NULL)
        xmlFreeTextWriter(junit->xml);
    free(junit);
    report->state = NULL;
    if (failed)
        fputs("warpcheck: out of memory, the XML is not whole\n", stderr);
}

const struct iw_check_report_form iw_check_report_junit = {
    .name = "junit",
    .file_begin = begin_document,
    .connection = put_connection,
    .file_end = put_file,
    .end = end_document,
};
