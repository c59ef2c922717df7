#pragma once

#include <stdbool.h>

#include "iw_check.h"
#include "iw_tcp_segment.h"

/* Judges DDP over SCTP. The handlers get a struct iw_check_stream for each DDP Stream Session. */

struct iw_check_sctp;

/* Creates a judge that calls `event` and `stream_end` of `handlers` with `user`; neither may be NULL.
 * `memory` limits the open associations, the open sessions, and the user data that wait for earlier data
 * (struct iw_check_config); 0: defaults, and no limit for sessions. `counts` gets the packets dropped at a
 * limit and those with the Verification Tag of a different association. Returns NULL if memory runs out. */
struct iw_check_sctp *iw_check_sctp_new(const struct iw_monitor_config *config, uint64_t memory,
    const struct iw_check_handlers *handlers, void *user, struct iw_check_counts *counts);

/* Judges an SCTP packet from iw_packet_read. Returns false if memory ran out in this call or earlier. */
bool iw_check_sctp_packet(struct iw_check_sctp *sctp, const struct iw_tcp_segment *packet);

/* Ends all sessions, at the end of the input. Returns false if memory ran out at any time. */
bool iw_check_sctp_finish(struct iw_check_sctp *sctp);

void iw_check_sctp_free(struct iw_check_sctp *sctp);
