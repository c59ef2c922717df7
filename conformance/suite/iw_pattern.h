#ifndef IW_PATTERN_H
#define IW_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* A regular expression (PCRE2) of --only and --skip. */

struct iw_pattern;

/* Returns NULL with one line in `error` if `text` is not a regular expression. */
struct iw_pattern *iw_pattern_new(const char *text, char *error, size_t error_octets);
void iw_pattern_free(struct iw_pattern *pattern);

/* Whether `subject` matches, ignoring case; ^ and $ match at each line. */
bool iw_pattern_found(const struct iw_pattern *pattern, const char *subject);

#endif
