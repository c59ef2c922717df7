#include "iw_check_report.h"

#include <string.h>

#include "iw_show.h"

struct reporting {
    struct iw_check_report *report;
    const struct iw_check_report_form *form;
};

const struct iw_check_report_form *iw_check_report_form_find(const char *name) {
    static const struct iw_check_report_form *const forms[] = {
        &iw_check_report_text, &iw_check_report_jsonl, &iw_check_report_decode, &iw_check_report_fields};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i]->name, name) == 0)
            return forms[i];
    return NULL;
}

static void take_event(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    const struct reporting *reporting = user;

    if (reporting->form->event)
        reporting->form->event(reporting->report, stream, event);
}

static void take_end(void *user, struct iw_check_stream *stream) {
    const struct reporting *reporting = user;

    iw_tally_add(&reporting->report->tally, iw_monitor_counts(stream->monitor));
    if (reporting->form->stream_end)
        reporting->form->stream_end(reporting->report, stream);
}

static enum iw_exit complain(const char *error, enum iw_exit exit) {
    fprintf(stderr, "warpcheck: %s\n", error);
    return exit;
}

enum iw_exit iw_check_report_file(struct iw_check_report *report, const struct iw_check_report_form *form,
    const char *path, unsigned extensions) {
    static const struct iw_check_handlers handlers = {take_event, take_end};
    struct reporting reporting = {report, form};
    struct iw_check_counts counts = {0};
    enum iw_status status;
    char error[512];

    report->file = path;
    report->files++;
    if (form->file_begin)
        form->file_begin(report);
    status = iw_check_file(path, extensions, &handlers, &reporting, &counts, error, sizeof error);
    if (form->file_end)
        form->file_end(report, &counts);
    fflush(report->out);
    if (status != IW_OK)
        return complain(error, IW_EXIT_ENVIRONMENT);
    if (counts.streams == 0) {
        snprintf(error, sizeof error, "%s: no iWARP stream found in %llu frame%s", path,
            (unsigned long long)counts.frames, iw_show_plural(counts.frames));
        return complain(error, IW_EXIT_ENVIRONMENT);
    }
    return iw_tally_exit(&report->tally);
}
