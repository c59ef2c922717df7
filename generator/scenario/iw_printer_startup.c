#include "iw_printer_state.h"

#include <string.h>

#include "iw_mulpdu.h"
#include "iw_negotiation.h"

/* Prints the startup. If the endpoint can send the own frame (with changed header fields) and accepts the
 * peer's frame, the endpoint performs the startup. Otherwise the script sends and expects the frames. */

enum { ALL_RTR = IW_RTR_SEND | IW_RTR_WRITE | IW_RTR_READ };

/* A side's startup frame, decoded. */
struct frame {
    const struct iw_conversation_side *side;
    const struct iw_conversation_unit *unit;        /* NULL: no frame */
    const struct iw_conversation_mark *begin, *end; /* when its first and its last octet arrived */
    const uint8_t *octets;
    struct iw_startup startup;
    bool whole; /* complete, with a valid Key and PD_Length, and not a frame of eRDMA */
};

static struct frame startup_frame_of(const struct iw_conversation_side *side) {
    struct frame frame = {.side = side};

    if (side->unit_count == 0 || side->units[0].kind != IW_LLP_STARTUP ||
        side->units[0].octets < iw_mpa_startup_octets)
        return frame;
    frame.unit = &side->units[0];
    frame.begin = iw_conversation_when(side, frame.unit->offset);
    frame.end = iw_conversation_when(side, frame.unit->offset + frame.unit->octets - 1);
    frame.octets = side->octets + frame.unit->offset;
    iw_startup_decode(frame.octets, frame.unit->octets, &frame.startup);
    frame.whole = frame.startup.key != IW_STARTUP_UNKNOWN &&
                  frame.startup.header.pd_length <= IW_STARTUP_PD_MAX && !frame.startup.erdma &&
                  iw_startup_octets(frame.octets) == frame.unit->octets;
    return frame;
}

static bool opener(const struct iw_printer *printer) {
    return printer->options->side == IW_SIDE_A;
}

static struct iw_endpoint_config printer_startup_config_for(
    const struct iw_printer *printer, const struct frame *own) {
    const struct iw_mpa_startup *header = &own->startup.header;
    const struct iw_mpa_enhanced *enhanced = &own->startup.enhanced_data;
    struct iw_endpoint_config config = iw_endpoint_config_default(opener(printer));

    config.rtr = ALL_RTR;
    config.revision = opener(printer) ? header->rev : 2;
    config.enhanced = opener(printer) && own->startup.enhanced;
    config.no_crc = !header->c;
    config.markers = header->m;
    config.private_data = own->startup.private_data;
    config.private_octets = own->startup.private_octets;
    if (!own->startup.enhanced)
        return config;
    config.ird = enhanced->ird;
    config.ord = enhanced->ord;
    config.peer_to_peer = opener(printer) && enhanced->a;
    if (enhanced->a && iw_startup_rtr(enhanced) != 0)
        config.rtr = iw_startup_rtr(enhanced);
    return config;
}

static bool printer_startup_frame_equals(const struct iw_emit *emit, const struct frame *frame) {
    uint8_t octets[iw_mpa_startup_octets + iw_mpa_enhanced_octets + IW_STARTUP_PD_MAX];
    struct iw_output output = iw_output_into(octets, sizeof octets);

    iw_emit_write(emit, NULL, &output);
    return !output.failed && output.length == frame->unit->octets &&
           memcmp(octets, frame->octets, output.length) == 0;
}

/* Whether `emit` with the header fields of the frame produces exactly the octets of the frame. */
static bool printer_startup_frame_given(const struct iw_emit *emit, const struct frame *frame) {
    struct iw_emit changed = *emit;

    changed.startup = frame->startup.header;
    if (changed.enhanced)
        changed.enhanced_data = frame->startup.enhanced_data;
    return printer_startup_frame_equals(&changed, frame);
}

