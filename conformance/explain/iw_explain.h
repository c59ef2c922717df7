#pragma once

#include <stdio.h>

#include "iw_check_report.h"
#include "iw_exit.h"
#include "iw_explain_connect.h"
#include "iw_explain_revision.h"
#include "iw_explained.h"
#include "iw_conclusion.h"
#include "iw_progress.h"
#include "iw_text.h"

/* Tells for each connection of a capture what it was, how it ended, why, and where its time went. Reads each
 * capture once; keeps of a connection its facts while it is open, and its story afterwards. */

enum iw_explain_form { IW_EXPLAIN_TEXT, IW_EXPLAIN_JSONL, IW_EXPLAIN_HTML };

struct iw_explain_story {
    int rank; /* higher is worse */
    uint64_t number;
    char *text;
    char *entry; /* HTML: its line in the list of connections; or NULL */
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
    struct iw_text page, list;             /* HTML: stories of all captures so far, and the list of them */
    struct iw_explain_connects connects;   /* of this capture */
    struct iw_explain_revisions revisions; /* of this capture */
    const struct iw_check_chain *chain;
    uint64_t streams; /* of all files */
    uint64_t told;    /* stories of all files */
    uint64_t conclusions[IW_CONCLUSION_COUNT];
    uint64_t roce; /* captures with RoCE and without iWARP; not in the counts of connections */
    bool no_memory;
};

/* Explains the files of one capture, the worst connection first. Errors go to stderr. */
enum iw_exit iw_explain_files(struct iw_explain *explain, const char *const *paths, size_t count);

/* Prints the summary. `exit`: the joined exit code of all files. Returns the exit code of the program. */
enum iw_exit iw_explain_end(struct iw_explain *explain, enum iw_exit exit);

/* For `check --explain`: adds the story to the report. */
extern const struct iw_check_teller iw_explain_teller;

/* ---- for the forms ---- */

/* Prints how many connections have which conclusion, without a newline. */
void iw_explain_put_counts(FILE *out, const struct iw_explain *explain);

/* The story without the line that names file and stream. */
void iw_explain_text_body(FILE *out, const struct iw_explained *explained);
void iw_explain_text_story(FILE *out, const struct iw_explained *explained);
void iw_explain_jsonl_story(FILE *out, const struct iw_explained *explained);

/* A cause without a connection that is iWARP, such as RoCE, or a failed connect. */
struct iw_explain_captured {
    const struct iw_check_chain *chain;
    struct iw_diagnosed diagnosed; /* with a frame at least */
    uint64_t number;               /* HTML: of its story on the page */
};

/* The file that has its first frame. */
static inline const char *iw_explain_captured_file(const struct iw_explain_captured *captured) {
    return iw_explain_file(captured->chain, captured->diagnosed.frames[0]);
}

/* The story without the line that names the file. */
void iw_explain_text_capture_body(FILE *out, const struct iw_explain_captured *captured);
void iw_explain_text_capture(FILE *out, const struct iw_explain_captured *captured);
void iw_explain_jsonl_capture(FILE *out, const struct iw_explain_captured *captured);
