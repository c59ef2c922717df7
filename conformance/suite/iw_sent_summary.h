#ifndef IW_SENT_SUMMARY_H
#define IW_SENT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_monitor.h"

/* What one side sent, reduced to what can be compared between devices: the startup frame, and for each
 * opcode the number of messages and payload octets. The order of messages of different kinds, and STags,
 * may differ. */

struct iw_sent_summary {
    unsigned startups;
    struct iw_mpa_startup startup; /* the latest */
    uint32_t messages[IW_RDMAP_OP_COUNT];
    uint64_t octets[IW_RDMAP_OP_COUNT];
};

/* Counts what the event shows as sent: startup frames, and messages and octets by opcode. */
void iw_sent_summary_event(struct iw_sent_summary *summary, const struct iw_monitor_event *event);

/* Whether there is a difference. Writes the first one, truncated to the buffer: "RDMA Read Response: 3
 * of 120 octets, 2 of 80" if `a` has 3 messages with 120 octets in all, and `b` 2 with 80. */
bool iw_sent_summary_differ(
    const struct iw_sent_summary *a, const struct iw_sent_summary *b, char *text, size_t octets);

#endif
