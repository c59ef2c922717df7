#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "iw_check.h"
#include "iw_check_extract.h"
#include "iw_check_result.h"
#include "iw_exit.h"
#include "iw_progress.h"
#include "iw_text.h"
#include "iw_totals.h"
#include "iw_waiver.h"

/* Writes the output of `warpcheck check` in one of several formats. */

struct iw_check_report;

struct iw_check_report_form {
    bool whole;   /* keep all connections in report->result until `end` */
    unsigned log; /* lines after which a wire log takes only findings and the events around them; 0: no log */
    /* Each handler may be NULL. */
    void (*file_begin)(struct iw_check_report *report); /* before each file, or chain of files of a capture */
    /* Called after the event was stored. */
    void (*event)(
        struct iw_check_report *report, struct iw_check_stream *stream, const struct iw_monitor_event *event);
    bool findings_only; /* `event` takes only events with findings */
    /* Called after the connection has ended. */
    void (*connection)(struct iw_check_report *report, const struct iw_check_connection *connection);
    void (*file_end)(struct iw_check_report *report, const struct iw_check_counts *counts);
    /* Called instead of `connection` if the stream has no report: see stream_drop of struct
     * iw_check_handlers. Only for streams whose `row` the form has set. */
    void (*drop)(struct iw_check_report *report, struct iw_check_stream *stream);
    void (*tick)(struct iw_check_report *report); /* with a source: see struct iw_check_handlers */
    /* Called after all files. `exit` is the exit code of the program, unless memory runs out in `end`. */
    void (*end)(struct iw_check_report *report, enum iw_exit exit);
};

/* Declares the form of each format: iw_check_report_text and so on. */
#define IW_FORMAT_OF_CAPTURES(name) extern const struct iw_check_report_form iw_check_report_##name;
#include "iw_format.def"
/* For people: a line for each startup frame, FPDU, SCTP chunk, loss and close, with its findings below it. */
extern const struct iw_check_report_form iw_check_report_decode;
/* For comparison with the plugin: a line per capture frame with iWARP content, with a column for each filter
 * name of iw_layout.def and iw_derived.def, separated by tabs, and commas between the values of a column, as
 *
 *     tshark -2 -r FILE -Y iwarp -T fields -e frame.number -e iwarp.X ... -E separator=/t -E occurrence=a -E
 * aggregator=,
 *
 * prints them. */
extern const struct iw_check_report_form iw_check_report_fields;

/* Prints the filter name of each column, without the frame number, on a line between `before` and `after`. */
void iw_check_report_fields_list(FILE *out, const char *before, const char *after);

/* Returns the form that --format NAME selects; NULL if the name is unknown. */
const struct iw_check_report_form *iw_check_report_form_find(const char *name);

/* Adds a story to each connection of the formats text and jsonl. */
struct iw_check_teller {
    /* Takes the next event; called on any thread, but never twice at a time for one stream. */
    void (*note)(struct iw_check_stream *stream, const struct iw_monitor_event *event);
    /* Returns the story of the ended stream, as lines for people or as one JSON object, and frees
     * stream->story. The caller frees the text. NULL: memory ran out. */
    char *(*tell)(struct iw_check_stream *stream, const struct iw_check_chain *chain, bool jsonl);
    /* Frees stream->story of a stream that has no end. */
    void (*drop)(struct iw_check_stream *stream);
};

/* Sees the events of connections whose packets come from a struct iw_check_source, whatever the form. */
struct iw_check_observer {
    void *user;
    /* Called on the caller's thread, after the event was stored. */
    void (*event)(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event);
};

/* Returns who is on that side of a relayed stream, such as "device". Called on the caller's thread. */
typedef const char *iw_check_peer(void *user, const struct iw_check_stream *stream, enum iw_side side);

/* Before the first call, the caller sets the members above the blank line and zeroes all others. */
struct iw_check_report {
    FILE *out;
    const struct iw_check_report_form *form;
    unsigned extensions;            /* set of enum iw_extension in force */
    struct iw_waivers *waivers;     /* NULL: no waivers */
    iw_check_excuse *excuse;        /* NULL: none; its waivers are among `waivers` */
    iw_check_peer *peer;            /* names the offender in each finding of the format jsonl; NULL: none */
    void *relay;                    /* user data of `excuse` and `peer` */
    unsigned threads;               /* 0: one per processor */
    uint64_t memory;                /* octets, as in struct iw_check_config */
    uint8_t stricter;               /* see iw_totals.h */
    enum iw_check_upper_mode upper; /* what to do with findings about the protocol above */
    bool many;                      /* several files will be read: the output names them */
    const struct iw_check_teller *teller;     /* NULL: no explanations */
    const struct iw_check_observer *observer; /* NULL: none */
    struct iw_check_shard shard;              /* judge only this shard; count 0: everything */
    struct iw_progress progress;              /* the caller sets `out` */
    struct iw_check_extract extract;          /* the caller sets `directory` */
    const struct iw_check_source *source;     /* set by iw_check_report_source; NULL: files */

