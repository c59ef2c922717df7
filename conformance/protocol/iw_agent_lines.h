#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* Lines of the agent protocol: octets from TCP to JSON values, and back. */

struct iw_agent_lines {
    char *octets; /* of an incomplete line */
    size_t length;
    uint32_t capacity;
    size_t limit; /* octets of a line, with its newline; 0: IW_AGENT_LINE_MAX. `take` may change it */
};

/* Initialise a struct iw_agent_lines with zeros. */
void iw_agent_lines_dispose(struct iw_agent_lines *lines);

size_t iw_agent_lines_limit(const struct iw_agent_lines *lines);

/* The result of iw_agent_lines_feed. */
enum iw_agent_feed {
    IW_AGENT_FED,
    IW_AGENT_FEED_STOPPED,  /* `take` returned false */
    IW_AGENT_FEED_TOO_LONG, /* a line beyond the limit */
    IW_AGENT_FEED_NO_MEMORY,
};

/* Adds octets and passes each complete line to `take`: its JSON value, which `take` does not own, or
 * NULL with the reason in `error`. Skips empty lines. If `take` returns false, the remaining octets are
 * dropped. `take` may dispose `lines` only if it returns false. */
enum iw_agent_feed iw_agent_lines_feed(struct iw_agent_lines *lines, const uint8_t *octets, size_t length,
    bool (*take)(void *user, const json_t *value, const char *error), void *user);

/* The value as a line, with its newline but no NUL; releases the value. The caller frees the line. Returns
 * NULL if out of memory or `value` is NULL. */
char *iw_agent_lines_text(json_t *value, size_t *length);
