#include "iw_agent_write.h"

#include <stdlib.h>

#include "iw_agent_lines.h"

bool iw_agent_write_line(struct iw_port *port, json_t *value) {
    size_t length;
    char *text = iw_agent_lines_text(value, &length);
    bool written = text && iw_port_write(port, (const uint8_t *)text, length) == IW_OK;

    free(text);
    return written;
}
