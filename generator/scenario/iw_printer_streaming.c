#include "iw_printer_state.h"

/* Octets of a different protocol before MPA (RFC 5044 7.1.3). */

static const struct iw_conversation_unit *streaming_frame_of(const struct iw_conversation_side *side) {
    return side->unit_count > 0 && side->units[0].kind == IW_LLP_STARTUP ? &side->units[0] : NULL;
}

/* When the last octet before the startup frame of a side arrived; order 0: none. */
static struct iw_conversation_mark streaming_last_octet_of(const struct iw_conversation_side *side) {
    const struct iw_conversation_mark none = {0};
    uint64_t offset = streaming_frame_of(side)->offset;

    return offset == 0 ? none : *iw_conversation_when(side, offset - 1);
}

/* TCP keeps no boundaries: a frame that may directly follow other octets cannot be told apart. */
bool iw_printer_streams(const struct iw_printer *printer) {
    const struct iw_conversation_side *own = printer->own, *peer = printer->peer;
    uint64_t begins, own_last, peer_last;

    if (streaming_frame_of(own) == NULL || streaming_frame_of(peer) == NULL ||
        streaming_frame_of(own)->offset + streaming_frame_of(peer)->offset == 0)
        return false;
    begins = iw_conversation_when(peer, streaming_frame_of(peer)->offset)->order;
    own_last = streaming_last_octet_of(own).order;
    peer_last = streaming_last_octet_of(peer).order;
    if (peer_last == 0)
        return true;
    return (own_last > peer_last && own_last < begins) ||
           iw_conversation_when(own, streaming_frame_of(own)->offset)->order < begins;
}

static void put_streaming_side(struct iw_printer *printer, bool own) {
    const struct iw_conversation_side *side = own ? printer->own : printer->peer;
    uint64_t end = streaming_frame_of(side)->offset;

    for (uint64_t from = 0; from < end;) {
        struct iw_conversation_mark at = *iw_conversation_when(side, from);

        at.end = at.end < end ? at.end : end;
        if (own) {
            iw_printer_begin(printer);
            iw_printer_put_octets(printer, side->octets + from, at.end - from);
            iw_printer_end(printer, &at, true, NULL);
        } else if (from == 0 && at.end == end) {
            iw_printer_expect_octets(printer, end, &at);
        } else {
            iw_printer_expect_up_to(printer, at.end, from == 0, &at);
        }
        from = at.end;
    }
}

void iw_printer_streaming(struct iw_printer *printer) {
    struct iw_conversation_mark own = streaming_last_octet_of(printer->own),
                                peer = streaming_last_octet_of(printer->peer);
    struct iw_conversation_mark later = own.order > peer.order ? own : peer;

    put_streaming_side(printer, true);
    put_streaming_side(printer, false);
    later.frame = 0;
    iw_printer_item(printer, &later, true, NULL, "c:enter()");
}
