#ifndef IW_HALF_SEARCH_H
#define IW_HALF_SEARCH_H

#include "iw_half_state.h"

/* Searches for FPDUs where their place is unknown. */

/* A search starts at stream offset `reached`. Each octet up to there, read or searched, allows some CRC
 * work (IW_RESYNC_SUM_SHARE), which reduces `spent`. */
void iw_half_account(struct iw_half *half, uint64_t reached);

/* Enters phase SEARCH: octets from stream offset `from` on could not be read. The first of them came in
 * `first_frame` (0: in the frame of the first octet searched). Searches the store from `at` on. */
void iw_half_search(struct iw_half *half, enum iw_half_goal goal, uint64_t from, uint64_t first_frame);

/* Advances the search by one step. Returns false if it needs more octets, or has failed with `ended`. */
bool iw_half_search_step(struct iw_half *half, bool ended);

/* Resumes reading `found` octets after `at`; the octets before are lost. */
void iw_half_resume(struct iw_half *half, uint32_t found);

/* A gap: searches only what comes after it. `used` octets of the gap belong to an FPDU already read. */
void iw_half_search_gap(struct iw_half *half, const struct iw_chunk *chunk, uint32_t used);

/* Reports all octets as lost and ends reading because of `why`. */
void iw_half_search_give_up(struct iw_half *half, enum iw_half_left why);

#endif
