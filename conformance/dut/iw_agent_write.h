#ifndef IW_AGENT_WRITE_H
#define IW_AGENT_WRITE_H

#include <stdbool.h>

#include <jansson.h>

#include "iw_port.h"

/* Writes the value as a line of the agent protocol, and releases it. Returns false if out of memory or
 * `value` is NULL. */
bool iw_agent_write_line(struct iw_port *port, json_t *value);

#endif
