#pragma once

#include "iw_fpdu.h"

/* Finds where FPDUs begin in octets with unknown framing: after a gap, or without a captured startup. MPA
 * has no synchronisation pattern (RFC 5044 2). So a place is accepted only if a possible DDP header follows
 * ULPDU_Length and, where CRCs may be in use, the CRC is correct. */

struct iw_resync {
    const uint8_t *octets;
    uint32_t length;
    uint64_t offset; /* stream offset of octets[0] */
    bool markers;
    bool revision_0; /* DV and RV may also be 0 (RFC 5044 C) */
    enum iw_crc_use crc;
    bool aligned;        /* `origin` is known: every FPDU starts a multiple of 4 octets from it */
    uint64_t origin;     /* stream offset of the first octet of full operation */
    unsigned proofs;     /* complete and correct FPDUs required in a row */
    uint32_t span;       /* minimum total length, in octets, of the FPDUs that `proofs` requires */
    unsigned extensions; /* documents whose opcodes are accepted */
    uint64_t spent;      /* octets that earlier searches read for CRCs, minus the octets allowed */
};

/* Limits of CRC work. Each possible header costs a CRC over its FPDU, and hostile octets may be full of them.
 * So all CRCs together may cover a few FPDUs plus this many times the octets tried. */
enum { IW_RESYNC_SUM_SHARE = 16, IW_RESYNC_SUM_ALLOWANCE = 4 * 65536 };

enum iw_resync_outcome { IW_RESYNC_FOUND, IW_RESYNC_MORE, IW_RESYNC_NONE, IW_RESYNC_EITHER };

/* Progress of a search, zeroed at its start and kept while octets are added: no CRC is computed twice. */
struct iw_resync_progress {
    uint32_t tried;   /* octets, from the first on, at which no FPDU can start */
    uint32_t chained; /* end of the chain of FPDUs that starts at `tried` */
    unsigned proofs;  /* number of FPDUs in the chain */
    uint64_t summed;  /* octets that went into CRCs */
};

/* Searches for the first credible FPDU in the octets; later calls may pass the same octets and more. `ended`:
 * no more octets will come, so fewer FPDUs than `proofs` may be enough. FOUND: the FPDU starts at octet
 * `progress->tried`. MORE: needs more octets. NONE: the limit of CRC work is reached; give up. */
enum iw_resync_outcome iw_resync_find(
    const struct iw_resync *resync, bool ended, struct iw_resync_progress *progress);

/* As iw_resync_find, but only for an FPDU that starts at the first octet. NONE: no FPDU starts there. */
enum iw_resync_outcome iw_resync_at(
    const struct iw_resync *resync, bool ended, struct iw_resync_progress *progress);

/* As iw_resync_find, but with Markers at unknown places: octets count as a Marker if the FPDU that FPDUPTR
 * points to (RFC 5044 4.3), and the FPDUs after it, are credible. FOUND: an FPDU, perhaps not the first, is
 * at octet `*start`; Markers count from stream offset `*origin` modulo 512. Skips an ambiguous FPDU. */
enum iw_resync_outcome iw_resync_find_marked(const struct iw_resync *resync, bool ended,
    struct iw_resync_progress *progress, uint64_t *origin, uint32_t *start);

/* As iw_resync_at, but for an FPDU that has a Marker at an unknown place. FOUND: Markers count from stream
 * offset `*origin` modulo 512. EITHER: the place is ambiguous, because another field looks like a Marker
 * (such as an MSN of 12, 12 octets after ULPDU_Length), and the CRC covers Markers too (RFC 5044 4.4). With
 * FOUND and EITHER, `*wire` is the size of the FPDU. */
enum iw_resync_outcome iw_resync_at_marked(const struct iw_resync *resync, bool ended,
    struct iw_resync_progress *progress, uint64_t *origin, uint32_t *wire);

/* Whether reading can continue at the first octet, after an FPDU with a wrong CRC and perhaps length. FOUND:
 * the header is possible, or the CRC is correct, or `ended` and the header is incomplete. Others as above. */
enum iw_resync_outcome iw_resync_continues(
    const struct iw_resync *resync, bool ended, struct iw_resync_progress *progress);

/* Whether the header at the first octet is possible: FOUND or NONE. MORE: it is incomplete. */
enum iw_resync_outcome iw_resync_begins(const struct iw_resync *resync);

/* Whether no FPDU begins at the first octet, even if one octet were damaged. FOUND: two fields or more are
 * wrong, and so is the CRC. NONE: an FPDU may begin there. MORE: the header is incomplete. */
enum iw_resync_outcome iw_resync_begins_otherwise(
    const struct iw_resync *resync, struct iw_resync_progress *progress);

/* Searches for the first credible FPDU that starts 1 to `limit` octets after the first octet. Its Markers
 * count from its own start. If no CRC is in use, a single FPDU is accepted only with `ended`, and only if it
 * fills the octets or another header follows. FOUND: the FPDU starts at octet `progress->tried`. NONE also if
 * this FPDU starts where an FPDU at the first octet would end, as nothing is shifted then. MORE as above. */
enum iw_resync_outcome iw_resync_find_shifted(
    const struct iw_resync *resync, uint32_t limit, bool ended, struct iw_resync_progress *progress);

/* Whether the incomplete header at the first octet is possible, if its missing octets will not come. False
 * without both control octets. */
bool iw_resync_begins_cut(const struct iw_resync *resync);

/* Whether the header of an FPDU is valid, so that a peer may have sent it. */
bool iw_resync_could_be(const struct iw_resync *resync, const struct iw_fpdu *fpdu);
