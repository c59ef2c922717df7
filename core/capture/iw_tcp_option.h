#pragma once

#include <stddef.h>
#include <stdint.h>

/* Reads the TCP options MSS and SACK (RFC 9293 3.2). `count`: captured octets of options. */

/* Kinds and lengths in octets. */
enum {
    IW_TCP_OPTION_END = 0,
    IW_TCP_OPTION_NONE = 1, /* No-Operation; without a length */
    IW_TCP_OPTION_MSS = 2,
    IW_TCP_OPTION_SACK = 5,
    IW_TCP_OPTION_HEADER_OCTETS = 2, /* kind and length */
    IW_TCP_OPTION_MSS_OCTETS = 4,
    IW_TCP_OPTION_SACK_BLOCK_OCTETS = 8,
};

/* Returns the Maximum Segment Size, or 0 if it is not announced. */
uint16_t iw_tcp_option_mss(const uint8_t *options, size_t count);

/* Returns the octets from the acknowledgement number `ack` to the end of the farthest SACK block (RFC 2018
 * 3); 0 if no block ends after `ack`. A block before `ack` reports a duplicate (RFC 2883 4). */
uint32_t iw_tcp_option_sacked(const uint8_t *options, size_t count, uint32_t ack);