static void printer_startup_put_differences(
    struct iw_printer *printer, const struct iw_emit *emit, const struct frame *frame) {
    uint8_t natural[iw_mpa_startup_octets], natural_enhanced[iw_mpa_enhanced_octets];

    iw_mpa_startup_encode(&emit->startup, natural);
    iw_printer_fields(printer, iw_layout_mpa_startup, &iw_lua_value_startup, frame->octets, natural);
    if (!emit->enhanced)
        return;
    iw_mpa_enhanced_encode(&emit->enhanced_data, natural_enhanced);
    iw_printer_fields(printer, iw_layout_mpa_enhanced, &iw_lua_value_startup,
        frame->octets + iw_mpa_startup_octets, natural_enhanced);
}

/* Whether the endpoint enters full operation if it sends `own` and receives `peer`. */
static bool startup_acceptable(
    const struct iw_endpoint_config *config, const struct frame *own, const struct frame *peer) {
    const struct iw_mpa_startup *header = &own->startup.header;

    if (own->startup.key == peer->startup.key || header->rev > 2 || header->r || peer->startup.header.r)
        return false;
    if (iw_negotiation_fault(config, &own->startup, &peer->startup, false) != NULL)
        return false;
    return !config->initiator || !iw_negotiation_lacks_ird(config, &own->startup, &peer->startup);
}

/* Whether the Reply follows the complete Request, and everything else follows the Reply. */
static bool startup_in_order(
    const struct iw_printer *printer, const struct frame *own, const struct frame *peer) {
    const struct frame *request = opener(printer) ? own : peer;
    const struct iw_conversation_side *asks = request->side;
    uint64_t replied = (opener(printer) ? peer : own)->begin->order;
    uint64_t end = request->unit->octets;

    if (request->end->order > replied)
        return false;
    if (asks->length > end && iw_conversation_when(asks, end)->order <= replied)
        return false;
    return (asks->fin.order == 0 || asks->fin.order > replied) &&
           (asks->rst.order == 0 || asks->rst.order > replied);
}

static void printer_startup_go_to_full(struct iw_printer *printer, uint64_t order) {
    printer->opening.full = true;
    printer->opening.full_order = order;
    iw_fpdu_writer_init(
        &printer->sender.writer, printer->opening.terms.markers_out, printer->opening.terms.crc);
}

/* Finds the own side's MULPDU: the longest ULPDU of its segments without L. If all have L, the longest
 * ULPDU of all segments, if the endpoint's default is shorter. */
static void printer_startup_find_mulpdu(struct iw_printer *printer) {
    const struct iw_conversation_side *own = printer->own;
    uint16_t longest = 0;

    for (size_t i = 0; i < own->unit_count; i++) {
        const struct iw_conversation_unit *unit = &own->units[i];
        bool fpdu = unit->kind == IW_LLP_SEGMENT && unit->ulpdu_length > 0;

        if (fpdu && unit->ulpdu_length > longest)
            longest = unit->ulpdu_length;
        if (fpdu && !unit->segment.last && unit->ulpdu_length > printer->sender.mulpdu)
            printer->sender.mulpdu = unit->ulpdu_length;
    }
    if (printer->sender.mulpdu == 0 && longest > iw_mulpdu(IW_ENDPOINT_EMSS, true))
        printer->sender.mulpdu = longest;
}

static void printer_startup_put_auto(struct iw_printer *printer) {
    if (printer->sender.mulpdu != 0)
        iw_printer_decimal(printer, "mulpdu", printer->sender.mulpdu);
    iw_printer_name(printer, "auto");
    fputs("{rtr = false, responses = false, terminate = false, close = false}", printer->text);
}

static void printer_startup_put_flag(
    struct iw_printer *printer, const char *name, bool value, bool otherwise) {
    if (value != otherwise)
        iw_printer_flag(printer, name, value);
}

static void printer_startup_put_number(
    struct iw_printer *printer, const char *name, unsigned value, unsigned otherwise) {
    if (value != otherwise)
        iw_printer_decimal(printer, name, value);
}

static void printer_startup_put_rtr_option(struct iw_printer *printer, unsigned rtr) {
    bool any = false;

    if (rtr == ALL_RTR)
        return;
    iw_printer_name(printer, "rtr");
    putc('{', printer->text);
    for (unsigned i = 0; iw_rtr_names[i] != NULL; i++) {
        if ((rtr & 1u << i) == 0)
            continue;
        fprintf(printer->text, "%s\"%s\"", any ? ", " : "", iw_rtr_names[i]);
        any = true;
    }
    putc('}', printer->text);
}

