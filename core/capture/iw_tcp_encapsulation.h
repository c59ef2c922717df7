#pragma once

#include "iw_tcp_flow.h"

/* Finds the connection of a segment if several networks use the same addresses and ports: the scope of a
 * segment (iw_tcp_segment.h) identifies its network. Two tenants may have equal addresses, in two VLANs or
 * tunnels; to join their segments would give wrong verdicts. But one connection may have several scopes:
 * - MPLS labels and GTP tunnels differ between the directions, and so may VLANs (a mirror of several ports).
 * So each direction has its own scope. The first segment of a direction fits if it has the scope of the other
 * direction, or if its acknowledgement number fits.
 * - A capture on several interfaces, or on both sides of a router, shows a segment in two scopes; a changed
 * route changes a label. So a segment with a new scope fits if its sequence and acknowledgement numbers fit:
 * they start at random (RFC 9293 3.4.1). Copies of a segment look like retransmissions.
 *
 * A SYN in a different scope begins a new connection. But if one of the two scopes is 0 (none), a SYN with
 * the same sequence number is a copy. */

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

/* Stores the scope of the first segment of `side`. Call it for each segment that the flow takes. */
static inline void iw_tcp_encapsulation_note(
    struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    if (!(flow->scope_seen & 1u << side)) {
        flow->scope_seen |= (uint8_t)(1u << side);
        flow->scope[side] = segment->scope;
    }
}

/* Whether the segment has the scope that its direction had first: IW_TCP_FIT_SCOPE. */
static inline bool iw_tcp_encapsulation_same_scope(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    return flow->scope[side] == segment->scope && (flow->scope_seen & 1u << side);
}
