#ifndef IW_TRANSPORT_H
#define IW_TRANSPORT_H

#include "iw_packet_walk.h"

/* TCP and SCTP, the last headers that are read in a packet. */

enum iw_packet_kind iw_transport_tcp(struct iw_packet_view view, struct iw_tcp_segment *segment);
enum iw_packet_kind iw_transport_sctp(struct iw_packet_view view, struct iw_tcp_segment *segment);

#endif
