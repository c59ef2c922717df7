#ifndef IW_DDP_EARLY_H
#define IW_DDP_EARLY_H

#include "iw_sctp.h"

/* Chunks of one DDP Stream Session that arrived out of order (RFC 5043 10), by DDP-SSN. */

enum {
    IW_DDP_SSNS_AHEAD = 32768,         /* a DDP-SSN this far ahead of the next one is impossible */
    IW_DDP_EARLY_OCTETS_MAX = 8 << 20, /* of early chunks, in all sessions of an association */
};

struct iw_ddp_early_chunk {
    uint32_t ppid;
    uint32_t length; /* octets */
    uint8_t octets[];
};

struct iw_ddp_early {
    struct iw_ddp_early_chunk **chunks; /* by DDP-SSN modulo IW_DDP_SSNS_AHEAD; NULL: empty */
};

/* Keeps a copy of the message, unless one with the same DDP-SSN is kept. `octets` counts the early octets of
 * all sessions of the association. Returns false at the limit of octets, or if memory runs out. */
bool iw_ddp_early_keep(
    struct iw_ddp_early *early, size_t *octets, const struct iw_sctp_message *message, uint16_t ssn);

/* Removes the chunk of that DDP-SSN; the caller frees it. Returns NULL if it has not arrived. */
struct iw_ddp_early_chunk *iw_ddp_early_take(struct iw_ddp_early *early, size_t *octets, uint16_t ssn);

/* Frees all chunks. */
void iw_ddp_early_drop(struct iw_ddp_early *early, size_t *octets);

#endif
