#pragma once

#include "iw_fpdu_writer.h"
#include "iw_segment.h"
#include "iw_startup.h"

/* One item to send, as field values. The sender sets correct values; a filter or script may change them. */

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

    /* FPDU: the ULPDU is the DDP header from `segment`, then `header`, then `payload`. `segment` needs
     * tagged, last, rsvd, dv, control (RV, Rsv, opcode), stag, to, invalidate_stag, qn, msn and mo. */
    struct iw_segment segment;
    bool bare; /* no DDP header: the ULPDU is `header` and `payload` */
    uint8_t header[IW_EMIT_HEADER_MAX];
    size_t header_octets;
    struct iw_fpdu_parts parts; /* overrides of the framing; its headers and payload are ignored */

    const uint8_t *payload; /* borrowed */
    size_t payload_octets;

    bool reset; /* CLOSE: RST instead of FIN */

    /* TCP: with `shortened`, only the first `cut` octets are written. `split` has the sizes of the first
     * writes, each its own TCP segment; one more write has the rest. With `merge`, the rest is delayed: the
     * writes of the next item begin with these octets, and the `split` of that item counts them first. */
    bool shortened;
    size_t cut;
    size_t split[IW_EMIT_SPLIT_MAX];
    size_t split_count;
    bool merge;

    /* Items to send before and after this item; they are not filtered, and sent once, even if this item is
     * sent more often or not at all. A CLOSE ignores `after`. Borrowed. */
    const struct iw_emit *before;
    const struct iw_emit *after;
};

/* Sets `emit` to a correct FPDU of one segment for that opcode: DV 1, RV 1, L 1, T and QN of the opcode, an
 * all-zero header of the opcode's length, no payload. An undefined opcode gets T 0, QN 0 and no header. */
void iw_emit_init_fpdu(struct iw_emit *emit, uint8_t opcode);

/* The most octets that iw_emit_write needs. */
size_t iw_emit_max(const struct iw_emit *emit);

/* The shape of what iw_emit_write would write without `cut`; only the length unless it is an FPDU. */
struct iw_fpdu_shape iw_emit_measure(const struct iw_emit *emit, const struct iw_fpdu_writer *writer);

/* Appends the octets of the item, without those that `cut` removes; nothing for a CLOSE. An FPDU or
 * IW_EMIT_OCTETS advances the position of `writer`. Sets `output->failed` if the octets do not fit. */
void iw_emit_write(const struct iw_emit *emit, struct iw_fpdu_writer *writer, struct iw_output *output);

/* Changes an item before it is encoded. Returns how often to send it: 0 drops it, 1 is normal. MSN, MO and TO
 * of later items are the same as if the item was sent once and unchanged. */
typedef unsigned iw_emit_filter(void *user, struct iw_emit *emit);
