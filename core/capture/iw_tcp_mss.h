#ifndef IW_TCP_MSS_H
#define IW_TCP_MSS_H

#include <stddef.h>
#include <stdint.h>

/* The Maximum Segment Size among `count` octets of TCP options, as far as they are there (RFC 9293 3.2); 0 if
 * it is not announced. */
uint16_t iw_tcp_mss(const uint8_t *options, size_t count);

#endif
