#pragma once

#include "iw_packet.h"

/* A shard: one of several parts of a check, which different machines can run. Each connection and each
 * association belongs to one shard, on every machine and in every version of the results. */

struct iw_check_shard {
    unsigned number; /* from 1 */
    unsigned count;  /* number of shards; 0: the check is not divided */
};

enum { IW_CHECK_EVERY_SHARD = 0 };

/* Returns the shard of a packet that iw_packet_find or iw_packet_read has read. TCP: by the addresses and
 * ports of both sides; an ICMP error about a segment belongs to the same shard. SCTP: by both ports, because
 * an association may have several addresses. A fragment has no ports before reassembly, and a port mapping
 * may be of any connection: IW_CHECK_EVERY_SHARD. All other packets belong to shard 1, which counts them. */
unsigned iw_check_shard_of(enum iw_packet_kind kind, const struct iw_tcp_segment *segment,
    const struct iw_packet_facts *facts, unsigned count);
