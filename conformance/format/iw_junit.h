#ifndef IW_JUNIT_H
#define IW_JUNIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* JUnit XML that most readers accept (cli/junit.xsd): <testsuites> with <testsuite>s, each with properties,
 * test cases and a text. Texts may contain any octets: invalid ones become '?'. Every function accepts
 * NULL, for a document that could not be begun. */

struct iw_junit;

/* Begins the document. NULL if there is no memory. */
struct iw_junit *iw_junit_new(FILE *out);

/* Ends the document. False if it is incomplete because memory ran out. `out` may still have failed. */
bool iw_junit_free(struct iw_junit *junit);

struct iw_junit_counts {
    unsigned tests, failures, errors, skipped;
};

/* Begins a suite; its properties follow. `time_ns` since 1970. */
void iw_junit_suite_begin(struct iw_junit *junit, const char *package, const char *name,
    struct iw_junit_counts counts, uint64_t time_ns, uint64_t duration_ns);
void iw_junit_property(struct iw_junit *junit, const char *name, const char *value);
void iw_junit_properties_end(struct iw_junit *junit);
void iw_junit_suite_end(struct iw_junit *junit, const char *text);

/* A test case: passed, unless one of the other functions is called between the two calls. */
void iw_junit_case_begin(struct iw_junit *junit, const char *group, const char *name, uint64_t duration_ns);
void iw_junit_case_end(struct iw_junit *junit);
void iw_junit_skipped(struct iw_junit *junit, const char *why);
void iw_junit_failure(struct iw_junit *junit, const char *type, const char *message, const char *text);
void iw_junit_error(struct iw_junit *junit, const char *type, const char *message, const char *text);

#endif
