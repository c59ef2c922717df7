#ifndef IW_EMIT_H
#define IW_EMIT_H

#include "iw_fpdu_writer.h"
#include "iw_segment.h"
#include "iw_startup.h"

/* One item to be sent, as field values: correct ones by the sender, which a filter or script may change. */

enum iw_emit_kind {
    IW_EMIT_STARTUP, /* an MPA Request or Reply Frame */
    IW_EMIT_FPDU,
    IW_EMIT_CLOSE,  /* FIN, or RST with `reset` */
    IW_EMIT_OCTETS, /* `payload`, without framing */
};

enum iw_emit_cause {
    IW_EMIT_BY_USER,      /* iw_endpoint_emit, or the FIN of iw_endpoint_close */
    IW_EMIT_BY_STARTUP,   /* startup frame, or the FIN of a stream that ends without a Terminate */
    IW_EMIT_BY_RTR,       /* the FPDU that lets the responder send (RFC 6581 9.2) */
    IW_EMIT_BY_POST,      /* iw_endpoint_post */
    IW_EMIT_BY_RESPONSE,  /* response to a request on queue 1 */
    IW_EMIT_BY_TERMINATE, /* Terminate, or a FIN that follows it or answers the peer's Terminate or FIN */
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
    struct iw_fpdu_parts parts; /* overrides of the framing; its headers and payload are ignored */

    const uint8_t *payload; /* borrowed */
    size_t payload_octets;

    /* CLOSE */
    bool reset;

    /* TCP: with `shortened`, only the first `cut` octets are written. `split` has the sizes of the first
     * writes, each a TCP segment of its own; one more write has the rest. `merge` delays the rest: one write
     * sends it together with the next item, before that item; the `split` of the next item counts the delayed
     * octets first. */
    bool shortened;
    size_t cut;
    size_t split[IW_EMIT_SPLIT_MAX];
    size_t split_count;
    bool merge;

    /* Items sent before and after this one: unchanged, and once, however often this item is sent. A CLOSE has
     * only `before`. Borrowed. */
    const struct iw_emit *before;
    const struct iw_emit *after;
};

/* A correct single-segment FPDU for that opcode: DV 1, RV 1, L 1, T and QN of the opcode, an all-zero header
 * of the opcode's length, no payload. An undefined opcode gets T 0, QN 0 and no header. */
void iw_emit_init_fpdu(struct iw_emit *emit, uint8_t opcode);

/* The most octets that iw_emit_write needs. */
size_t iw_emit_max(const struct iw_emit *emit);

/* The shape of what iw_emit_write would write without `cut`. For a startup frame or octets only the length is
 * set; meaningless for a CLOSE. */
struct iw_fpdu_shape iw_emit_measure(const struct iw_emit *emit, const struct iw_fpdu_writer *writer);

/* Appends the octets of the item, without those that `cut` removes; nothing for a CLOSE. An FPDU or
 * IW_EMIT_OCTETS advances the position of `writer` by the octets appended. Sets `output->failed` if they do
 * not fit. */
void iw_emit_write(const struct iw_emit *emit, struct iw_fpdu_writer *writer, struct iw_output *output);

/* Changes an item before it is encoded. Returns how often it is sent: 0 drops it, 1 is normal. The next MSN,
 * MO and TO are the same as if the item was sent unchanged. */
typedef unsigned iw_emit_filter(void *user, struct iw_emit *emit);

#endif
