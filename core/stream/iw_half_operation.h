#ifndef IW_HALF_OPERATION_H
#define IW_HALF_OPERATION_H

#include "iw_half_state.h"

/* The part of a half after its startup: reads FPDUs, and has them searched for if their place is unknown. */

/* Reads or searches the store until it is used up or more octets are needed. `ended`: no more will come. */
void iw_half_pump(struct iw_half *half, bool ended);

/* Reads a chunk in phase FPDU. */
void iw_half_read(struct iw_half *half, const struct iw_chunk *chunk);

/* The stream ends within an FPDU. If that contains other FPDUs, its ULPDU_Length is wrong: reads those. */
void iw_half_read_end(struct iw_half *half);

/* Feeds the next chunk in phase SEARCH. */
void iw_half_search_feed(struct iw_half *half, const struct iw_chunk *chunk);

/* The stream has ended: finds what can be found; otherwise gives up. */
void iw_half_search_end(struct iw_half *half);

#endif
