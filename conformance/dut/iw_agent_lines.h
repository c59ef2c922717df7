#ifndef IW_AGENT_LINES_H
#define IW_AGENT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "iw_port.h"

/* Lines of the agent's protocol: octets from TCP into JSON values, and back. */

struct iw_agent_lines {
    char *octets; /* of a line that has not ended */
    size_t length, capacity;
};

/* All zero is a new one. */
void iw_agent_lines_dispose(struct iw_agent_lines *lines);

/* Why iw_agent_lines_feed has stopped. */
enum iw_agent_feed {
    IW_AGENT_FED,
    IW_AGENT_FEED_STOPPED,  /* `take` returned false */
    IW_AGENT_FEED_TOO_LONG, /* a line of more than IW_AGENT_LINE_MAX octets */
    IW_AGENT_FEED_NO_MEMORY,
};

/* Adds octets, and hands each line that is whole to `take`: its JSON value, which stays the caller's, or NULL
 * with what is wrong with it in `error`. Lines without any octets are left out. What is there when `take`
 * returns false is lost; `take` may not dispose `lines`. */
enum iw_agent_feed iw_agent_lines_feed(struct iw_agent_lines *lines, const uint8_t *octets, size_t length,
    bool (*take)(void *user, const json_t *value, const char *error), void *user);

/* Writes the value as a line, and releases it. False if there is no memory, or `value` is NULL. */
bool iw_agent_lines_write(struct iw_port *port, json_t *value);

#endif