static void printer_startup_put_options(struct iw_printer *printer, const struct iw_endpoint_config *config) {
    if (opener(printer)) {
        printer_startup_put_number(printer, "rev", config->revision, 1);
        printer_startup_put_flag(printer, "enhanced", config->enhanced, config->revision >= 2);
        printer_startup_put_flag(printer, "peer_to_peer", config->peer_to_peer, false);
    }
    printer_startup_put_rtr_option(printer, config->rtr);
    printer_startup_put_number(printer, "ird", config->ird, 8);
    printer_startup_put_number(printer, "ord", config->ord, 8);
    printer_startup_put_flag(printer, "crc", !config->no_crc, true);
    printer_startup_put_flag(printer, "markers", config->markers, false);
    iw_printer_data(printer, "private_data", config->private_data, config->private_octets);
    if (!printer->first)
        fputs(",\n  ", printer->text);
    printer->first = true;
}

static bool startup_by_endpoint(
    struct iw_printer *printer, const struct frame *own, const struct frame *peer) {
    struct iw_emit natural;

    if (!own->whole || !peer->whole)
        return false;
    struct iw_endpoint_config config = printer_startup_config_for(printer, own);
    if (!startup_acceptable(&config, own, peer) || !startup_in_order(printer, own, peer))
        return false;
    iw_negotiation_prepare(&config, &peer->startup, &natural);
    if (!printer_startup_frame_given(&natural, own))
        return false;
    printer->opening.terms = iw_negotiation_terms(&config, &own->startup, &peer->startup);
    if (printer->sender.mulpdu == iw_mulpdu(IW_ENDPOINT_EMSS, printer->opening.terms.markers_out))
        printer->sender.mulpdu = 0; /* the endpoint's default */
    const struct iw_conversation_mark *replied = opener(printer) ? peer->end : own->begin;
    printer_startup_go_to_full(printer, replied->order);
    iw_printer_begin(printer);
    iw_printer_call(
        printer, opener(printer) ? "local c = connect" : "local c = listen{port = args.port}:accept");
    printer_startup_put_options(printer, &config);
    printer_startup_put_auto(printer);
    if (!printer_startup_frame_equals(&natural, own)) {
        iw_printer_call(printer, ", startup = ");
        printer_startup_put_differences(printer, &natural, own);
        putc('}', printer->text);
    }
    putc('}', printer->text);
    iw_printer_end(printer, own->begin, true, own->unit);
    return true;
}

/* Prints the frame as c:request or c:reply. Returns false if these cannot make the frame. */
static bool printer_startup_put_frame_by_hand(
    struct iw_printer *printer, const struct frame *own, const struct frame *peer) {
    struct iw_endpoint_config config = iw_endpoint_config_default(opener(printer));
    bool request = own->startup.key == IW_STARTUP_REQUEST;
    bool heard = peer->whole && peer->end->order < own->begin->order;
    const struct iw_startup nothing = {0};
    struct iw_emit natural;
    bool enhanced;

    config.rtr = ALL_RTR;
    config.revision = opener(printer) ? 1 : 2;
    iw_negotiation_prepare(&config, heard ? &peer->startup : &nothing, &natural);
    memcpy(natural.startup.key, request ? iw_startup_key_request : iw_startup_key_reply, 16);
    enhanced = natural.enhanced;
    natural.enhanced = own->startup.enhanced;
    natural.startup.s = natural.enhanced;
    if (natural.enhanced && natural.startup.rev < 2)
        natural.startup.rev = 2;
    natural.payload = own->startup.private_data;
    natural.payload_octets = own->startup.private_octets;
    natural.startup.pd_length =
        (uint16_t)(natural.payload_octets + (natural.enhanced ? (size_t)iw_mpa_enhanced_octets : 0));
    if (own->startup.key == IW_STARTUP_UNKNOWN || !printer_startup_frame_given(&natural, own))
        return false;
    iw_printer_call(printer, request ? "c:request" : "c:reply");
    printer_startup_put_differences(printer, &natural, own);
    if (natural.enhanced != enhanced || natural.enhanced)
        iw_printer_flag(printer, "enhanced", natural.enhanced);
    iw_printer_data(printer, "private_data", natural.payload, natural.payload_octets);
    putc('}', printer->text);
    return true;
}

