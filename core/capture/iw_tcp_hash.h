#ifndef IW_TCP_HASH_H
#define IW_TCP_HASH_H

#include <stdint.h>

#include "iw_tcp_segment.h"

/* A hash of both addresses, the same for both directions. The key is secret, so a crafted capture cannot
 * put all connections into one bucket. */
uint64_t iw_tcp_hash(
    const uint64_t key[2], const struct iw_tcp_address *one, const struct iw_tcp_address *other);

#endif
