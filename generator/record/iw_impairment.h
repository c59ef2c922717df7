#ifndef IW_IMPAIRMENT_H
#define IW_IMPAIRMENT_H

#include "iw_impairment_plan.h"
#include "iw_status.h"
#include "iw_tcp_segment.h"

/* Impairs the capture of one TCP connection: segments its octets differently, reorders, repeats and omits
 * packets. The result is always possible in a real capture: a packet follows all packets that its sender had
 * received (except with `cross`), and acknowledgements cover only octets sent. */

struct iw_impairment;

/* Takes the next packet of the capture. `comment` (borrowed, or NULL) ends with the packet's impairment in
 * brackets, if any. */
typedef enum iw_status iw_impairment_sink(
    void *user, const struct iw_tcp_segment *segment, const char *comment);

/* `number` distinguishes the connections that `plan` impairs: each makes its own random choices. Borrows the
 * plan. Returns NULL if memory runs out. */
struct iw_impairment *iw_impairment_new(
    const struct iw_impairment_plan *plan, uint64_t number, iw_impairment_sink *sink, void *user);

/* Frees the impairment and drops its held packets. NULL is allowed. */
void iw_impairment_free(struct iw_impairment *impairment);

/* Takes the next segment that `side` sends. Pass the segments of both sides in order of time; the octets of a
 * side have no gap. A packet of a transport other than TCP is allowed, too: its payload is the whole packet
 * (`captured` octets), `length` counts its user data. A packet without user data is not moved. The plan must
 * not segment, overlap or acknowledge such packets. Returns IW_ERR_NOMEM or the sink's first error; all later
 * calls return the same. */
enum iw_status iw_impairment_segment(struct iw_impairment *impairment, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment);

/* Whether the receiver still lacks a held packet: it then acknowledges no later packet. */
bool iw_impairment_holds(const struct iw_impairment *impairment);

/* The connection is over: emits held packets. */
enum iw_status iw_impairment_finish(struct iw_impairment *impairment);

#endif
