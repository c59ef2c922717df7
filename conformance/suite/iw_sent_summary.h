#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_monitor.h"

/* A summary of what one side sent, to compare two devices: the last startup frame, and the number of messages
 * and payload octets for each opcode. It leaves out the order of messages and the STags, which may differ. */

struct iw_sent_summary {
    unsigned startups;
    struct iw_mpa_startup startup; /* the last one */
    uint32_t messages[IW_RDMAP_OP_COUNT];
    uint64_t octets[IW_RDMAP_OP_COUNT];
};

/* Adds the startup frame or segment of the event, if it has one. */
void iw_sent_summary_event(struct iw_sent_summary *summary, const struct iw_monitor_event *event);

/* Returns whether the summaries differ. Writes the first difference, truncated to the buffer: "RDMA Read
 * Response: 3 of 120 octets, 2 of 80" if `a` has 3 messages with 120 octets in all, and `b` 2 with 80. */
bool iw_sent_summary_differ(
    const struct iw_sent_summary *a, const struct iw_sent_summary *b, char *text, size_t octets);
