#pragma once

#include "iw_check_shard_lines.h"

/* Counts the findings and streams of one capture in the results of a shard, to detect lost and repeated
 * lines: each stream states its number of findings, and the line "capture" states the sums of all streams. */

enum { IW_CHECK_MERGE_WRONG_OCTETS = 200 };

struct iw_check_merge_tally {
    uint64_t *found[IW_CHECK_TRANSPORTS]; /* by transport and id: findings read; UINT64_MAX: stream read */
    size_t id_count[IW_CHECK_TRANSPORTS];
    bool judges_upper;     /* totals include findings about the protocol above: --upper judge */
    uint64_t order;        /* of the last line */
    uint64_t upper;        /* findings about the protocol above since the last stream */
    uint64_t upper_stream; /* the stream of these */
    uint64_t open;         /* findings of streams whose line "stream" is not yet read */
    uint64_t streams;      /* lines "stream" of this capture */
    struct iw_totals sum;  /* findings and waived of the streams read: of all captures so far */
};

/* Begins a capture with this number of ids. `sum` stays. Returns false if memory runs out. */
bool iw_check_merge_tally_begin(
    struct iw_check_merge_tally *tally, const size_t id_count[IW_CHECK_TRANSPORTS]);
void iw_check_merge_tally_clear(struct iw_check_merge_tally *tally);

/* Sets *transport to that of a line. Returns false with a text in `wrong` if it names none. */
bool iw_check_merge_tally_transport(
    const json_t *line, enum iw_check_transport *transport, char wrong[IW_CHECK_MERGE_WRONG_OCTETS]);

/* Takes a line "finding", "upper_finding" or "stream". Sets *transport and *id to its stream, tally->order to
 * its order. Returns false with a text in `wrong` if a member is invalid, or contradicts earlier lines. */
bool iw_check_merge_tally_line(struct iw_check_merge_tally *tally, const json_t *line,
    enum iw_check_transport *transport, uint64_t *id, char wrong[IW_CHECK_MERGE_WRONG_OCTETS]);

/* Compares with the line "capture", which says `counts` and `totals`; `error`: it tells an error. */
bool iw_check_merge_tally_end(const struct iw_check_merge_tally *tally, const struct iw_check_counts *counts,
    const struct iw_totals *totals, bool error, char wrong[IW_CHECK_MERGE_WRONG_OCTETS]);
