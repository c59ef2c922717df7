#include "iw_verdict.h"

#include <string.h>

const char *iw_verdict_name(enum iw_verdict verdict) {
    static const char *const names[] = {
        "pass", "fail", "warning", "note", "inconclusive", "not applicable", "error"};

    return names[verdict];
}

bool iw_verdict_find(const char *name, enum iw_verdict *verdict) {
    for (*verdict = IW_VERDICT_PASS; *verdict <= IW_VERDICT_ERROR; ++*verdict)
        if (strcmp(iw_verdict_name(*verdict), name) == 0)
            return true;
    return false;
}

const char *iw_verdict_key(enum iw_verdict verdict) {
    return verdict == IW_VERDICT_NOT_APPLICABLE ? "not_applicable" : iw_verdict_name(verdict);
}

const char *iw_close_verdict_name(enum iw_close_verdict verdict) {
    static const char *const names[] = {"not judged", "right", "tolerated", "wrong"};

    return names[verdict];
}
