#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes JUnit XML that most readers accept (cli/junit.xsd): <testsuites> with <testsuite>s, each with
 * properties, test cases and a text. Texts may contain any octets: invalid octets become '?'. */

struct iw_junit;

/* Begins the document. Returns NULL if memory runs out. */
struct iw_junit *iw_junit_new(FILE *out);

/* Ends the document and frees `junit`. Returns false if `junit` is NULL, or if memory ran out and the
 * document is incomplete. The caller must also check `out` for write errors. */
bool iw_junit_free(struct iw_junit *junit);

struct iw_junit_counts {
    unsigned tests, failures, errors, skipped;
};

/* Begins a suite; its properties follow, then its cases. `host` is where it ran; NULL: this host. `time_ns`
 * counts from 1970. */
void iw_junit_suite_begin(struct iw_junit *junit, const char *package, const char *name, const char *host,
    struct iw_junit_counts counts, uint64_t time_ns, uint64_t duration_ns);
void iw_junit_property(struct iw_junit *junit, const char *name, const char *value);
void iw_junit_properties_end(struct iw_junit *junit);
void iw_junit_suite_end(struct iw_junit *junit, const char *text);

struct iw_junit_case {
    const char *group, *name;
    uint64_t duration_ns;
    enum iw_junit_result { IW_JUNIT_PASSED, IW_JUNIT_SKIPPED, IW_JUNIT_FAILURE, IW_JUNIT_ERROR } result;
    const char *message; /* not NULL, unless the case passed */
    const char *type;    /* type of a failure or error; or NULL */
    const char *text;    /* further text, or NULL */
};
void iw_junit_case(struct iw_junit *junit, const struct iw_junit_case *one);
