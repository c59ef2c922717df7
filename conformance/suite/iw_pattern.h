#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A regular expression (PCRE2), for example of --only, --skip or --console-pattern. */

struct iw_pattern;

/* Compiles `text`. On failure returns NULL with one line in `error`. */
struct iw_pattern *iw_pattern_new(const char *text, char *error, size_t error_octets);
void iw_pattern_free(struct iw_pattern *pattern);

/* Whether the pattern matches in `subject`. Ignores letter case; ^ and $ match at each line. */
bool iw_pattern_found(const struct iw_pattern *pattern, const char *subject);
