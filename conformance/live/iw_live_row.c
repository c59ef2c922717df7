#include "iw_live_table.h"

/* A connection whose judgement was given up has no monitor, and is dropped soon. */
static const struct iw_monitor *live_row_monitor(const struct iw_live_row *row) {
    return row->stream != NULL ? row->stream->monitor : NULL;
}

const struct iw_mpa_terms *iw_live_row_terms(const struct iw_live_row *row) {
    const struct iw_monitor *monitor = live_row_monitor(row);

    return monitor != NULL ? iw_monitor_terms(monitor) : &row->terms;
}

const struct iw_monitor_counts *iw_live_row_counts(const struct iw_live_row *row) {
    const struct iw_monitor *monitor = live_row_monitor(row);

    return monitor != NULL ? iw_monitor_counts(monitor) : &row->counts;
}

uint64_t iw_live_row_outstanding(const struct iw_live_row *row, enum iw_side requester) {
    const struct iw_monitor *monitor = live_row_monitor(row);
    struct iw_unanswered unanswered;

    if (monitor == NULL)
        return row->outstanding[requester];
    iw_monitor_unanswered(monitor, requester, &unanswered);
    return unanswered.count;
}

uint64_t iw_live_row_findings(const struct iw_live_row *row, enum iw_severity severity) {
    if (row->stream == NULL)
        return row->totals.findings[severity];
    return iw_live_row_counts(row)->findings[severity] - row->waived[severity];
}

enum iw_live_state iw_live_row_state(const struct iw_live_row *row) {
    const struct iw_mpa_terms *terms = iw_live_row_terms(row);
    const struct iw_monitor_counts *counts = iw_live_row_counts(row);

    if (row->stream == NULL || row->reset[IW_SIDE_A] || row->reset[IW_SIDE_B] ||
        (row->closed[IW_SIDE_A] && row->closed[IW_SIDE_B]))
        return IW_LIVE_ENDED;
    if (row->closed[IW_SIDE_A] || row->closed[IW_SIDE_B] || row->terminated)
        return IW_LIVE_CLOSING;
    return terms->settled || counts->fpdus[IW_SIDE_A] + counts->fpdus[IW_SIDE_B] > 0 ? IW_LIVE_OPEN
                                                                                     : IW_LIVE_STARTUP;
}

static const char *live_row_end_name(const struct iw_live_row *row) {
    if (row->terminated)
        return "Terminate";
    if (row->reset[IW_SIDE_A] || row->reset[IW_SIDE_B])
        return row->sctp ? "ABORT" : "RST";
    if (iw_live_row_terms(row)->rejected)
        return "rejected";
    if (row->closed[IW_SIDE_A] && row->closed[IW_SIDE_B])
        return row->sctp ? "shutdown" : "FIN";
    return "cut short";
}

const char *iw_live_row_state_name(const struct iw_live_row *row) {
    static const char *const names[] = {
        [IW_LIVE_STARTUP] = "startup", [IW_LIVE_OPEN] = "open", [IW_LIVE_CLOSING] = "closing"};
    enum iw_live_state state = iw_live_row_state(row);

    return state == IW_LIVE_ENDED ? live_row_end_name(row) : names[state];
}

/* What an open connection shows so far. */
static struct iw_totals live_row_totals(const struct iw_live_row *row, uint8_t stricter) {
    struct iw_totals totals = {.stricter = stricter};

    if (row->stream == NULL)
        return row->totals;
    iw_totals_add(&totals, iw_live_row_counts(row));
    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        iw_totals_waive(&totals, (enum iw_severity)i, row->waived[i]);
    return totals;
}

bool iw_live_row_violates(const struct iw_live_row *row, uint8_t stricter) {
    const struct iw_totals totals = live_row_totals(row, stricter);

    return iw_totals_exit(&totals) == IW_EXIT_VIOLATIONS;
}

const char *iw_live_row_verdict(const struct iw_live_row *row, uint8_t stricter) {
    const struct iw_totals totals = live_row_totals(row, stricter);

    return row->stream == NULL || iw_live_row_violates(row, stricter) ? iw_totals_verdict(&totals) : "";
}

enum iw_side iw_live_row_first(const struct iw_live_row *row) {
    const struct iw_mpa_terms *terms = iw_live_row_terms(row);

    return terms->initiator_known ? terms->initiator : IW_SIDE_A;
}

const struct iw_live_finding *iw_live_row_finding(const struct iw_live_row *row, unsigned at) {
    if (row->findings == NULL || at >= IW_LIVE_FINDINGS || at >= row->finding_count)
        return NULL;
    return &row->findings[(row->finding_count - 1 - at) % IW_LIVE_FINDINGS];
}
