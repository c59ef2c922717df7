#ifndef IW_CHECK_REPORT_H
#define IW_CHECK_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "iw_check.h"
#include "iw_check_extract.h"
#include "iw_check_result.h"
#include "iw_exit.h"
#include "iw_progress.h"
#include "iw_totals.h"
#include "iw_waiver.h"

/* What `warpcheck check` prints, in one of several forms. */

struct iw_check_report {
    FILE *out;
    struct iw_waivers *waivers; /* or NULL */
    unsigned threads;           /* to judge with; 0: as many as there are processors */
    uint8_t stricter;           /* see iw_totals.h */
    bool many;                  /* more than one file is going to be read, so a line has to say whose it is */
    struct iw_progress progress;     /* its `out` */
    struct iw_check_extract extract; /* its `directory` */

    const char *file; /* being read; of a chain, the first and the last */
    uint64_t files;
    unsigned extensions; /* set of enum iw_extension that they are judged with */
    const char *error;   /* at file_end: why the file was not judged, or not to its end, of a chain for each
                            file of which that is true; or NULL */
    struct iw_totals tally;        /* of all files */
    uint64_t loss_streams;         /* with octets that were acknowledged and never captured; */
    uint64_t loss_octets;          /* how many octets */
    struct iw_check_result result; /* for forms that want the whole run; its files in any case */
    struct iw_check_event_store keep;
    void *state; /* the form's own */
};

struct iw_check_report_form {
    const char *name;
    bool whole;   /* it reads report->result at the end */
    unsigned log; /* entries of the wire log that it wants of a connection */
    /* Around each file, and after the last; `exit` is what the program will end with. Any may be NULL. An
     * event comes after it has been kept, a connection when it has ended. */
    void (*file_begin)(struct iw_check_report *report);
    void (*event)(
        struct iw_check_report *report, struct iw_check_stream *stream, const struct iw_monitor_event *event);
    bool findings_only; /* of the events */
    void (*connection)(struct iw_check_report *report, const struct iw_check_connection *connection);
    void (*file_end)(struct iw_check_report *report, const struct iw_check_counts *counts);
    void (*end)(struct iw_check_report *report, enum iw_exit exit);
};

/* For people: a paragraph per connection, and a summary. */
extern const struct iw_check_report_form iw_check_report_text;
/* One JSON object per line: finding, stream, waiver, summary. */
extern const struct iw_check_report_form iw_check_report_jsonl;
/* For people: one page that needs no network. */
extern const struct iw_check_report_form iw_check_report_html;
/* For people: a line per startup frame, FPDU, loss and close, with its findings below it. */
extern const struct iw_check_report_form iw_check_report_decode;
/* For comparison with tshark: a line per capture frame with iWARP content, the columns of iw_columns.h. */
extern const struct iw_check_report_form iw_check_report_fields;

/* For continuous integration: JUnit XML, a test suite per connection. */
extern const struct iw_check_report_form iw_check_report_junit;

/* The form that --format knows by that name, or NULL. */
const struct iw_check_report_form *iw_check_report_form_find(const char *name);

/* Judges the files of one capture, in order of time, and reports them; what is wrong with a file itself is
 * said on stderr. `report` holds `out`, `waivers`, `threads`, `stricter`, `many`, `progress.out` and
 * `extract.directory`, and is otherwise zero before the first. `paths`, and what they point to, outlive it.
 */
enum iw_exit iw_check_report_files(struct iw_check_report *report, const struct iw_check_report_form *form,
    const char *const *paths, size_t count, unsigned extensions);

/* After the last file: prints what the form has to say of all, names on stderr the waivers that nothing
 * needed, and releases what was kept. Returns what the program ends with, `exit` being what the files ended
 * with. */
enum iw_exit iw_check_report_end(
    struct iw_check_report *report, const struct iw_check_report_form *form, enum iw_exit exit);

#endif
