#ifndef IW_EMIT_H
#define IW_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_fpdu_writer.h"
#include "iw_segment.h"
#include "iw_startup.h"

/* One item to be sent, as values: the sender fills in correct ones, and a filter or script changes them at
 * will. */

enum iw_emit_kind {
    IW_EMIT_STARTUP, /* an MPA Request or Reply Frame */
    IW_EMIT_FPDU,
    IW_EMIT_CLOSE,  /* FIN, or RST with `reset` */
    IW_EMIT_OCTETS, /* `payload`, as it is */
};

enum iw_emit_cause {
    IW_EMIT_BY_USER,      /* iw_endpoint_emit */
    IW_EMIT_BY_STARTUP,   /* startup frame */
    IW_EMIT_BY_RTR,       /* the FPDU that lets the responder send (RFC 6581 9.2) */
    IW_EMIT_BY_POST,      /* iw_endpoint_post */
    IW_EMIT_BY_RESPONSE,  /* Read Response */
    IW_EMIT_BY_TERMINATE, /* Terminate after an error, and its FIN */
};

enum {
    IW_EMIT_HEADER_MAX = 64, /* octets; the longest RDMAP header has 52 */
    IW_EMIT_SPLIT_MAX = 64,
};

struct iw_emit {
    enum iw_emit_kind kind;
    enum iw_emit_cause cause;

    /* STARTUP: written unchanged, pd_length and key included. The private data is `payload`. */
    struct iw_mpa_startup startup;
    bool enhanced; /* put enhanced_data before the private data */
    struct iw_mpa_enhanced enhanced_data;

    /* FPDU: the ULPDU is the DDP header from `segment` (tagged, last, rsvd, dv, control, stag, to,
     * invalidate_stag, qn, msn, mo; rv, rsv and opcode come from control), `header`, and `payload`. */
    struct iw_segment segment;
    bool bare; /* no DDP header: the ULPDU is `header` and `payload` */
    uint8_t header[IW_EMIT_HEADER_MAX];
    size_t header_octets;
    struct iw_fpdu_parts parts; /* overrides of framing; headers and payload in it are ignored */

    const uint8_t *payload; /* borrowed */
    size_t payload_octets;

    /* CLOSE */
    bool reset;

    /* TCP: `shortened` writes only the first `cut` octets. `split` has the sizes of the first writes, each
     * a TCP segment of its own; the rest is one more. `merge` delays that rest: it goes out in one write
     * with the next item, before it; `split` counts these octets first. */
    bool shortened;
    size_t cut;
    size_t split[IW_EMIT_SPLIT_MAX];
    size_t split_count;
    bool merge;

    /* Sent before and after it, unchanged and once, however often the item itself is sent; a CLOSE has only
     * `before`. Borrowed. */
    const struct iw_emit *before;
    const struct iw_emit *after;
};

/* A correct single-segment FPDU for that opcode: DV 1, RV 1, T and QN of the table, L 1, a zero header of
 * the table's length, no payload. An undefined opcode gets T 0, QN 0 and no header. */
void iw_emit_init_fpdu(struct iw_emit *emit, uint8_t opcode);

/* The most octets that iw_emit_write needs. */
size_t iw_emit_max(const struct iw_emit *emit);

/* The shape of what iw_emit_write makes, before it is cut. For a startup frame or octets only the length is
 * set; meaningless for a CLOSE. */
struct iw_fpdu_shape iw_emit_measure(const struct iw_emit *emit, const struct iw_fpdu_writer *writer);

/* Appends the octets of anything but a CLOSE, after the cut. An FPDU uses `writer`, which advances by what
 * is appended, as for IW_EMIT_OCTETS. Sets `output->failed` if they do not fit. */
void iw_emit_write(const struct iw_emit *emit, struct iw_fpdu_writer *writer, struct iw_output *output);

/* Changes an item before it is encoded. Returns how often it is sent: 0 drops it, 1 is normal. Message
 * sequence numbers and other state advance as if the item was sent unchanged. */
typedef unsigned iw_emit_filter(void *user, struct iw_emit *emit);

#endif
