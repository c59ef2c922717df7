#ifndef IW_NARRATE_H
#define IW_NARRATE_H

#include <stdbool.h>
#include <stdio.h>

#include "iw_monitor.h"

/* A conversation as lines for people. */

/* One line, without its end, about a startup frame, FPDU, loss or close: "Send, MSN 1, 16 octets". */
void iw_narrate_event(const struct iw_monitor_event *event, char *text, size_t capacity);

/* One line about a finding: "error RFC5044-4.4-11, frame 12: CRC is 0x..., expected 0x...". */
void iw_narrate_finding(const struct iw_finding *finding, char *text, size_t capacity);

#endif
