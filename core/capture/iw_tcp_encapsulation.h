#ifndef IW_TCP_ENCAPSULATION_H
#define IW_TCP_ENCAPSULATION_H

#include "iw_tcp_flow.h"

/* Whose connection a segment is of, where the same addresses and ports are in several networks: the scope of
 * a segment (iw_tcp_segment.h) says what was around it.
 *
 * Two tenants may have equal addresses, in two VLANs, VXLANs, MPLS VPNs ...: to take their segments for one
 * connection would be a wrong verdict. But the scope of one connection is not one value:
 * - MPLS labels and GTP tunnels differ between the directions, and so may VLANs (a mirror of several ports).
 *   So each direction has a scope of its own. The first of a direction is taken to be the other's, or else is
 *   told by its acknowledgement.
 * - A mirror, or a capture on all interfaces of a host, shows a segment with a tag or tunnel and again
 * without; a capture on both sides of a router shows it in two VLANs; a route changes, and with it a label.
 * So a scope that is new to a direction does not decide. The sequence and acknowledgement numbers do: they
 * are random at the beginning (RFC 9293 3.4.1), so that two connections hardly have numbers near each other.
 * Copies of a segment are then one connection whose segments were sent again, as they look.
 *
 * A SYN in another scope begins a connection, whatever its number: where both scopes are known from their
 * SYNs, even equal numbers are told apart. Only where one of the two has no scope a SYN with the same number
 * is a copy. */

/* How well a segment fits a flow, from worst to best. */
enum iw_tcp_fit {
    IW_TCP_FIT_NONE,
    IW_TCP_FIT_NUMBERS, /* the sequence and acknowledgement numbers fit */
    IW_TCP_FIT_PARTNER, /* it has the scope of the other direction, and its own direction has not been seen */
    IW_TCP_FIT_SCOPE,
};

/* How well `segment`, sent by `side` between the addresses of `flow`, fits the flow. */
enum iw_tcp_fit iw_tcp_encapsulation_fit(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment);

/* Notes that the flow has taken the segment. */
static inline void iw_tcp_encapsulation_note(
    struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    if (!(flow->scope_seen & 1u << side)) {
        flow->scope_seen |= (uint8_t)(1u << side);
        flow->scope[side] = segment->scope;
    }
}

/* True if the segment has the scope of the flow: IW_TCP_FIT_SCOPE. */
static inline bool iw_tcp_encapsulation_is(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    return flow->scope[side] == segment->scope && (flow->scope_seen & 1u << side);
}

#endif
