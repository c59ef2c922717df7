#ifndef IW_FRAME_H
#define IW_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "iw_tcp_segment.h"

/* An Ethernet frame around a TCP segment: IPv4 (RFC 791) or IPv6 (RFC 8200), TCP (RFC 9293), checksums right.
 */

enum { IW_FRAME_MAX = 14 + 40 + 24 }; /* octets of headers */

/* Writes the frame of `segment`, whose payload is whole and at most 65,000 octets, into `octets`, which has
 * room for IW_FRAME_MAX more than the payload. A segment with SYN announces an MSS. Returns the size. */
size_t iw_frame_write(const struct iw_tcp_segment *segment, uint8_t *octets);

#endif