    const char *file; /* the current file; for a chain, a text that names its first and last file */
    uint64_t files;
    struct iw_text troubles; /* errors of the current file or chain, separated by "; " */
    const char *error; /* for `file_end`: why the file or files could not be judged completely; or NULL */
    struct iw_totals totals;                        /* of all files */
    uint64_t upper_findings[IW_SEVERITY_ERROR + 1]; /* about the protocols above, by severity; not waived */
    uint64_t upper_waived;
    uint64_t loss_streams;         /* streams with octets that were acknowledged but not captured */
    uint64_t loss_octets;          /* octets that were acknowledged but not captured */
    struct iw_check_result result; /* files for every form, connections only for forms with `whole` */
    struct iw_check_event_store store;
    struct iw_check_order *order; /* NULL: the check is not divided */
    char **split_paths;           /* of a file of `warpcheck split`: see struct iw_check_split; or NULL */
    const char **split_names;
    size_t split_count;
    void *state; /* data of the form; from the caller, if the form says so */
};

/* Judges the files of one capture, in order of time, and reports them. Errors of the files go to stderr.
 * Returns IW_EXIT_ENVIRONMENT after an error, otherwise the exit code of all files so far. `paths` and its
 * strings must outlive `report`. */
enum iw_exit iw_check_report_files(struct iw_check_report *report, const char *const *paths, size_t count);

/* The same for packets that come from `source`, which is called `name`. */
enum iw_exit iw_check_report_source(
    struct iw_check_report *report, const char *name, const struct iw_check_source *source);

/* Ends the report on one capture, whose `counts` and `status` iw_check_files has returned, or a merge of
 * them. Before, the caller fills in `report->troubles` and the totals. Returns as iw_check_report_files does.
 */
enum iw_exit iw_check_report_conclude(struct iw_check_report *report, const struct iw_check_chain *chain,
    const struct iw_check_counts *counts, enum iw_status status);

/* Sets `title` to the name of a capture in reports: its file, or its first and last file. */
enum { IW_CHECK_TITLE_OCTETS = 512 };
const char *iw_check_report_title(
    const char *first, const char *last, size_t count, char title[IW_CHECK_TITLE_OCTETS]);

/* Writes what a capture without iWARP has instead, such as ": 2 TCP connections that are not iWARP"; "" if
 * nothing is known. */
void iw_check_report_contents(const struct iw_check_counts *counts, char *line, size_t octets);

/* A handler of errors (struct iw_check_handlers): prints the line, and adds it to `report->troubles`. */
void iw_check_report_trouble(void *report, const char *line);

/* Call this function after the last file. Prints the end of the report, names unused waivers on stderr, and
 * frees the kept data. `exit` is the exit code of the files; returns the exit code of the program. */
enum iw_exit iw_check_report_end(struct iw_check_report *report, enum iw_exit exit);

/* ---- iw_check_report_text.c ---- */

/* Prints the paragraph about a connection that is part of iw_check_report_text. */
void iw_check_put_connection(
    FILE *out, const struct iw_check_report *report, const struct iw_check_connection *connection);

/* The same for a connection from iw_check_connection_peek: terms, counts, outstanding requests and findings,
 * without a verdict. */
void iw_check_put_open_connection(
    FILE *out, const struct iw_check_report *report, const struct iw_check_connection *connection);

/* Prints the name of the capture, unless report->state shows that this function has printed it. */
void iw_check_put_capture(struct iw_check_report *report);

/* ---- iw_check_report_upper.c ---- */

/* Prints the protocol above the connection, its calls without a reply, and its findings; nothing if it was
 * not read. */
void iw_check_put_upper(
    FILE *out, const struct iw_check_report *report, const struct iw_check_connection *connection);

/* ---- iw_check_report_findings.c ---- */

/* Prints the reason of a waiver of the report as a line: "waived: firmware 3 (bob, known.txt:1)". */
void iw_check_put_waiver(FILE *out, const struct iw_check_report *report, const struct iw_waiver *waiver);

/* Prints " of FILE" if `file` differs from `known`, the file that the reader expects. Both point into the
 * same list of paths. */
void iw_check_put_file(FILE *out, const char *file, const char *known);

/* Prints the findings of a connection. Each has its event, the violating octets and, indented below it, its
 * consequences. Then prints the number of findings that were not kept. */
void iw_check_put_findings(
    FILE *out, const struct iw_check_report *report, const struct iw_check_connection *connection);
