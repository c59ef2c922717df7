#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_exit.h"
#include "iw_outer.h"
#include "iw_requirement.h"
#include "iw_trace.h"

/* The verdict of `warpcheck check` on a trace. */

struct iw_verdict_finding {
    const struct iw_requirement *requirement;
    uint64_t offset; /* stream offset of the offending octets, counted as the trace counts */
    bool offset_known;
    enum iw_side side; /* of the trace */
    unsigned copy;
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
    bool guessed; /* it has no CRC, and the checker says that it may be payload */
};

struct iw_verdict {
    enum iw_exit exit;
    struct iw_verdict_finding *findings; /* findings of level MUST only */
    size_t finding_count;
    struct iw_verdict_fpdu *fpdus;
    size_t fpdu_count;
    unsigned streams;                 /* number of iWARP connections and sessions */
    bool recognised[IW_TRACE_COPIES]; /* per copy of the conversation: it was recognised as iWARP */
    bool unjudged;                    /* something could not be judged */
    bool limited;                     /* the checker reached one of its limits, so findings may be missing */
    bool outside;                     /* octets are outside the stream: they belong to another connection */
    bool failed;                      /* memory ran out */
};

/* Writes the trace to the file at `path`, with the lower layers `outer`, and judges that file. Returns false
 * on failure. */
bool iw_verdict_of(
    struct iw_verdict *verdict, struct iw_trace *trace, const struct iw_outer *outer, const char *path);
void iw_verdict_dispose(struct iw_verdict *verdict);
