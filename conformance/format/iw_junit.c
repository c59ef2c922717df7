#include "iw_junit.h"

#include <inttypes.h>
#include <libxml/xmlmemory.h>
#include <libxml/xmlwriter.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "iw_show.h"

struct iw_junit {
    xmlTextWriterPtr xml;
    unsigned suites;
    unsigned refused_before; /* value of refused_count when this writer was opened */
    bool failed;
};

/* If memory runs out, libxml2's writer drops text, mostly without an error. So these functions allocate its
 * memory and count the failures. */
static atomic_uint refused_count;

static void *junit_counted(void *memory) {
    if (memory == NULL)
        atomic_fetch_add(&refused_count, 1);
    return memory;
}

static void *junit_counted_malloc(size_t octets) {
    return junit_counted(malloc(octets));
}

static void *junit_counted_realloc(void *memory, size_t octets) {
    return junit_counted(realloc(memory, octets));
}

static char *junit_counted_strdup(const char *text) {
    return junit_counted(strdup(text));
}

/* Returns a copy with '?' for control characters other than newline and tab and, if the text is not UTF-8,
 * for octets outside ASCII. */
static char *junit_cleaned(const char *text) {
    char *copy = strdup(text);
    bool utf8 = xmlCheckUTF8((const xmlChar *)text);

    for (char *at = copy; at != NULL && *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;

        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F || (c >= 0x80 && !utf8))
            *at = '?';
    }
    return copy;
}

static void junit_begin(struct iw_junit *junit, const char *element) {
    junit->failed |= xmlTextWriterStartElement(junit->xml, (const xmlChar *)element) < 0;
}

static void junit_end(struct iw_junit *junit) {
    junit->failed |= xmlTextWriterEndElement(junit->xml) < 0;
}

static void junit_attribute(struct iw_junit *junit, const char *name, const char *text) {
    char *copy = junit_cleaned(text);

    junit->failed |= copy == NULL || xmlTextWriterWriteAttribute(
                                         junit->xml, (const xmlChar *)name, (const xmlChar *)copy) < 0;
    free(copy);
}

static void junit_number(struct iw_junit *junit, const char *name, unsigned value) {
    char text[16];

    snprintf(text, sizeof text, "%u", value);
    junit_attribute(junit, name, text);
}

static void junit_duration(struct iw_junit *junit, uint64_t duration_ns) {
    char text[48];

    snprintf(text, sizeof text, "%" PRIu64 ".%06" PRIu64, duration_ns / 1000000000u,
        duration_ns % 1000000000u / 1000u);
    junit_attribute(junit, "time", duration_ns > 0 ? text : "0");
}

static void junit_content(struct iw_junit *junit, const char *text) {
    char *copy = junit_cleaned(text);

    junit->failed |= copy == NULL || xmlTextWriterWriteString(junit->xml, (const xmlChar *)copy) < 0;
    free(copy);
}

/* Ignores failed writes: the caller opened the file and reports them. NULL: libxml2 had no memory. */
static int junit_write(void *user, const char *octets, int count) {
    if (octets == NULL)
        return count == 0 ? 0 : -1;
    (void)!fwrite(octets, 1, (size_t)count, user);
    return count;
}

/* Suppresses libxml2's own messages on stderr; iw_junit_free reports the failure. */
static void junit_ignore_error(void *user, const char *format, ...) {
    (void)user;
    (void)format;
}

struct iw_junit *iw_junit_new(FILE *out) {
    struct iw_junit *junit = calloc(1, sizeof *junit);
    xmlOutputBufferPtr buffer;

    xmlMemSetup(free, junit_counted_malloc, junit_counted_realloc, junit_counted_strdup);
    xmlSetGenericErrorFunc(NULL, junit_ignore_error);
    if (junit == NULL)
        return NULL;
    junit->refused_before = atomic_load(&refused_count);
    buffer = xmlOutputBufferCreateIO(junit_write, NULL, out, NULL);
    junit->xml = buffer == NULL ? NULL : xmlNewTextWriter(buffer);
    if (junit->xml == NULL) {
        xmlOutputBufferClose(buffer);
        free(junit);
        return NULL;
    }
    junit->failed |= xmlTextWriterSetIndent(junit->xml, 1) < 0 ||
                     xmlTextWriterStartDocument(junit->xml, NULL, "UTF-8", NULL) < 0;
    junit_begin(junit, "testsuites");
    return junit;
}

bool iw_junit_free(struct iw_junit *junit) {
    bool whole = junit != NULL && xmlTextWriterEndDocument(junit->xml) >= 0 && !junit->failed &&
                 atomic_load(&refused_count) == junit->refused_before;

    if (junit != NULL)
        xmlFreeTextWriter(junit->xml);
    free(junit);
    return whole;
}

void iw_junit_suite_begin(struct iw_junit *junit, const char *package, const char *name, const char *host,
    struct iw_junit_counts counts, uint64_t time_ns, uint64_t duration_ns) {
    char when[IW_SHOW_TIME_OCTETS];

    iw_show_time(time_ns, when);
    when[sizeof "2026-01-31T12:00:00" - 1] = '\0';
    junit_begin(junit, "testsuite");
    junit_attribute(junit, "package", package);
    junit_number(junit, "id", junit->suites++);
    junit_attribute(junit, "name", name);
    junit_attribute(junit, "timestamp", when);
    junit_attribute(junit, "hostname", host != NULL ? host : "localhost");
    junit_number(junit, "tests", counts.tests);
    junit_number(junit, "failures", counts.failures);
    junit_number(junit, "errors", counts.errors);
    junit_number(junit, "skipped", counts.skipped);
    junit_duration(junit, duration_ns);
    junit_begin(junit, "properties");
}

void iw_junit_property(struct iw_junit *junit, const char *name, const char *value) {
    junit_begin(junit, "property");
    junit_attribute(junit, "name", name);
    junit_attribute(junit, "value", value);
    junit_end(junit);
}

void iw_junit_properties_end(struct iw_junit *junit) {
    junit_end(junit);
}

void iw_junit_suite_end(struct iw_junit *junit, const char *text) {
    junit_begin(junit, "system-out");
    junit_content(junit, text);
    junit_end(junit);
    junit_begin(junit, "system-err");
    junit_end(junit);
    junit_end(junit);
}

void iw_junit_case(struct iw_junit *junit, const struct iw_junit_case *one) {
    static const char *const elements[] = {
        [IW_JUNIT_SKIPPED] = "skipped", [IW_JUNIT_FAILURE] = "failure", [IW_JUNIT_ERROR] = "error"};

    junit_begin(junit, "testcase");
    junit_attribute(junit, "classname", one->group);
    junit_attribute(junit, "name", one->name);
    junit_duration(junit, one->duration_ns);
    if (one->result != IW_JUNIT_PASSED) {
        junit_begin(junit, elements[one->result]);
        if (one->type != NULL)
            junit_attribute(junit, "type", one->type);
        junit_attribute(junit, "message", one->message);
        if (one->text != NULL && one->text[0] != '\0')
            junit_content(junit, one->text);
        junit_end(junit);
    }
    junit_end(junit);
}
