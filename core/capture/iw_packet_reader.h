#pragma once

#include "iw_packet.h"
#include "iw_reassembly.h"

/* Reads a packet like iw_packet_find, but reassembles fragments, inside and outside of tunnels. When a
 * fragment completes its packet, the segment has the frame number of that fragment, and the payload is valid
 * until the next call. Returns IW_PACKET_FRAGMENT for a fragment of an incomplete packet, for a repeated
 * fragment, and if memory runs out; IW_PACKET_OTHER for a fragment of UDP without a tunnel. */
enum iw_packet_kind iw_packet_read(struct iw_reassembly *reassembly, const struct iw_packet *packet,
    struct iw_tcp_segment *segment, struct iw_packet_facts *facts);
