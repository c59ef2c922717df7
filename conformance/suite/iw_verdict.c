#include "iw_verdict.h"

#include <string.h>

const char *iw_verdict_name(enum iw_verdict verdict) {
    static const char *const names[] = {
        [IW_VERDICT_PASS] = "pass",
        [IW_VERDICT_NOT_APPLICABLE] = "not applicable",
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
    return verdict == IW_VERDICT_NOT_APPLICABLE ? "not_applicable" : iw_verdict_name(verdict);
}

const char *iw_close_verdict_name(enum iw_close_verdict verdict) {
    static const char *const names[] = {"not judged", "right", "tolerated", "wrong"};

    return names[verdict];
}
