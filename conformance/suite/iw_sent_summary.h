#ifndef IW_SENT_SUMMARY_H
#define IW_SENT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_monitor.h"

/* What one side has said, as far as it can be held against what another device says to the same: its startup
 * frame, and how many messages of each opcode with how many octets of payload. In which order messages of
 * different kinds come is left to a device, and STags are its own. */

struct iw_sent_summary {
    unsigned startups;
    struct iw_mpa_startup startup; /* the latest */
    uint32_t messages[IW_RDMAP_OP_COUNT];
    uint64_t octets[IW_RDMAP_OP_COUNT];
};

void iw_sent_summary_event(struct iw_sent_summary *said, const struct iw_monitor_event *event);

/* Whether there is a difference; writes the first one, as much as there is room for: "Read Response: 3 of 120
 * octets, 2 of 80". */
bool iw_sent_summary_differ(
    const struct iw_sent_summary *a, const struct iw_sent_summary *b, char *text, size_t octets);

#endif
