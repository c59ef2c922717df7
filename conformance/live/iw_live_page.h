#pragma once

#include "iw_builtin_text.h"
#include "iw_live_table.h"

/* What the page of `watch --http` shows, as server-sent events (HTML Living Standard 9.2): each is a JSON
 * object with what has changed since the previous event for the same reader. */

enum {
    IW_LIVE_PAGE_OPEN = 200, /* rows shown: the newest open ones */
    IW_LIVE_PAGE_ENDED = 50, /* and the latest ended ones */
    IW_LIVE_PAGE_ROWS = IW_LIVE_PAGE_OPEN + IW_LIVE_PAGE_ENDED,
    IW_LIVE_PAGE_FINDINGS = 100, /* the latest ones of all connections */
    IW_LIVE_PAGE_REPORTS = 20,   /* of the latest ended connections */
    IW_LIVE_PAGE_REPORT_OCTETS = 16 << 10,
};

struct iw_live_page_finding {
    struct iw_finding finding;
    bool waived, sctp;
    uint64_t stream;
    char address[IW_TCP_ADDRESS_TEXT_OCTETS]; /* of the side at fault */
};

struct iw_live_page_row {
    uint64_t serial; /* of struct iw_live_row */
    uint64_t hash;   /* of `text` */
    char *text;      /* JSON; NULL: memory ran out */
};

struct iw_live_page {
    const struct iw_live_table *table;
    uint8_t stricter;   /* see iw_totals.h */
    bool over;          /* the watch has ended */
    uint64_t version;   /* of the rows and totals */
    bool changed;       /* since this version */
    uint64_t second_ns; /* table->now_ns of this version */
    struct iw_live_page_row rows[IW_LIVE_PAGE_ROWS];
    size_t row_count;
    struct iw_live_page_finding findings[IW_LIVE_PAGE_FINDINGS]; /* number N at N % IW_LIVE_PAGE_FINDINGS */
    uint64_t finding_count;                                      /* of all findings */
};

/* The files of the page: the folder page/, and the style of all pages. */
extern const struct iw_builtin iw_live_page_files[];
extern const size_t iw_live_page_file_count;

/* What a reader has already. All zero: nothing. */
struct iw_live_page_reader {
    uint64_t version, findings, reports;
    struct {
        uint64_t serial, hash;
    } rows[IW_LIVE_PAGE_ROWS];
    size_t row_count;
};

void iw_live_page_init(struct iw_live_page *page, const struct iw_live_table *table, uint8_t stricter);
void iw_live_page_dispose(struct iw_live_page *page);

/* Takes an event, after the table has it. */
void iw_live_page_event(
    struct iw_live_page *page, const struct iw_check_stream *stream, const struct iw_monitor_event *event);

/* Makes a new version of the rows if the table has changed: after an end, a beginning or a finding, and once
 * a second. Call it at ticks, while there are readers. */
void iw_live_page_update(struct iw_live_page *page);

/* Returns the next event for the reader, which the caller frees; NULL if there is nothing new, or if memory
 * runs out. */
char *iw_live_page_next(const struct iw_live_page *page, struct iw_live_page_reader *reader);
