#ifndef IW_FLOW_STATE_H
#define IW_FLOW_STATE_H

#include <stdbool.h>

#include "iw_tcp_segment.h"

/* Judges every TCP connection of the capture file once, on the first pass: segments go in capture order
 * through reassembly into one monitor per connection, whose events go to the frame store. Wireshark's TCP
 * preferences have no influence, so the plugin and `warpcheck check` judge the same chunks. */

/* Call when a capture file is opened. */
void iw_flow_state_open(void);

/* Call after the last frame: judges the octets that still wait for missing ones. */
void iw_flow_state_finish(void);

/* Call when the file is closed: releases everything. */
void iw_flow_state_close(void);

enum iw_flow {
    IW_FLOW_OTHER, /* not recognised as iWARP so far */
    IW_FLOW_FOUND, /* iWARP: for the first report, for each SYN, and for the first segment after a SYN */
    IW_FLOW_IWARP,
};

struct iw_flow_report {
    enum iw_flow flow; /* FOUND, IWARP: its connection is iWARP; FOUND: the caller must claim the payload */
    bool replaced; /* the segment ended an iWARP connection, usually an earlier one with the same addresses */
    bool limited;  /* a limit was reached: the segment is ignored (IW_FLOW_OTHER), or octets of its connection
                      are not judged */
};

/* Processes the next segment. `forced`: the user declares its connection to be iWARP. */
struct iw_flow_report iw_flow_state_segment(const struct iw_tcp_segment *segment, bool forced);

#endif
