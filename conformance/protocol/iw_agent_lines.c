#include "iw_agent_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_agent_operation.h"
#include "iw_array.h"
#include "iw_json_memory.h"

void iw_agent_lines_dispose(struct iw_agent_lines *lines) {
    free(lines->octets);
    *lines = (struct iw_agent_lines){0};
}

/* Parses the buffered line, which has no newline, and passes it to `take`. jansson limits the nesting. */
static bool lines_parse(struct iw_agent_lines *lines,
    bool (*take)(void *user, const json_t *value, const char *error), void *user) {
    json_error_t error;
    char text[JSON_ERROR_TEXT_LENGTH + 32];
    json_t *value;
    bool more;

    if (lines->length > 0 && lines->octets[lines->length - 1] == '\r')
        lines->length--;
    if (lines->length == 0)
        return true;
    value = iw_json_read(lines->octets, lines->length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    snprintf(text, sizeof text, "not JSON: %s", value ? "" : error.text);
    lines->length = 0;
    more = take(user, value, text);
    json_decref(value);
    return more;
}

size_t iw_agent_lines_limit(const struct iw_agent_lines *lines) {
    return lines->limit > 0 ? lines->limit : IW_AGENT_LINE_MAX;
}

enum iw_agent_feed iw_agent_lines_feed(struct iw_agent_lines *lines, const uint8_t *octets, size_t length,
    bool (*take)(void *user, const json_t *value, const char *error), void *user) {
    while (length > 0) {
        const uint8_t *end = memchr(octets, '\n', length);
        size_t part = end ? (size_t)(end - octets) : length;

        if (lines->length + part + 1 > iw_agent_lines_limit(lines))
            return IW_AGENT_FEED_TOO_LONG;
        if (!iw_array_reserve(&lines->octets, &lines->capacity, lines->length + part, 1))
            return IW_AGENT_FEED_NO_MEMORY;
        if (part > 0)
            memcpy(lines->octets + lines->length, octets, part);
        lines->length += part;
        if (end && !lines_parse(lines, take, user))
            return IW_AGENT_FEED_STOPPED;
        part += end != NULL;
        octets += part;
        length -= part;
    }
    return IW_AGENT_FED;
}

char *iw_agent_lines_text(json_t *value, size_t *length) {
    char *text = value ? json_dumps(value, JSON_COMPACT) : NULL;

    json_decref(value);
    *length = text ? strlen(text) : 0;
    if (text)
        text[(*length)++] = '\n'; /* replaces the NUL */
    return text;
}
