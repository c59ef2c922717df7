#ifndef IW_IMPAIRMENT_H
#define IW_IMPAIRMENT_H

#include "iw_impairment_plan.h"
#include "iw_status.h"
#include "iw_tcp_segment.h"

/* Stands between the segments of one TCP connection and the capture file: cuts them anew, puts them out of
 * order, repeats them, leaves some out. Whatever it does could have been captured: no packet comes before one
 * of the other side that its sender had received, and what is acknowledged was sent. */

struct iw_impairment;

/* Takes what is to stand next in the capture. The comment is NULL or borrowed; it tells in brackets what has
 * happened to the packet. */
typedef enum iw_status iw_impairment_sink(
    void *user, const struct iw_tcp_segment *segment, const char *comment);

/* Of the connection number `number` of those that suffer from `plan`, which is kept. NULL if there is no
 * memory. */
struct iw_impairment *iw_impairment_new(
    const struct iw_impairment_plan *plan, uint64_t number, iw_impairment_sink *sink, void *user);

/* Drops what is still held back. NULL is allowed. */
void iw_impairment_free(struct iw_impairment *hardship);

/* Takes the next segment that `side` sends, those of both sides in the order of time and each side's without
 * a gap. A packet of another transport is one, too, with all of it as payload, `captured` octets, of which
 * `length` are the user's: if none, it stays in its place; it must not be cut, overlapped or acknowledged.
 * Returns IW_ERR_NOMEM, or the first error of the sink, then and ever after. */
enum iw_status iw_impairment_segment(struct iw_impairment *hardship, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment);

/* Whether a packet is held back that has not been put out before: its receiver acknowledges nothing behind
 * it. */
bool iw_impairment_holds(const struct iw_impairment *hardship);

/* The connection sends no more: puts out what is held back. */
enum iw_status iw_impairment_finish(struct iw_impairment *hardship);

#endif
