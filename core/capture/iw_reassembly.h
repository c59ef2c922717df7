#pragma once

#include "iw_packet.h"

/* Reassembles IP packets from fragments (RFC 791 3.2, RFC 8200 4.5). Where overlapping fragments differ, the
 * octets captured first are kept. Repeated fragments change nothing, even after their packet is complete; one
 * that differs then begins a new packet.
 * Identifications are reused (RFC 4963), so consecutive fragments more than IW_REASSEMBLY_FRAMES frames apart
 * belong to different packets. Of a packet
 * with truncated fragments, only the octets before its first missing octet count. */

enum {
    IW_REASSEMBLY_PACKETS = 256,  /* packets kept, complete ones too; a new packet replaces the oldest */
    IW_REASSEMBLY_FRAMES = 1024,  /* largest distance, in capture frames, between consecutive fragments */
    IW_REASSEMBLY_OCTETS = 65535, /* largest payload of a packet */
};

enum iw_reassembly_step {
    IW_REASSEMBLY_WAITS,     /* fragments are missing */
    IW_REASSEMBLY_WHOLE,     /* the packet is complete */
    IW_REASSEMBLY_REPEATED,  /* the packet is already complete, and the fragment repeats a part of it */
    IW_REASSEMBLY_OTHER,     /* part of a UDP datagram that is no tunnel; not kept */
    IW_REASSEMBLY_MALFORMED, /* offset or length is impossible */
    IW_REASSEMBLY_NO_MEMORY, /* no memory; the packet is dropped */
};

struct iw_reassembly;

/* Returns NULL if memory runs out. */
struct iw_reassembly *iw_reassembly_new(void);
void iw_reassembly_free(struct iw_reassembly *reassembly);

/* Takes a fragment of capture frame `frame`. With IW_REASSEMBLY_WHOLE *whole is the packet; its octets are
 * valid until the next call. With IW_REASSEMBLY_OTHER, `whole->offset` is the lower UDP port. `fragment` and
 * `whole` may be the same object. */
enum iw_reassembly_step iw_reassembly_add(struct iw_reassembly *reassembly,
    const struct iw_fragment *fragment, uint64_t frame, struct iw_fragment *whole);

struct iw_reassembly_counts {
    uint64_t fragments; /* fragments of packets that are not complete */
    uint64_t differing; /* fragments that contradict an earlier fragment of their packet */
    bool no_memory;     /* memory has run out */
};
struct iw_reassembly_counts iw_reassembly_counts(const struct iw_reassembly *reassembly);
