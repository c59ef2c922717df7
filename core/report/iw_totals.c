#include "iw_totals.h"

void iw_totals_add(struct iw_totals *totals, const struct iw_monitor_counts *counts) {
    totals->streams++;
    totals->fpdus += counts->fpdus[IW_SIDE_A] + counts->fpdus[IW_SIDE_B];
    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        totals->findings[i] += counts->findings[i];
    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        totals->unjudged[i] += counts->unjudged[i];
}

void iw_totals_waive(struct iw_totals *totals, enum iw_severity severity, uint64_t count) {
    totals->findings[severity] -= count;
    totals->waived += count;
}

void iw_totals_join(struct iw_totals *totals, const struct iw_totals *other) {
    totals->streams += other->streams;
    totals->fpdus += other->fpdus;
    totals->waived += other->waived;
    totals->unread |= other->unread;
    totals->unstarted += other->unstarted;
    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        totals->findings[i] += other->findings[i];
    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        totals->unjudged[i] += other->unjudged[i];
}

bool iw_totals_violates(const struct iw_totals *totals, enum iw_severity severity) {
    return (int)severity + totals->stricter >= IW_SEVERITY_ERROR;
}

bool iw_totals_unjudged(const struct iw_totals *totals) {
    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        if (totals->unjudged[i] > 0)
            return true;
    return false;
}

enum iw_exit iw_totals_exit(const struct iw_totals *totals) {
    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        if (totals->findings[i] > 0 && iw_totals_violates(totals, (enum iw_severity)i))
            return IW_EXIT_VIOLATIONS;
    return totals->unread || iw_totals_unjudged(totals) ? IW_EXIT_UNJUDGED : IW_EXIT_CONFORMS;
}

const char *iw_totals_verdict(const struct iw_totals *totals) {
    if (totals->streams == 0)
        return "nothing judged";
    switch (iw_totals_exit(totals)) {
    case IW_EXIT_VIOLATIONS:
        return "violates";
    case IW_EXIT_UNJUDGED:
        return "not fully judged";
    case IW_EXIT_CONFORMS:
    case IW_EXIT_ENVIRONMENT:
    case IW_EXIT_INTERNAL:
        break;
    }
    return "conforms";
}
