#include "iw_matrix_verdict.h"

#include <string.h>

static const struct {
    const char *name;
    enum iw_exit exit;
} verdicts[IW_MATRIX_VERDICTS] = {
    [IW_MATRIX_PASS] = {"pass", IW_EXIT_CONFORMS},
    [IW_MATRIX_NOT_SUPPORTED] = {"not supported", IW_EXIT_CONFORMS},
    [IW_MATRIX_NOT_JUDGED] = {"not judged", IW_EXIT_UNJUDGED},
    [IW_MATRIX_FAIL] = {"fail", IW_EXIT_VIOLATIONS},
    [IW_MATRIX_ERROR] = {"error", IW_EXIT_ENVIRONMENT},
};

const char *iw_matrix_verdict_name(enum iw_matrix_verdict verdict) {
    return verdicts[verdict].name;
}

enum iw_matrix_verdict iw_matrix_verdict_find(const char *name) {
    for (int i = 0; i < IW_MATRIX_VERDICTS; i++)
        if (strcmp(verdicts[i].name, name) == 0)
            return (enum iw_matrix_verdict)i;
    return IW_MATRIX_ERROR;
}

enum iw_exit iw_matrix_verdict_exit(enum iw_matrix_verdict verdict) {
    return verdicts[verdict].exit;
}
