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

/* Whether a search was given up, because it took too long or memory ran out: what it found is then unknown.
 * The options of a bundle have a pattern that somebody else wrote. */
bool iw_pattern_gave_up(const struct iw_pattern *pattern);
