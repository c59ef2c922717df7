#include "iw_verdict.h"

#include <string.h>

const char *iw_verdict_name(enum iw_verdict verdict) {
    static const char *const names[] = {
        [IW_VERDICT_PASS] = "pass",
        [IW_VERDICT_NOT_APPLICABLE] = "not applicable",
        [IW_VERDICT_NOT_TESTED] = "not tested",
        [IW_VERDICT_NOTE] = "note",
        [IW_VERDICT_WARNING] = "warning",
        [IW_VERDICT_INCONCLUSIVE] = "inconclusive",
        [IW_VERDICT_FAIL] = "fail",
        [IW_VERDICT_ERROR] = "error",
    };

    return names[verdict];
}

bool iw_verdict_find(const char *name, enum iw_verdict *verdict) {
    for (int i = 0; i < IW_VERDICT_COUNT; i++)
        if (strcmp(iw_verdict_name((enum iw_verdict)i), name) == 0) {
            *verdict = (enum iw_verdict)i;
            return true;
        }
    return false;
}

const char *iw_verdict_key(enum iw_verdict verdict) {
    return verdict == IW_VERDICT_NOT_APPLICABLE ? "not_applicable"
           : verdict == IW_VERDICT_NOT_TESTED   ? "not_tested"
                                                : iw_verdict_name(verdict);
}

bool iw_verdict_is_left_out(enum iw_verdict verdict) {
    return verdict == IW_VERDICT_NOT_APPLICABLE || verdict == IW_VERDICT_NOT_TESTED;
}

bool iw_verdict_is_tested(enum iw_verdict verdict) {
    switch (verdict) {
    case IW_VERDICT_PASS:
    case IW_VERDICT_NOTE:
    case IW_VERDICT_WARNING:
    case IW_VERDICT_FAIL:
        return true;
    case IW_VERDICT_NOT_APPLICABLE:
    case IW_VERDICT_NOT_TESTED:
    case IW_VERDICT_INCONCLUSIVE:
    case IW_VERDICT_ERROR:
    case IW_VERDICT_COUNT:
        break;
    }
    return false;
}

const char *iw_close_verdict_name(enum iw_close_verdict verdict) {
    static const char *const names[] = {"not judged", "right", "tolerated", "wrong"};

    return names[verdict];
}
