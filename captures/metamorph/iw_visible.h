#pragma once

#include "iw_trace.h"

/* Which stream octets of a TCP conversation a capture shows. Computed without the checker. */

struct iw_visible {
    uint8_t *octets[2]; /* by enum iw_side: 1 for each stream octet that the capture has */
    uint32_t count[2];  /* number of entries of `octets` */
    uint32_t extent[2]; /* stream length that data, an acknowledgement, a FIN or a RST proves */
};

/* Computes it for conversation number `copy`. Returns false if memory runs out or a stream is too long. */
bool iw_visible_init(struct iw_visible *visible, const struct iw_trace *trace, unsigned copy);
void iw_visible_dispose(struct iw_visible *visible);

/* Whether `less` lacks octets of `side` that `base` shows, while `less` proves that they were sent; *first is
 * the first such octet. */
bool iw_visible_hides(
    const struct iw_visible *base, const struct iw_visible *less, enum iw_side side, uint32_t *first);
