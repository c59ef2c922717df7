#include "iw_narrate.h"

#include <inttypes.h>
#include <stdarg.h>

#include "iw_name.h"

struct line {
    char *text;
    size_t capacity;
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    int printed = vsnprintf(line->text + line->length, line->capacity - line->length, format, arguments);
    va_end(arguments);
    if (printed > 0)
        line->length += (size_t)printed;
    if (line->length >= line->capacity)
        line->length = line->capacity - 1;
}

static void tell_startup(struct line *line, const struct iw_startup *startup) {
    static const char *const names[] = {[IW_STARTUP_REQUEST] = "MPA Request Frame",
        [IW_STARTUP_REPLY] = "MPA Reply Frame",
        [IW_STARTUP_UNKNOWN] = "no startup frame"};

    add(line, "%s", names[startup->key]);
    if (startup->key == IW_STARTUP_UNKNOWN)
        return;
    add(line, ", Rev %u%s%s%s", startup->header.rev, startup->header.c ? ", CRC" : "",
        startup->header.m ? ", markers" : "", startup->header.r ? ", rejected" : "");
    if (startup->enhanced)
        add(line, ", IRD %u, ORD %u%s", startup->enhanced_data.ird, startup->enhanced_data.ord,
            startup->enhanced_data.a ? ", peer-to-peer" : "");
    if (startup->private_octets > 0)
        add(line, ", %zu octets of private data", startup->private_octets);
}

static void tell_terminate(struct line *line, const struct iw_terminate *control) {
    const struct iw_error_row *row =
        iw_error_find(iw_error_triple(control->layer, control->etype, control->code));

    add(line, ", %x/%x/%02x%s%s", control->layer, control->etype, control->code, row == NULL ? "" : " ",
        row == NULL ? "" : row->name);
}

static void tell_segment(struct line *line, const struct iw_monitor_event *event) {
    const struct iw_segment *segment = event->segment;

    if (segment->op == NULL)
        add(line, "opcode %u", segment->opcode);
    else
        add(line, "%s", segment->op->title);
    if (segment->tagged)
        add(line, ", STag 0x%08" PRIx32 ", TO 0x%" PRIx64, segment->stag, segment->to);
    else
        add(line, ", MSN %" PRIu32, segment->msn);
    if (!segment->tagged && segment->mo != 0)
        add(line, ", MO %" PRIu32, segment->mo);
    if (event->terminate != NULL)
        tell_terminate(line, &event->terminate->control);
    else if (segment->opcode == IW_RDMAP_OP_READ_REQUEST &&
             segment->header_octets == iw_read_request_octets) {
        struct iw_read_request request;
        iw_read_request_decode(segment->header, &request);
        add(line, ", %" PRIu32 " octets from STag 0x%08" PRIx32 ", TO 0x%" PRIx64, request.size,
            request.source_stag, request.source_to);
    } else {
        add(line, ", %u octets", segment->payload_octets);
    }
    if (!segment->last)
        add(line, ", more follow");
}

void iw_narrate_event(const struct iw_monitor_event *event, char *text, size_t capacity) {
    static const char *const closes[] = {
        [IW_MPA_CLOSE_FIN] = "FIN", [IW_MPA_CLOSE_RST] = "RST", [IW_MPA_CLOSE_INPUT] = "left open"};
    struct line line = {.text = text, .capacity = capacity};
    const struct iw_mpa_event *mpa = event->mpa;

    text[0] = '\0';
    switch (mpa->kind) {
    case IW_MPA_STARTUP:
        tell_startup(&line, mpa->startup);
        break;
    case IW_MPA_FPDU:
        if (event->segment != NULL)
            tell_segment(&line, event);
        else
            add(&line, "FPDU of %u octets", mpa->fpdu->ulpdu_length);
        if (mpa->fpdu->crc == IW_CRC_BAD)
            add(&line, ", wrong CRC");
        break;
    case IW_MPA_LOSS:
        add(&line, "%" PRIu64 " octets that are no FPDU", mpa->octets);
        break;
    case IW_MPA_CLOSE:
        add(&line, "%s", closes[mpa->close]);
        if (mpa->pending > 0)
            add(&line, " with %" PRIu32 " octets of an unfinished FPDU or frame", mpa->pending);
        break;
    }
}

void iw_narrate_finding(const struct iw_finding *finding, char *text, size_t capacity) {
    struct line line = {.text = text, .capacity = capacity};

    add(&line, "%s %s", iw_severity_name(iw_requirement_severity(finding->requirement)),
        finding->requirement->id);
    if (finding->frame != 0)
        add(&line, ", frame %" PRIu64, finding->frame);
    add(&line, ": %s", finding->message);
}
