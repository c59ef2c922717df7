#pragma once

#include "iw_resync.h"
#include "iw_store.h"

/* Decides whether FPDUs really begin at a place found after a gap. Payload may contain FPDUs with good CRCs,
 * as when a capture of iWARP is copied over iWARP. So neither a good CRC nor a chain of adjoining FPDUs is
 * proof, unless the chain is longer than any FPDU that could contain it. */

/* Length in octets of the largest possible FPDU with its Markers (RFC 5044 4.1, 4.2). */
enum { IW_ALIGNMENT_FPDU_MAX = 65544 + 4 * 130 };

/* What is known about the stream around a place where FPDUs were found. */
struct iw_alignment_view {
    bool fin;            /* the sender has closed: a FIN follows the last octet */
    bool segmented;      /* so far, each TCP segment of the sender began with an FPDU */
    uint64_t whole_from; /* from this stream offset on, each piece of the store begins a TCP segment */
    uint32_t largest;    /* octets of the largest TCP segment of this side so far */
};

/* Octets of the smallest FPDU: a tagged segment without payload (RFC 5044 4.1, RFC 5041 4.2). */
enum { IW_ALIGNMENT_FPDU_MIN = 20 };

/* Returns a length in octets. A longer chain of FPDUs is proven: it cannot be payload of one FPDU. */
uint64_t iw_alignment_proof_octets(enum iw_crc_use crc);

/* TCP splits an FPDU that contains FPDUs only where a segment is full. So a shorter segment of whole FPDUs is
 * evidence (iw_alignment_counts). iw_alignment_segments: how many of them in a row are proof. */
bool iw_alignment_counts(uint32_t octets, uint32_t largest);
unsigned iw_alignment_segments(enum iw_crc_use crc, bool segmented);

/* Whether the FPDU has Markers, and the FPDUPTR of each points to its beginning (RFC 5044 4.3). This is proof
 * only if the startup fixes the place of each Marker. */
bool iw_alignment_by_markers(const struct iw_fpdu *fpdu);

/* Whether the FPDUs from octet `at` of the store, read as `resync` says, are proven: by the boundaries of TCP
 * segments, or by a chain that ends exactly at the FIN. */
bool iw_alignment_proven(const struct iw_resync *resync, const struct iw_store *store, uint32_t at,
    const struct iw_alignment_view *view);
