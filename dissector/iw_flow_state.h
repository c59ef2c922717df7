#pragma once

#include <stdbool.h>

#include "iw_icmp.h"

/* Judges every TCP connection of the capture file, on the first pass. In capture order, segments are
 * reassembled and go to a monitor for each connection; its events go to the frame store. Wireshark's TCP
 * preferences have no influence: the plugin and `warpcheck check` judge the same chunks. */

/* Call this function when a capture file is opened. */
void iw_flow_state_open(void);

/* Call this function for each frame, of any protocol: while a connection is silent, its capture goes on. */
void iw_flow_state_time(uint64_t time_ns);

/* Call this function after the last frame. Judges the octets that still wait for missing octets before them.
 */
void iw_flow_state_finish(void);

/* Call this function when the file is closed. Frees everything. */
void iw_flow_state_close(void);

enum iw_flow {
    IW_FLOW_OTHER, /* not recognised as iWARP so far */
    IW_FLOW_FOUND, /* iWARP: in the first report, at each SYN, and at the first segment after a SYN */
    IW_FLOW_IWARP,
};

struct iw_flow_report {
    enum iw_flow flow; /* if IW_FLOW_FOUND, the caller must claim the payload for iWARP */
    bool replaced; /* the segment ended an iWARP connection, usually an earlier one of the same addresses */
    bool limited;  /* a limit or a lack of memory: the segment was ignored, or octets are not judged */
};

/* Judges the next segment. `forced`: the user declares its connection to be iWARP. */
struct iw_flow_report iw_flow_state_segment(const struct iw_tcp_segment *segment, bool forced);

/* Takes an ICMP error about the segment: a fact of its connection. */
void iw_flow_state_rejected(const struct iw_tcp_segment *segment, const struct iw_icmp *icmp);
