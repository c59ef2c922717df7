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

/* How far a search has come; zeroed at its start. Kept between calls with more and more octets, so that none
 * is summed twice for the same place. */
struct iw_resync_progress {
    uint32_t tried;   /* octets from the first on that cannot be the start of an FPDU */
    uint32_t chained; /* end of the FPDUs that follow each other from `tried` on */
    unsigned proofs;  /* how many they are */
    uint64_t summed;  /* octets that went into a CRC */
};

/* Looks for the first believable FPDU in `length` octets that begin at stream offset `offset`; in further
 * calls they may be more, but begin with the same. With `ended` no further octets will come, and one whole
 * FPDU is proof enough. FOUND: it starts at octet `progress->tried`. MORE: further octets are needed. NONE:
 * the octets cannot be told apart at a reasonable cost; give up. */
enum iw_resync_outcome iw_resync_find(const struct iw_resync *resync, const uint8_t *octets, uint32_t length,
    uint64_t offset, bool ended, struct iw_resync_progress *progress);

#endif
