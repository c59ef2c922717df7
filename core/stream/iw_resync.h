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
    bool revision_0; /* DV and RV may also be 0 (RFC 5044 C) */
    enum iw_crc_use crc;
    bool aligned;        /* `origin` is known: every FPDU starts a multiple of 4 octets from it */
    uint64_t origin;     /* stream offset of the first octet of full operation */
    unsigned proofs;     /* FPDUs in a row that must be whole and right */
    uint32_t span;       /* octets that these must fill, at least */
    unsigned extensions; /* documents whose opcodes are believed */
    uint64_t spent;      /* octets that earlier searches have summed beyond their share */
};

/* Headers that could be one but whose CRC is wrong cost a sum over the FPDU they claim. Hostile octets could
 * be full of them, so the sums together may be as long as a few FPDUs and this many times the octets tried.
 */
enum { IW_RESYNC_SUM_SHARE = 16, IW_RESYNC_SUM_ALLOWANCE = 4 * 65536 };

enum iw_resync_outcome { IW_RESYNC_FOUND, IW_RESYNC_MORE, IW_RESYNC_NONE, IW_RESYNC_EITHER };

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
 * FPDU is proof enough, if it fills the span. FOUND: it starts at octet `progress->tried`. MORE: further
 * octets are needed. NONE: the octets cannot be told apart at a reasonable cost; give up. */
enum iw_resync_outcome iw_resync_find(const struct iw_resync *resync, const uint8_t *octets, uint32_t length,
    uint64_t offset, bool ended, struct iw_resync_progress *progress);

/* The same, but only for an FPDU that starts at the first octet. NONE: there is none. */
enum iw_resync_outcome iw_resync_at(const struct iw_resync *resync, const uint8_t *octets, uint32_t length,
    uint64_t offset, bool ended, struct iw_resync_progress *progress);

/* The same among Markers whose places are not known: a Marker is taken for one if the FPDU that its FPDUPTR
 * points to (RFC 5044 4.3), and those behind it, are believable. FOUND: one starts at octet `*start`, and
 * Markers count from stream offset `*origin` modulo 512; there may be earlier FPDUs. One that leaves a choice
 * is passed over. */
enum iw_resync_outcome iw_resync_find_marked(const struct iw_resync *resync, const uint8_t *octets,
    uint32_t length, uint64_t offset, bool ended, struct iw_resync_progress *progress, uint64_t *origin,
    uint32_t *start);

/* The same for an FPDU that starts at the first octet and holds a Marker, whose place is not known. FOUND:
 * Markers count from stream offset `*origin` modulo 512. EITHER: a field that looks like one (an MSN of 12
 * stands 12 octets behind ULPDU_Length) leaves a choice, because the CRC is over Markers too (RFC 5044 4.4).
 * With both, `*wire` is the size of the FPDU. */
enum iw_resync_outcome iw_resync_at_marked(const struct iw_resync *resync, const uint8_t *octets,
    uint32_t length, uint64_t offset, bool ended, struct iw_resync_progress *progress, uint64_t *origin,
    uint32_t *wire);

/* Whether reading can go on at the first octet, behind an FPDU whose CRC is wrong and whose ULPDU_Length may
 * be too. FOUND: its header could be one, or its CRC is right, or with `ended` so little is there that nobody
 * can tell. MORE, NONE as above. */
enum iw_resync_outcome iw_resync_goes_on(const struct iw_resync *resync, const uint8_t *octets,
    uint32_t length, uint64_t offset, bool ended, struct iw_resync_progress *progress);

/* Whether the header at the first octet could be one: FOUND, or NONE. MORE: it is not there. */
enum iw_resync_outcome iw_resync_begins(
    const struct iw_resync *resync, const uint8_t *octets, uint32_t length, uint64_t offset);

/* Whether no FPDU begins at the first octet, even if any one of its octets were damaged: at least two fields
 * are wrong, and the CRC is not correct. FOUND: it begins none. NONE: it may. MORE: it is not
 * there. */
enum iw_resync_outcome iw_resync_begins_otherwise(const struct iw_resync *resync, const uint8_t *octets,
    uint32_t length, uint64_t offset, struct iw_resync_progress *progress);

/* Searches for the first believable FPDU at any of the first `limit` octets; its Markers count from its own
 * start. A single FPDU without a CRC in use is accepted only with `ended`, and only if it fills the octets or
 * leads to another header. FOUND: it starts at octet `progress->tried`, which is not the end of an FPDU at
 * the first octet. MORE, NONE as above. */
enum iw_resync_outcome iw_resync_find_shifted(const struct iw_resync *resync, const uint8_t *octets,
    uint32_t length, uint64_t offset, uint32_t limit, bool ended, struct iw_resync_progress *progress);

/* Whether what there is of a header at the first octet, and no more of it will come, could be one's: from
 * both control octets on that can be told. */
bool iw_resync_begins_cut(
    const struct iw_resync *resync, const uint8_t *octets, uint32_t length, uint64_t offset);

/* Whether the header of an FPDU that was read is one that a peer has a reason to send. */
bool iw_resync_could_be(const struct iw_resync *resync, const struct iw_fpdu *fpdu);

#endif
