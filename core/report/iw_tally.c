#include "iw_tally.h"

void iw_tally_add(struct iw_tally *tally, const struct iw_monitor_counts *counts) {
    tally->streams++;
    tally->fpdus += counts->fpdus[IW_SIDE_A] + counts->fpdus[IW_SIDE_B];
    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        tally->findings[i] += counts->findings[i];
    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        tally->unjudged[i] += counts->unjudged[i];
}

bool iw_tally_unjudged(const struct iw_tally *tally) {
    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        if (tally->unjudged[i] > 0)
            return true;
    return false;
}

enum iw_exit iw_tally_exit(const struct iw_tally *tally) {
    if (tally->findings[IW_SEVERITY_ERROR] > 0)
        return IW_EXIT_VIOLATIONS;
    return iw_tally_unjudged(tally) ? IW_EXIT_UNJUDGED : IW_EXIT_CONFORMS;
}

const char *iw_tally_verdict(const struct iw_tally *tally) {
    switch (iw_tally_exit(tally)) {
    case IW_EXIT_VIOLATIONS:
        return "violates";
    case IW_EXIT_UNJUDGED:
        return "not fully judged";
    default:
        return "conforms";
    }
}
