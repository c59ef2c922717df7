#include "iw_totals.h"

void iw_totals_add(struct iw_totals *tally, const struct iw_monitor_counts *counts) {
    tally->streams++;
    tally->fpdus += counts->fpdus[IW_SIDE_A] + counts->fpdus[IW_SIDE_B];
    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        tally->findings[i] += counts->findings[i];
    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        tally->unjudged[i] += counts->unjudged[i];
}

void iw_totals_waive(struct iw_totals *tally, enum iw_severity severity, uint64_t count) {
    tally->findings[severity] -= count;
    tally->waived += count;
}

void iw_totals_join(struct iw_totals *tally, const struct iw_totals *other) {
    tally->streams += other->streams;
    tally->fpdus += other->fpdus;
    tally->waived += other->waived;
    tally->unread |= other->unread;
    tally->unstarted += other->unstarted;
    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        tally->findings[i] += other->findings[i];
    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        tally->unjudged[i] += other->unjudged[i];
}

bool iw_totals_violates(const struct iw_totals *tally, enum iw_severity severity) {
    return (int)severity + tally->stricter >= IW_SEVERITY_ERROR;
}

bool iw_totals_unjudged(const struct iw_totals *tally) {
    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        if (tally->unjudged[i] > 0)
            return true;
    return false;
}

enum iw_exit iw_totals_exit(const struct iw_totals *tally) {
    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        if (tally->findings[i] > 0 && iw_totals_violates(tally, (enum iw_severity)i))
            return IW_EXIT_VIOLATIONS;
    return tally->unread || iw_totals_unjudged(tally) ? IW_EXIT_UNJUDGED : IW_EXIT_CONFORMS;
}

const char *iw_totals_verdict(const struct iw_totals *tally) {
    if (tally->streams == 0)
        return "nothing judged";
    switch (iw_totals_exit(tally)) {
    case IW_EXIT_VIOLATIONS:
        return "violates";
    case IW_EXIT_UNJUDGED:
        return "not fully judged";
    default:
        return "conforms";
    }
}
