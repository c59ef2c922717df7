#include "iw_json.h"
#include "iw_check_report.h"
#include "iw_show.h"

static void put_findings(
    struct iw_check_report *report, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    for (size_t i = 0; i < event->finding_count; i++) {
        json_t *object = iw_json_object("finding", report->file, stream->flow->id);

        iw_json_add_finding(object, &event->findings[i]);
        iw_json_line(report->out, object);
    }
}

static void put_stream(struct iw_check_report *report, struct iw_check_stream *stream) {
    const struct iw_tcp_flow *flow = stream->flow;
    char a[IW_SHOW_ADDRESS_OCTETS], b[IW_SHOW_ADDRESS_OCTETS];
    const char *addresses[2] = {a, b};
    const struct iw_tcp_counters *tcp[2] = {
        &flow->stream[IW_SIDE_A].counters, &flow->stream[IW_SIDE_B].counters};
    json_t *object = iw_json_object("stream", report->file, flow->id);

    iw_show_address(&flow->address[IW_SIDE_A], a);
    iw_show_address(&flow->address[IW_SIDE_B], b);
    iw_json_add_stream(object, stream->monitor, addresses, tcp);
    iw_json_line(report->out, object);
}

static void put_summary(struct iw_check_report *report, enum iw_exit exit) {
    json_t *object = iw_json_object("summary", NULL, 0);

    json_object_set_new(object, "files", json_integer((json_int_t)report->files));
    json_object_set_new(object, "streams", json_integer((json_int_t)report->tally.streams));
    json_object_set_new(object, "fpdus", json_integer((json_int_t)report->tally.fpdus));
    iw_json_add_tally(object, &report->tally);
    json_object_set_new(object, "exit", json_integer(exit));
    iw_json_line(report->out, object);
}

const struct iw_check_report_form iw_check_report_jsonl = {
    .name = "jsonl",
    .event = put_findings,
    .stream_end = put_stream,
    .end = put_summary,
};
