#include <inttypes.h>

#include "iw_describe.h"
#include "iw_tcp_address_text.h"
#include "iw_check_report.h"

static void decode_put_file(struct iw_check_report *report) {
    if (report->many)
        fprintf(report->out, "%s:\n", report->file);
}

static void decode_put_event(
    struct iw_check_report *report, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    fprintf(report->out, "%" PRIu64 " [%" PRIu64 "] %s: ", event->llp->frame, stream->id,
        iw_check_party_name(event->role, event->llp->side));
    iw_describe_event(report->out, event);
    fputc('\n', report->out);
    for (size_t i = 0; i < event->finding_count; i++) {
        char address[IW_TCP_ADDRESS_TEXT_OCTETS];

        iw_tcp_address_text(&stream->address[event->findings[i].side], address);
        fputs("    ! ", report->out);
        iw_describe_finding(report->out, &event->findings[i], address);
        iw_describe_cause(report->out, &event->findings[i]);
        fputc('\n', report->out);
    }
}

const struct iw_check_report_form iw_check_report_decode = {
    .file_begin = decode_put_file, .event = decode_put_event};
