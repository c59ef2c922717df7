#include "iw_columns.h"
#include "iw_check_report.h"

static void fields_begin_table(struct iw_check_report *report) {
    report->state = iw_columns_new();
}

static void fields_event(
    struct iw_check_report *report, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    (void)stream;
    if (report->state)
        iw_columns_event(report->state, event);
}

static void fields_print_table(struct iw_check_report *report, const struct iw_check_counts *counts) {
    (void)counts;
    if (!report->state || iw_columns_print(report->state, report->out) != IW_OK)
        report->result.incomplete = true;
    iw_columns_free(report->state);
    report->state = NULL;
}

const struct iw_check_report_form iw_check_report_fields = {
    .file_begin = fields_begin_table,
    .event = fields_event,
    .file_end = fields_print_table,
};
