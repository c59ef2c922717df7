#ifndef IW_EMIT_H
#define IW_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_fpdu_writer.h"
#include "iw_segment.h"
#include "iw_startup.h"

/* One thing about to be sent, as values that may be anything: what is right has been filled in, and whoever
 * wants it wrong changes it. */

enum iw_emit_kind {
    IW_EMIT_STARTUP, /* an MPA Request or Reply Frame */
    IW_EMIT_FPDU,
    IW_EMIT_CLOSE,  /* FIN, or RST with `reset` */
    IW_EMIT_OCTETS, /* `payload`, as it is */
};

enum iw_emit_cause {
    IW_EMIT_BY_USER,      /* iw_endpoint_emit */
    IW_EMIT_BY_STARTUP,   /* startup frame */
    IW_EMIT_BY_RTR,       /* the FPDU that tells the responder to begin (RFC 6581 9.2) */
    IW_EMIT_BY_POST,      /* iw_endpoint_post */
    IW_EMIT_BY_RESPONSE,  /* Read Response */
    IW_EMIT_BY_TERMINATE, /* Terminate after an error, and the FIN behind it */
};

enum {
    IW_EMIT_HEADER_MAX = 64, /* octets; the longest RDMAP header has 52 */
    IW_EMIT_SPLIT_MAX = 64,
};

struct iw_emit {
    enum iw_emit_kind kind;
    enum iw_emit_cause cause;

    /* STARTUP: written as they are, pd_length and key included. The private data is `payload`. */
    struct iw_mpa_startup startup;
    bool enhanced; /* put enhanced_data in front of the private data */
    struct iw_mpa_enhanced enhanced_data;

    /* FPDU: the ULPDU is the DDP header made of `segment` (tagged, last, rsvd, dv, control, stag, to,
     * invalidate_stag, qn, msn, mo; not rv, rsv and opcode, which are in control), `header`, and `payload`.
     */
    struct iw_segment segment;
    bool bare; /* no DDP header: the ULPDU is `header` and `payload` */
    uint8_t header[IW_EMIT_HEADER_MAX];
    size_t header_octets;
    struct iw_fpdu_parts parts; /* overrides of framing; its own headers and payload are not looked at */

    const uint8_t *payload; /* borrowed */
    size_t payload_octets;

    /* CLOSE */
    bool reset;

    /* TCP: with `shortened` only the first `cut` octets are written. `split` are the octets of the first
     * writes, each of which is a TCP segment of its own; the rest makes one more. With `merge` that rest goes
     * out with what is sent next, in front of it and in one write; what is cut then are those octets, too. */
    bool shortened;
    size_t cut;
    size_t split[IW_EMIT_SPLIT_MAX];
    size_t split_count;
    bool merge;

    /* Sent beside it as they are, how often it is sent itself; of a CLOSE, before it alone. Borrowed. */
    const struct iw_emit *before;
    const struct iw_emit *behind;
};

/* A correct single-segment FPDU for that opcode: DV 1, RV 1, T and QN of the table, L 1, header all zero and
 * as long as the table says, no payload. An opcode that no document defines gets T 0, QN 0 and no header. */
void iw_emit_init_fpdu(struct iw_emit *emit, uint8_t opcode);

/* Octets that iw_emit_write needs at the most. */
size_t iw_emit_max(const struct iw_emit *emit);

/* What iw_emit_write makes of it, before it is cut. Of what is no FPDU only the octets are known, of a CLOSE
 * not even they. */
struct iw_fpdu_shape iw_emit_measure(const struct iw_emit *emit, const struct iw_fpdu_writer *writer);

/* Appends the octets of anything but a CLOSE as they go to TCP, cut included; an FPDU by `writer`, which
 * moves on by what is appended, unless it is a STARTUP. `output->failed` is set if they do not fit. */
void iw_emit_write(const struct iw_emit *emit, struct iw_fpdu_writer *writer, struct iw_output *output);

/* Changes what is about to be sent, before it becomes octets. Returns how often it shall be sent: 0 drops it,
 * 1 is normal. Message sequence numbers and the like go on as if it had been sent unchanged. */
typedef unsigned iw_emit_filter(void *user, struct iw_emit *emit);

#endif
