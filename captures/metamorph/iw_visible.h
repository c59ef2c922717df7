#ifndef IW_VISIBLE_H
#define IW_VISIBLE_H

#include "iw_trace.h"

/* Which octets of the streams of a TCP conversation a capture of it shows, found without the checker. */

struct iw_visible {
    uint8_t *octets[2]; /* by enum iw_side: 1 for each stream octet that is there */
    uint32_t count[2];  /* size of the above */
    uint32_t extent[2]; /* stream octets that something in the capture tells of: data, an acknowledgement, a
                           FIN or a RST */
};

/* Of conversation `copy`. Returns false if there is no memory, or a stream is too long for this. */
bool iw_visible_init(struct iw_visible *visible, const struct iw_trace *trace, unsigned copy);
void iw_visible_dispose(struct iw_visible *visible);

/* Whether `base` shows octets of `side` that `less` does not show, though it tells of them; *first is the
 * first. */
bool iw_visible_hides(
    const struct iw_visible *base, const struct iw_visible *less, enum iw_side side, uint32_t *first);

#endif
