#ifndef IW_SCTP_BACKLOG_H
#define IW_SCTP_BACKLOG_H

#include "iw_sctp_route.h"

/* Packets too far ahead of the one that a route holds back: usrsctp would drop them. They are kept, and
 * acknowledged as if the network had lost only that one (RFC 9260 3.3.4), so that the peer continues;
 * usrsctp gets them after that one arrives. */

/* Whether to keep a packet whose last DATA chunk is `ahead` TSNs after the one held back. */
bool iw_sctp_backlog_wants(const struct iw_sctp_route *route, uint32_t ahead);

/* Keeps a copy; drops the packet if there are too many or memory runs out. */
void iw_sctp_backlog_put(struct iw_sctp_route *route, const uint8_t *octets, size_t length);

/* Passes them to usrsctp from the loop, some at a time. */
void iw_sctp_backlog_release(struct iw_sctp_route *route);

void iw_sctp_backlog_drop(struct iw_sctp_route *route);

#endif
