#define PCRE2_CODE_UNIT_WIDTH 8

#include "iw_pattern.h"

#include <pcre2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATTERN_EFFORT_MAX = 200000 }; /* match limit of PCRE2 for one subject */

struct iw_pattern {
    pcre2_code *code;
    pcre2_match_context *context;
    _Atomic bool gave_up;
};

struct iw_pattern *iw_pattern_new(const char *text, char *error, size_t error_octets) {
    struct iw_pattern *pattern = calloc(1, sizeof *pattern);
    PCRE2_SIZE at;
    int reason;

    snprintf(error, error_octets, "out of memory");
    if (!pattern)
        return NULL;
    pattern->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
        PCRE2_CASELESS | PCRE2_MULTILINE | PCRE2_UTF, &reason, &at, NULL);
    if (!pattern->code) {
        PCRE2_UCHAR words[128] = "";

        pcre2_get_error_message(reason, words, sizeof words);
        snprintf(error, error_octets, "'%s', character %zu: %s", text, at + 1, (const char *)words);
        free(pattern);
        return NULL;
    }
    pattern->context = pcre2_match_context_create(NULL);
    if (!pattern->context) {
        iw_pattern_free(pattern);
        return NULL;
    }
    pcre2_set_match_limit(pattern->context, PATTERN_EFFORT_MAX);
    return pattern;
}

void iw_pattern_free(struct iw_pattern *pattern) {
    if (!pattern)
        return;
    pcre2_match_context_free(pattern->context);
    pcre2_code_free(pattern->code);
    free(pattern);
}

bool iw_pattern_found(const struct iw_pattern *pattern, const char *subject) {
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(pattern->code, NULL);
    int found = data ? pcre2_match(pattern->code, (PCRE2_SPTR)subject, PCRE2_ZERO_TERMINATED, 0, 0, data,
                           pattern->context)
                     : PCRE2_ERROR_NOMEMORY;

    if (found < 0 && found != PCRE2_ERROR_NOMATCH)
        ((struct iw_pattern *)(uintptr_t)pattern)->gave_up = true;
    pcre2_match_data_free(data);
    return found >= 0;
}

bool iw_pattern_gave_up(const struct iw_pattern *pattern) {
    return pattern && pattern->gave_up;
}
