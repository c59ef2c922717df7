#ifndef IW_FLOW_STATE_H
#define IW_FLOW_STATE_H

#include <stdbool.h>

#include "iw_tcp_segment.h"

/* Judges every TCP connection of the capture file, once, on the first pass: segments in capture order go
 * through reassembly into a monitor for each connection, and what that says goes to the frame store. It does
 * not depend on how TCP is shown, so that the plugin and `warpcheck check` judge the same chunks. */

/* A file is opened. */
void iw_flow_state_open(void);

/* All frames of the file have been seen: hands over what still waits for missing octets. */
void iw_flow_state_finish(void);

/* The file is closed: releases everything. */
void iw_flow_state_close(void);

/* True if the last segment has ended a connection that was iWARP: what it belongs to has the same addresses.
 */
bool iw_flow_state_replaced(void);

/* What a connection is, as far as it was seen. */
enum iw_flow {
    IW_FLOW_OTHER, /* not iWARP, or not yet */
    IW_FLOW_FOUND, /* iWARP, and that was not said before, or not since a SYN */
    IW_FLOW_IWARP,
};

/* Takes the next segment; with `forced` its connection is known to be iWARP. Returns what the connection is;
 * *limited is true if the segment was too much for a limit: it is left out, and IW_FLOW_OTHER, or octets
 * before it that iWARP waited for are given up. */
enum iw_flow iw_flow_state_segment(const struct iw_tcp_segment *segment, bool forced, bool *limited);

#endif
