#pragma once

#include <stdio.h>

#include "iw_check_report.h"
#include "iw_diagnosis.h"
#include "iw_exit.h"
#include "iw_explain_call.h"
#include "iw_explain_connect.h"
#include "iw_progress.h"
#include "iw_show.h"
#include "iw_text.h"
#include "iw_upper.h"

/* Tells for each connection of a capture what it was, how it ended, why, and where its time went. Reads each
 * capture once; keeps of a connection its facts while it is open, and its story afterwards. */

enum iw_explain_form { IW_EXPLAIN_TEXT, IW_EXPLAIN_JSONL, IW_EXPLAIN_HTML };

/* A connection that has ended, while its story is written. */
struct iw_explained {
    const struct iw_check_stream *stream;
    const struct iw_check_chain *chain;
    const char *file; /* the first file of the connection */
    char address[2][IW_SHOW_ADDRESS_OCTETS];
    struct iw_evidence evidence;
    struct iw_diagnosis diagnosis;
    const struct iw_upper *upper;         /* the layer above; NULL: memory ran out */
    const char *protocol;                 /* of the layer above; NULL: not known */
    const struct iw_explain_calls *calls; /* of the layer above that have replies */
    bool brief; /* HTML: without diagrams, as many stories have been told and nothing failed */
};

struct iw_explain_story {
    int rank; /* higher is worse */
    uint64_t number;
    char *text;
};

/* The caller sets the members above the blank line and zeroes the others. */
struct iw_explain {
    FILE *out;
    enum iw_explain_form form;
    unsigned extensions; /* set of enum iw_extension */
    unsigned threads;    /* 0: one per processor */
    uint64_t memory;     /* octets, as in struct iw_check_config */
    struct iw_progress progress;

    struct iw_explain_story *stories;
    size_t story_count;
    struct iw_text page;                 /* HTML: the stories of all captures so far */
    struct iw_explain_connects connects; /* of this capture */
    const struct iw_check_chain *chain;
    uint64_t streams, with_cause, not_known, violating; /* of all files; violating: without a failure */
    uint64_t partial; /* nothing wrong seen, but the capture lacks something */
    uint64_t roce;    /* captures with RoCE and without iWARP; not in the counts of connections */
    bool no_memory;
};

/* Explains the files of one capture, the worst connection first. Errors go to stderr. */
enum iw_exit iw_explain_files(struct iw_explain *explain, const char *const *paths, size_t count);

/* Prints the summary. `exit` is that of all files; returns the exit code of the program. */
enum iw_exit iw_explain_end(struct iw_explain *explain, enum iw_exit exit);

/* For `check --explain`: adds the story to the report. */
extern const struct iw_check_teller iw_explain_teller;

/* ---- for the forms ---- */

/* The result in words if no cause is known: "not known", "violations" if no failure was seen but `check`
 * finds errors, or "nothing wrong seen"; otherwise "cause". */
const char *iw_explained_outcome(const struct iw_explained *explained);
bool iw_explained_violates(const struct iw_explained *explained);

/* Writes "frame 7", or "frame 7 of FILE" if the capture has several files. */
enum { IW_EXPLAIN_FRAME_OCTETS = 512 };
const char *iw_explain_frame(
    const struct iw_check_chain *chain, uint64_t frame, char text[IW_EXPLAIN_FRAME_OCTETS]);

/* The name of a file for people: "standard input" for "-". */
const char *iw_explain_title(const char *path);

/* The file that has frame `frame` of the capture, and its number in that file. */
const char *iw_explain_file(const struct iw_check_chain *chain, uint64_t frame);
uint64_t iw_explain_frame_number(const struct iw_check_chain *chain, uint64_t frame);

/* Writes a time such as "2.000 ms" or "31.027 s"; `about`: with two digits, as "about 10 ms". */
enum { IW_EXPLAIN_TIME_OCTETS = 40 };
const char *iw_explain_time(uint64_t ns, char text[IW_EXPLAIN_TIME_OCTETS]);
const char *iw_explain_time_about(uint64_t ns, char text[IW_EXPLAIN_TIME_OCTETS]);

/* Writes the quantile `percent`: exact if it is the slowest, otherwise with "about", as the true value may be
 * up to 1/8 less. */
const char *iw_explain_quantile(
    const struct iw_latency *latency, unsigned percent, char text[IW_EXPLAIN_TIME_OCTETS]);

/* Kind of the calls, such as "NFS WRITE". */
const char *iw_explain_call_name(const struct iw_explain_call *call);

/* When the connection ended; when the capture ended, with frame 0, if that was first. */
struct iw_history_mark iw_explained_end(const struct iw_explained *explained);

/* Nanoseconds from `since_ns` to that end. */
uint64_t iw_explained_age(const struct iw_explained *explained, uint64_t since_ns);

/* The longest time without a message although requests were outstanding. */
struct iw_explain_wait {
    uint64_t ns;                     /* 0: none */
    uint64_t begin_frame, end_frame; /* end_frame 0: the end of the capture */
    uint32_t outstanding;            /* requests meanwhile */
    bool to_end; /* no message ended it, but the end of the connection or of its capture */
};
struct iw_explain_wait iw_explained_wait(const struct iw_explained *explained);

/* Writes what memory is for by the protocol above, such as "for NFS READ in frame 104, offset 0x2000 of
 * 0x8000". Returns NULL if that is not known. */
enum { IW_EXPLAIN_PURPOSE_OCTETS = 2 * IW_EXPLAIN_FRAME_OCTETS + IW_UPPER_TEXT_OCTETS };
const char *iw_explain_purpose(const struct iw_explained *explained, const struct iw_named_buffer *named,
    char text[IW_EXPLAIN_PURPOSE_OCTETS]);

/* The memory of the responder that a request of `side` names; not known if the request is no longer kept. */
struct iw_named_buffer iw_explain_requested(
    const struct iw_explained *explained, enum iw_side side, const struct iw_request_name *name);

/* The latest segment of `side` if it is of a Write whose last segment is missing; or NULL. */
const struct iw_history_message *iw_explain_unfinished_write(
    const struct iw_explained *explained, enum iw_side side);

/* How the connection ended, for programs: "terminate". */
const char *iw_explain_ending_key(enum iw_ending ending);
const char *iw_explain_truth_key(enum iw_truth truth); /* "confirmed", "refuted", "undecided" */

/* The story without the line that names file and stream. */
void iw_explain_text_body(FILE *out, const struct iw_explained *explained);
void iw_explain_text_story(FILE *out, const struct iw_explained *explained);
void iw_explain_jsonl_story(FILE *out, const struct iw_explained *explained);

/* A cause without a connection that is iWARP, such as RoCE, or a failed connect. */
void iw_explain_text_capture(FILE *out, const char *file, const struct iw_diagnosed *diagnosed);
void iw_explain_jsonl_capture(FILE *out, const char *file, const struct iw_diagnosed *diagnosed);
