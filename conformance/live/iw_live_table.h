#pragma once

#include <sys/queue.h>

#include "iw_check_report.h"
#include "iw_live_rate.h"
#include "iw_live_source.h"

/* The connections of `warpcheck watch`, as its views show them: those that are open, and the latest of those
 * that have ended. The handlers of a form feed the table; views read it at ticks, on the same thread. */

enum {
    IW_LIVE_ENDED_ROWS = 10000,        /* then the oldest ended row leaves */
    IW_LIVE_REPORT_OCTETS = 128 << 20, /* of the reports of ended rows: the same limit */
    IW_LIVE_FINDINGS = 8,              /* the latest ones, which a row keeps */
};

enum iw_live_state {
    IW_LIVE_STARTUP,
    IW_LIVE_OPEN,
    IW_LIVE_CLOSING, /* one side has closed, or a Terminate was sent */
    IW_LIVE_ENDED,   /* both sides have closed, or one has reset the connection; or it is reported */
};

struct iw_live_finding {
    struct iw_finding finding;
    bool waived;
};

struct iw_live_row {
    uint64_t serial;                             /* 1, 2, 3, ... in the order of the first events */
    uint64_t number;                             /* of the stream in reports */
    bool sctp;                                   /* a session over SCTP */
    char address[2][IW_TCP_ADDRESS_TEXT_OCTETS]; /* by enum iw_side */
    uint64_t first_time_ns, last_time_ns;        /* of the capture */
    bool terminated;                             /* a side has sent a Terminate */
    bool closed[2], reset[2];                    /* by side: seen in the capture */
    uint64_t waived[IW_SEVERITY_ERROR + 1];
    struct iw_live_finding *findings; /* NULL: none; number N (from 0) at N % IW_LIVE_FINDINGS */
    uint64_t finding_count;           /* of all findings */
    struct iw_live_rate rate[2];      /* payload octets by sender; of an ended row 0 */

    const struct iw_check_stream *stream; /* NULL once the connection is reported: */
    struct iw_mpa_terms terms;
    struct iw_monitor_counts counts;
    uint64_t outstanding[2]; /* by requester */
    struct iw_totals totals;
    char *report; /* its paragraph in the report `text`, with its story; NULL: memory ran out */
    size_t report_octets;
    TAILQ_ENTRY(iw_live_row) same_list;
};

TAILQ_HEAD(iw_live_rows, iw_live_row);

struct iw_live_table {
    struct iw_live_rows open;  /* not yet reported, in the order of their first events */
    struct iw_live_rows ended; /* reported; the oldest first */
    uint64_t serial;           /* of the latest row */
    uint64_t ended_count;      /* rows of `ended` */
    uint64_t left;             /* ended rows that have left the table */
    size_t report_octets;      /* of all rows */
    bool incomplete;           /* memory ran out for a row or for a part of it */

    /* As of the latest tick: */
    uint64_t now_ns;
    uint64_t connections[IW_LIVE_ENDED + 1]; /* by state, with those that have left */
    uint64_t findings[IW_SEVERITY_ERROR + 1];
    struct iw_live_counts traffic;
    struct iw_live_rate packets, octets;
};

void iw_live_table_init(struct iw_live_table *table);
/* Frees all rows. */
void iw_live_table_dispose(struct iw_live_table *table);

/* For the handlers `event`, `connection` and `drop` of a form. */
void iw_live_table_event(
    struct iw_live_table *table, struct iw_check_stream *stream, const struct iw_monitor_event *event);
void iw_live_table_connection(struct iw_live_table *table, const struct iw_check_report *report,
    const struct iw_check_connection *connection);
void iw_live_table_drop(struct iw_live_table *table, struct iw_check_stream *stream);

/* Updates counts and rates, once a second: about ten ticks. `now_ns`: of a clock that never goes back. */
void iw_live_table_tick(struct iw_live_table *table, const struct iw_check_report *report,
    const struct iw_live_counts *traffic, uint64_t now_ns);

/* ---- a row ---- */

/* What the monitor of an open connection says now, or the report of an ended one. */
const struct iw_mpa_terms *iw_live_row_terms(const struct iw_live_row *row);
const struct iw_monitor_counts *iw_live_row_counts(const struct iw_live_row *row);
uint64_t iw_live_row_outstanding(const struct iw_live_row *row, enum iw_side requester);
uint64_t iw_live_row_findings(const struct iw_live_row *row, enum iw_severity severity); /* not waived */

enum iw_live_state iw_live_row_state(const struct iw_live_row *row);

/* Returns a word: the state, or how the connection ended: "startup", "open", "closing", "Terminate", "RST",
 * "rejected", "FIN", "cut short" (the watch ended first). Over SCTP "ABORT" and "shutdown". */
const char *iw_live_row_state_name(const struct iw_live_row *row);

/* Returns the verdict of a reported connection; before, "violates" once it is certain, otherwise "". */
const char *iw_live_row_verdict(const struct iw_live_row *row, uint8_t stricter);

/* Whether a violation is certain. */
bool iw_live_row_violates(const struct iw_live_row *row, uint8_t stricter);

/* The side that views name first: the initiator if known. */
enum iw_side iw_live_row_first(const struct iw_live_row *row);

/* Returns finding `at` of the latest ones, 0 for the latest; NULL: not that many. */
const struct iw_live_finding *iw_live_row_finding(const struct iw_live_row *row, unsigned at);
