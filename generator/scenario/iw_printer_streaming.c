#include "iw_printer_state.h"

/* Octets of another protocol in front of MPA (RFC 5044 7.1.3). */

static const struct iw_conversation_unit *frame_of(const struct iw_conversation_side *side) {
    return side->unit_count > 0 && side->units[0].kind == IW_MPA_STARTUP ? &side->units[0] : NULL;
}

/* The last of those octets of a side came there; order 0: it has none. */
static struct iw_conversation_mark last_of(const struct iw_conversation_side *side) {
    const struct iw_conversation_mark none = {0};
    uint64_t offset = frame_of(side)->offset;

    return offset == 0 ? none : *iw_conversation_when(side, offset - 1);
}

/* TCP tells no bounds: where the peer's frame may stand right behind its other octets, nobody can say which
 * are which. */
bool iw_printer_streams(const struct iw_printer *printer) {
    const struct iw_conversation_side *own = printer->own, *peer = printer->peer;
    uint64_t begins, own_last, peer_last;

    if (frame_of(own) == NULL || frame_of(peer) == NULL ||
        frame_of(own)->offset + frame_of(peer)->offset == 0)
        return false;
    begins = iw_conversation_when(peer, frame_of(peer)->offset)->order;
    own_last = last_of(own).order;
    peer_last = last_of(peer).order;
    if (peer_last == 0)
        return true;
    return (own_last > peer_last && own_last < begins) ||
           iw_conversation_when(own, frame_of(own)->offset)->order < begins;
}

static void put_own(struct iw_printer *printer, uint64_t from, const struct iw_conversation_mark *at) {
    iw_printer_begin(printer);
    fputs("c:octets(", printer->text);
    iw_printer_octets(printer, printer->own->octets + from, at->end - from);
    putc(')', printer->text);
    iw_printer_end(printer, at, true, NULL);
}

/* What a side sends before its startup frame, packet by packet. */
static void put_side(struct iw_printer *printer, bool own) {
    const struct iw_conversation_side *side = own ? printer->own : printer->peer;
    uint64_t end = frame_of(side)->offset;

    for (uint64_t from = 0; from < end;) {
        struct iw_conversation_mark at = *iw_conversation_when(side, from);

        at.end = at.end < end ? at.end : end;
        if (own)
            put_own(printer, from, &at);
        else
            iw_printer_expect_octets(printer, at.end - from, &at);
        from = at.end;
    }
}

void iw_printer_streaming(struct iw_printer *printer) {
    struct iw_conversation_mark own = last_of(printer->own), peer = last_of(printer->peer);
    struct iw_conversation_mark later = own.order > peer.order ? own : peer;

    put_side(printer, true);
    put_side(printer, false);
    later.frame = 0;
    iw_printer_begin(printer);
    fputs("c:enter()", printer->text);
    iw_printer_end(printer, &later, true, NULL);
}
