#include "iw_printer_state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_tcp_address_text.h"

bool iw_printer_reserve(struct iw_printer *printer, void *list, size_t count, size_t size) {
    bool reserved = iw_array_grow(list, count, size);

    printer->no_memory |= !reserved;
    return reserved;
}

void iw_printer_begin(struct iw_printer *printer) {
    iw_text_flush(&printer->items.text);
    printer->items.text.length = 0;
    printer->text = printer->items.text.out;
}

static void printer_item_set_note(struct iw_printer_item *item, const struct iw_conversation_mark *at,
    const struct iw_conversation_unit *unit) {
    uint64_t frame = unit == NULL ? at->frame : unit->frame;
    int length = frame == 0 ? 0 : snprintf(item->note, sizeof item->note, "frame %" PRIu64, frame);

    for (size_t i = 0; unit != NULL && i < IW_CONVERSATION_FINDINGS_MAX && unit->findings[i] != NULL; i++)
        length += snprintf(item->note + length, sizeof item->note - (size_t)length, "%s %s",
            i == 0 ? ", violates" : ",", unit->findings[i]);
}

void iw_printer_end(struct iw_printer *printer, const struct iw_conversation_mark *at, bool own,
    const struct iw_conversation_unit *unit) {
    struct iw_printer_item item = {
        .order = at->order, .serial = printer->items.count, .time_ns = at->time_ns, .own = own};

    if (iw_text_flush(&printer->items.text))
        item.text = strndup(
            printer->items.text.length > 0 ? printer->items.text.octets : "", printer->items.text.length);
    printer->no_memory |= item.text == NULL;
    printer_item_set_note(&item, at, unit);
    if (iw_printer_reserve(printer, &printer->items.list, printer->items.count, sizeof item))
        printer->items.list[printer->items.count++] = item;
    else
        free(item.text);
}

void iw_printer_item(struct iw_printer *printer, const struct iw_conversation_mark *at, bool own,
    const struct iw_conversation_unit *unit, const char *format, ...) {
    va_list arguments;

    iw_printer_begin(printer);
    va_start(arguments, format);
    vfprintf(printer->text, format, arguments);
    va_end(arguments);
    iw_printer_end(printer, at, own, unit);
}

static int printer_compare_items(const void *one, const void *other) {
    const struct iw_printer_item *a = one, *b = other;

    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return a->serial < b->serial ? -1 : 1;
}

static void print_script_head(const struct iw_printer *printer, FILE *out) {
    const struct iw_conversation *conversation = printer->conversation;
    bool initiator = printer->options->side == conversation->initiator;
    char opener[IW_TCP_ADDRESS_TEXT_OCTETS], other[IW_TCP_ADDRESS_TEXT_OCTETS];

    iw_tcp_address_text(&conversation->address[IW_SIDE_A], opener);
    iw_tcp_address_text(&conversation->address[IW_SIDE_B], other);
    fprintf(out, "-- %s, stream %" PRIu64 ": %s connects to %s.\n", printer->options->file,
        conversation->stream, opener, other);
    fprintf(out, "-- Plays the %s%s: sends what it sent, and expects what it was sent.\n",
        initiator ? "initiator" : "responder",
        printer->options->side == IW_SIDE_A ? ", which connects" : ", which is connected to");
}

static void print_stags(const struct iw_printer *printer, FILE *out) {
    if (printer->stags.count == 0)
        return;
    fputs("\n-- Memory of the peer, as in the capture unless --arg says otherwise: STag, and lowest TO.\n",
        out);
    fputs("local stag, to = {}, {}\n", out);
    for (size_t i = 0; i < printer->stags.count; i++) {
        const struct iw_printer_stag *stag = &printer->stags.list[i];

        fprintf(out, "stag[%zu] = args.stag%zu or 0x%08" PRIx32 "\n", i + 1, i + 1, stag->stag);
        if (stag->has_to)
            fprintf(out, "to[%zu] = args.to%zu or 0x%" PRIx64 "\n", i + 1, i + 1, stag->to);
    }
}

static void print_pause(const struct iw_printer *printer, size_t i, FILE *out) {
    const struct iw_printer_item *item = &printer->items.list[i];

    if (!printer->options->timing || !item->own || i == 0 ||
        item->time_ns < printer->items.list[i - 1].time_ns + 1000)
        return;
    fprintf(out, "pause(%.6f)\n", (double)(item->time_ns - printer->items.list[i - 1].time_ns) / 1e9);
}

static void print_item(const struct iw_printer_item *item, FILE *out) {
    bool lines = strchr(item->text, '\n') != NULL;

    if (lines && item->note[0] != '\0')
        fprintf(out, "-- %s\n", item->note);
    fputs(item->text, out);
    if (!lines && item->note[0] != '\0')
        fprintf(out, " -- %s", item->note);
    putc('\n', out);
}

static void printer_print_script(struct iw_printer *printer, FILE *out) {
    if (printer->items.count > 0)
        qsort(printer->items.list, printer->items.count, sizeof *printer->items.list, printer_compare_items);
    print_script_head(printer, out);
    print_stags(printer, out);
    if (printer->received.requests.count > 0)
        fputs("\nlocal reads = {} -- of the peer\n", out);
    putc('\n', out);
    for (size_t i = 0; i < printer->items.count; i++) {
        print_pause(printer, i, out);
        print_item(&printer->items.list[i], out);
    }
}

static void printer_dispose(struct iw_printer *printer) {
    for (size_t i = 0; i < printer->items.count; i++)
        free(printer->items.list[i].text);
    free(printer->items.list);
    free(printer->received.requests.list);
    free(printer->received.responses.list);
    free(printer->asked.requests.list);
    free(iw_text_close(&printer->items.text));
    free(printer);
}

static enum iw_status printer_make(struct iw_printer *printer, FILE *out) {
    const struct iw_printer_options *options = printer->options;

    for (int qn = 0; qn < IW_QN_COUNT; qn++)
        printer->sender.next_msn[qn] = 1;
    iw_printer_startup(printer);
    iw_printer_peer(printer);
    iw_printer_own(printer);
    if (printer->no_memory)
        return IW_ERR_NOMEM;
    if (options->limit > 0 && printer->digits > options->limit)
        return IW_ERR_LIMIT;
    printer_print_script(printer, out);
    return IW_OK;
}

enum iw_status iw_printer_print(const struct iw_conversation *conversation,
    const struct iw_printer_options *options, FILE *out, uint64_t *octets) {
    struct iw_printer *printer = calloc(1, sizeof *printer);

    if (printer == NULL)
        return IW_ERR_NOMEM;
    printer->conversation = conversation;
    printer->options = options;
    printer->own = &conversation->side[options->side];
    printer->peer = &conversation->side[iw_side_other(options->side)];
    enum iw_status status = iw_text_open(&printer->items.text) ? printer_make(printer, out) : IW_ERR_NOMEM;
    *octets = printer->digits;
    printer_dispose(printer);
    return status;
}
