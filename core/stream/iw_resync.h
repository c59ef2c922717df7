#ifndef IW_RESYNC_H
#define IW_RESYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_fpdu.h"

/* Finds where FPDUs begin in octets whose framing is not known: behind a gap, or in a conversation whose
 * startup was not captured. MPA has no mark for it (RFC 5044 2), so a place is believed only if the DDP
 * header behind ULPDU_Length could be one and, where the CRC can be in use, it is right. */

struct iw_resync {
    bool markers;
    enum iw_crc_use crc;
    bool aligned;        /* `origin` is known: every FPDU starts a multiple of 4 octets from it */
    uint64_t origin;     /* stream offset of the first octet of full operation */
    unsigned proofs;     /* FPDUs in a row that must be whole and right */
    unsigned extensions; /* documents whose opcodes are believed */
};

enum iw_resync_outcome { IW_RESYNC_FOUND, IW_RESYNC_MORE, IW_RESYNC_NONE };

/* Looks for the first believable FPDU at or behind octet `*from` of `length` octets that begin at stream
 * offset `offset`. With `ended` no further octets will come, and one whole FPDU is proof enough. FOUND:
 * `*from` is its octet. MORE: `*from` is the first octet that further octets may still prove. NONE: the
 * octets cannot be told apart at a reasonable cost; give up. */
enum iw_resync_outcome iw_resync_find(const struct iw_resync *resync, const uint8_t *octets, uint32_t length,
    uint64_t offset, bool ended, uint32_t *from);

#endif
