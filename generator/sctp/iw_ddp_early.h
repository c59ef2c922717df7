#ifndef IW_DDP_EARLY_H
#define IW_DDP_EARLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_sctp.h"

/* Chunks of one DDP Stream Session that have overtaken others sent before them (RFC 5043 10): they wait here,
 * by DDP-SSN. */

enum {
    IW_DDP_SSNS_AHEAD = 32768,         /* a DDP-SSN that is so far ahead of the next one cannot be */
    IW_DDP_EARLY_OCTETS_MAX = 8 << 20, /* that wait, of all sessions of an association */
};

struct iw_ddp_early_chunk {
    uint32_t ppid;
    uint32_t length; /* octets */
    uint8_t octets[];
};

/* All zero: nothing waits. */
struct iw_ddp_early {
    struct iw_ddp_early_chunk **chunks; /* by DDP-SSN modulo IW_DDP_SSNS_AHEAD; NULL: none yet */
};

/* Keeps a copy; one that is there already counts as kept. `octets` is what waits in all sessions of the
 * association. Returns false if there is no room. */
bool iw_ddp_early_keep(
    struct iw_ddp_early *early, size_t *octets, const struct iw_sctp_message *message, uint16_t ssn);

/* Takes out the chunk of that DDP-SSN, which is the caller's to free; NULL if it has not come. */
struct iw_ddp_early_chunk *iw_ddp_early_take(struct iw_ddp_early *early, size_t *octets, uint16_t ssn);

/* Releases all that waits. */
void iw_ddp_early_drop(struct iw_ddp_early *early, size_t *octets);

#endif
