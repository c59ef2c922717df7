#ifndef IW_SCTP_BACKLOG_H
#define IW_SCTP_BACKLOG_H

#include "iw_sctp_route.h"

/* Packets of a route so far behind the one that it holds back that usrsctp would drop them. They are kept and
 * acknowledged as a network would have it that has lost nothing but that one (RFC 9260 3.3.4), so that the
 * peer can go on; once that has come usrsctp gets them. */

/* Whether a packet whose last DATA chunk is so many TSNs ahead of the one held back is to be kept. */
bool iw_sctp_backlog_wants(const struct iw_sctp_route *route, uint32_t ahead);

/* Keeps a copy; the packet is lost if there are too many, or there is no memory. */
void iw_sctp_backlog_put(struct iw_sctp_route *route, const uint8_t *octets, size_t length);

/* Gives them to usrsctp, from the loop, some at a time. */
void iw_sctp_backlog_release(struct iw_sctp_route *route);

void iw_sctp_backlog_drop(struct iw_sctp_route *route);

#endif
