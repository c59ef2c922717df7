#ifndef IW_VERDICT_H
#define IW_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_exit.h"
#include "iw_outer.h"
#include "iw_requirement.h"
#include "iw_trace.h"

/* What `warpcheck check` says of a trace. */

struct iw_verdict_finding {
    const struct iw_requirement *requirement;
    uint64_t offset; /* stream offset of the offending octets; by the trace's own count */
    bool offset_known;
    enum iw_side side; /* of the trace */
    unsigned copy;
    bool consequence; /* it follows from another finding */
    char message[192];
};

enum { IW_VERDICT_HEADER = 16 };

struct iw_verdict_fpdu {
    uint64_t offset;
    bool offset_known;
    uint32_t octets; /* of the image */
    uint32_t header_octets;
    uint8_t header[IW_VERDICT_HEADER]; /* the first octets of the image */
    enum iw_side side;
    unsigned copy;
    bool guessed; /* without a CRC, and said to be payload perhaps */
};

struct iw_verdict {
    enum iw_exit exit;
    struct iw_verdict_finding *findings; /* those of level MUST */
    size_t finding_count;
    struct iw_verdict_fpdu *fpdus;
    size_t fpdu_count;
    unsigned streams;                 /* connections and sessions of iWARP */
    bool recognised[IW_TRACE_COPIES]; /* one of them is of this copy */
    bool unjudged;                    /* something could not be judged */
    bool limited;                     /* the checker has met one of its limits, so what it found is not all */
    bool outside;                     /* octets have no place in the stream: they are of another connection */
    bool failed;                      /* there was no memory */
};

/* Judges the trace in the capture that `outer` makes of it, written to the file at `path`. Returns false if
 * that cannot be. */
bool iw_verdict_of(
    struct iw_verdict *verdict, struct iw_trace *trace, const struct iw_outer *outer, const char *path);
void iw_verdict_dispose(struct iw_verdict *verdict);

#endif
