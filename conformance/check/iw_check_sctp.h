#ifndef IW_CHECK_SCTP_H
#define IW_CHECK_SCTP_H

#include <stdbool.h>

#include "iw_check.h"
#include "iw_tcp_segment.h"

/* Judges DDP over SCTP: the handlers get each DDP Stream Session as one iw_check_stream, like a TCP
 * connection. */

struct iw_check_sctp;

/* Calls `event` and `stream_end` of `handlers` with `user`; neither may be NULL. `memory` limits
 * the associations and, separately, the sessions that are open at once, and the user data that wait
 * (struct iw_check_config); 0: defaults, and no limit for sessions. `counts` gets the packets dropped at a
 * limit, and those with a Verification Tag of a different association. Returns NULL if memory runs out. */
struct iw_check_sctp *iw_check_sctp_new(const struct iw_monitor_config *config, uint64_t memory,
    const struct iw_check_handlers *handlers, void *user, struct iw_check_counts *counts);

/* Takes an SCTP packet as iw_packet_read returns it. Returns false if memory ran out. */
bool iw_check_sctp_packet(struct iw_check_sctp *sctp, const struct iw_tcp_segment *packet);

/* The input has ended: ends all sessions. Returns false if memory ran out at any time. */
bool iw_check_sctp_finish(struct iw_check_sctp *sctp);

/* NULL is allowed. */
void iw_check_sctp_free(struct iw_check_sctp *sctp);

#endif
