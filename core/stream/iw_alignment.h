#ifndef IW_ALIGNMENT_H
#define IW_ALIGNMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_resync.h"
#include "iw_store.h"

/* Weighs a place, found after a gap, where FPDUs seem to begin. Payload may hold FPDUs with good CRCs, too: a
 * capture of iWARP that is copied over iWARP. So neither a good CRC nor a chain of FPDUs proves a place,
 * unless the chain is longer than any FPDU that could contain it. */

/* Octets of the largest FPDU in the stream, its Markers included (RFC 5044 4.1, 4.2). */
enum { IW_ALIGNMENT_FPDU_MAX = 65544 + 4 * 130 };

/* What is known where FPDUs are looked for. */
struct iw_alignment_view {
    bool fin;            /* the sender has closed: a FIN follows the last octet */
    bool segmented;      /* each TCP segment of the sender began with an FPDU so far */
    uint64_t whole_from; /* stream offset from which the store holds TCP segments from their first octet on */
    uint32_t largest;    /* octets of the largest TCP segment of this side so far */
};

/* Octets that a chain of FPDUs has to be longer than, to prove by its length alone that it is no payload. */
uint64_t iw_alignment_proof_octets(enum iw_crc_use crc);

/* FPDUs that contain others are cut by TCP where a segment is full. So a shorter segment that begins with an
 * FPDU and ends with the end of one counts, and so many of them in a row prove the place. */
bool iw_alignment_counts(uint32_t octets, uint32_t largest);
unsigned iw_alignment_segments(enum iw_crc_use crc, bool segmented);

/* Where the place of each Marker is known from the startup, one that points to the FPDU proves it: that one
 * may have begun in the gap only if the Marker says so (RFC 5044 4.3). */
bool iw_alignment_by_markers(const struct iw_fpdu *fpdu);

/* Whether the FPDUs that begin at octet `at` of the store, and are read as `resync` says, are proven by the
 * TCP segments that are there, or because a chain of them ends just at the FIN. */
bool iw_alignment_proven(const struct iw_resync *resync, const struct iw_store *store, uint32_t at,
    const struct iw_alignment_view *view);

#endif
