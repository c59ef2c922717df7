#ifndef IW_TCP_OPTION_H
#define IW_TCP_OPTION_H

#include <stddef.h>
#include <stdint.h>

/* The options of a TCP header that count for the order of streams, among `count` octets of options, as far as
 * they were captured (RFC 9293 3.2). */

/* The Maximum Segment Size; 0 if it is not announced. */
uint16_t iw_tcp_option_mss(const uint8_t *options, size_t count);

/* How many octets lie between the acknowledgement number `ack` and the end of the farthest block of a SACK
 * option (RFC 2018 3): octets up to there have been received. 0 without such a block; a block below `ack`
 * reports a duplicate (RFC 2883 4). */
uint32_t iw_tcp_option_sacked(const uint8_t *options, size_t count, uint32_t ack);

#endif
