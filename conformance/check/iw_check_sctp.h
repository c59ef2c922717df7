#ifndef IW_CHECK_SCTP_H
#define IW_CHECK_SCTP_H

#include <stdbool.h>

#include "iw_check.h"
#include "iw_tcp_segment.h"

/* The part of a check that reads SCTP: each DDP Stream Session is a stream of its own. */

struct iw_check_sctp;

/* Calls `note`, `event` and `stream_end` of `handlers`, none of which is NULL, with `user`, for all events;
 * what a limit has dropped is counted in `counts`. NULL if there is no memory. */
struct iw_check_sctp *iw_check_sctp_new(const struct iw_monitor_config *config,
    const struct iw_check_handlers *handlers, void *user, struct iw_check_counts *counts);

/* Takes a packet as iw_packet_decode finds it. False: there was no memory for it. */
bool iw_check_sctp_packet(struct iw_check_sctp *sctp, const struct iw_tcp_segment *packet);

/* The input has ended: ends all sessions. Returns false if memory ran out at any time. */
bool iw_check_sctp_finish(struct iw_check_sctp *sctp);

/* NULL is allowed. */
void iw_check_sctp_free(struct iw_check_sctp *sctp);

#endif