static void printer_startup_go_full(
    struct iw_printer *printer, const struct frame *own, const struct frame *peer) {
    const struct iw_conversation_mark *later = own->begin->order > peer->end->order ? own->begin : peer->end;
    const struct iw_endpoint_config config = iw_endpoint_config_default(opener(printer));
    const struct iw_terms *terms = &printer->opening.terms;

    printer->opening.terms = iw_negotiation_terms(&config, &own->startup, &peer->startup);
    printer->opening.terms.ord = UINT16_MAX;
    printer_startup_go_to_full(printer, later->order);
    iw_printer_begin(printer);
    iw_printer_call(printer, "c:full");
    iw_printer_flag(printer, "markers_in", terms->markers_in);
    iw_printer_flag(printer, "markers_out", terms->markers_out);
    iw_printer_flag(printer, "crc", terms->crc);
    iw_printer_decimal(printer, "ord", terms->ord);
    putc('}', printer->text);
    iw_printer_end(printer, &(struct iw_conversation_mark){.order = later->order, .time_ns = later->time_ns},
        true, NULL);
}

static bool printer_startup_has_fpdu(const struct iw_conversation_side *side) {
    return side->unit_count > 0 && side->units[side->unit_count - 1].kind == IW_LLP_SEGMENT;
}

static void startup_by_hand(struct iw_printer *printer, const struct frame *own, const struct frame *peer) {
    const struct iw_conversation_mark first = {0};
    bool streams = iw_printer_streams(printer);

    iw_printer_begin(printer);
    iw_printer_call(printer, opener(printer) ? "local c = tcp" : "local c = listen{port = args.port}:tcp");
    if (streams)
        iw_printer_flag(printer, "streaming", true);
    printer_startup_put_auto(printer);
    putc('}', printer->text);
    if (!peer->whole)
        fputs("\nc:leave()", printer->text);
    iw_printer_end(printer, &first, true, NULL);
    if (streams)
        iw_printer_streaming(printer);
    if (own->unit != NULL) {
        iw_printer_begin(printer);
        if (!own->whole || !printer_startup_put_frame_by_hand(printer, own, peer))
            iw_printer_put_octets(printer, own->octets, own->unit->octets);
        iw_printer_end(printer, own->begin, true, own->unit);
    }
    if (peer->whole)
        iw_printer_item(printer, peer->end, false, peer->unit, "c:expect{{kind = \"%s\", rev = %u, r = %s}}",
            peer->startup.key == IW_STARTUP_REQUEST ? "request" : "reply", peer->startup.header.rev,
            peer->startup.header.r ? "true" : "false");
    if (own->whole && peer->whole &&
        (printer_startup_has_fpdu(printer->own) || printer_startup_has_fpdu(printer->peer))) {
        printer_startup_go_full(printer, own, peer);
    } else if (peer->whole && printer->peer->length > printer->opening.peer_from) {
        struct iw_conversation_mark heard = *peer->end;

        heard.frame = 0;
        iw_printer_item(printer, &heard, true, NULL, "c:leave()");
    }
}

void iw_printer_startup(struct iw_printer *printer) {
    struct frame own = startup_frame_of(printer->own), peer = startup_frame_of(printer->peer);

    printer->opening.own_from = own.unit == NULL ? 0 : own.unit->offset + own.unit->octets;
    printer->opening.peer_from = peer.whole ? peer.unit->offset + peer.unit->octets : 0;
    printer->received.octets = printer->opening.peer_from;
    printer_startup_find_mulpdu(printer);
    if (iw_printer_streams(printer) || !startup_by_endpoint(printer, &own, &peer))
        startup_by_hand(printer, &own, &peer);
}
